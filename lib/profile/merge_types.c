/* Which sample types inputs share, and in what order they come out. */
#include <stdlib.h>
#include <string.h>

#include "profile/merger.h"

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
        if (buf_printf(&b, "%s%s/%s", at ? ", " : "",
                       prof_cstr(&m->sum, vt.type),
                       prof_cstr(&m->sum, vt.unit))) {
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
    return err_set(err, ERR_INPUT, "%s: (%s) here, (%s) before", why, theirs,
                   ours);
}

/* A column that the input has not taken yet for a type of this name. */
static uint32_t free_column(const struct merger *m,
                            const struct prof_value_type *vt, const bool *taken,
                            size_t n)
{
    for (size_t c = 0; c < n; c++)
        if (!taken[c] && !m->type_dropped[c] &&
            m->sum.types[c].type == vt->type &&
            m->sum.types[c].unit == vt->unit)
            return (uint32_t)c;
    return PROF_NONE;
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

/* One more column, 0 for the samples that are there. */
static bool add_column(struct merger *m, const struct prof_value_type *vt,
                       uint32_t *column, struct err *err)
{
    struct profile *s = &m->sum;
    size_t old = s->n_types, n = s->n_samples;
    s->n_samples = 0; /* types come before samples, or so it thinks */
    bool ok = columns_room(m, old + 1, err) && prof_add_type_id(s, *vt, err);
    s->n_samples = n;
    if (!ok)
        return false;
    if (n > SIZE_MAX / (old + 1) ||
        !vec_grow((void **)&s->values, &s->cap_values, n * (old + 1),
                  sizeof *s->values)) {
        s->n_types--;
        return err_nomem(err);
    }
    for (size_t i = n; i--;) {
        memmove(s->values + i * (old + 1), s->values + i * old,
                old * sizeof *s->values);
        s->values[i * (old + 1) + old] = 0;
    }
    m->type_order[old] = (uint32_t)old;
    m->type_dropped[old] = false;
    *column = (uint32_t)old;
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

/* The input's types as columns, *same if they are all and none is missing. */
static void match(struct merger *m, struct merge_input *in, bool *taken,
                  bool *same)
{
    const struct profile *p = in->p;
    size_t before = m->sum.n_types;
    *same = p->n_types == before && !m->types_differ &&
            !(in->from && in->from->types_differ);
    for (size_t i = 0; i < p->n_types; i++) {
        struct prof_value_type vt = type_of(in, i);
        if (is_dropped(in, i))
            continue;
        in->column.v[i] = free_column(m, &vt, taken, before);
        if (in->column.v[i] != PROF_NONE)
            taken[in->column.v[i]] = true;
        else
            *same = false;
    }
}

static bool unite(struct merger *m, struct merge_input *in, struct err *err)
{
    const struct profile *p = in->p;
    for (size_t i = 0; i < p->n_types; i++) {
        struct prof_value_type vt = type_of(in, i);
        if (in->column.v[i] != PROF_NONE || is_dropped(in, i))
            continue;
        if (!add_column(m, &vt, &in->column.v[i], err))
            return false;
    }
    return true;
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
    match(m, in, taken, &same);
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

size_t merge_result_columns(const struct merger *m, uint32_t *column)
{
    size_t n = 0;
    for (size_t i = 0; i < m->sum.n_types; i++) {
        uint32_t c = m->type_order[i];
        if (m->type_dropped[c])
            continue;
        size_t j = n++;
        /* Sets that differ come out by name. */
        for (; m->types_differ && j && type_cmp(m, column[j - 1], c) > 0; j--)
            column[j] = column[j - 1];
        column[j] = c;
    }
    return n;
}
