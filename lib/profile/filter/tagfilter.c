#include "profile/filter/tagfilter.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/vec.h"
#include "profile/filter/regex.h"
#include "profile/filter/samplepass.h"
#include "profile/filter/tagrange.h"
#include "profile/labelset.h"
#include "profile/text.h"

struct alternative {
    struct regex *re;
};

struct tag_filter {
    char *expr;       /* as given, cut into key and text */
    const char *key;  /* null: any */
    const char *text; /* what is wanted of the label */
    bool is_range;
    struct tag_range range;
    VEC(struct alternative) list; /* when it is no range */
};

/* The regular expressions, between commas. */
static bool compile(struct tag_filter *f, struct err *err)
{
    const char *at = f->text;
    for (bool more = true; more;) {
        size_t n = strcspn(at, ",");
        more = at[n] == ',';
        char *one = strndup(at, n);
        if (!one || !vec_reserve(&f->list, 1)) {
            free(one);
            return err_nomem(err);
        }
        bool ok = regex_new(&f->list.v[f->list.n].re, one, err);
        free(one);
        if (!ok)
            return false;
        f->list.n++;
        at += n + 1;
    }
    return true;
}

static bool init(struct tag_filter *f, const char *expr, struct err *err)
{
    f->text = f->expr = strdup(expr);
    if (!f->expr)
        return err_nomem(err);
    char *equals = strchr(f->expr, '=');
    if (equals) {
        *equals = 0;
        f->text = equals + 1;
        f->key = *f->expr ? f->expr : NULL;
    }
    int rc = tag_range_parse(&f->range, f->text, err);
    f->is_range = rc > 0;
    return rc > 0 || (!rc && compile(f, err));
}

bool tag_filter_new(struct tag_filter **out, const char *expr, struct err *err)
{
    *out = NULL;
    struct tag_filter *f = calloc(1, sizeof *f);
    if (!f)
        return err_nomem(err);
    if (!init(f, expr, err)) {
        tag_filter_free(f);
        return false;
    }
    *out = f;
    return true;
}

void tag_filter_call(struct tag_filter *f, const char *what)
{
    for (size_t i = 0; i < f->list.n; i++)
        regex_call(f->list.v[i].re, what, ERR_USAGE);
}

void tag_filter_free(struct tag_filter *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->list.n; i++)
        regex_free(f->list.v[i].re);
    vec_free(&f->list);
    tag_range_free(&f->range);
    free(f->expr);
    free(f);
}

const char *tag_filter_range(const struct tag_filter *f)
{
    return f->is_range ? f->text : NULL;
}

/* The id of the key, or PROF_NONE: none has that key, or any is as good. */
static uint32_t key_of(const struct profile *p, const struct tag_filter *f)
{
    uint32_t id;
    if (f->key && strtab_find(&p->strings, f->key, strlen(f->key), &id))
        return id;
    return PROF_NONE;
}

static bool label_in_range(const struct profile *p, const struct tag_filter *f,
                           const struct prof_label *l, const uint32_t *unit)
{
    return !l->str &&
           tag_range_has(&f->range, l->num, prof_plain(p, unit[l->key]));
}

/* verdict[i] of label set i: has it a number in the range? */
static bool match_range(struct profile *p, const struct tag_filter *f,
                        uint8_t *verdict, const struct notes *notes,
                        struct err *err)
{
    uint32_t *unit;
    bool ok = prof_label_units(p, &unit, notes, err);
    uint32_t key = key_of(p, f);
    for (size_t set = 0; ok && set < p->n_labelsets; set++)
        for (uint64_t i = p->labelset_off[set]; i < p->labelset_off[set + 1];
             i++) {
            const struct prof_label *l = &p->labels[i];
            if ((!f->key || l->key == key) && label_in_range(p, f, l, unit))
                verdict[set] = 1;
        }
    free(unit);
    return ok;
}

/*
 * What expressions are tried on, and which label has which.  Texts are made
 * when they are tried: many keys with one long text are much more text than
 * the profile has.
 */
struct texts {
    VEC(struct prof_label) v; /* labels of which no two are of one text */
    struct hashidx index;
    uint32_t *of; /* by label; PROF_NONE: none */
};

/* "key:text" of a label, or its text alone for those who know the key. */
static bool put_text(const struct profile *p, const struct prof_label *l,
                     bool with_key, struct buf *b)
{
    b->n = 0;
    if (with_key && (!prof_put_text(b, p, l->key) || !buf_putc(b, ':')))
        return false;
    return prof_put_text(b, p, l->str);
}

static bool add_text(struct texts *t, const struct profile *p,
                     const struct prof_label *l, uint32_t *id)
{
    uint32_t hash = mix_fold(mix_pair(prof_seed(p), l->key, l->str));
    if (!hashidx_room(&t->index))
        return false;
    size_t at = hashidx_start(&t->index, hash);
    while ((*id = hashidx_next(&t->index, hash, &at)) != HASHIDX_NONE)
        if (t->v.v[*id].key == l->key && t->v.v[*id].str == l->str)
            return true;
    *id = (uint32_t)t->v.n;
    hashidx_put(&t->index, at, hash, *id);
    return t->v.n < PROF_NONE && vec_push(&t->v, *l);
}

static bool collect_texts(const struct profile *p, const struct tag_filter *f,
                          struct texts *t, struct err *err)
{
    t->of = mem_array(p->n_labels, sizeof *t->of);
    bool ok = t->of;
    uint32_t key = key_of(p, f);
    for (size_t i = 0; ok && i < p->n_labels; i++) {
        const struct prof_label *l = &p->labels[i];
        t->of[i] = PROF_NONE;
        if (l->str && (!f->key || l->key == key))
            ok = add_text(t, p, l, &t->of[i]);
    }
    return ok || err_nomem(err);
}

/* Tries one expression on all texts. */
static bool match_texts(const struct texts *t, const struct profile *p,
                        bool with_key, struct regex *re, uint8_t *text,
                        struct err *err)
{
    struct buf b = {0};
    bool ok = buf_reserve(&b, 1) || err_nomem(err);
    for (size_t id = 0; ok && id < t->v.n; id++) {
        ok = put_text(p, &t->v.v[id], with_key, &b) || err_nomem(err);
        int rc = ok ? regex_match(re, (char *)b.v, b.n, err) : -1;
        ok = rc >= 0;
        text[id] = rc > 0;
    }
    buf_free(&b);
    return ok;
}

static bool set_has(const struct profile *p, size_t set, const struct texts *t,
                    const uint8_t *text)
{
    for (uint64_t i = p->labelset_off[set]; i < p->labelset_off[set + 1]; i++)
        if (t->of[i] != PROF_NONE && text[t->of[i]])
            return true;
    return false;
}

/* With a key any expression will do, without one all must match. */
static bool match_regexes(const struct profile *p, const struct tag_filter *f,
                          uint8_t *verdict, struct err *err)
{
    struct texts t = {0};
    bool ok = collect_texts(p, f, &t, err);
    uint8_t *text = ok ? mem_zarray(t.v.n, 1) : NULL;
    if (ok && !text)
        ok = err_nomem(err);
    memset(verdict, f->key ? 0 : 1, p->n_labelsets);
    for (size_t k = 0; ok && k < f->list.n; k++) {
        ok = match_texts(&t, p, !f->key, f->list.v[k].re, text, err);
        for (size_t set = 0; ok && set < p->n_labelsets; set++) {
            bool has = set_has(p, set, &t, text);
            verdict[set] = f->key ? verdict[set] || has : verdict[set] && has;
        }
    }
    free(text);
    free(t.of);
    vec_free(&t.v);
    hashidx_free(&t.index);
    return ok;
}

/* A verdict for each label set; all of them `otherwise` without a filter. */
static uint8_t *match_sets(struct profile *p, const struct tag_filter *f,
                           bool otherwise, const struct notes *notes,
                           struct err *err)
{
    uint8_t *verdict = mem_zarray(p->n_labelsets, 1);
    if (!verdict) {
        (void)err_nomem(err);
        return NULL;
    }
    if (!f) {
        memset(verdict, otherwise, p->n_labelsets);
        return verdict;
    }
    if (f->is_range ? match_range(p, f, verdict, notes, err)
                    : match_regexes(p, f, verdict, err))
        return verdict;
    free(verdict);
    return NULL;
}

bool prof_filter_tags(struct profile *p, const struct tag_filter *focus,
                      const struct tag_filter *ignore, bool *focused,
                      bool *ignored, const struct notes *notes, struct err *err)
{
    *focused = *ignored = false;
    uint8_t *focus_set = match_sets(p, focus, true, notes, err);
    uint8_t *ignore_set =
        focus_set ? match_sets(p, ignore, false, notes, err) : NULL;
    bool ok = ignore_set != NULL;
    struct sample_pass pass = sample_pass_begin(p);
    while (ok && sample_pass_next(&pass)) {
        uint32_t set = p->labelset[pass.sample];
        *focused |= focus_set[set];
        *ignored |= ignore_set[set];
        if (focus_set[set] && !ignore_set[set])
            sample_pass_keep(&pass, pass.stack, pass.depth);
    }
    if (ok)
        sample_pass_end(&pass);
    free(focus_set);
    free(ignore_set);
    return ok;
}
