/* canonical_disk.c - samples on disk in canonical order
 *
 * Ranks are those of everything in the sum, so they are known before any
 * sample is.  Run by run the samples come back into the sum's columns, are
 * sorted and written again; the sorted runs are merged, and what comes out,
 * equal samples summed, goes into a file for each column of the result, which
 * is never read as a whole: see struct prof_store.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/merge/private.h"

/* The columns of samples of a result, in files, and as memory. */
struct columns {
    struct prof_store store; /* first */
    struct tempfile frame_off, frames, values, labelset;
    const void *mapped[4];
};

static void each_column(struct columns *v,
                        void (*fn)(const struct tempfile *, const void *))
{
    const struct tempfile *files[] = {&v->frame_off, &v->frames, &v->values,
                                      &v->labelset};
    for (size_t i = 0; i < 4; i++)
        fn(files[i], v->mapped[i]);
}

static void columns_forget(struct prof_store *store)
{
    each_column((struct columns *)store, tempfile_forget);
}

static void columns_free(struct prof_store *store)
{
    struct columns *v = (struct columns *)store;
    each_column(v, tempfile_unmap);
    tempfile_close(&v->frame_off);
    tempfile_close(&v->frames);
    tempfile_close(&v->values);
    tempfile_close(&v->labelset);
    free(v);
}

static struct columns *columns_new(struct err *err)
{
    struct columns *v = calloc(1, sizeof *v);
    if (!v) {
        err_nomem(err);
        return NULL;
    }
    v->store = (struct prof_store){columns_forget, columns_free};
    if (tempfile_open(&v->frame_off, err) && tempfile_open(&v->frames, err) &&
        tempfile_open(&v->values, err) && tempfile_open(&v->labelset, err))
        return v;
    columns_free(&v->store);
    return NULL;
}

static bool map(const struct tempfile *f, const void **to, struct err *err)
{
    *to = tempfile_map(f, err);
    return *to || !f->size;
}

/* The files become the columns of *p, which has no samples. */
static bool give_columns(struct columns *v, struct profile *p, struct err *err)
{
    if (!map(&v->frame_off, &v->mapped[0], err) ||
        !map(&v->frames, &v->mapped[1], err) ||
        !map(&v->values, &v->mapped[2], err) ||
        !map(&v->labelset, &v->mapped[3], err))
        return false;
    prof_set_store(p, &v->store,
                   (size_t)(v->labelset.size / sizeof *p->labelset),
                   (size_t)(v->frames.size / sizeof *p->frames));
    p->frame_off = (uint64_t *)v->mapped[0];
    p->frames = (uint32_t *)v->mapped[1];
    p->values = (int64_t *)v->mapped[2];
    p->labelset = (uint32_t *)v->mapped[3];
    return true;
}

/* The samples of the result as they come. */
struct gathering {
    struct canon *c;
    struct spill_order order;
    struct columns *to;
    uint32_t *set; /* numbers by label set, PROF_NONE: not needed so far */
    bool any;      /* there is a sample at hand: */
    struct spill_sample now; /* its stack is below, its values in sum */
    VEC(uint32_t) stack;
    struct wide *sum;
    int64_t *values; /* of the result's types */
    uint64_t n_frames;
};

static uint32_t number_set(struct gathering *g, uint32_t set)
{
    struct canon *c = g->c;
    if (g->set[set] == PROF_NONE) {
        g->set[set] = (uint32_t)c->n_labelsets;
        c->labelset[c->n_labelsets++] = set;
    }
    return g->set[set];
}

/* The sample at hand is complete. */
static bool finish(struct gathering *g, struct err *err)
{
    const struct canon *c = g->c;
    bool live = false;
    for (size_t i = 0; i < c->n_columns; i++) {
        if (!wide_fits(g->sum[c->column[i]], &g->values[i]))
            return canon_overflow(c, g->now.depth ? g->stack.v[0] : PROF_NONE,
                                  c->column[i], err);
        live = live || g->values[i];
    }
    if (!live)
        return true;
    for (size_t i = 0; i < g->now.depth; i++)
        c->frames[g->stack.v[i]]++;
    uint32_t set = number_set(g, g->now.labelset);
    g->n_frames += g->now.depth;
    return tempfile_put(&g->to->frames, g->stack.v,
                        g->now.depth * sizeof *g->stack.v, err) &&
           tempfile_put(&g->to->frame_off, &g->n_frames, sizeof g->n_frames,
                        err) &&
           tempfile_put(&g->to->values, g->values,
                        c->n_columns * sizeof *g->values, err) &&
           tempfile_put(&g->to->labelset, &set, sizeof set, err);
}

/* A spill_fn. */
static bool gather(void *ctx, const struct spill_sample *s, struct err *err)
{
    struct gathering *g = ctx;
    size_t nt = g->c->p->n_types;
    if (!g->any || spill_cmp(&g->order, &g->now, s) != 0) {
        if (g->any && !finish(g, err))
            return false;
        g->stack.n = 0;
        if (!vec_reserve(&g->stack, s->depth))
            return err_nomem(err);
        if (s->depth)
            memcpy(g->stack.v, s->stack, s->depth * sizeof *s->stack);
        g->now = *s;
        g->now.stack = g->stack.v;
        g->any = true;
        memset(g->sum, 0, nt * sizeof *g->sum);
    }
    for (size_t i = 0; i < nt; i++)
        wide_add(&g->sum[i], s->values[i]);
    return true;
}

static bool gathering_init(struct gathering *g)
{
    struct canon *c = g->c;
    const struct profile *p = c->p;
    g->sum = mem_array(p->n_types, sizeof *g->sum);
    g->values = mem_array(p->n_types, sizeof *g->values);
    g->set = mem_array(p->n_labelsets, sizeof *g->set);
    c->frames = mem_zarray(p->n_locations, sizeof *c->frames);
    c->labelset = mem_array(p->n_labelsets, sizeof *c->labelset);
    if (!g->sum || !g->values || !g->set || !c->frames || !c->labelset)
        return false;
    memset(g->set, 0xff, p->n_labelsets * sizeof *g->set);
    (void)number_set(g, 0);
    return true;
}

static bool flush_columns(struct columns *v, struct err *err)
{
    return tempfile_flush(&v->frame_off, err) &&
           tempfile_flush(&v->frames, err) && tempfile_flush(&v->values, err) &&
           tempfile_flush(&v->labelset, err);
}

/* Merges the sorted runs into the files of the columns. */
static bool gather_all(struct gathering *g, struct err *err)
{
    bool ok = gathering_init(g) || err_nomem(err);
    ok = ok &&
         tempfile_put(&g->to->frame_off, &g->n_frames, sizeof g->n_frames,
                      err) &&
         spill_merge(&g->c->s->spill, &g->order, gather, g, err) &&
         (!g->any || finish(g, err)) && flush_columns(g->to, err) &&
         (canon_number_locations(g->c) || err_nomem(err));
    free(g->sum);
    free(g->values);
    free(g->set);
    vec_free(&g->stack);
    return ok;
}

/* The next run, sorted. */
static bool sort_run(struct canon *c, struct err *err)
{
    struct spill *s = &c->s->spill;
    struct profile *p = c->p;
    if (!spill_read(s, p, err))
        return false;
    uint32_t *samples = mem_array(p->n_samples, sizeof *samples);
    bool ok = samples ? true : err_nomem(err), equal;
    for (size_t i = 0; ok && i < p->n_samples; i++)
        samples[i] = (uint32_t)i;
    ok = ok && canon_sort(c, samples, p->n_samples, &equal, err);
    for (size_t i = 0; ok && i < p->n_samples; i++) {
        uint32_t at = samples[i];
        struct spill_sample sample = {(uint32_t)prof_depth(p, at),
                                      p->labelset[at], prof_stack(p, at),
                                      p->values + at * p->n_types};
        ok = spill_put(&s->sorted, &sample, p->n_types, err);
    }
    free(samples);
    prof_drop_samples(p);
    return ok && spill_end_run(s, err);
}

bool canon_from_disk(struct canon *c, struct profile *out, struct err *err)
{
    struct spill *s = &c->s->spill;
    while (s->n_read < s->runs.n)
        if (!sort_run(c, err))
            return false;
    prof_free_samples(c->p);
    struct gathering g = {
        .c = c,
        .order = {c->location_rank, c->labelset_rank, c->p->n_types},
        .to = columns_new(err)};
    if (!g.to)
        return false;
    bool ok = gather_all(&g, err);
    spill_note_size(s, g.to->frame_off.size + g.to->frames.size +
                           g.to->values.size + g.to->labelset.size);
    spill_free(s);
    ok = ok && canon_write(c, out, err) && give_columns(g.to, out, err);
    if (!ok)
        columns_free(&g.to->store);
    return ok;
}
