/* estimate_stacks.c - the samples of a function's leaves on all its paths */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/wide.h"
#include "profile/estimate/private.h"

/*
 * Totals divided by shares, to be read row by row: a row for each total, a
 * column for each share, whose sum is EST_WHOLE.  Each cell is total * share
 * rounded down, or more by what makes each row add up to its total, and each
 * column to its part of all totals by largest remainder.  What a column gets
 * more is spread evenly over the rows.
 */
struct table {
    const uint64_t *total, *share;
    size_t n_rows, n_columns;
    struct radix_item *extra; /* id: the column that gets one more */
    size_t row, n_used;
};

/* Fills the row with whole parts; returns what they leave over. */
static uint64_t whole_parts(const struct table *t, size_t row, uint64_t *cell)
{
    uint64_t left = t->total[row];
    for (size_t i = 0; i < t->n_columns; i++) {
        cell[i] = apportion_cut(t->total[row], t->share[i], EST_WHOLE);
        left -= cell[i];
    }
    return left;
}

/*
 * How many more each column is to get, and *n, the sum of these.  A column's
 * part of all is no less than the sum of its whole parts.
 */
static bool count_extra(const struct table *t, uint64_t *more, uint64_t *n)
{
    uint64_t sum = 0;
    uint64_t *cell = mem_array(t->n_columns, sizeof *cell);
    struct radix_item *spare = mem_array(t->n_columns, 2 * sizeof *spare);
    bool ok = cell && spare;
    *n = 0;
    for (size_t row = 0; row < t->n_rows; row++)
        sum += t->total[row];
    if (ok)
        apportion(sum, t->share, t->n_columns, more, spare);
    for (size_t row = 0; ok && row < t->n_rows; row++) {
        *n += whole_parts(t, row, cell);
        for (size_t i = 0; i < t->n_columns; i++)
            more[i] -= cell[i];
    }
    free(cell);
    free(spare);
    return ok;
}

/* In the order in which rows use them up. */
static bool order_extra(struct table *t, const uint64_t *more, uint64_t n)
{
    struct radix_item *spare = mem_array(n, sizeof *spare);
    t->extra = mem_array(n, sizeof *t->extra);
    size_t k = 0;
    for (size_t i = 0; spare && t->extra && i < t->n_columns; i++)
        for (uint64_t j = 0; j < more[i]; j++)
            t->extra[k++] = (struct radix_item){
                .key = apportion_cut(n << 20, 2 * j + 1, 2 * more[i]),
                .id = (uint32_t)i};
    if (k)
        radix_sort(t->extra, spare, k);
    free(spare);
    return k == n;
}

/* False when memory is out; table_end() is due in any case. */
static bool table_begin(struct table *t)
{
    uint64_t n, *more;
    t->extra = NULL;
    t->row = t->n_used = 0;
    if (t->n_columns < 2)
        return true;
    more = mem_array(t->n_columns, sizeof *more);
    bool ok = more && count_extra(t, more, &n) && order_extra(t, more, n);
    free(more);
    return ok;
}

/* The cells of the next row, n_columns of them. */
static void table_row(struct table *t, uint64_t *cell)
{
    for (uint64_t left = whole_parts(t, t->row++, cell); left; left--)
        cell[t->extra[t->n_used++].id]++;
}

static void table_end(struct table *t)
{
    free(t->extra);
    t->extra = NULL;
}

/* A source at work: its parts, and its paths one after the other. */
struct work {
    struct estimate *e;
    const struct est_source *source;
    const struct est_part *parts;
    size_t n_parts;
    VEC(uint32_t) frames;  /* locations, leaf first; the leaf is put in last */
    VEC(size_t) depth;     /* of the paths: how many of the frames */
    VEC(uint64_t) share;   /* of the paths */
    VEC(uint64_t) total;   /* counts, then amounts, of the parts */
    VEC(uint64_t) cell;    /* the same, of the paths, for one part */
    struct table table[2]; /* the same */
};

/* The frames of the path that ends at the step, from the leaf up. */
static bool push_steps(struct work *w, uint32_t end)
{
    const struct est_step *steps = w->e->paths.v;
    size_t first = w->frames.n;
    do {
        if (!vec_push(&w->frames, w->e->entry[steps[end].node]))
            return false;
        end = steps[end].below;
    } while (end != EST_NO_STEP);
    for (size_t i = first, k = w->frames.n - 1; i < k; i++, k--) {
        uint32_t x = w->frames.v[i];
        w->frames.v[i] = w->frames.v[k];
        w->frames.v[k] = x;
    }
    return true;
}

static bool end_path(struct work *w, size_t first_frame, uint64_t share)
{
    return vec_push(&w->depth, w->frames.n - first_frame) &&
           vec_push(&w->share, share);
}

/*
 * Pushes the frames above the cut step at the place `at` in its node's flow,
 * and finds how much of `value` goes this way.  False when memory is out.
 */
static bool push_flow(struct work *w, uint32_t node, double at, double value,
                      double *length)
{
    struct est_paths *p = &w->e->paths;
    *length = value;
    while (est_flow_up(p, &w->e->graph, &node, &at, length)) {
        if (p->frames < w->source->n_leaves) {
            *length = 0; /* it ends too early */
            return true;
        }
        p->frames -= w->source->n_leaves;
        if (!vec_push(&w->frames, w->e->entry[node]))
            return false;
    }
    return true;
}

/* Whether one more path from the step is allowed. */
static bool can_split(struct work *w, const struct est_step *s)
{
    struct est_paths *p = &w->e->paths;
    uint64_t leaves = w->source->n_leaves;
    if (p->stacks < leaves || p->frames / leaves < s->depth)
        return false;
    p->stacks -= leaves;
    p->frames -= leaves * s->depth;
    return true;
}

/* Less than this of a value, which is whole in the end, is not worth a path. */
static const double negligible = 0.001;

/* The paths of a cut step: one, and one more wherever its flow divides. */
static bool push_cut(struct work *w, uint32_t end)
{
    struct estimate *e = w->e;
    const struct est_step *s = &e->paths.v[end];
    double value = est_share_value(w->source, s->rest), length;
    double at = e->paths.next_at[s->node];
    uint64_t rest = s->rest, piece;
    e->paths.next_at[s->node] += value;
    e->cut += value;
    for (; rest; rest -= piece) {
        size_t first = w->frames.n;
        if (!push_steps(w, end) || !push_flow(w, s->node, at, value, &length))
            return false;
        piece = rest;
        if (length > 0 && length < negligible)
            length = negligible;
        if (length < value - negligible) {
            if (length > 0 && can_split(w, s))
                piece = (uint64_t)((double)rest * (length / value));
            else
                e->missed += value - length;
        }
        at += length;
        value -= length;
        e->n_cut += w->source->n_leaves;
        if (!end_path(w, first, piece))
            return false;
    }
    return true;
}

static bool push_path(struct work *w, uint32_t end)
{
    const struct est_step *s = &w->e->paths.v[end];
    size_t first = w->frames.n;
    if (est_step_is_cut(&w->e->graph, s))
        return push_cut(w, end);
    return push_steps(w, end) && end_path(w, first, s->rest);
}

/* ends[0 .. n) are the steps where paths of the source end. */
static bool begin_source(struct work *w, const uint32_t *ends, size_t n)
{
    bool ok = true;
    w->total.n = w->share.n = w->depth.n = w->frames.n = 0;
    for (size_t i = 0; ok && i < w->n_parts; i++)
        ok = vec_push(&w->total, w->parts[i].count);
    for (size_t i = 0; ok && i < w->n_parts; i++)
        ok = vec_push(&w->total, w->parts[i].amount);
    for (size_t i = 0; ok && i < n; i++)
        ok = push_path(w, ends[i]);
    ok = ok && vec_reserve(&w->cell, 2 * w->share.n);
    for (size_t k = 0; k < 2; k++) {
        w->table[k] = (struct table){.total = w->total.v + k * w->n_parts,
                                     .share = w->share.v,
                                     .n_rows = w->n_parts,
                                     .n_columns = w->share.n};
        ok = ok && table_begin(&w->table[k]);
    }
    return ok;
}

/* A sample of the part, with its count and amount in place of the part's. */
static bool add_sample(struct estimate *e, struct est_part part,
                       const uint32_t *frames, size_t n, struct err *err)
{
    for (size_t i = 0; i < e->p->n_types; i++)
        e->values[i] = 0;
    if (e->at.samples != SIZE_MAX)
        e->values[e->at.samples] = (int64_t)part.count;
    if (part.column != e->at.samples)
        e->values[part.column] = (int64_t)part.amount;
    return prof_add_sample(e->p, frames, n, e->values, part.labelset, err);
}

/* The samples of the next part. */
static bool add_part(struct work *w, struct est_part part, struct err *err)
{
    uint64_t *count = w->cell.v, *amount = count + w->share.n;
    uint32_t *frames = w->frames.v;
    table_row(&w->table[0], count);
    table_row(&w->table[1], amount);
    for (size_t i = 0; i < w->share.n; i++) {
        part.count = count[i];
        part.amount = amount[i];
        frames[0] = part.location;
        if ((part.count || part.amount) &&
            !add_sample(w->e, part, frames, w->depth.v[i], err))
            return false;
        frames += w->depth.v[i];
    }
    return true;
}

static bool add_source(struct work *w, const uint32_t *ends, size_t n,
                       struct err *err)
{
    bool ok = begin_source(w, ends, n) || err_nomem(err);
    for (size_t i = 0; ok && i < w->n_parts; i++)
        ok = add_part(w, w->parts[i], err);
    table_end(&w->table[0]);
    table_end(&w->table[1]);
    return ok;
}

/* The ends of paths, those of a source together: off[n_sources + 1]. */
static void find_ends(const struct est_paths *paths, size_t n_sources,
                      size_t *off, uint32_t *ends)
{
    for (size_t i = 0; i <= n_sources; i++)
        off[i] = 0;
    for (size_t i = 0; i < paths->n; i++)
        off[paths->v[i].source] += paths->v[i].rest != 0;
    size_t sum = 0;
    for (size_t i = 0; i <= n_sources; i++)
        off[i] = sum += off[i];
    for (size_t i = paths->n; i-- > 0;)
        if (paths->v[i].rest)
            ends[--off[paths->v[i].source]] = (uint32_t)i;
}

/* Parts that are in no function that has a name. */
static bool add_unnamed(struct estimate *e, struct err *err)
{
    for (size_t i = e->source_part.v[e->sources.n]; i < e->parts.n; i++)
        if (!add_sample(e, e->parts.v[i], &e->parts.v[i].location, 1, err))
            return false;
    return true;
}

bool est_add_stacks(struct estimate *e, struct err *err)
{
    size_t n = e->sources.n;
    struct work w = {.e = e};
    size_t *off = mem_array(n + 1, sizeof *off);
    uint32_t *ends = mem_array(e->paths.n, sizeof *ends);
    bool ok = (off && ends) || err_nomem(err);
    if (ok)
        find_ends(&e->paths, n, off, ends);
    for (size_t i = 0; ok && i < n; i++) {
        size_t part = e->source_part.v[i];
        w.source = &e->sources.v[i];
        w.parts = e->parts.v + part;
        w.n_parts = e->source_part.v[i + 1] - part;
        ok = add_source(&w, ends + off[i], off[i + 1] - off[i], err);
    }
    free(off);
    free(ends);
    vec_free(&w.frames);
    vec_free(&w.depth);
    vec_free(&w.share);
    vec_free(&w.total);
    vec_free(&w.cell);
    return ok && add_unnamed(e, err);
}
