/* stackrank.c - stacks as ranks of names, sorted or cut */
#include "report/graph/stackrank.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/sort.h"
#include "base/vec.h"

enum { FRAMES_AT_A_TIME = 1 << 19 };

/* Sets rank_of, by node, to the ranks of names. */
static bool rank_nodes(struct stackrank *f, const struct stackrank_opts *opts,
                       uint32_t *rank_of)
{
    struct buf name = {0};
    bool ok = strtab_init(&f->names);
    for (size_t k = 0; ok && k < f->nodes.n; k++) {
        name.n = 0;
        ok = node_name(&f->nodes, (uint32_t)k, &name);
        f->n_edited += ok && opts->edit && opts->edit(&name);
        ok = ok &&
             strtab_add(&f->names, (const char *)name.v, name.n, &rank_of[k]);
    }
    buf_free(&name);
    /* Until here, these are ids of names. */
    uint32_t n = f->names.n, *rank = mem_array(n, sizeof *rank);
    f->name_of = mem_array(n, sizeof *f->name_of);
    ok = ok && rank && f->name_of;
    for (uint32_t i = 0; ok && i < n; i++)
        f->name_of[i] = i;
    ok = ok && strtab_sort(&f->names, f->name_of, n, opts->threads);
    for (uint32_t i = 0; ok && i < n; i++)
        rank[f->name_of[i]] = i;
    for (size_t k = 0; ok && k < f->nodes.n; k++)
        rank_of[k] = rank[rank_of[k]];
    free(rank);
    return ok;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Returns how many frames remain if no stack is deeper than `depth`. */
static uint64_t frames_within(const uint64_t *frames, size_t n, uint64_t depth)
{
    uint64_t sum = 0;
    for (size_t s = 0; s < n; s++)
        if (__builtin_add_overflow(sum, min_u64(frames[s], depth), &sum))
            return UINT64_MAX;
    return sum;
}

/* Replaces the stacks of the profile by ranks, cut to f->depth frames. */
static bool rank_cut(struct stackrank *f, struct profile *p,
                     const uint64_t *frames)
{
    const uint64_t *off = f->nodes.off;
    size_t n = (size_t)frames_within(frames, p->n_samples, f->depth), end = 0;
    uint32_t *v = mem_array(n, sizeof *v);
    for (size_t s = 0; v && s < p->n_samples; s++) {
        size_t depth = (size_t)min_u64(frames[s], f->depth);
        const uint32_t *root = p->frames + p->frame_off[s + 1];
        /* Later iterations use only the ends of later stacks. */
        p->frame_off[s] = end;
        end += depth;
        uint32_t *to = v + end;
        while (depth) {
            uint32_t l = *--root;
            for (uint64_t line = off[l + 1]; depth && line-- > off[l]; depth--)
                *--to = f->nodes.of[line];
        }
    }
    if (!v)
        return false;
    p->frame_off[p->n_samples] = end;
    free(p->frames);
    p->frames = v;
    p->n_frames = p->cap_frames = n;
    return true;
}

static bool cut_stacks(struct stackrank *f, struct profile *p, uint64_t most)
{
    const uint64_t *off = f->nodes.off;
    uint64_t *frames = mem_array(p->n_samples, sizeof *frames);
    bool ok = frames;
    /* Count the frames of each stack; each line is one. */
    for (size_t s = 0; ok && s < p->n_samples; s++) {
        frames[s] = 0;
        for (uint64_t i = p->frame_off[s]; i < p->frame_off[s + 1]; i++)
            frames[s] += off[p->frames[i] + 1] - off[p->frames[i]];
        f->deepest = frames[s] > f->deepest ? frames[s] : f->deepest;
    }
    /*
     * Find the greatest depth at which all stacks have at most `most` frames.
     */
    uint64_t low = 1, high = ok ? f->deepest : 0;
    while (high > low + 1) {
        uint64_t depth = low + (high - low) / 2;
        bool fits = frames_within(frames, p->n_samples, depth) <= most;
        *(fits ? &low : &high) = depth;
    }
    f->depth = low;
    for (size_t s = 0; ok && s < p->n_samples; s++)
        f->n_cut += frames[s] > low;
    ok = ok && rank_cut(f, p, frames);
    free(frames);
    return ok;
}

/* The frames of a profile if each line of a location is one. */
struct line_counts {
    uint64_t all, own; /* with and without frames that are shared */
    size_t deepest;
    uint32_t *shared; /* by sample; null: stacks share no frames */
};

/* Counts until there are more than `most`.  False when memory is out. */
static bool count_lines(const struct stackrank *f, uint64_t most,
                        struct line_counts *c)
{
    const struct profile *p = f->nodes.p;
    const uint64_t *off = f->nodes.off;
    VEC(uint64_t) lines = {0}; /* [k]: of the last k locations of a stack */
    if (p->shared)
        c->shared = mem_array(p->n_samples, sizeof *c->shared);
    bool ok = (c->shared || !p->shared) && vec_push(&lines, 0);
    for (size_t s = 0; ok && s < p->n_samples && c->all <= most; s++) {
        size_t depth = prof_depth(p, s), k = prof_shared(p, s);
        const uint32_t *root = p->frames + p->frame_off[s + 1];
        if (!vec_reserve(&lines, depth)) {
            ok = false;
            break;
        }
        uint64_t shared = lines.v[k];
        for (uint64_t n = shared; k < depth; k++) {
            uint32_t l = *--root;
            n += off[l + 1] - off[l];
            lines.v[k + 1] = n;
        }
        uint64_t n = lines.v[depth];
        if (c->shared)
            c->shared[s] = (uint32_t)shared;
        c->all += n;
        c->own += n - shared;
        c->deepest = n > c->deepest ? (size_t)n : c->deepest;
    }
    vec_free(&lines);
    return ok;
}

/*
 * Replaces locations by frames if a location may have several.  Works from the
 * end, so that no location is overwritten before it was read.
 */
static bool rank_lines(struct stackrank *f, struct profile *p, bool cut)
{
    const uint64_t *off = f->nodes.off;
    struct line_counts counts = {0};
    /* Limit the frames in proportion to the size of the profile. */
    uint64_t most = STACKRANK_LEAST + STACKRANK_FRAMES * (prof_all_frames(p) +
                                                          off[p->n_locations]);
    bool ok = count_lines(f, most, &counts);
    if (!ok || counts.all > most || counts.deepest > UINT32_MAX) {
        struct prof_err err; /* only memory can be out */
        free(counts.shared);
        f->is_packed = ok && !cut;
        return ok && prof_unshare(p, &err) && (!cut || cut_stacks(f, p, most));
    }
    free(p->shared);
    p->shared = counts.shared;
    p->cap_shared = counts.shared ? p->n_samples : 0;
    p->deepest = counts.deepest;
    size_t n = (size_t)counts.own;
    if (!vec_grow((void **)&p->frames, &p->cap_frames, n, sizeof *p->frames))
        return false;
    size_t i = p->n_frames;
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
    const uint32_t *rank; /* by location: its rank */
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

bool stackrank_init(struct stackrank *f, struct profile *p,
                    const struct stackrank_opts *opts, struct prof_err *err)
{
    memset(f, 0, sizeof *f);
    if (!nodes_init(&f->nodes, p, false, err))
        return false;
    uint32_t *rank_of = mem_array(f->nodes.n, sizeof *rank_of);
    bool ok = rank_of && rank_nodes(f, opts, rank_of);
    uint64_t n_lines = f->nodes.off[p->n_locations];
    for (uint64_t i = 0; ok && i < n_lines; i++)
        f->nodes.of[i] = rank_of[f->nodes.of[i]];
    free(rank_of);
    /*
     * In most profiles each location is one frame, so locations are replaced in
     * place.
     */
    const struct ranking w = {.p = p, .rank = f->nodes.of};
    if (ok && n_lines == p->n_locations)
        parallel_run(opts->threads, p->n_frames / FRAMES_AT_A_TIME + 1,
                     rank_piece, (void *)&w);
    else
        ok = ok && rank_lines(f, p, opts->cut);
    if (!ok)
        return err_nomem(err);
    f->order = (struct sample_order){.frame_off = p->frame_off,
                                     .frames = p->frames,
                                     .shared = p->shared,
                                     .n_ranks = f->names.n,
                                     .threads = opts->threads};
    return true;
}

/* A walk over the frames of a packed sample, from the root. */
struct frames {
    const struct nodes *nodes;
    const uint32_t *root;
    size_t depth;         /* locations not yet visited */
    uint64_t line, first; /* unvisited lines: nodes->of[first .. line) */
};

static struct frames begin_frames(const struct stackrank *f, size_t s)
{
    const struct profile *p = f->nodes.p;
    return (struct frames){
        .nodes = &f->nodes,
        .root = prof_stack(p, s) + prof_depth(p, s),
        .depth = prof_depth(p, s),
    };
}

static bool next_frame(struct frames *at, uint32_t *rank)
{
    const struct nodes *t = at->nodes;
    if (at->line == at->first) {
        if (!at->depth)
            return false;
        uint32_t l = *--at->root;
        at->depth--;
        at->first = t->off[l];
        at->line = t->off[l + 1];
    }
    *rank = t->of[--at->line];
    return true;
}

static int cmp_packed(const struct stackrank *f, size_t a, size_t b)
{
    struct frames x = begin_frames(f, a);
    struct frames y = begin_frames(f, b);
    for (;;) {
        /* Skip the locations that both stacks begin with. */
        if (x.line == x.first && y.line == y.first)
            while (x.depth && y.depth && x.root[-1] == y.root[-1]) {
                x.root--, x.depth--;
                y.root--, y.depth--;
            }
        uint32_t m = 0, n = 0;
        bool has_x = next_frame(&x, &m), has_y = next_frame(&y, &n);
        if (!has_x || !has_y)
            return has_x - has_y;
        if (m != n)
            return ORDER(m, n);
    }
}

bool stackrank_repeats(const struct stackrank *f,
                       const struct sample_list *list, size_t i)
{
    const struct profile *p = f->nodes.p;
    size_t a = list->v[i - 1], b = list->v[i], n = prof_depth(p, a);
    if (f->is_packed)
        return cmp_packed(f, a, b) == 0;
    if (n != prof_depth(p, b))
        return false;
    if (p->shared)
        return list->shared[i] == n;
    return !n || memcmp(prof_stack(p, a), prof_stack(p, b),
                        n * sizeof *p->frames) == 0;
}

static int packed_order(const void *a, const void *b, void *f)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int c = cmp_packed(f, x, y);
    return c ? c : ORDER(x, y);
}

static bool has_value(const struct profile *p, size_t s, size_t type,
                      size_t n_types)
{
    const int64_t *v = p->values + s * p->n_types + type;
    for (size_t i = 0; i < n_types; i++)
        if (v[i])
            return true;
    return false;
}

bool stackrank_samples(const struct stackrank *f, size_t type, size_t n_types,
                       struct sample_list *to, struct prof_err *err)
{
    const struct profile *p = f->nodes.p;
    *to = (struct sample_list){.any_equal = true};
    to->v = mem_array(p->n_samples, sizeof *to->v);
    if (!to->v)
        return err_nomem(err);
    /* If stacks share frames, all samples have to be sorted. */
    size_t n_kept = 0;
    for (size_t s = 0; s < p->n_samples; s++) {
        bool is_kept = has_value(p, s, type, n_types);
        n_kept += is_kept;
        if (p->shared || is_kept)
            to->v[to->n++] = (uint32_t)s;
    }
    if (f->is_packed)
        vec_sort_by(to, packed_order, (void *)f);
    else if (!sample_order_sort(&f->order, to, err))
        return false;
    if (n_kept == to->n)
        return true;
    size_t n = 0;
    uint32_t shared = UINT32_MAX; /* by all samples since the last kept one */
    for (size_t i = 0; i < to->n; i++) {
        shared = to->shared[i] < shared ? to->shared[i] : shared;
        if (!has_value(p, to->v[i], type, n_types))
            continue;
        to->v[n] = to->v[i];
        to->shared[n++] = shared;
        shared = UINT32_MAX;
    }
    to->n = n;
    return true;
}

void stackrank_free(struct stackrank *f)
{
    nodes_free(&f->nodes);
    strtab_free(&f->names);
    free(f->name_of);
    memset(f, 0, sizeof *f);
}

void stackrank_drop_stacks(struct stackrank *f, struct profile *p)
{
    f->order = (struct sample_order){0};
    free(p->frames);
    free(p->frame_off);
    free(p->shared);
    p->frames = p->shared = NULL;
    p->frame_off = NULL;
    p->n_frames = p->cap_frames = p->cap_frame_off = p->cap_shared = 0;
}
