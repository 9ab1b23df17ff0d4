/* estimate_paths.c - paths from functions to the roots of the call graph */
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "base/wide.h"
#include "profile/estimate/private.h"

/* For each of max_stacks. */
enum { FRAMES = 128, STEPS = 32 };

struct follower {
    struct est_paths *p;
    const struct est_graph *g;
    const struct est_source *sources;
    struct heap heap; /* steps that have callers to be followed */
    uint64_t steps;   /* still allowed */
    uint64_t reserve; /* stacks to leave for pieces of cut steps */
    bool refused;     /* a path was not allowed */
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

/* Whether the step has only one caller left, and nothing from outside. */
static bool is_last(const struct follower *f, const struct est_step *s)
{
    return s->n_ups + 1 == est_graph_ups(f->g, s->node) &&
           !f->g->outside[s->node];
}

/* What of this step goes to its next caller; the last one gets the rest. */
static uint64_t next_share(const struct follower *f, const struct est_step *s)
{
    const struct est_up *up = &f->g->up[f->g->up_off[s->node] + s->n_ups];
    if (is_last(f, s))
        return s->rest;
    return apportion_cut(s->share, up->count, f->g->calls[s->node]);
}

/* Puts the step where it belongs among those that can go on. */
static bool queue_step(struct follower *f, uint32_t step)
{
    const struct est_step *s = &f->p->v[step];
    if (!est_step_is_cut(f->g, s))
        return true;
    uint64_t share = next_share(f, s);
    double key = (double)f->sources[s->source].weight * (double)share;
    return !share || heap_push(&f->heap, key, step);
}

/* Whether there may be one more path, or one longer by a frame. */
static bool can_afford(struct follower *f, const struct est_step *s)
{
    struct est_paths *p = f->p;
    uint64_t leaves = f->sources[s->source].n_leaves;
    bool last = is_last(f, s);
    uint64_t frames = times(leaves, last ? 1 : s->depth + (uint64_t)1);
    uint64_t stacks = last ? 0 : leaves;
    if (stacks > p->stacks - less(f->reserve, p->stacks) ||
        frames > p->frames || !f->steps)
        return false;
    p->stacks -= stacks;
    p->frames -= frames;
    f->steps--;
    return true;
}

/* One more step, to the next caller, if that is allowed. */
static bool follow(struct follower *f, uint32_t step)
{
    struct est_step *s = &f->p->v[step];
    if (!can_afford(f, s)) {
        f->refused = true;
        return true;
    }
    uint64_t share = next_share(f, s);
    uint32_t node = f->g->up[f->g->up_off[s->node] + s->n_ups].node;
    struct est_step above = {node, step,  s->source, s->depth + 1,
                             0,    share, share};
    s->rest -= share;
    s->n_ups++;
    return vec_push(f->p, above) && queue_step(f, step) &&
           queue_step(f, (uint32_t)f->p->n - 1);
}

static bool start(struct follower *f, size_t n)
{
    struct est_paths *p = f->p;
    for (size_t i = 0; i < n; i++) {
        const struct est_source *from = &f->sources[i];
        struct est_step s = {from->func, EST_NO_STEP, (uint32_t)i, 1,
                             0,          EST_WHOLE,   EST_WHOLE};
        if (!vec_push(p, s))
            return false;
        p->stacks -= less(from->n_leaves, p->stacks);
        p->frames -= less(from->n_leaves, p->frames);
    }
    for (size_t i = 0; i < n; i++)
        if (!queue_step(f, (uint32_t)i))
            return false;
    return true;
}

static bool follow_heaviest(struct follower *f, size_t n, uint64_t max_stacks,
                            uint64_t n_leaves)
{
    f->p->n = 0;
    f->p->stacks = max_stacks;
    f->p->frames = times(max_stacks > n_leaves ? max_stacks : n_leaves, FRAMES);
    f->steps = less(times(max_stacks, STEPS), EST_NO_STEP - n);
    bool ok = start(f, n);
    while (ok && f->heap.n)
        ok = follow(f, heap_pop(&f->heap).id);
    vec_free(&f->heap);
    return ok;
}

/* All paths or, where there are too many, fewer, with room for the flow. */
static bool follow_paths(struct est_paths *p, const struct est_graph *g,
                         const struct est_source *sources, size_t n,
                         uint64_t max_stacks)
{
    size_t n_links = g->up_off[est_graph_nodes(g)];
    uint64_t n_leaves = 0;
    struct follower f = {.p = p, .g = g, .sources = sources};
    for (size_t i = 0; i < n; i++)
        n_leaves += sources[i].n_leaves;
    if (!follow_heaviest(&f, n, max_stacks, n_leaves))
        return false;
    if (!f.refused)
        return true;
    f.reserve = less(times(n_links, n_leaves / n), max_stacks / 2);
    return follow_heaviest(&f, n, max_stacks, n_leaves);
}

/* Where the callers of a node begin in p->from and p->to. */
static size_t first_part(const struct est_graph *g, uint32_t node)
{
    return g->up_off[node] + node;
}

/*
 * Divides `flow`, of which p->from[] has what comes by cut steps, by how many
 * callers they have followed: those get no more of it.
 */
static void divide_node(struct est_paths *p, const struct est_graph *g,
                        uint32_t node, double *flow)
{
    const struct est_up *up = g->up + g->up_off[node];
    size_t n = est_graph_ups(g, node);
    double *from = p->from + first_part(g, node);
    double *to = p->to + first_part(g, node);
    double rate = 0, at = 0;
    uint64_t calls = g->calls[node];
    if (n)
        from[0] += flow[node] - p->next_at[node];
    for (size_t i = 0; i < n; i++) {
        rate += from[i] / (double)calls;
        from[i] = at;
        to[i] = flow[up[i].node];
        at += (double)up[i].count * rate;
        flow[up[i].node] = to[i] + (at - from[i]);
        calls -= up[i].count;
    }
    from[n] = g->outside[node] ? at : (double)INFINITY;
}

/* Callees come before callers, so that a node's flow is complete. */
static bool make_flow(struct est_paths *p, const struct est_graph *g,
                      const struct est_source *sources)
{
    uint32_t n = est_graph_nodes(g);
    size_t n_parts = g->up_off[n] + n;
    double *flow = mem_zarray(n, sizeof *flow);
    p->from = mem_zarray(n_parts, sizeof *p->from);
    p->to = mem_zarray(n_parts, sizeof *p->to);
    p->next_at = mem_zarray(n, sizeof *p->next_at);
    bool ok = flow && p->from && p->to && p->next_at;
    for (size_t i = 0; ok && i < p->n; i++) {
        const struct est_step *s = &p->v[i];
        if (!s->rest || !est_step_is_cut(g, s))
            continue;
        double value = est_share_value(&sources[s->source], s->rest);
        p->from[first_part(g, s->node) + s->n_ups] += value;
        flow[s->node] += value;
        p->next_at[s->node] = flow[s->node];
    }
    for (uint32_t i = 0; ok && i < n; i++)
        divide_node(p, g, g->order[i], flow);
    for (uint32_t i = 0; ok && i < n; i++)
        p->next_at[i] = 0;
    free(flow);
    return ok;
}

bool est_paths_make(struct est_paths *p, const struct est_graph *g,
                    const struct est_source *sources, size_t n,
                    uint64_t max_stacks)
{
    return follow_paths(p, g, sources, n, max_stacks) &&
           make_flow(p, g, sources);
}

void est_paths_free(struct est_paths *p)
{
    free(p->from);
    free(p->to);
    free(p->next_at);
    vec_free(p);
}

bool est_flow_up(const struct est_paths *p, const struct est_graph *g,
                 uint32_t *node, double *at, double *length)
{
    const double *from = p->from + first_part(g, *node);
    size_t low = 0, high = est_graph_ups(g, *node);
    if (!high || *at >= from[high])
        return false;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (from[middle] <= *at)
            low = middle;
        else
            high = middle;
    }
    if (from[low + 1] - *at < *length)
        *length = from[low + 1] - *at;
    *at += p->to[first_part(g, *node) + low] - from[low];
    *node = g->up[g->up_off[*node] + low].node;
    return true;
}
