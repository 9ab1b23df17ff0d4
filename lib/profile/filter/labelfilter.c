#include "profile/filter/labelfilter.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Verdicts on a key. */
enum { TRIED = 1, SHOWN = 2, HIDDEN = 4 };

struct thinning {
    struct profile *p;
    struct regex *show, *hide;
    uint8_t *key;            /* verdicts by string id, or-ed */
    uint8_t all;             /* of all keys met */
    uint32_t *instead;       /* by set: what it becomes, or PROF_NONE */
    struct prof_label *kept; /* room for the labels of one set */
    size_t cap_kept;
};

/* Sets *yes to whether the string matches; a null regex is `otherwise`. */
static bool matches(const struct thinning *t, struct regex *re, uint32_t id,
                    bool otherwise, bool *yes, struct err *err)
{
    const struct strtab *s = &t->p->strings;
    int rc = re ? regex_match(re, strtab_str(s, id), strtab_len(s, id), err)
                : otherwise;
    *yes = rc > 0;
    return rc >= 0;
}

static bool judge(struct thinning *t, uint32_t id, struct err *err)
{
    bool shown, hidden;
    if (t->key[id])
        return true;
    if (!matches(t, t->show, id, true, &shown, err) ||
        !matches(t, t->hide, id, false, &hidden, err))
        return false;
    t->key[id] = (uint8_t)(TRIED | (shown ? SHOWN : 0) | (hidden ? HIDDEN : 0));
    t->all |= t->key[id];
    return true;
}

/* The set that takes the place of `set`. */
static bool thin(struct thinning *t, uint32_t set, struct err *err)
{
    struct profile *p = t->p;
    uint64_t from = p->labelset_off[set], to = p->labelset_off[set + 1];
    size_t n = 0;
    if (!vec_grow((void **)&t->kept, &t->cap_kept, (size_t)(to - from),
                  sizeof *t->kept))
        return err_nomem(err);
    for (uint64_t i = from; i < to; i++) {
        const struct prof_label *l = &p->labels[i];
        if (!judge(t, l->key, err))
            return false;
        if ((t->key[l->key] & (SHOWN | HIDDEN)) == SHOWN)
            t->kept[n++] = *l;
    }
    return prof_labelset(p, t->kept, n, &t->instead[set], err);
}

bool prof_filter_labels(struct profile *p, struct regex *show,
                        struct regex *hide, bool *shown, bool *hidden,
                        struct err *err)
{
    struct thinning t = {.p = p, .show = show, .hide = hide};
    *shown = *hidden = false;
    if (!show && !hide)
        return true;
    t.key = mem_zarray(p->strings.n, 1);
    t.instead = mem_array(p->n_labelsets, sizeof *t.instead);
    bool ok = (t.key && t.instead) || err_nomem(err);
    if (ok)
        memset(t.instead, 0xff, p->n_labelsets * sizeof *t.instead);
    for (size_t s = 0; ok && s < p->n_samples; s++) {
        uint32_t set = p->labelset[s];
        if (t.instead[set] == PROF_NONE)
            ok = thin(&t, set, err);
        p->labelset[s] = t.instead[set];
    }
    *shown = t.all & SHOWN;
    *hidden = t.all & HIDDEN;
    free(t.kept);
    free(t.instead);
    free(t.key);
    return ok;
}

void prof_drop_labels(struct profile *p)
{
    if (p->n_samples)
        memset(p->labelset, 0, p->n_samples * sizeof *p->labelset);
}

/* Its other labels and this one, as a set. */
static bool with_label(struct thinning *t, uint32_t set,
                       const struct prof_label *label, struct err *err)
{
    struct profile *p = t->p;
    uint64_t from = p->labelset_off[set], to = p->labelset_off[set + 1];
    size_t n = 0;
    if (!vec_grow((void **)&t->kept, &t->cap_kept, (size_t)(to - from) + 1,
                  sizeof *t->kept))
        return err_nomem(err);
    for (uint64_t i = from; i < to; i++)
        if (p->labels[i].key != label->key || !p->labels[i].str)
            t->kept[n++] = p->labels[i];
    t->kept[n++] = *label;
    return prof_labelset(p, t->kept, n, &t->instead[set], err);
}

bool prof_set_label(struct profile *p, const char *key, const char *value,
                    struct err *err)
{
    struct thinning t = {.p = p};
    struct prof_label label = {0};
    if (!prof_str(p, key, &label.key, err) ||
        !prof_str(p, value, &label.str, err))
        return false;
    t.instead = mem_array(p->n_labelsets, sizeof *t.instead);
    bool ok = t.instead || err_nomem(err);
    if (ok)
        memset(t.instead, 0xff, p->n_labelsets * sizeof *t.instead);
    for (size_t s = 0; ok && s < p->n_samples; s++) {
        uint32_t set = p->labelset[s];
        if (t.instead[set] == PROF_NONE)
            ok = with_label(&t, set, &label, err);
        p->labelset[s] = t.instead[set];
    }
    free(t.kept);
    free(t.instead);
    return ok;
}
