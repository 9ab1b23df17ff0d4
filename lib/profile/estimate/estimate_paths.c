#include "profile/estimate/estimate_paths.h"

#include <string.h>

#include "base/sort.h"
#include "base/wide.h"

/* For each of max_stacks. */
enum { FRAMES = 128, STEPS = 32 };

struct maker {
    struct est_paths *p;
    const struct est_graph *g;
    const struct est_source *sources;
    struct heap heap;               /* steps that have callers to be followed */
    uint64_t stacks, frames, steps; /* there may be more */
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
static bool is_last(const struct maker *m, const struct est_step *s)
{
    return s->n_ups + 1 == est_graph_ups(m->g, s->node) &&
           !m->g->outside[s->node];
}

/* What of this step goes to its next caller; the last one gets the rest. */
static uint64_t next_share(const struct maker *m, const struct est_step *s)
{
    const struct est_up *up = &m->g->up[m->g->up_off[s->node] + s->n_ups];
    if (is_last(m, s))
        return s->rest;
    return apportion_cut(s->share, up->count, m->g->calls[s->node]);
}

/* Puts the step where it belongs among those that can go on. */
static bool queue(struct maker *m, uint32_t step, struct err *err)
{
    const struct est_step *s = &m->p->v[step];
    if (!est_step_is_cut(m->g, s))
        return true;
    uint64_t share = next_share(m, s);
    double key = (double)m->sources[s->source].weight * (double)share;
    return !share || heap_push(&m->heap, key, step) || err_nomem(err);
}

/* Whether there may be one more path, or one longer by a frame. */
static bool afford(struct maker *m, const struct est_step *s)
{
    uint64_t leaves = m->sources[s->source].n_leaves;
    bool last = is_last(m, s);
    uint64_t frames = times(leaves, last ? 1 : s->depth + (uint64_t)1);
    uint64_t stacks = last ? 0 : leaves;
    if (stacks > m->stacks || frames > m->frames || !m->steps)
        return false;
    m->stacks -= stacks;
    m->frames -= frames;
    m->steps--;
    return true;
}

/* One more step, to the next caller; false without an error: none more. */
static bool go_on(struct maker *m, uint32_t step, struct err *err)
{
    struct est_step *s = &m->p->v[step];
    if (!afford(m, s))
        return true;
    uint64_t share = next_share(m, s);
    uint32_t node = m->g->up[m->g->up_off[s->node] + s->n_ups].node;
    struct est_step above = {node, step,  s->source, s->depth + 1,
                             0,    share, share};
    s->rest -= share;
    s->n_ups++;
    if (!vec_push(m->p, above))
        return err_nomem(err);
    return queue(m, step, err) && queue(m, (uint32_t)m->p->n - 1, err);
}

static bool start(struct maker *m, size_t n, struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct est_source *from = &m->sources[i];
        struct est_step s = {from->func, EST_NO_STEP, (uint32_t)i, 1,
                             0,          EST_WHOLE,   EST_WHOLE};
        if (!vec_push(m->p, s))
            return err_nomem(err);
        m->stacks -= less(from->n_leaves, m->stacks);
        m->frames -= less(from->n_leaves, m->frames);
    }
    for (size_t i = 0; i < n; i++)
        if (!queue(m, (uint32_t)i, err))
            return false;
    return true;
}

static uint64_t n_leaves(const struct est_source *sources, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += sources[i].n_leaves;
    return sum;
}

bool est_paths_make(struct est_paths *p, const struct est_graph *g,
                    const struct est_source *sources, size_t n,
                    uint64_t max_stacks, struct err *err)
{
    struct maker m = {.p = p,
                      .g = g,
                      .sources = sources,
                      .stacks = max_stacks,
                      .frames =
                          est_max_frames(max_stacks, n_leaves(sources, n)),
                      .steps = times(max_stacks, STEPS)};
    memset(p, 0, sizeof *p);
    if (m.steps > EST_NO_STEP - n)
        m.steps = EST_NO_STEP - n;
    bool ok = start(&m, n, err);
    while (ok && m.heap.n)
        ok = go_on(&m, heap_pop(&m.heap).id, err);
    vec_free(&m.heap);
    return ok;
}

void est_paths_free(struct est_paths *p)
{
    vec_free(p);
}

uint64_t est_max_frames(uint64_t max_stacks, uint64_t n_leaves)
{
    return times(max_stacks > n_leaves ? max_stacks : n_leaves, FRAMES);
}
