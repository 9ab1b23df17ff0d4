/* Samples of the paths from functions to roots. */
#include <stdlib.h>

#include "profile/estimate/estimate_deal.h"
#include "profile/estimate/estimate_maker.h"

/* Locations. */
struct stack {
    uint32_t *v;
    size_t n, cap;
};

/* The paths of one source, and its parts, at work. */
struct emitter {
    struct est_maker *m;
    const struct est_part *parts;
    size_t n_parts, n_paths;
    const uint32_t *ends;    /* steps where the paths end */
    VEC(uint64_t) share;     /* of the paths */
    struct stack frames;     /* of the paths one after the other */
    VEC(uint64_t) total;     /* counts, then amounts, of the parts */
    VEC(uint64_t) cell;      /* of the paths, the same */
    struct est_deal deal[2]; /* the same */
};

static bool push_node(struct est_maker *m, struct stack *s, uint32_t node,
                      struct err *err)
{
    return vec_push(s, m->entry[node]) || err_nomem(err);
}

/* Pushes the steps up to this one, but not the leaf's own, the last first. */
static bool push_steps(struct est_maker *m, struct stack *s, uint32_t step,
                       struct err *err)
{
    for (; m->paths.v[step].below != EST_NO_STEP; step = m->paths.v[step].below)
        if (!push_node(m, s, m->paths.v[step].node, err))
            return false;
    return true;
}

/* Ends what was pushed, the root first, by the leaf, which becomes first. */
static bool push_leaf(struct stack *s, size_t first, uint32_t leaf,
                      struct err *err)
{
    if (!vec_push(s, leaf))
        return err_nomem(err);
    for (size_t i = first, k = s->n - 1; i < k; i++, k--) {
        uint32_t x = s->v[i];
        s->v[i] = s->v[k];
        s->v[k] = x;
    }
    return true;
}

/* The leaf is put in its place later. */
static bool add_path(struct emitter *e, uint32_t end, struct err *err)
{
    size_t first = e->frames.n;
    return (vec_push(&e->share, e->m->paths.v[end].rest) || err_nomem(err)) &&
           push_steps(e->m, &e->frames, end, err) &&
           push_leaf(&e->frames, first, PROF_NONE, err);
}

static bool begin(struct emitter *e, struct err *err)
{
    size_t n = e->n_parts;
    e->total.n = 0;
    bool ok = vec_reserve(&e->cell, 2 * e->n_paths);
    for (size_t i = 0; ok && i < n; i++)
        ok = vec_push(&e->total, e->parts[i].count);
    for (size_t i = 0; ok && i < n; i++)
        ok = vec_push(&e->total, e->parts[i].amount);
    if (!ok)
        return err_nomem(err);
    e->share.n = e->frames.n = 0;
    for (size_t i = 0; i < e->n_paths; i++)
        if (!add_path(e, e->ends[i], err))
            return false;
    for (size_t k = 0; k < 2; k++)
        if (!est_deal_begin(&e->deal[k], e->total.v + k * n, n, e->share.v,
                            e->n_paths, err))
            return false;
    return true;
}

static bool add_cut(struct est_maker *m, uint32_t leaf, uint32_t step,
                    uint64_t count, uint64_t amount, struct err *err)
{
    m->cut += (double)(m->timed ? amount : count);
    return est_cut_add(&m->cuts, &m->paths, leaf, step, count, amount) ||
           err_nomem(err);
}

static bool add_values(struct est_maker *m, const struct est_part *part,
                       const uint32_t *frames, size_t n, uint64_t count,
                       uint64_t amount, struct err *err)
{
    for (size_t i = 0; i < m->p->n_types; i++)
        m->values[i] = 0;
    if (m->at.samples != SIZE_MAX)
        m->values[m->at.samples] = (int64_t)count;
    if (part->column != m->at.samples)
        m->values[part->column] = (int64_t)amount;
    return prof_add_sample(m->p, frames, n, m->values, part->labelset, err);
}

/* The samples of the next part. */
static bool add_row(struct emitter *e, const struct est_part *part,
                    struct err *err)
{
    struct est_maker *m = e->m;
    uint32_t leaf = (uint32_t)(part - m->parts.v);
    uint64_t *count = e->cell.v, *amount = count + e->n_paths;
    uint32_t *frames = e->frames.v;
    est_deal_row(&e->deal[0], count);
    est_deal_row(&e->deal[1], amount);
    for (size_t i = 0; i < e->n_paths; i++) {
        const struct est_step *end = &m->paths.v[e->ends[i]];
        frames[0] = part->location;
        if (!count[i] && !amount[i])
            ;
        else if (est_step_is_cut(&m->graph, end)) {
            if (!add_cut(m, leaf, e->ends[i], count[i], amount[i], err))
                return false;
        } else if (!add_values(m, part, frames, end->depth, count[i], amount[i],
                               err))
            return false;
        frames += end->depth;
    }
    return true;
}

/* The samples of all parts. */
static bool add_rows(struct emitter *e, struct err *err)
{
    bool ok = begin(e, err);
    for (size_t i = 0; ok && i < e->n_parts; i++)
        ok = add_row(e, &e->parts[i], err);
    est_deal_end(&e->deal[0]);
    est_deal_end(&e->deal[1]);
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
static bool write_unnamed(struct est_maker *m, struct err *err)
{
    for (size_t i = m->source_part.v[m->sources.n]; i < m->parts.n; i++) {
        const struct est_part *part = &m->parts.v[i];
        if (!add_values(m, part, &part->location, 1, part->count, part->amount,
                        err))
            return false;
    }
    return true;
}

bool est_write_stacks(struct est_maker *m, struct err *err)
{
    size_t n = m->sources.n;
    struct emitter e = {.m = m};
    size_t *off = mem_array(n + 1, sizeof *off);
    uint32_t *ends = mem_array(m->paths.n, sizeof *ends);
    bool ok = (off && ends) || err_nomem(err);
    if (ok)
        find_ends(&m->paths, n, off, ends);
    for (size_t i = 0; ok && i < n; i++) {
        size_t part = m->source_part.v[i];
        e.parts = m->parts.v + part;
        e.n_parts = m->source_part.v[i + 1] - part;
        e.ends = ends + off[i];
        e.n_paths = off[i + 1] - off[i];
        ok = add_rows(&e, err);
    }
    free(off);
    free(ends);
    vec_free(&e.share);
    vec_free(&e.frames);
    vec_free(&e.total);
    vec_free(&e.cell);
    return ok && write_unnamed(m, err);
}

static uint64_t minus(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* What the stacks so far leave of the bounds. */
static void find_room(const struct est_maker *m, struct est_sweep *sweep)
{
    uint64_t frames = m->p->n_frames;
    for (size_t i = 0; i < m->cuts.n; i++)
        frames += m->cuts.v[i].depth;
    sweep->stacks = minus(m->max_stacks, m->p->n_samples + m->cuts.n);
    sweep->frames = minus(est_max_frames(m->max_stacks, m->parts.n), frames);
}

static bool add_cut_sample(struct est_maker *m, const struct est_cut *c,
                           struct stack *frames, struct err *err)
{
    const struct est_part *part = &m->parts.v[c->leaf];
    frames->n = 0;
    for (uint32_t i = c->link; i != EST_NO_STEP; i = m->cuts.links.v[i].below)
        if (!push_node(m, frames, m->cuts.links.v[i].node, err))
            return false;
    return push_steps(m, frames, c->step, err) &&
           push_leaf(frames, 0, part->location, err) &&
           add_values(m, part, frames->v, frames->n, c->count, c->amount, err);
}

bool est_write_cuts(struct est_maker *m, struct err *err)
{
    struct est_sweep sweep;
    struct stack frames = {0};
    find_room(m, &sweep);
    bool ok = est_sweep(&sweep, &m->paths, &m->graph, &m->cuts, err);
    m->missed = sweep.missed;
    for (size_t i = 0; ok && i < m->cuts.n; i++)
        ok = add_cut_sample(m, &m->cuts.v[i], &frames, err);
    vec_free(&frames);
    return ok;
}
