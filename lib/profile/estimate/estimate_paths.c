/*
 * estimate_paths.c - follows paths from functions to the roots of the call
 * graph, and adds their samples
 *
 * Paths.  A source's time is divided among the paths from it to the roots, in
 * proportion to calls.  Their number can be exponential, so they are followed
 * step by step, always the step with the most time, over all sources, until
 * the number of stacks reaches the limit.
 *
 * The flow.  A step is cut if some of its callers were not followed: its
 * `rest`, the time of these callers, still has to reach the roots.  It does so
 * through the flow, which makes few stacks but gives each function, and each
 * of its callers, the time that all paths together would give it:
 *
 *   - A node's flow is an interval that begins at 0; its length is the rest of
 *     all cut steps that passes through the node.
 *   - Caller i of the node gets the part from from[i] to from[i + 1], which
 *     begins in the caller's own flow at to[i].
 *   - A cut step has a part of its node's flow.  Its stack follows that part
 *     from caller to caller; where two callers divide the part, the step is
 *     divided into pieces with a stack each.
 *
 * Samples.  A source has a table with a row for each leaf and a column for each
 * path: the leaf's values are divided by the paths' shares, and each cell that
 * is not 0 is a sample.
 */
#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/wide.h"
#include "profile/estimate/private.h"

/* The most frames and steps for each of max_stacks, on average. */
enum { FRAMES = 128, STEPS = 32 };

/* The sum of all shares of a source. */
#define WHOLE ((uint64_t)1 << 62)

#define NO_STEP UINT32_MAX

/*
 * Values are integers: a part that is smaller than this does not get its own
 * stack.
 */
static const double negligible = 0.001;

/* A node on a path.  Steps with a rest are the ends of paths. */
struct step {
    uint32_t node;
    uint32_t below;  /* the step towards the leaf, NO_STEP at the leaf */
    uint32_t source; /* where the path starts */
    uint32_t depth;  /* steps from the leaf to here, both included */
    uint32_t n_ups;  /* number of callers followed, from the first on */
    uint64_t share;  /* part of the source's WHOLE that arrives here */
    uint64_t rest;   /* part of `share` that no followed caller got */
};

/* The state of all sources. */
struct work {
    struct estimate *e;
    const struct est_graph *g;

    VEC(struct step) steps; /* the first step of each source, then the others */
    struct heap heap;       /* steps with callers that can be followed */
    struct {                /* how many may still be made */
        uint64_t stacks, frames, steps;
    } left;
    uint64_t reserve; /* stacks to leave for pieces of cut steps */
    bool refused;     /* the limits did not allow a path */

    /*
     * The flow.  The elements of node i begin at up_off[i] + i: one for each
     * caller, and one for calls from outside.
     */
    double *from, *to;
    double *next_at; /* by node: where the flow of its next cut step begins */

    /* The paths of the current source, one after another: */
    const struct est_source *source;
    VEC(uint32_t)
    frames;            /* locations, leaf first; add_source() sets the leaf */
    VEC(size_t) depth; /* number of frames of each path */
    VEC(uint64_t) share;
};

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static size_t count_ups(const struct work *w, uint32_t node)
{
    return w->g->up_off[node + 1] - w->g->up_off[node];
}

static const struct est_source *source_of(const struct work *w,
                                          const struct step *s)
{
    return &w->e->sources.v[s->source];
}

/* Returns whether some callers of the step were not followed. */
static bool is_cut(const struct work *w, const struct step *s)
{
    return s->n_ups < count_ups(w, s->node);
}

/* Returns the time of the step's rest. */
static double rest_value(const struct work *w, const struct step *s)
{
    return (double)source_of(w, s)->weight * ((double)s->rest / (double)WHOLE);
}

/*
 * Following paths
 */

/* Returns whether the step has one caller left, and no calls from outside. */
static bool is_last(const struct work *w, const struct step *s)
{
    return s->n_ups + 1 == count_ups(w, s->node) && !w->g->outside[s->node];
}

static const struct est_up *next_up(const struct work *w, const struct step *s)
{
    return &w->g->up[w->g->up_off[s->node] + s->n_ups];
}

/*
 * Returns the part of the step's share for its next caller; the last caller
 * gets the rest.
 */
static uint64_t next_share(const struct work *w, const struct step *s)
{
    if (is_last(w, s))
        return s->rest;
    return apportion_cut(s->share, next_up(w, s)->count, w->g->calls[s->node]);
}

/*
 * Returns whether the limits allow to follow the step to its next caller.  Sets
 * *stacks and *frames to how many that makes: the last caller lengthens the
 * path by a frame; others start a new path.
 */
static bool is_allowed(const struct work *w, const struct step *s,
                       uint64_t *stacks, uint64_t *frames)
{
    uint64_t leaves = source_of(w, s)->n_leaves;
    bool last = is_last(w, s);
    *stacks = last ? 0 : leaves;
    *frames = times(leaves, last ? 1 : s->depth + (uint64_t)1);
    return *stacks <= w->left.stacks - less(w->reserve, w->left.stacks) &&
           *frames <= w->left.frames && w->left.steps;
}

/*
 * Puts the step into the heap if it can be followed further.  What the limits
 * do not allow now, they will not allow later.
 */
static bool queue_step(struct work *w, uint32_t step)
{
    const struct step *s = &w->steps.v[step];
    uint64_t stacks, frames;
    if (!is_cut(w, s))
        return true;
    uint64_t share = next_share(w, s);
    if (share && !is_allowed(w, s, &stacks, &frames)) {
        w->refused = true;
        return true;
    }
    double key = (double)source_of(w, s)->weight * (double)share;
    return !share || heap_push(&w->heap, key, step);
}

/* Follows a step to its next caller, if the limits allow that. */
static bool follow(struct work *w, uint32_t step)
{
    struct step *s = &w->steps.v[step];
    uint64_t stacks, frames;
    if (!is_allowed(w, s, &stacks, &frames)) {
        w->refused = true;
        return true;
    }
    w->left.stacks -= stacks;
    w->left.frames -= frames;
    w->left.steps--;

    uint64_t share = next_share(w, s);
    struct step above = {
        next_up(w, s)->node, step, s->source, s->depth + 1, 0, share, share};
    s->rest -= share;
    s->n_ups++;
    return vec_push(&w->steps, above) && queue_step(w, step) &&
           queue_step(w, (uint32_t)w->steps.n - 1);
}

/* Follows paths up to the limits or, if `all`, until one exceeds them. */
static bool follow_heaviest(struct work *w, uint64_t n_leaves, bool all)
{
    uint64_t most = w->e->max_stacks;
    size_t n = w->e->sources.n;
    w->steps.n = 0;
    w->left.stacks = most;
    w->left.frames = times(most > n_leaves ? most : n_leaves, FRAMES);
    w->left.steps = less(times(most, STEPS), NO_STEP - n);
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        const struct est_source *from = &w->e->sources.v[i];
        struct step s = {from->func, NO_STEP, (uint32_t)i, 1, 0, WHOLE, WHOLE};
        ok = vec_push(&w->steps, s);
        w->left.stacks -= less(from->n_leaves, w->left.stacks);
        w->left.frames -= less(from->n_leaves, w->left.frames);
    }
    for (size_t i = 0; ok && i < n; i++)
        ok = queue_step(w, (uint32_t)i);
    while (ok && w->heap.n && !(all && w->refused))
        ok = follow(w, heap_pop(&w->heap).id);
    vec_free(&w->heap);
    return ok;
}

/*
 * The flow
 */

/* Returns where the callers of a node begin in w->from and w->to. */
static size_t first_part(const struct work *w, uint32_t node)
{
    return w->g->up_off[node] + node;
}

/*
 * Divides a node's flow among its callers.  w->from[i] is the flow of cut steps
 * that have followed i callers, which get no more of it.
 */
static void divide_node(struct work *w, uint32_t node, double *flow)
{
    const struct est_up *up = w->g->up + w->g->up_off[node];
    size_t n = count_ups(w, node);
    double *from = w->from + first_part(w, node);
    double *to = w->to + first_part(w, node);
    double rate = 0, at = 0;
    uint64_t calls = w->g->calls[node];
    if (n)
        from[0] += flow[node] - w->next_at[node];
    for (size_t i = 0; i < n; i++) {
        rate += from[i] / (double)calls;
        from[i] = at;
        to[i] = flow[up[i].node];
        at += (double)up[i].count * rate;
        flow[up[i].node] = to[i] + (at - from[i]);
        calls -= up[i].count;
    }
    from[n] = w->g->outside[node] ? at : (double)INFINITY;
}

/*
 * Sets the flow of all nodes.  Callees come before callers, so that a node's
 * flow is complete when it is divided.
 */
static bool make_flow(struct work *w)
{
    uint32_t n = est_graph_nodes(w->g);
    size_t n_parts = w->g->up_off[n] + n;
    double *flow = mem_zarray(n, sizeof *flow);
    w->from = mem_zarray(n_parts, sizeof *w->from);
    w->to = mem_zarray(n_parts, sizeof *w->to);
    w->next_at = mem_zarray(n, sizeof *w->next_at);
    bool ok = flow && w->from && w->to && w->next_at;
    for (size_t i = 0; ok && i < w->steps.n; i++) {
        const struct step *s = &w->steps.v[i];
        if (!s->rest || !is_cut(w, s))
            continue;
        double value = rest_value(w, s);
        w->from[first_part(w, s->node) + s->n_ups] += value;
        flow[s->node] += value;
        w->next_at[s->node] = flow[s->node];
    }
    for (uint32_t i = 0; ok && i < n; i++)
        divide_node(w, w->g->order[i], flow);
    for (uint32_t i = 0; ok && i < n; i++)
        w->next_at[i] = 0;
    free(flow);
    return ok;
}

/*
 * The frames of paths
 */

/* Pushes the frames of the path that ends at the step, leaf first. */
static bool push_steps(struct work *w, uint32_t end)
{
    const struct step *steps = w->steps.v;
    size_t depth = steps[end].depth;
    if (!vec_reserve(&w->frames, depth))
        return false;
    w->frames.n += depth;
    for (size_t i = w->frames.n; end != NO_STEP; end = steps[end].below)
        w->frames.v[--i] = w->e->entry[steps[end].node];
    return true;
}

static bool end_path(struct work *w, size_t first_frame, uint64_t share)
{
    return vec_push(&w->depth, w->frames.n - first_frame) &&
           vec_push(&w->share, share);
}

/*
 * Pushes the frames above a cut step of `node`, whose part of the node's flow
 * begins at `at`: follows the flow from caller to caller.  Sets *length to how
 * much of `value` goes this way, which is less if callers divide the part.
 * Returns false if memory is exhausted.
 */
static bool push_flow(struct work *w, uint32_t node, double at, double value,
                      double *length)
{
    *length = value;
    for (;;) {
        const double *from = w->from + first_part(w, node);
        size_t low = 0, high = count_ups(w, node);
        if (!high || at >= from[high])
            return true; /* a root, or called from outside */
        while (high - low > 1) {
            size_t middle = low + (high - low) / 2;
            if (from[middle] <= at)
                low = middle;
            else
                high = middle;
        }
        if (from[low + 1] - at < *length)
            *length = from[low + 1] - at;
        at += w->to[first_part(w, node) + low] - from[low];
        node = w->g->up[w->g->up_off[node] + low].node;
        if (w->left.frames < w->source->n_leaves) {
            *length = 0; /* the limit of frames ends it early */
            return true;
        }
        w->left.frames -= w->source->n_leaves;
        if (!vec_push(&w->frames, w->e->entry[node]))
            return false;
    }
}

/*
 * Pushes the paths of a cut step: one, and another wherever its flow divides.
 */
static bool push_cut(struct work *w, uint32_t end)
{
    struct est_shared *shared = &w->e->shared;
    const struct step *s = &w->steps.v[end];
    double value = rest_value(w, s), length;
    double at = w->next_at[s->node];
    uint64_t rest = s->rest, piece, leaves = w->source->n_leaves;
    w->next_at[s->node] += value;
    shared->value += value;
    for (; rest; rest -= piece) {
        size_t first = w->frames.n;
        if (!push_steps(w, end) || !push_flow(w, s->node, at, value, &length))
            return false;
        piece = rest;
        if (length > 0 && length < negligible)
            length = negligible;
        if (length < value - negligible) {
            if (length > 0 && w->left.stacks >= leaves &&
                w->left.frames / leaves >= s->depth) {
                w->left.stacks -= leaves;
                w->left.frames -= leaves * s->depth;
                piece = (uint64_t)((double)rest * (length / value));
            } else {
                shared->wrong += value - length;
            }
        }
        at += length;
        value -= length;
        shared->stacks += leaves;
        if (!end_path(w, first, piece))
            return false;
    }
    return true;
}

/*
 * The table of a source
 */

/* The values of a source's leaves, divided among its paths. */
struct table {
    size_t n_rows, n_columns;
    uint64_t *total;       /* by row: the sum that its cells must have */
    const uint64_t *share; /* by column, of each total; the sum is WHOLE */
    uint64_t *cell;        /* the values, row by row */
    uint64_t *more;        /* by column: units lost by rounding down */
};

/*
 * Adds the n units that rounding down lost.  Interleaves the columns in
 * proportion to what each lost, then hands out units from that sequence, row by
 * row, until each row has its total.
 */
static bool round_up(struct table *t, uint64_t n)
{
    struct radix_item *next = mem_array(n, 2 * sizeof *next);
    uint64_t *cell = t->cell;
    size_t k = 0;
    if (!next)
        return false;
    for (size_t i = 0; i < t->n_columns; i++)
        for (uint64_t j = 0; j < t->more[i]; j++)
            next[k++] = (struct radix_item){
                .key = apportion_cut(n << 20, 2 * j + 1, 2 * t->more[i]),
                .id = (uint32_t)i};
    if (k)
        radix_sort(next, next + n, k);
    k = 0;
    for (size_t row = 0; row < t->n_rows; row++, cell += t->n_columns) {
        uint64_t lack = t->total[row];
        for (size_t i = 0; i < t->n_columns; i++)
            lack -= cell[i];
        for (; lack; lack--)
            cell[next[k++].id]++;
    }
    free(next);
    return true;
}

static void table_free(struct table *t)
{
    free(t->total);
    free(t->cell);
    free(t->more);
}

/*
 * Divides the source's counts, or its amounts, among its paths: rows add up to
 * their totals, and columns to their parts of all totals.
 */
static bool make_table(const struct work *w, bool amounts, struct table *t)
{
    const struct est_leaf *leaf = w->e->leaves.v + w->source->first_leaf;
    size_t n_rows = w->source->n_leaves, n_columns = w->share.n;
    *t = (struct table){
        .n_rows = n_rows, .n_columns = n_columns, .share = w->share.v};
    t->total = mem_array(n_rows, sizeof *t->total);
    t->cell = mem_array(n_rows, n_columns * sizeof *t->cell);
    t->more = mem_array(n_columns, sizeof *t->more);
    struct radix_item *spare = mem_array(n_columns, 2 * sizeof *spare);
    uint64_t sum = 0, lacking = 0, *cell = t->cell;
    if (!t->total || !t->cell || !t->more || !spare) {
        free(spare);
        return false;
    }
    for (size_t row = 0; row < n_rows; row++)
        sum += t->total[row] = amounts ? leaf[row].amount : leaf[row].count;
    /*
     * Cells are rounded down, so rows and columns lack some.  Columns get their
     * parts of the sum of all totals, by largest remainder.
     */
    apportion(sum, t->share, n_columns, t->more, spare);
    free(spare);
    for (size_t row = 0; row < n_rows; row++)
        for (size_t i = 0; i < n_columns; i++, cell++) {
            *cell = apportion_cut(t->total[row], t->share[i], WHOLE);
            t->more[i] -= *cell;
        }
    for (size_t i = 0; i < n_columns; i++)
        lacking += t->more[i];
    return round_up(t, lacking);
}

/*
 * Samples
 */

/* Adds a sample of the leaf, with its count and amount. */
static bool add_sample(struct estimate *e, struct est_leaf leaf,
                       const uint32_t *frames, size_t n, struct prof_err *err)
{
    for (size_t i = 0; i < e->p->n_types; i++)
        e->values[i] = 0;
    if (e->at.samples != SIZE_MAX)
        e->values[e->at.samples] = (int64_t)leaf.count;
    if (leaf.column != e->at.samples)
        e->values[leaf.column] = (int64_t)leaf.amount;
    return prof_add_sample(e->p, frames, n, e->values, leaf.labelset, err);
}

/* Adds the samples of a source, whose paths end at the steps ends[0 .. n). */
static bool add_source(struct work *w, const uint32_t *ends, size_t n,
                       struct prof_err *err)
{
    struct table count = {0}, amount = {0};
    bool ok = true;
    w->share.n = w->depth.n = w->frames.n = 0;
    for (size_t i = 0; ok && i < n; i++) {
        const struct step *s = &w->steps.v[ends[i]];
        size_t first = w->frames.n;
        ok = is_cut(w, s)
                 ? push_cut(w, ends[i])
                 : push_steps(w, ends[i]) && end_path(w, first, s->rest);
    }
    ok = (ok && make_table(w, false, &count) && make_table(w, true, &amount)) ||
         err_nomem(err);
    for (size_t row = 0, cell = 0; ok && row < count.n_rows; row++) {
        struct est_leaf leaf = w->e->leaves.v[w->source->first_leaf + row];
        uint32_t *frames = w->frames.v;
        for (size_t i = 0; ok && i < w->share.n; i++, cell++) {
            leaf.count = count.cell[cell];
            leaf.amount = amount.cell[cell];
            frames[0] = leaf.location;
            if (leaf.count || leaf.amount)
                ok = add_sample(w->e, leaf, frames, w->depth.v[i], err);
            frames += w->depth.v[i];
        }
    }
    table_free(&count);
    table_free(&amount);
    return ok;
}

static bool add_sources(struct work *w, struct prof_err *err)
{
    const struct step *steps = w->steps.v;
    size_t n = w->e->sources.n, sum = 0;
    size_t *off = mem_zarray(n + 1, sizeof *off);
    uint32_t *ends = mem_array(w->steps.n, sizeof *ends);
    bool ok = (off && ends) || err_nomem(err);
    /* The ends of the paths of source i are ends[off[i] .. off[i + 1]). */
    for (size_t i = 0; ok && i < w->steps.n; i++)
        off[steps[i].source] += steps[i].rest != 0;
    for (size_t i = 0; ok && i <= n; i++)
        off[i] = sum += off[i];
    for (size_t i = ok ? w->steps.n : 0; i-- > 0;)
        if (steps[i].rest)
            ends[--off[steps[i].source]] = (uint32_t)i;
    for (size_t i = 0; ok && i < n; i++) {
        w->source = &w->e->sources.v[i];
        ok = add_source(w, ends + off[i], off[i + 1] - off[i], err);
    }
    free(off);
    free(ends);
    return ok;
}

bool est_add_stacks(struct estimate *e, struct prof_err *err)
{
    struct work w = {.e = e, .g = &e->graph};
    /*
     * Follow all paths.  If they are too many, follow fewer and leave stacks
     * for the flow.
     */
    uint64_t n_leaves = e->n_placed;
    bool ok = follow_heaviest(&w, n_leaves, true);
    if (ok && w.refused) {
        uint64_t n_links = w.g->up_off[est_graph_nodes(w.g)];
        w.reserve =
            less(times(n_links, n_leaves / e->sources.n), e->max_stacks / 2);
        ok = follow_heaviest(&w, n_leaves, false);
    }
    ok = (ok && make_flow(&w)) || err_nomem(err);
    ok = ok && add_sources(&w, err);
    vec_free(&w.steps);
    free(w.from);
    free(w.to);
    free(w.next_at);
    vec_free(&w.frames);
    vec_free(&w.depth);
    vec_free(&w.share);
    /* Add the leaves without a named function. */
    for (size_t i = e->n_placed; ok && i < e->leaves.n; i++)
        ok = add_sample(e, e->leaves.v[i], &e->leaves.v[i].location, 1, err);
    return ok;
}
