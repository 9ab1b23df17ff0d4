/* sum_header.c - header fields and value types of a sum
 *
 * Each is combined by an associative and commutative operation (merge.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/system.h"
#include "profile/columns.h"
#include "profile/merge/private.h"

/* --- header fields -------------------------------------------------------- */

uint32_t sum_lesser(const struct sum *s, uint32_t a, uint32_t b)
{
    if (!a || !b)
        return a ? a : b;
    return strtab_cmp(&s->p.strings, a, b) <= 0 ? a : b;
}

static int type_cmp(const struct sum *s, const struct prof_value_type *a,
                    const struct prof_value_type *b)
{
    int c = strtab_cmp(&s->p.strings, a->type, b->type);
    return c ? c : strtab_cmp(&s->p.strings, a->unit, b->unit);
}

/* Returns a type of the input with string ids of the sum. */
static struct prof_value_type translate_type(const struct translator *t,
                                             struct prof_value_type vt)
{
    return (struct prof_value_type){translate_string(t, vt.type),
                                    translate_string(t, vt.unit)};
}

static bool is_set(const struct prof_value_type *vt)
{
    return vt->type || vt->unit;
}

static bool period_fits(struct translator *t, struct prof_err *err)
{
    const struct profile *p = &t->sum->p;
    const struct prof_value_type *a = &p->period_type;
    struct prof_value_type b = translate_type(t, t->p->period_type);
    bool exact = t->sum->exact;
    if (t->sum->mode != PROF_TYPES_SAME ||
        (!exact && (!is_set(a) || !is_set(&b))) ||
        (a->type == b.type && a->unit == b.unit))
        return true;
    t->period_differs = exact;
    return err_input(err,
                     "period types do not match: this input has %s, earlier "
                     "inputs have %s%s",
                     prof_show_type(p, b).text, prof_show_type(p, *a).text,
                     MERGE_ADVICE);
}

static bool add_comments(const struct translator *t, struct prof_err *err)
{
    static const char text[] = PROF_ESTIMATED;
    struct sum *s = t->sum;
    uint32_t id, estimated = PROF_NONE;
    bool any = false;
    if (strtab_find(&s->p.strings, text, sizeof text - 1, &id))
        estimated = id;
    for (size_t i = 0; i < t->p->n_comments; i++) {
        id = translate_string(t, t->p->comments[i]);
        any = any || id == estimated;
        if (!str_set_add(&s->comments, id))
            return err_nomem(err);
    }
    s->n_estimated += any;
    return true;
}

static bool add_alternatives(struct sum *s, uint32_t regex, struct str_set *to,
                             struct prof_err *err)
{
    struct strtab *t = &s->p.strings;
    return !regex || alternatives_add(to, t, strtab_str(t, regex),
                                      strtab_len(t, regex), err);
}

bool sum_add_header(struct translator *t, struct prof_err *err)
{
    struct sum *s = t->sum;
    const struct profile *p = t->p;
    /*
     * Keep the least period type of all inputs, and the greatest period of it.
     */
    struct prof_value_type vt = translate_type(t, p->period_type);
    int c = type_cmp(s, &vt, &s->p.period_type);
    if (!s->has_header ||
        (is_set(&vt) && (c < 0 || !is_set(&s->p.period_type)))) {
        s->p.period_type = vt;
        s->p.period = p->period;
    } else if (!c && p->period > s->p.period) {
        s->p.period = p->period;
    }
    if (!add_comments(t, err) ||
        !add_alternatives(s, translate_string(t, p->drop_frames),
                          &s->drop_frames, err) ||
        !add_alternatives(s, translate_string(t, p->keep_frames),
                          &s->keep_frames, err))
        return false;
    s->p.default_sample_type =
        sum_lesser(s, s->p.default_sample_type,
                   translate_string(t, p->default_sample_type));
    s->p.doc_url = sum_lesser(s, s->p.doc_url, translate_string(t, p->doc_url));
    if (p->time_nanos && (!s->p.time_nanos || p->time_nanos < s->p.time_nanos))
        s->p.time_nanos = p->time_nanos;
    wide_add(&s->duration, p->duration_nanos);
    return true;
}

/* --- value types ---------------------------------------------------------- */

void sum_describe(const struct translator *t, bool input, char *text, size_t n)
{
    const struct sum *s = t->sum;
    const struct profile *p = input ? t->p : &s->p;
    size_t at = 0;
    text[0] = 0;
    for (size_t i = 0; i < p->n_types && at + 1 < n; i++) {
        size_t column = input ? i : s->type_order[i];
        struct prof_value_type vt =
            input ? translate_type(t, p->types[i]) : p->types[column];
        struct buf b = {0};
        if (!input && s->type_dropped[column])
            continue;
        if (buf_printf(&b, "%s%s", at ? ", " : "",
                       prof_show_type(&s->p, vt).text)) {
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

static bool mismatch(const struct translator *t, const char *why,
                     struct prof_err *err)
{
    char ours[400], theirs[400];
    sum_describe(t, false, ours, sizeof ours);
    sum_describe(t, true, theirs, sizeof theirs);
    return err_input(err, "%s: this input has (%s), earlier inputs have (%s)%s",
                     why, theirs, ours, MERGE_ADVICE);
}

static bool columns_room(struct sum *s, size_t n, struct prof_err *err)
{
    size_t cap = s->types_cap;
    if (!vec_grow((void **)&s->type_order, &cap, n, sizeof *s->type_order))
        return err_nomem(err);
    cap = s->types_cap;
    if (!vec_grow((void **)&s->type_dropped, &cap, n, sizeof *s->type_dropped))
        return err_nomem(err);
    s->types_cap = cap;
    return true;
}

/*
 * Adds a column whose values are 0 in all samples.  More columns move all rows,
 * so a sum of many types gets some spare ones at a time.  Spare columns have no
 * name and are not in the result.
 */
static bool add_column(struct sum *s, const struct prof_value_type *vt,
                       uint32_t *column, struct prof_err *err)
{
    enum { PART = 8 };
    static const struct prof_value_type none = {0, 0};
    size_t n = s->p.n_types;
    size_t more = s->n_spare ? 0 : 1 + (s->has_header ? n / PART : 0);
    for (; more; more--, n++) {
        if (!columns_room(s, n + 1, err) || !prof_add_type_id(&s->p, none, err))
            return false;
        s->type_order[n] = (uint32_t)n;
        s->type_dropped[n] = true;
        s->n_spare++;
    }
    n = s->p.n_types - s->n_spare;
    s->n_spare--;
    s->p.types[n] = *vt;
    s->type_dropped[n] = false;
    *column = (uint32_t)n;
    return true;
}

static int column_cmp(const struct sum *s, uint32_t a, uint32_t b)
{
    return type_cmp(s, &s->p.types[a], &s->p.types[b]);
}

/* Replaces the order of the sum's columns by the input's if that is less. */
static void lesser_order(const struct translator *t)
{
    struct sum *s = t->sum;
    size_t n = s->p.n_types;
    for (size_t i = 0; i < n; i++) {
        int c = column_cmp(s, t->column.v[i], s->type_order[i]);
        if (c > 0)
            return;
        if (c < 0) {
            for (i = 0; i < n; i++)
                s->type_order[i] = t->column.v[i];
            return;
        }
    }
}

static struct radix_item item_of(const struct prof_value_type *vt, size_t i)
{
    return (struct radix_item){.key = (uint64_t)vt->type << 32 | vt->unit,
                               .id = (uint32_t)i};
}

/*
 * Maps each type of the input to an equal column of the sum (t->column), and
 * marks that in `taken`.  Sets *same if neither has a type that the other
 * lacks.  Equal types are paired in their order.
 */
static bool match(const struct translator *t, bool *taken, bool *same)
{
    const struct sum *s = t->sum;
    size_t most = t->p->n_types, before = s->p.n_types;
    struct radix_item *theirs = mem_array(most, 2 * sizeof *theirs);
    struct radix_item *ours = mem_array(before, 2 * sizeof *ours);
    bool ok = theirs && ours;
    size_t n = 0, n_ours = 0, matched = 0;
    /* Sort both by type; equal types keep their order. */
    for (; ok && n < most; n++) {
        struct prof_value_type vt = translate_type(t, t->p->types[n]);
        theirs[n] = item_of(&vt, n);
    }
    for (size_t c = 0; ok && c < before; c++)
        if (!s->type_dropped[c])
            ours[n_ours++] = item_of(&s->p.types[c], c);
    if (ok) {
        radix_sort(theirs, theirs + most, n);
        radix_sort(ours, ours + before, n_ours);
    }
    for (size_t i = 0, c = 0; i < n && c < n_ours;) {
        if (theirs[i].key == ours[c].key) {
            t->column.v[theirs[i++].id] = ours[c].id;
            taken[ours[c++].id] = true;
            matched++;
        } else if (theirs[i].key < ours[c].key) {
            i++;
        } else {
            c++;
        }
    }
    *same = most == before && matched == n && !s->types_differ;
    free(theirs);
    free(ours);
    return ok;
}

static bool unite(const struct translator *t, struct prof_err *err)
{
    struct profile *p = &t->sum->p;
    size_t old = p->n_types, n = p->n_samples;
    bool ok = true;
    p->n_samples = 0; /* prof_add_type_id() refuses profiles with samples */
    for (size_t i = 0; ok && i < t->p->n_types; i++) {
        struct prof_value_type vt = translate_type(t, t->p->types[i]);
        if (t->column.v[i] == PROF_NONE)
            ok = add_column(t->sum, &vt, &t->column.v[i], err);
    }
    p->n_samples = n;
    size_t nt = p->n_types;
    if (!ok || nt == old)
        return ok;
    /* Extend all samples by the new columns, with values of 0. */
    if ((nt && n > SIZE_MAX / nt) ||
        !vec_grow((void **)&p->values, &p->cap_values, n * nt,
                  sizeof *p->values))
        return err_nomem(err);
    prof_add_value_columns(p->values, n, old, nt);
    return true;
}

static bool intersect(const struct translator *t, const bool *taken,
                      struct prof_err *err)
{
    struct sum *s = t->sum;
    size_t left = 0;
    for (size_t c = 0; c < s->p.n_types; c++)
        left += taken[c] && !s->type_dropped[c];
    if (!left)
        return mismatch(t, "no sample type in common", err);
    for (size_t c = 0; c < s->p.n_types; c++)
        if (!taken[c])
            s->type_dropped[c] = true;
    return true;
}

bool sum_add_types(struct translator *t, struct prof_err *err)
{
    struct sum *s = t->sum;
    bool same, ok = true;
    if (!s->has_header)
        return columns_room(s, t->p->n_types, err) && unite(t, err);
    bool *taken = mem_zarray(s->p.n_types, sizeof *taken);
    if (!taken || !match(t, taken, &same)) {
        free(taken);
        return err_nomem(err);
    }
    t->types_differ = !same && s->mode == PROF_TYPES_SAME;
    if (t->types_differ)
        ok = mismatch(t, TEXT("sample types do not match"), err);
    ok = ok && period_fits(t, err);
    if (ok && same)
        lesser_order(t);
    else if (ok) {
        (void)pthread_mutex_lock(&s->sample_lock);
        ok = s->mode == PROF_TYPES_UNION ? unite(t, err)
                                         : intersect(t, taken, err);
        s->types_differ = s->types_differ || ok;
        (void)pthread_mutex_unlock(&s->sample_lock);
    }
    free(taken);
    return ok;
}

/* Compares columns by type.  Columns of the same type keep their order. */
static int by_type(const void *a, const void *b, void *ctx)
{
    const uint32_t *x = a, *y = b;
    int c = column_cmp(ctx, *x, *y);
    return c ? c : ORDER(*x, *y);
}

size_t sum_result_columns(const struct sum *s, uint32_t *column)
{
    size_t n = 0;
    for (size_t i = 0; i < s->p.n_types; i++)
        if (!s->type_dropped[s->type_order[i]])
            column[n++] = s->type_order[i];
    /* If the types of inputs differed, columns are sorted by type. */
    if (s->types_differ && n)
        system_sort(column, n, sizeof *column, by_type, (void *)s);
    return n;
}
