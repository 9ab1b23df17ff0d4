#include "report/stackrank.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/vec.h"

enum { FRAMES_AT_A_TIME = 1 << 19 };

/* Sets rank_of, by node, to ids in names. */
static bool name_nodes(struct stackrank *f, stackrank_edit_fn *edit,
                       size_t *n_edited, uint32_t *rank_of)
{
    struct buf name = {0};
    bool ok = true;
    for (size_t k = 0; ok && k < f->nodes.n; k++) {
        name.n = 0;
        ok = node_name(&f->nodes, (uint32_t)k, &name);
        if (ok && edit && edit(&name) && n_edited)
            ++*n_edited;
        ok = ok &&
             strtab_add(&f->names, (const char *)name.v, name.n, &rank_of[k]);
    }
    buf_free(&name);
    return ok;
}

static int name_order(const void *a, const void *b, void *names)
{
    return strtab_cmp(names, *(const uint32_t *)a, *(const uint32_t *)b);
}

/* Ranks in place of ids. */
static bool rank_names(struct stackrank *f, uint32_t *rank_of)
{
    uint32_t n = f->names.n, *rank = mem_array(n, sizeof *rank);
    f->name_of = mem_array(n, sizeof *f->name_of);
    bool ok = rank && f->name_of;
    for (uint32_t i = 0; ok && i < n; i++)
        f->name_of[i] = i;
    if (ok)
        qsort_r(f->name_of, n, sizeof *f->name_of, name_order, &f->names);
    for (uint32_t i = 0; ok && i < n; i++)
        rank[f->name_of[i]] = i;
    for (size_t k = 0; ok && k < f->nodes.n; k++)
        rank_of[k] = rank[rank_of[k]];
    free(rank);
    return ok;
}

/*
 * Frames in place of locations where one location may be several: from the
 * end, so that none is overwritten before it was read.
 */
static bool rank_lines(struct stackrank *f, struct profile *p)
{
    const uint64_t *off = f->nodes.off;
    size_t n = p->n_frames, i = n;
    for (size_t at = 0; at < p->n_frames; at++) {
        uint32_t l = p->frames[at];
        if (__builtin_add_overflow(n, off[l + 1] - off[l] - 1, &n))
            return false;
    }
    if (!vec_grow((void **)&p->frames, &p->cap_frames, n, sizeof *p->frames))
        return false;
    p->n_frames = n;
    for (size_t s = p->n_samples; s--;) {
        size_t begin = (size_t)p->frame_off[s];
        p->frame_off[s + 1] = n;
        while (i > begin) {
            uint32_t l = p->frames[--i];
            for (uint64_t line = off[l + 1]; line-- > off[l];)
                p->frames[--n] = f->nodes.of[line];
        }
    }
    return true;
}

struct ranking {
    struct profile *p;
    const uint32_t *rank; /* by location */
};

static void rank_piece(void *ctx, unsigned thread, size_t piece)
{
    const struct ranking *w = ctx;
    size_t i = piece * FRAMES_AT_A_TIME, end = i + FRAMES_AT_A_TIME;
    (void)thread;
    if (end > w->p->n_frames)
        end = w->p->n_frames;
    for (; i < end; i++)
        w->p->frames[i] = w->rank[w->p->frames[i]];
}

/*
 * Makes frames of the profile's stacks, as ranks.  Most profiles have as many
 * as locations, which then are replaced where they are.
 */
static bool rank_stacks(struct stackrank *f, const uint32_t *rank_of,
                        struct profile *p, unsigned threads)
{
    uint64_t n = f->nodes.off[p->n_locations];
    for (uint64_t i = 0; i < n; i++)
        f->nodes.of[i] = rank_of[f->nodes.of[i]];
    if (n != p->n_locations)
        return rank_lines(f, p);
    struct ranking w = {.p = p, .rank = f->nodes.of};
    parallel_run(threads, p->n_frames / FRAMES_AT_A_TIME + 1, rank_piece, &w);
    return true;
}

bool stackrank_init(struct stackrank *f, struct profile *p,
                    stackrank_edit_fn *edit, size_t *n_edited, unsigned threads,
                    struct err *err)
{
    memset(f, 0, sizeof *f);
    if (!nodes_init(&f->nodes, p, err))
        return false;
    uint32_t *rank_of = mem_array(f->nodes.n, sizeof *rank_of);
    bool ok = rank_of && strtab_init(&f->names) &&
              name_nodes(f, edit, n_edited, rank_of) &&
              rank_names(f, rank_of) && rank_stacks(f, rank_of, p, threads);
    free(rank_of);
    if (!ok)
        return err_nomem(err);
    f->order = (struct sample_order){
        .frame_off = p->frame_off, .frames = p->frames, .n_ranks = f->names.n};
    return true;
}

void stackrank_free(struct stackrank *f)
{
    nodes_free(&f->nodes);
    strtab_free(&f->names);
    free(f->name_of);
    memset(f, 0, sizeof *f);
}
