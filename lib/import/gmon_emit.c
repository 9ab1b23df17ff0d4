#include <stdlib.h>

#include "import/gmon_deal.h"
#include "import/gmon_maker.h"

/* The paths of one source, and its parts, at work. */
struct emitter {
    struct gmon_maker *m;
    const struct gmon_part *parts;
    size_t n_parts, n_paths;
    const uint32_t *ends;     /* steps where the paths end */
    VEC(uint64_t) share;      /* of the paths */
    VEC(uint32_t) frames;     /* of the paths one after the other */
    VEC(uint64_t) total;      /* counts, then amounts, of the parts */
    VEC(uint64_t) cell;       /* of the paths, the same */
    struct gmon_deal deal[2]; /* the same */
};

/* Leaf first; the leaf itself is a hole. */
static bool add_path(struct emitter *e, uint32_t end, struct err *err)
{
    const struct gmon_step *step = e->m->paths.v, *s = &step[end];
    size_t n = s->depth, first = e->frames.n;
    if (!vec_reserve(&e->frames, n) || !vec_push(&e->share, s->rest))
        return err_nomem(err);
    e->frames.n += n;
    for (; s->below != GMON_NO_STEP; s = &step[s->below])
        if (!gmon_entry(e->m, s->node, &e->frames.v[first + --n], err))
            return false;
    return true;
}

static bool begin(struct emitter *e, struct err *err)
{
    size_t n = e->n_parts;
    if (!vec_reserve(&e->total, 2 * n) ||
        !vec_reserve(&e->cell, 2 * e->n_paths))
        return err_nomem(err);
    for (size_t i = 0; i < n; i++) {
        e->total.v[i] = e->parts[i].count;
        e->total.v[n + i] = e->parts[i].amount;
    }
    e->share.n = e->frames.n = 0;
    for (size_t i = 0; i < e->n_paths; i++)
        if (!add_path(e, e->ends[i], err))
            return false;
    for (size_t k = 0; k < 2; k++)
        if (!gmon_deal_begin(&e->deal[k], e->total.v + k * n, n, e->share.v,
                             e->n_paths, err))
            return false;
    return true;
}

/* Time, or samples where there is none, for what is said of stacks cut. */
static void count_cut(struct gmon_maker *m, uint32_t end, const int64_t *values)
{
    double value =
        (double)values[m->w.amount >= 0 ? m->w.amount : m->w.samples];
    m->all += value;
    if (gmon_step_is_cut(&m->graph, &m->paths.v[end])) {
        m->cut += value;
        m->n_cut++;
    }
}

/* The samples of the next part. */
static bool add_row(struct emitter *e, uint32_t leaf, struct err *err)
{
    struct gmon_maker *m = e->m;
    uint64_t *count = e->cell.v, *amount = count + e->n_paths;
    uint32_t *frames = e->frames.v;
    gmon_deal_row(&e->deal[0], count);
    gmon_deal_row(&e->deal[1], amount);
    for (size_t i = 0; i < e->n_paths; i++) {
        size_t depth = m->paths.v[e->ends[i]].depth;
        int64_t values[GMON_MAX_TYPES] = {0};
        values[m->w.samples] = (int64_t)count[i];
        if (m->w.amount >= 0)
            values[m->w.amount] = (int64_t)amount[i];
        frames[0] = leaf;
        if (count[i] || amount[i]) {
            count_cut(m, e->ends[i], values);
            if (!prof_add_sample(m->w.p, frames, depth, values, 0, err))
                return false;
        }
        frames += depth;
    }
    return true;
}

/* A location for each part, and its samples. */
static bool add_rows(struct emitter *e, struct err *err)
{
    struct gmon_maker *m = e->m;
    bool ok = begin(e, err);
    for (size_t i = 0; ok && i < e->n_parts; i++) {
        struct prof_location l = {.address = e->parts[i].address,
                                  .mapping = m->w.mapping};
        uint32_t leaf, entry;
        ok = prof_add_location(m->w.p, &l, NULL, 0, &leaf, err) &&
             gmon_mark_frames(m, GMON_FRAME_LEAF, e->parts[i].func, err) &&
             gmon_entry(m, e->parts[i].func, &entry, err) &&
             add_row(e, leaf, err);
    }
    gmon_deal_end(&e->deal[0]);
    gmon_deal_end(&e->deal[1]);
    return ok;
}

/* The ends of paths, those of a source together: off[n_sources + 1]. */
static void find_ends(const struct gmon_paths *paths, size_t n_sources,
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

/* Parts that are no function's. */
static bool write_unowned(struct gmon_maker *m, struct err *err)
{
    for (size_t i = m->source_part.v[m->sources.n]; i < m->parts.n; i++) {
        const struct gmon_part *part = &m->parts.v[i];
        struct prof_location l = {.address = part->address,
                                  .mapping = m->w.mapping};
        int64_t values[GMON_MAX_TYPES] = {0};
        uint32_t leaf;
        values[m->w.samples] = (int64_t)part->count;
        if (m->w.amount >= 0)
            values[m->w.amount] = (int64_t)part->amount;
        if (!prof_add_location(m->w.p, &l, NULL, 0, &leaf, err) ||
            !gmon_mark_frames(m, GMON_FRAME_LEAF, SYM_NO_OWNER, err) ||
            !prof_add_sample(m->w.p, &leaf, 1, values, 0, err))
            return false;
    }
    return true;
}

bool gmon_write_stacks(struct gmon_maker *m, struct err *err)
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
    return ok && write_unowned(m, err);
}
