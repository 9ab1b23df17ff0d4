/* label_filter.c - filters by labels: tagfocus, tagignore, tagshow, taghide */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "profile/filter/filter.h"
#include "profile/filter/private.h"
#include "profile/filter/regex.h"
#include "profile/model/labelset.h"
#include "profile/model/measure.h"
#include "profile/model/text.h"

/* --- samples by label: tagfocus, tagignore */

/*
 * The range of an expression, read and compared as pprof does: the second
 * number is converted to the unit of the first, and a number without a unit
 * has a unit that does not scale.
 */
struct tag_range {
    double least, most; /* infinite where the range is open */
    char *unit;         /* owned */
};

/* A number and the letters behind it. */
struct quantity {
    const char *text;
    size_t n;       /* bytes in all; 0: there is none */
    size_t n_digit; /* of them the sign and the digits */
};

static struct quantity find_quantity(const char *s)
{
    struct quantity q = {.text = s};
    size_t n = *s == '+' || *s == '-';
    if (!ascii_is_digit(s[n]))
        return q;
    while (ascii_is_digit(s[n]))
        n++;
    q.n_digit = n;
    while (ascii_is_letter(s[n]))
        n++;
    q.n = n;
    return q;
}

/*
 * The quantity in unit `to`, or in its own where that is null.  *unit is
 * malloc'ed.
 */
static bool evaluate(const struct quantity *q, const char *to, double *value,
                     char **unit, struct prof_err *err)
{
    *unit = NULL;
    char *from = strndup(q->text + q->n_digit, q->n - q->n_digit);
    if (!from)
        return err_nomem(err);
    errno = 0;
    int64_t number = strtoll(q->text, NULL, 10);
    if (errno) {
        free(from);
        return err_set(err, PROF_ERR_USAGE, "number too large: %.*s",
                       (int)q->n_digit, q->text);
    }
    const char *name;
    *value = measure_scale(number, from, to ? to : from, &name);
    *unit = strdup(name);
    free(from);
    return *unit || err_nomem(err);
}

/* The range from a to b, one of which may be missing (n 0). */
static int set_range(struct tag_range *r, const struct quantity *a,
                     const struct quantity *b, struct prof_err *err)
{
    char *unit = NULL;
    if (a->n && !evaluate(a, NULL, &r->least, &r->unit, err))
        return -1;
    if (b->n && !evaluate(b, r->unit, &r->most, &unit, err))
        return -1;
    if (!r->unit) {
        r->unit = unit;
        return 1;
    }
    int same = !unit || !strcmp(unit, r->unit);
    free(unit);
    return same;
}

static void range_free(struct tag_range *r)
{
    free(r->unit);
    r->unit = NULL;
}

/*
 * 1: text is a range, now in *r; 0: it is none; -1: a number in it does not
 * fit 64 bits, or memory is out.
 */
static int parse_range(struct tag_range *r, const char *text,
                       struct prof_err *err)
{
    *r = (struct tag_range){.least = -INFINITY, .most = INFINITY};
    struct quantity a = find_quantity(text);
    const char *colon = text + a.n;
    struct quantity b = find_quantity(colon + (*colon == ':'));
    bool whole = *colon == ':' ? !b.text[b.n] && (a.n || b.n) : a.n && !*colon;
    if (!whole)
        return 0;
    int rc = set_range(r, &a, &b, err);
    if (!*colon)
        r->most = r->least;
    if (rc < 1)
        range_free(r);
    return rc;
}

static bool range_has(const struct tag_range *r, int64_t value,
                      const char *unit)
{
    const char *got;
    double v = measure_scale(value, unit, r->unit, &got);
    return !strcmp(got, r->unit) && v >= r->least && v <= r->most;
}

struct tag_filter {
    const char *option; /* the caller's */
    char *expr;         /* as given, cut into key and text */
    const char *key;    /* null: any */
    const char *text;   /* what is wanted of the label */
    bool is_range;
    struct tag_range range;
    struct regex **re; /* n_re of them when it is not a range */
    size_t n_re;
};

/* The regular expressions, between commas. */
static bool compile(struct tag_filter *f, struct prof_err *err)
{
    size_t n = 1;
    for (const char *at = f->text; (at = strchr(at, ',')); at++)
        n++;
    f->re = mem_zarray(n, sizeof(struct regex *));
    bool ok = f->re || err_nomem(err);
    for (const char *at = f->text; ok && f->n_re < n;) {
        size_t length = strcspn(at, ",");
        char *one = strndup(at, length);
        ok = one ? regex_new(&f->re[f->n_re], one, f->option, PROF_ERR_USAGE,
                             err)
                 : err_nomem(err);
        free(one);
        f->n_re += ok;
        at += length + 1;
    }
    return ok;
}

static bool init(struct tag_filter *f, const char *expr, struct prof_err *err)
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
    int rc = parse_range(&f->range, f->text, err);
    if (rc < 0)
        return err_prefix(err, "%s: ", f->option);
    f->is_range = rc;
    return rc || compile(f, err);
}

bool tag_filter_new(struct tag_filter **out, const char *expr,
                    const char *option, struct prof_err *err)
{
    *out = NULL;
    struct tag_filter *f = calloc(1, sizeof *f);
    if (!f)
        return err_nomem(err);
    f->option = option;
    if (!init(f, expr, err)) {
        tag_filter_free(f);
        return false;
    }
    *out = f;
    return true;
}

void tag_filter_free(struct tag_filter *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->n_re; i++)
        regex_free(f->re[i]);
    free(f->re);
    range_free(&f->range);
    free(f->expr);
    free(f);
}

const char *tag_filter_range(const struct tag_filter *f)
{
    return f->is_range ? f->text : NULL;
}

static void note_range(const struct prof_notes *notes,
                       const struct tag_filter *f)
{
    if (f && f->is_range)
        note_info(notes,
                  "%s: '%s' is read as a range, not as a "
                  "regular expression",
                  f->option, f->text);
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
    return !l->str && range_has(&f->range, l->num, prof_plain(p, unit[l->key]));
}

/* verdict[i] of label set i: has it a number in the range? */
static bool match_range(struct profile *p, const struct tag_filter *f,
                        uint8_t *verdict, const struct prof_notes *notes,
                        struct prof_err *err)
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
    uint32_t *of;  /* by label; PROF_NONE: none */
    bool with_key; /* "key:text" is tried, or else the text alone */
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
                          struct texts *t, struct prof_err *err)
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

/* Tries one expression on all texts: text[id] is 1 if it matches. */
static bool match_texts(const struct texts *t, const struct profile *p,
                        struct regex *re, uint8_t *text, struct prof_err *err)
{
    struct buf b = {0};
    bool ok = buf_reserve(&b, 1) || err_nomem(err);
    for (size_t id = 0; ok && id < t->v.n; id++) {
        ok = put_text(p, &t->v.v[id], t->with_key, &b) || err_nomem(err);
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
                          uint8_t *verdict, struct prof_err *err)
{
    struct texts t = {.with_key = !f->key};
    bool ok = collect_texts(p, f, &t, err);
    uint8_t *text = ok ? mem_zarray(t.v.n, 1) : NULL;
    if (ok && !text)
        ok = err_nomem(err);
    memset(verdict, f->key ? 0 : 1, p->n_labelsets);
    for (size_t k = 0; ok && k < f->n_re; k++) {
        ok = match_texts(&t, p, f->re[k], text, err);
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
                           bool otherwise, const struct prof_notes *notes,
                           struct prof_err *err)
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

bool prof_filter_tags(struct profile *p, struct tag_choice *c,
                      const struct prof_notes *notes, struct prof_err *err)
{
    c->focused = c->ignored = false;
    note_range(notes, c->focus);
    note_range(notes, c->ignore);
    uint8_t *focus_set = match_sets(p, c->focus, true, notes, err);
    uint8_t *ignore_set =
        focus_set ? match_sets(p, c->ignore, false, notes, err) : NULL;
    bool ok = ignore_set != NULL;
    for (size_t s = 0; ok && s < p->n_samples; s++) {
        c->focused |= focus_set[p->labelset[s]];
        c->ignored |= ignore_set[p->labelset[s]];
    }
    for (size_t set = 0; ok && set < p->n_labelsets; set++)
        focus_set[set] = focus_set[set] && !ignore_set[set];
    if (ok)
        prof_keep_sets(p, focus_set);
    free(focus_set);
    free(ignore_set);
    return ok;
}

/* --- labels by key: tagshow, taghide, and a label for all samples */

/* Verdicts on a key. */
enum { TRIED = 1, SHOWN = 2, HIDDEN = 4 };

struct relabeling {
    struct profile *p;
    struct regex *show, *hide;
    uint8_t *key;            /* verdicts by string id, or-ed */
    uint8_t all;             /* of all keys met */
    uint32_t *instead;       /* by label set: its new one, or PROF_NONE */
    struct prof_label label; /* of prof_set_label() */
    struct prof_label *kept; /* room for the labels of one set */
    size_t cap_kept;
};

/* Tries both expressions on a key, once. */
static bool judge_key(struct relabeling *t, uint32_t id, struct prof_err *err)
{
    if (t->key[id])
        return true;
    struct prof_slice key = prof_text(t->p, id);
    int shown = t->show ? regex_match(t->show, key.s, key.n, err) : 1;
    if (shown < 0)
        return false;
    int hidden = t->hide ? regex_match(t->hide, key.s, key.n, err) : 0;
    if (hidden < 0)
        return false;
    t->key[id] = (uint8_t)(TRIED | (shown ? SHOWN : 0) | (hidden ? HIDDEN : 0));
    t->all |= t->key[id];
    return true;
}

/* Makes the label set that replaces `set`. */
static bool filter_set(struct relabeling *t, uint32_t set, struct prof_err *err)
{
    struct profile *p = t->p;
    uint64_t from = p->labelset_off[set], to = p->labelset_off[set + 1];
    size_t n = 0;
    if (!vec_grow((void **)&t->kept, &t->cap_kept, (size_t)(to - from),
                  sizeof *t->kept))
        return err_nomem(err);
    for (uint64_t i = from; i < to; i++) {
        const struct prof_label *l = &p->labels[i];
        if (!judge_key(t, l->key, err))
            return false;
        if ((t->key[l->key] & (SHOWN | HIDDEN)) == SHOWN)
            t->kept[n++] = *l;
    }
    return prof_labelset(p, t->kept, n, &t->instead[set], err);
}

/* Gives each sample the label set that `replace` makes of its own. */
static bool relabel(struct relabeling *t,
                    bool (*replace)(struct relabeling *t, uint32_t set,
                                    struct prof_err *err),
                    struct prof_err *err)
{
    struct profile *p = t->p;
    t->instead = mem_array(p->n_labelsets, sizeof *t->instead);
    bool ok = t->instead || err_nomem(err);
    if (ok)
        memset(t->instead, 0xff, p->n_labelsets * sizeof *t->instead);
    for (size_t s = 0; ok && s < p->n_samples; s++) {
        uint32_t set = p->labelset[s];
        if (t->instead[set] == PROF_NONE)
            ok = replace(t, set, err);
        p->labelset[s] = t->instead[set];
    }
    free(t->kept);
    free(t->instead);
    return ok;
}

bool prof_filter_labels(struct profile *p, struct label_choice *c,
                        struct prof_err *err)
{
    struct relabeling t = {.p = p, .show = c->show, .hide = c->hide};
    c->shown = c->hidden = false;
    if (!c->show && !c->hide)
        return true;
    t.key = mem_zarray(p->strings.n, 1);
    bool ok = t.key ? relabel(&t, filter_set, err) : err_nomem(err);
    c->shown = t.all & SHOWN;
    c->hidden = t.all & HIDDEN;
    free(t.key);
    return ok;
}

/* Makes the set of the other labels of `set` and the new one. */
static bool add_label(struct relabeling *t, uint32_t set, struct prof_err *err)
{
    struct profile *p = t->p;
    const struct prof_label *label = &t->label;
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
                    struct prof_err *err)
{
    struct relabeling t = {.p = p};
    return prof_str(p, key, &t.label.key, err) &&
           prof_str(p, value, &t.label.str, err) && relabel(&t, add_label, err);
}
