/* label_filter.c - filters by labels: tagfocus, tagignore, tagshow, taghide */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "profile/columns.h"
#include "profile/filter/private.h"

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

/* A number and the letters after it. */
struct quantity {
    const char *text;
    size_t n;       /* bytes in all; 0 if there is no number */
    size_t n_digit; /* bytes of the sign and the digits */
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
 * Sets *value to the quantity in unit `to`, or in its own unit if `to` is null.
 * Sets *unit to that unit, malloc'ed.
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

static void range_free(struct tag_range *r)
{
    free(r->unit);
    r->unit = NULL;
}

/*
 * Returns 1 and sets *r if text is a range, 0 if it is not, and -1 if a number
 * exceeds 64 bits or memory is exhausted.
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

    /* From a to b; one may be missing, and both need the same unit. */
    char *unit = NULL;
    bool ok = (!a.n || evaluate(&a, NULL, &r->least, &r->unit, err)) &&
              (!b.n || evaluate(&b, r->unit, &r->most, &unit, err));
    int same = !r->unit || !unit || !strcmp(unit, r->unit);
    if (ok && !r->unit)
        r->unit = unit;
    else
        free(unit);
    if (!*colon)
        r->most = r->least;
    if (!ok || !same)
        range_free(r);
    return ok ? same : -1;
}

struct tag_filter {
    const char *option; /* owned by the caller */
    char *expr;         /* a copy, cut at the '=' into key and text */
    const char *key;    /* null: any key */
    const char *text;   /* what the label must match */
    bool is_range;
    struct tag_range range;
    struct regex **re; /* n_re expressions, unless it is a range */
    size_t n_re;
};

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
    if (f->is_range)
        return true;

    /* Regular expressions, separated by commas. */
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

bool tag_filter_new(struct tag_filter **out, const char *expr,
                    const char *option, struct prof_err *err)
{
    struct tag_filter *f = *out = mem_new(sizeof *f, err);
    if (!f)
        return false;
    f->option = option;
    if (init(f, expr, err))
        return true;
    tag_filter_free(f);
    *out = NULL;
    return false;
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
                  "%s: '%s' is read as a range, not as a regular expression",
                  f->option, f->text);
}

/* Returns the id of the key, or PROF_NONE if any key will do or none has it. */
static uint32_t key_of(const struct profile *p, const struct tag_filter *f)
{
    uint32_t id;
    if (f->key && strtab_find(&p->strings, f->key, strlen(f->key), &id))
        return id;
    return PROF_NONE;
}

/* Sets verdict[i] to 1 if label set i has a number in the range. */
static bool match_range(struct profile *p, const struct tag_filter *f,
                        uint8_t *verdict, const struct prof_notes *notes,
                        struct prof_err *err)
{
    const struct tag_range *range = &f->range;
    uint32_t *unit;
    bool ok = prof_label_units(p, &unit, notes, err);
    uint32_t key = key_of(p, f);
    for (size_t set = 0; ok && set < p->n_labelsets; set++)
        for (uint64_t i = p->labelset_off[set]; i < p->labelset_off[set + 1];
             i++) {
            const struct prof_label *l = &p->labels[i];
            if (l->str || (f->key && l->key != key))
                continue;
            const char *its;
            double value = measure_scale(l->num, prof_plain(p, unit[l->key]),
                                         range->unit, &its);
            if (!strcmp(its, range->unit) && value >= range->least &&
                value <= range->most)
                verdict[set] = 1;
        }
    free(unit);
    return ok;
}

/*
 * The distinct texts that expressions are tried on, as labels.  A text is made
 * only when it is tried: many keys with one long text would take far more
 * memory than the profile.
 */
struct texts {
    VEC(struct prof_label) v; /* one label for each distinct text */
    uint32_t *of;             /* index in v, by label; PROF_NONE: none */
};

static bool collect_texts(const struct profile *p, const struct tag_filter *f,
                          struct texts *t, struct prof_err *err)
{
    struct map known = {0};
    t->of = mem_array(p->n_labels, sizeof *t->of);
    bool ok = t->of;
    uint32_t key = key_of(p, f);
    for (size_t i = 0; ok && i < p->n_labels; i++) {
        const struct prof_label *l = &p->labels[i];
        const uint32_t text[] = {l->key, l->str};
        t->of[i] = PROF_NONE;
        if (l->str && (!f->key || l->key == key))
            ok = map_push(&known, &t->v, text, sizeof text, &t->of[i], *l);
    }
    map_free(&known);
    return ok || err_nomem(err);
}

/*
 * Tries one expression on all texts: sets text[id] to 1 if it matches.  A text
 * is "key:text" of a label, or only its text if the filter names the key.
 */
static bool match_texts(const struct profile *p, const struct texts *t,
                        bool with_key, struct regex *re, uint8_t *text,
                        struct prof_err *err)
{
    struct buf b = {0};
    bool ok = buf_reserve(&b, 1) || err_nomem(err);
    for (size_t id = 0; ok && id < t->v.n; id++) {
        const struct prof_label *l = &t->v.v[id];
        b.n = 0;
        ok = ((!with_key ||
               (prof_put_text(&b, p, l->key) && buf_putc(&b, ':'))) &&
              prof_put_text(&b, p, l->str)) ||
             err_nomem(err);
        int rc = ok ? regex_match(re, (char *)b.v, b.n, err) : -1;
        ok = rc >= 0;
        text[id] = rc > 0;
    }
    buf_free(&b);
    return ok;
}

/* Sets the verdicts.  With a key one expression must match; without, all. */
static bool match_regexes(const struct profile *p, const struct tag_filter *f,
                          uint8_t *verdict, struct prof_err *err)
{
    struct texts t = {0};
    bool ok = collect_texts(p, f, &t, err);
    uint8_t *text = ok ? mem_zarray(t.v.n, 1) : NULL;
    if (ok && !text)
        ok = err_nomem(err);
    memset(verdict, f->key ? 0 : 1, p->n_labelsets);
    for (size_t k = 0; ok && k < f->n_re; k++) {
        ok = match_texts(p, &t, !f->key, f->re[k], text, err);
        for (size_t set = 0; ok && set < p->n_labelsets; set++) {
            bool has = false;
            for (uint64_t i = p->labelset_off[set];
                 i < p->labelset_off[set + 1] && !has; i++)
                has = t.of[i] != PROF_NONE && text[t.of[i]];
            verdict[set] = f->key ? verdict[set] || has : verdict[set] && has;
        }
    }
    free(text);
    free(t.of);
    vec_free(&t.v);
    return ok;
}

/*
 * Returns a verdict for each label set, malloc'ed; without a filter all are
 * `otherwise`.  Returns null if *err is set.
 */
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
    uint8_t *kept = ignore_set ? mem_array(p->n_samples, 1) : NULL;
    bool ok = kept || (ignore_set && err_nomem(err));
    for (size_t s = 0; kept && s < p->n_samples; s++) {
        uint32_t set = p->labelset[s];
        c->focused |= focus_set[set];
        c->ignored |= ignore_set[set];
        kept[s] = focus_set[set] && !ignore_set[set];
    }
    ok = ok && prof_keep_samples(p, kept, err);
    free(kept);
    free(focus_set);
    free(ignore_set);
    return ok;
}

/* --- labels by key: tagshow, taghide, and a label for all samples */

/* Verdicts on a key, which are or-ed. */
enum { TRIED = 1, SHOWN = 2, HIDDEN = 4 };

struct relabeling {
    struct profile *p;
    struct regex *show, *hide;
    uint8_t *key;                /* verdicts by string id, or-ed */
    uint8_t all;                 /* verdicts on all keys so far, or-ed */
    uint32_t *instead;           /* new label set, by label set; or PROF_NONE */
    struct prof_label label;     /* for prof_set_label() */
    VEC(struct prof_label) kept; /* labels of one set */
};

/* Makes the label set that replaces `set`: its shown labels. */
static bool filter_set(struct relabeling *t, uint32_t set, struct prof_err *err)
{
    struct profile *p = t->p;
    uint64_t from = p->labelset_off[set], to = p->labelset_off[set + 1];
    t->kept.n = 0;
    for (uint64_t i = from; i < to; i++) {
        const struct prof_label *l = &p->labels[i];
        uint8_t *verdict = &t->key[l->key];
        /* Try both expressions on each key once. */
        if (!*verdict) {
            struct prof_slice key = prof_text(p, l->key);
            int shown = t->show ? regex_match(t->show, key.s, key.n, err) : 1;
            if (shown < 0)
                return false;
            int hidden = t->hide ? regex_match(t->hide, key.s, key.n, err) : 0;
            if (hidden < 0)
                return false;
            *verdict =
                (uint8_t)(TRIED | (shown ? SHOWN : 0) | (hidden ? HIDDEN : 0));
            t->all |= *verdict;
        }
        if ((*verdict & (SHOWN | HIDDEN)) == SHOWN && !vec_push(&t->kept, *l))
            return err_nomem(err);
    }
    return prof_labelset(p, t->kept.v, t->kept.n, &t->instead[set], err);
}

/* Gives each sample the label set that `replace` makes of its own. */
static bool relabel(struct relabeling *t,
                    bool (*replace)(struct relabeling *t, uint32_t set,
                                    struct prof_err *err),
                    struct prof_err *err)
{
    struct profile *p = t->p;
    t->instead = mem_none(p->n_labelsets);
    bool ok = t->instead || err_nomem(err);
    for (size_t s = 0; ok && s < p->n_samples; s++) {
        uint32_t set = p->labelset[s];
        if (t->instead[set] == PROF_NONE)
            ok = replace(t, set, err);
        p->labelset[s] = t->instead[set];
    }
    vec_free(&t->kept);
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

/*
 * Makes a copy of `set` in which the label replaces string labels of its key.
 */
static bool add_label(struct relabeling *t, uint32_t set, struct prof_err *err)
{
    struct profile *p = t->p;
    uint64_t from = p->labelset_off[set], to = p->labelset_off[set + 1];
    t->kept.n = 0;
    if (!vec_reserve(&t->kept, (size_t)(to - from) + 1))
        return err_nomem(err);
    for (uint64_t i = from; i < to; i++)
        if (p->labels[i].key != t->label.key || !p->labels[i].str)
            t->kept.v[t->kept.n++] = p->labels[i];
    t->kept.v[t->kept.n++] = t->label;
    return prof_labelset(p, t->kept.v, t->kept.n, &t->instead[set], err);
}

bool prof_set_label(struct profile *p, const char *key, const char *value,
                    struct prof_err *err)
{
    struct relabeling t = {.p = p};
    return prof_str(p, key, &t.label.key, err) &&
           prof_str(p, value, &t.label.str, err) && relabel(&t, add_label, err);
}
