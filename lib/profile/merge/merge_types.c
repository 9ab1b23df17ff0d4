/* Which sample types inputs share, and in what order they come out. */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "profile/merge/merger.h"
#include "profile/text.h"

/* A type of the input, in the sum's strings. */
static struct prof_value_type type_of(const struct merge_input *in, size_t i)
{
    const struct prof_value_type *vt = &in->p->types[i];
    return (struct prof_value_type){merge_string(in, vt->type),
                                    merge_string(in, vt->unit)};
}

static bool is_dropped(const struct merge_input *in, size_t type)
{
    return in->from && in->from->type_dropped[type];
}

/*
 * "cpu/nanoseconds, samples/count": the types of the input, or, where that
 * is null, of the sum.
 */
static void describe(const struct merger *m, const struct merge_input *in,
                     char *text, size_t n)
{
    const struct profile *p = in ? in->p : &m->sum;
    size_t at = 0;
    text[0] = 0;
    for (size_t i = 0; i < p->n_types && at + 1 < n; i++) {
        struct prof_value_type vt = in ? type_of(in, i) : p->types[i];
        struct buf b = {0};
        if (in ? is_dropped(in, i) : m->type_dropped[i])
            continue;
        if (buf_printf(&b, "%s%s", at ? ", " : "",
                       prof_show_type(&m->sum, vt).text)) {
            size_t k = b.n < n - at - 1 ? b.n : n - at - 1;
            memcpy(text + at, b.v, k);
            at += k;
            text[at] = 0;
        }
        buf_free(&b);
    }
    if (!p->n_types && n > 4)
        memcpy(text, "none", 5);
}

static bool mismatch(const struct merger *m, const struct merge_input *in,
                     const char *why, struct err *err)
{
    char ours[400], theirs[400];
    describe(m, NULL, ours, sizeof ours);
    describe(m, in, theirs, sizeof theirs);
    return err_set(err, ERR_INPUT, "%s: (%s) here, (%s) before%s", why, theirs,
                   ours, MERGE_ADVICE);
}

static bool columns_room(struct merger *m, size_t n, struct err *err)
{
    size_t cap = m->types_cap;
    if (!vec_grow((void **)&m->type_order, &cap, n, sizeof *m->type_order))
        return err_nomem(err);
    cap = m->types_cap;
    if (!vec_grow((void **)&m->type_dropped, &cap, n, sizeof *m->type_dropped))
        return err_nomem(err);
    m->types_cap = cap;
    return true;
}

/*
 * A column without a name, which no result has.  Rows are moved where there
 * are more columns: a sum of many types gets a part more than it needs, so
 * that this is seldom.
 */
static bool add_spare(struct merger *m, struct err *err)
{
    static const struct prof_value_type none = {0, 0};
    size_t n = m->sum.n_types;
    if (!columns_room(m, n + 1, err) || !prof_add_type_id(&m->sum, none, err))
        return false;
    m->type_order[n] = (uint32_t)n;
    m->type_dropped[n] = true;
    m->n_spare++;
    return true;
}

/* One more column, of which no sample has a value yet. */
static bool add_column(struct merger *m, const struct prof_value_type *vt,
                       uint32_t *column, struct err *err)
{
    enum { PART = 8 };
    size_t n = m->sum.n_types;
    size_t more = m->n_spare ? 0 : 1 + (m->n_inputs ? n / PART : 0);
    for (; more; more--)
        if (!add_spare(m, err))
            return false;
    n = m->sum.n_types - m->n_spare;
    m->n_spare--;
    m->sum.types[n] = *vt;
    m->type_dropped[n] = false;
    *column = (uint32_t)n;
    return true;
}

/* Samples that had `old` columns get all, with 0 in those that are new. */
static bool widen(struct merger *m, size_t old, struct err *err)
{
    struct profile *s = &m->sum;
    size_t n = s->n_samples, nt = s->n_types;
    if (nt == old)
        return true;
    if (nt && n > SIZE_MAX / nt)
        return err_nomem(err);
    if (!vec_grow((void **)&s->values, &s->cap_values, n * nt,
                  sizeof *s->values))
        return err_nomem(err);
    prof_widen(s->values, n, old, nt);
    return true;
}

static int type_cmp(const struct merger *m, uint32_t a, uint32_t b)
{
    const struct prof_value_type *x = &m->sum.types[a], *y = &m->sum.types[b];
    int c = strtab_cmp(&m->sum.strings, x->type, y->type);
    return c ? c : strtab_cmp(&m->sum.strings, x->unit, y->unit);
}

/* The column of the type that the input puts in this place. */
static uint32_t nth_column(const struct merge_input *in, size_t place)
{
    return in->column.v[in->from ? in->from->type_order[place] : place];
}

/* Keeps the lesser of two orders of the same columns. */
static void lesser_order(struct merger *m, const struct merge_input *in)
{
    size_t n = m->sum.n_types;
    for (size_t i = 0; i < n; i++) {
        int c = type_cmp(m, nth_column(in, i), m->type_order[i]);
        if (c > 0)
            return;
        if (c < 0) {
            for (i = 0; i < n; i++)
                m->type_order[i] = nth_column(in, i);
            return;
        }
    }
}

static struct radix_item item_of(const struct prof_value_type *vt, size_t i)
{
    return (struct radix_item){.key = (uint64_t)vt->type << 32 | vt->unit,
                               .id = (uint32_t)i};
}

/* Columns that are not dropped, by name, equal ones in their order. */
static size_t sort_columns(const struct merger *m, struct radix_item *v)
{
    size_t n = 0;
    for (size_t c = 0; c < m->sum.n_types; c++)
        if (!m->type_dropped[c])
            v[n++] = item_of(&m->sum.types[c], c);
    radix_sort(v, v + m->sum.n_types, n);
    return n;
}

/* The same of the input's types. */
static size_t sort_types(const struct merge_input *in, struct radix_item *v)
{
    size_t n = 0;
    for (size_t i = 0; i < in->p->n_types; i++) {
        struct prof_value_type vt = type_of(in, i);
        if (!is_dropped(in, i))
            v[n++] = item_of(&vt, i);
    }
    radix_sort(v, v + in->p->n_types, n);
    return n;
}

/*
 * The input's types as columns, *same if they are all and none is missing.  Of
 * several of one name the first is the first.
 */
static bool match(struct merger *m, struct merge_input *in, bool *taken,
                  bool *same)
{
    size_t most = in->p->n_types, before = m->sum.n_types;
    struct radix_item *theirs = mem_array(most, 2 * sizeof *theirs);
    struct radix_item *ours = mem_array(before, 2 * sizeof *ours);
    bool ok = theirs && ours;
    size_t n = ok ? sort_types(in, theirs) : 0, matched = 0;
    size_t n_ours = ok ? sort_columns(m, ours) : 0;
    for (size_t i = 0, c = 0; i < n && c < n_ours;) {
        if (theirs[i].key == ours[c].key) {
            in->column.v[theirs[i++].id] = ours[c].id;
            taken[ours[c++].id] = true;
            matched++;
        } else if (theirs[i].key < ours[c].key) {
            i++;
        } else {
            c++;
        }
    }
    *same = most == before && matched == n && !m->types_differ &&
            !(in->from && in->from->types_differ);
    free(theirs);
    free(ours);
    return ok;
}

static bool unite(struct merger *m, struct merge_input *in, struct err *err)
{
    const struct profile *p = in->p;
    size_t old = m->sum.n_types, n = m->sum.n_samples;
    bool ok = true;
    m->sum.n_samples = 0; /* types come before samples, or so it thinks */
    for (size_t i = 0; ok && i < p->n_types; i++) {
        struct prof_value_type vt = type_of(in, i);
        if (in->column.v[i] == PROF_NONE && !is_dropped(in, i))
            ok = add_column(m, &vt, &in->column.v[i], err);
    }
    m->sum.n_samples = n;
    return ok && widen(m, old, err);
}

static bool intersect(struct merger *m, const struct merge_input *in,
                      const bool *taken, struct err *err)
{
    size_t left = 0;
    for (size_t c = 0; c < m->sum.n_types; c++)
        left += taken[c] && !m->type_dropped[c];
    if (!left)
        return mismatch(m, in, "no sample type in common", err);
    for (size_t c = 0; c < m->sum.n_types; c++)
        if (!taken[c])
            m->type_dropped[c] = true;
    return true;
}

bool merge_columns(struct merger *m, struct merge_input *in, struct err *err)
{
    bool same, ok = true;
    if (!m->n_inputs)
        return columns_room(m, in->p->n_types, err) && unite(m, in, err);
    bool *taken = mem_zarray(m->sum.n_types, sizeof *taken);
    if (!taken)
        return err_nomem(err);
    if (!match(m, in, taken, &same)) {
        free(taken);
        return err_nomem(err);
    }
    if (!same && m->mode == MERGE_TYPES_SAME)
        ok = mismatch(m, in, "sample types do not match", err);
    ok = ok && merge_period_fits(m, in, err);
    if (ok && same)
        lesser_order(m, in);
    else if (ok) {
        ok = m->mode == MERGE_TYPES_UNION ? unite(m, in, err)
                                          : intersect(m, in, taken, err);
        m->types_differ = m->types_differ || ok;
    }
    free(taken);
    return ok;
}

/* Columns of one name are in their order in any input. */
static int by_type(const void *a, const void *b, void *ctx)
{
    const uint32_t *x = a, *y = b;
    int c = type_cmp(ctx, *x, *y);
    return c ? c : (*x > *y) - (*x < *y);
}

size_t merge_result_columns(const struct merger *m, uint32_t *column)
{
    size_t n = 0;
    for (size_t i = 0; i < m->sum.n_types; i++)
        if (!m->type_dropped[m->type_order[i]])
            column[n++] = m->type_order[i];
    /* Sets that differ come out by name. */
    if (m->types_differ && n)
        qsort_r(column, n, sizeof *column, by_type, (void *)m);
    return n;
}
