/* weights.c - multiplies values of inputs, and reports those that become 0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/edits.h"
#include "cli/private.h"

bool weighing_begin(struct weighing *w, struct prof_err *err)
{
    static const struct weighed_type none;
    *w = (struct weighing){0};
    (void)pthread_mutex_init(&w->lock, NULL);
    return (strtab_init(&w->types) && vec_push(&w->by_type, none)) ||
           err_nomem(err);
}

void weighing_end(struct weighing *w)
{
    strtab_free(&w->types);
    vec_free(&w->by_type);
    (void)pthread_mutex_destroy(&w->lock);
}

/* --- the types of an input ------------------------------------------------ */

struct scaling {
    struct weighing *w;
    struct profile *p;
    size_t n_types;
    /* Arrays by type of *p: */
    uint32_t *type;           /* id in w->types */
    int64_t *total;           /* sum of the values */
    struct prof_ratio *ratio; /* factor; den may be negative */
    struct wide *lost;        /* sum of the values of dropped samples */
    size_t n_lost;
};

/* Sets t->type[i] to the id of "TYPE/UNIT".  The caller holds w->lock. */
static bool add_type(struct scaling *t, size_t i, struct prof_err *err)
{
    static const struct weighed_type none;
    struct weighing *w = t->w;
    struct prof_value_type vt = prof_get_type(t->p, i);
    struct prof_slice type = prof_get_string(t->p, vt.type),
                      unit = prof_get_string(t->p, vt.unit);
    struct buf name = {0};
    bool ok =
        utf8_put_line(&name, type.s, type.n) && buf_putc(&name, '/') &&
        utf8_put_line(&name, unit.s, unit.n) &&
        strtab_add(&w->types, (const char *)name.v, name.n, &t->type[i]) &&
        (t->type[i] < w->by_type.n || vec_push(&w->by_type, none));
    buf_free(&name);
    return ok || err_nomem(err);
}

static void scaling_free(struct scaling *t)
{
    free(t->type);
    free(t->total);
    free(t->ratio);
    free(t->lost);
}

static bool scaling_of(struct scaling *t, struct weighing *w, struct profile *p,
                       struct prof_err *err)
{
    size_t n = prof_count(p).types;
    *t = (struct scaling){.w = w,
                          .p = p,
                          .n_types = n,
                          .type = mem_zarray(n, sizeof *t->type),
                          .total = mem_zarray(n, sizeof *t->total),
                          .ratio = mem_zarray(n, sizeof *t->ratio),
                          .lost = mem_zarray(n, sizeof *t->lost)};
    bool ok = (t->type && t->total && t->ratio && t->lost) || err_nomem(err);
    (void)pthread_mutex_lock(&w->lock);
    for (size_t i = 0; ok && i < n; i++)
        ok = add_type(t, i, err);
    (void)pthread_mutex_unlock(&w->lock);
    return ok;
}

/*
 * Returns the name of a type, without NULs.  The caller holds w->lock while
 * other threads may add types.
 */
static const char *name_of(const struct weighing *w, uint32_t type)
{
    return strtab_str(&w->types, type);
}

static const char *type_name(const struct scaling *t, size_t i)
{
    return name_of(t->w, t->type[i]);
}

/* --- scaling -------------------------------------------------------------- */

/* Scales values.  Sets *some if one was not 0, *left if one still is not. */
static bool scale_sample(const struct scaling *t, int64_t *values, bool *some,
                         bool *left, struct prof_err *err)
{
    *some = *left = false;
    for (size_t i = 0; i < t->n_types; i++) {
        const struct prof_ratio r = t->ratio[i];
        int64_t v = values[i];
        if (!wide_scale(v, r.num, r.den, &values[i])) {
            (void)pthread_mutex_lock(&t->w->lock);
            (void)err_input(
                err, "a value of %" PRId64 " %s exceeds 64 bits when scaled", v,
                type_name(t, i));
            (void)pthread_mutex_unlock(&t->w->lock);
            return false;
        }
        *some |= v != 0;
        *left |= values[i] != 0;
    }
    return true;
}

/* Scales all samples, and adds up the values of those that become all 0. */
static bool scale(struct scaling *t, struct prof_err *err)
{
    struct weighing *w = t->w;
    const size_t n = t->n_types ? prof_count(t->p).samples : 0;
    int64_t *before = mem_array(t->n_types, sizeof *before);
    bool ok = before || err_nomem(err);
    for (size_t s = 0; ok && s < n; s++) {
        int64_t *values = prof_edit_values(t->p, s);
        bool some, left;
        memcpy(before, values, t->n_types * sizeof *before);
        ok = scale_sample(t, values, &some, &left, err);
        if (!ok || left || !some)
            continue;
        t->n_lost++;
        for (size_t i = 0; i < t->n_types; i++)
            wide_add(&t->lost[i], before[i]);
    }
    free(before);
    if (!ok || !t->n_lost)
        return ok;
    (void)pthread_mutex_lock(&w->lock);
    w->n_lost += t->n_lost;
    for (size_t i = 0; i < t->n_types; i++)
        wide_add_sum(&w->by_type.v[t->type[i]].lost, t->lost[i]);
    (void)pthread_mutex_unlock(&w->lock);
    return true;
}

bool weigh(struct weighing *w, struct profile *p, struct prof_ratio weight,
           struct prof_err *err)
{
    struct scaling t;
    bool ok = scaling_of(&t, w, p, err);
    for (size_t i = 0; ok && i < t.n_types; i++)
        t.ratio[i] = weight;
    ok = ok && scale(&t, err);
    scaling_free(&t);
    return ok;
}

/* --- equal totals --------------------------------------------------------- */

static bool is_zero(struct profile *p, size_t type)
{
    for (size_t s = 0; s < prof_count(p).samples; s++)
        if (prof_edit_values(p, s)[type])
            return false;
    return true;
}

/* Sets the ratio of type i so that its total becomes first->total * weight. */
static bool equalize(struct scaling *t, size_t i,
                     const struct weighed_type *first, struct prof_ratio weight,
                     struct prof_err *err)
{
    const int64_t own = t->total[i];
    struct prof_ratio *to = &t->ratio[i];
    *to = weight;
    if (own == first->total || (!own && is_zero(t->p, i)))
        return true;
    if (!first->total)
        return err_input(err,
                         "--equal: the total of %s is 0 in the first input; "
                         "put another input first, or keep only the other "
                         "types with pbfilter --sample-index",
                         type_name(t, i));
    if (!own)
        return err_input(
            err, "--equal: the total of %s is 0, so the input cannot be scaled",
            type_name(t, i));
    to->den = own;
    return wide_scale(first->total, weight.num, weight.den, &to->num) ||
           err_input(err,
                     "a total of %" PRId64 " %s exceeds 64 bits when scaled",
                     first->total, type_name(t, i));
}

bool weigh_equally(struct weighing *w, struct profile *p,
                   struct prof_ratio weight, bool common, struct prof_err *err)
{
    struct scaling t;
    bool ok = scaling_of(&t, w, p, err) && prof_totals(p, t.total, err);
    (void)pthread_mutex_lock(&w->lock);
    bool is_first = ok && !w->has_first;
    for (size_t i = 0; ok && i < t.n_types; i++) {
        struct weighed_type *first = &w->by_type.v[t.type[i]];
        if (is_first) {
            first->in_first = true;
            first->total = t.total[i];
        }
        if (first->in_first)
            ok = equalize(&t, i, first, weight, err);
        else if (common)
            t.ratio[i] = weight; /* the type is dropped later */
        else
            ok = err_input(err,
                           "--equal: the first input has no sample type %s; "
                           "put an input first that has all of them",
                           type_name(&t, i));
    }
    w->has_first |= is_first;
    (void)pthread_mutex_unlock(&w->lock);
    ok = ok && scale(&t, err);
    scaling_free(&t);
    return ok;
}

/* --- what is lost --------------------------------------------------------- */

/* Returns the type whose name follows that of `after` (0: the first), or 0. */
static uint32_t next_type(const struct weighing *w, uint32_t after)
{
    uint32_t found = 0;
    for (uint32_t id = 1; id < w->by_type.n; id++)
        if (strtab_cmp(&w->types, id, after) > 0 &&
            (!found || strtab_cmp(&w->types, id, found) < 0))
            found = id;
    return found;
}

void weighing_report(const struct weighing *w, const struct prof_notes *notes)
{
    struct buf sums = {0};
    bool ok = true;
    if (!w->n_lost)
        return;
    for (uint32_t id = next_type(w, 0); ok && id; id = next_type(w, id)) {
        int64_t sum;
        if (!wide_fits(w->by_type.v[id].lost, &sum))
            ok = buf_printf(&sums, TEXT(", more than 64 bits of %s"),
                            name_of(w, id));
        else if (sum)
            ok = buf_printf(&sums, ", %" PRId64 " %s", sum, name_of(w, id));
    }
    ok = ok && buf_putc(&sums, 0);
    note_count(notes, PROF_NOTE_LOSS, w->n_lost,
               "%zu sample{s} dropped: values scaled to 0; their sum was %s",
               w->n_lost, ok && sums.n > 2 ? (const char *)sums.v + 2 : "0");
    buf_free(&sums);
}

bool cli_scale(struct profile *p, struct prof_ratio ratio,
               const struct prof_notes *notes, struct prof_err *err)
{
    struct weighing w;
    bool ok = weighing_begin(&w, err) && weigh(&w, p, ratio, err);
    if (ok)
        weighing_report(&w, notes);
    weighing_end(&w);
    return ok;
}
