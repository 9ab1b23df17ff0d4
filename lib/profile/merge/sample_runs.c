/* sample_runs.c - sorts samples whose stacks share frames
 *
 * A run is a sample and those after it, in the arrays, that share more than so
 * many frames.  Its first sample owns all its frames from there on.  Runs are
 * sorted as one item by a key, a few frames of their first samples, and then
 * split where a sample shares less than these.  In a profile whose samples are
 * ordered by stack, as most are, most runs need not be compared with others.
 *
 * An example, with keys of one frame:
 *
 *   sample  stack, root first  shared
 *        0  a c x                   0
 *        1  a c y                   2
 *        2  a b                     1
 *        3  a d                     1
 *        4  a d z                   2
 *
 *   depth  keys, and the runs that have them   result so far
 *       0  a: 0 1 2 3 4
 *       1  b: 2      c: 0 1  d: 3 4            2
 *       2  x: 0      y: 1                      2 0 1
 *       2  (end): 3  z: 4                      2 0 1 3 4
 *
 * The time is at most in proportion to the sum of the depths of all stacks: a
 * run is split at a greater depth each time, so that a sample is visited at
 * most once for each of its frames.
 */
#include <stdlib.h>

#include "base/parallel.h"
#include "profile/merge/private.h"

enum {
    COMPARED = 8, /* most samples that are sorted by comparing */
    ALONE = 4096, /* most samples that one thread sorts alone */
    PARTS = 16,   /* a part has at most one in so many samples */
    /* On 1,000,000 stacks, these two took 25 % less time than none. */
    AHEAD = 24, /* samples to prefetch ahead, in the order of the arrays */
    LINES = 4,  /* .. of the frames of the first sample of a run */
};

#define SINGLE UINT32_MAX

/*
 * Runs whose samples all have the same first `depth` frames.  All but the first
 * sample of each run share at least that many with the one before.
 */
struct group {
    size_t n; /* runs */
    size_t depth;
    size_t shared;  /* frames that the first sample of the group, when sorted,
                       has in common with the one before it */
    uint32_t least; /* least number that a sample shares with the one before it
                       in its run; SINGLE: each run is one sample */
};

struct groups {
    struct group *v;
    size_t n, cap;
};

/*
 * Sorts one group after the other, in the order of the result.  The list has
 * what was sorted, up to `at`; v has the runs of the groups that are left.  The
 * next group is at the end of v, so that its runs can be replaced by more of
 * them.  Each group has its runs in the order of the arrays.  As runs do not
 * overlap, there are never more of them than samples that are left.
 */
struct run_sorter {
    const struct order_keys *p;
    struct sample_list *list;
    size_t at;
    uint32_t *least; /* by first sample of a run, as in struct group;
                        SINGLE: there are no others */
    struct radix_item *v, *spare;
    size_t n; /* runs in v */
    struct groups groups;
    bool equal; /* two samples are */
};

/* Adds the next sample to the result. */
static void put_sample(struct run_sorter *r, uint32_t s, size_t shared)
{
    r->list->v[r->at] = s;
    r->list->shared[r->at++] = (uint32_t)shared;
}

/* Ends the run that begins with this sample, whose frames are needed soon.  A
 * loop to the end of its frames or of the run would take longer. */
static void end_run(const struct run_sorter *r, uint32_t first, uint32_t least)
{
    const struct sample_order *o = r->p->o;
    const uint32_t *own = o->frames + o->frame_off[first];
    r->least[first] = least;
    for (size_t i = 0; i < LINES; i++)
        __builtin_prefetch(own + i * CACHE_LINE / sizeof *own);
}

/*
 * Splits a run, whose samples share at least `has` frames, by keys from `depth`
 * on.  A sample begins a new run if it shares less than all frames up to the
 * end of its key.  Those frames of its key that it does share are copied from
 * the key of the run before.  In the example, depth 1 has the keys c (sample
 * 0), b (2) and d (3); 1 and 4 share the frame of the key.
 *
 * Keys are inverted, so that the run that is the first in the result is the
 * last in v.  Returns the number of new runs.
 */
static size_t split_run(const struct run_sorter *r, uint32_t s, size_t has,
                        size_t depth, struct radix_item *to)
{
    const struct sample_order *o = r->p->o;
    size_t n = 0, end = depth + r->p->n, n_samples = r->list->n;
    uint64_t key = order_key(r->p, s, depth, depth, 0);
    uint32_t least = SINGLE, first = s;
    to[n++] = (struct radix_item){.key = ~key, .id = s};
    while (++s < n_samples && o->shared[s] >= has) {
        uint32_t shared = o->shared[s];
        if (shared >= end) {
            least = shared < least ? shared : least;
            continue;
        }
        end_run(r, first, least);
        least = SINGLE;
        first = s;
        __builtin_prefetch(
            &o->frames[o->frame_off[s + AHEAD < n_samples ? s + AHEAD : s]]);
        key = order_key(r->p, s, depth, shared, key);
        to[n++] = (struct radix_item){.key = ~key, .id = s};
    }
    end_run(r, first, least);
    return n;
}

/* Splits the runs of a group, which are the last in v, and returns the number
 * of new ones, which replace them. */
static size_t split_runs(struct run_sorter *r, const struct group *g,
                         size_t depth)
{
    struct radix_item *to = r->v + r->n - g->n, *from = r->spare;
    size_t n = 0;
    if (g->n == 1)
        return split_run(r, to->id, g->depth, depth, to);
    memcpy(from, to, g->n * sizeof *to);
    for (size_t i = 0; i < g->n; i++) {
        order_prefetch(r->p->o, from, g->n, i, depth);
        n += split_run(r, from[i].id, g->depth, depth, to + n);
    }
    return n;
}

/* Sorts a few samples by comparing, and adds them to the result. */
static void sort_few(struct run_sorter *r, const struct group *g,
                     struct radix_item *v)
{
    /* Keys are the numbers of frames in common with the sample before. */
    v[0].key = g->shared;
    for (size_t i = 1; i < g->n; i++) {
        struct radix_item x = v[i];
        size_t j = i, after = 0;
        x.key = g->shared;
        while (j) {
            size_t depth = g->depth;
            int c = order_cmp(r->p->o, x.id, v[j - 1].id, &depth);
            r->equal = r->equal || !c;
            if (c >= 0) {
                x.key = depth;
                break;
            }
            v[j] = v[j - 1];
            after = depth;
            j--;
        }
        v[j] = x;
        if (j < i)
            v[j + 1].key = after;
    }
    for (size_t i = 0; i < g->n; i++)
        put_sample(r, v[i].id, v[i].key);
}

/* Returns how many frames sample s has in common with the one before it, if
 * their keys, the frames from `depth` on, differ in these bits. */
static size_t in_common(const struct order_keys *p, uint32_t s, size_t depth,
                        uint64_t differ)
{
    unsigned unused = 64 - p->bits * p->n;
    size_t has = order_depth(p->o, s);
    depth += ((unsigned)__builtin_clzll(differ) - unused) / p->bits;
    return depth < has ? depth : has; /* labels may differ after the leaf */
}

/*
 * Makes groups of the last n runs in v, which are sorted by their keys, the
 * frames from `depth` on.  Samples that are first need none.
 */
static bool add_groups(struct run_sorter *r, const struct group *g, size_t n,
                       size_t depth)
{
    const struct order_keys *p = r->p;
    const struct radix_item *v = r->v + r->n - n;
    size_t shared = g->shared;
    while (n && (n == 1 || v[n - 2].key != v[n - 1].key) &&
           (g->least == SINGLE || r->least[v[n - 1].id] == SINGLE)) {
        put_sample(r, v[n - 1].id, shared);
        r->n--;
        if (--n)
            shared = in_common(p, v[n - 1].id, depth, v[n - 1].key ^ v[n].key);
    }
    for (size_t i = 0, j; i < n; i = j) {
        struct group next = {.depth = depth + p->n, .least = SINGLE};
        for (j = i; j < n && v[j].key == v[i].key; j++)
            if (g->least != SINGLE && r->least[v[j].id] < next.least)
                next.least = r->least[v[j].id];
        next.n = j - i;
        next.shared =
            j < n ? in_common(p, v[i].id, depth, v[i].key ^ v[j].key) : shared;
        if (!vec_push(&r->groups, next))
            return false;
    }
    return true;
}

/* Sorts a group, the last in v, in which each run is one sample. */
static bool sort_singles(struct run_sorter *r, const struct group *g)
{
    const struct order_keys *p = r->p;
    struct radix_item *v = r->v + r->n - g->n;
    size_t depth = g->depth;
    if (g->n <= COMPARED) {
        sort_few(r, g, v);
        r->n -= g->n;
        return true;
    }
    if (!order_next(p, v, g->n, &depth)) {
        for (size_t i = 0; i < g->n; i++)
            put_sample(r, v[i].id, i ? order_depth(p->o, v[i].id) : g->shared);
        r->n -= g->n;
        r->equal = true;
        return true;
    }
    for (size_t i = 0; i < g->n; i++)
        v[i].key = ~v[i].key;
    radix_sort(v, r->spare, g->n);
    return add_groups(r, g, g->n, depth - p->n);
}

/* Sorts the runs of the next group by the next frames. */
static bool sort_group(struct run_sorter *r)
{
    const struct group g = r->groups.v[--r->groups.n];
    if (g.least == SINGLE)
        return sort_singles(r, &g);
    struct radix_item *v = r->v + r->n - g.n;
    size_t depth =
        g.n == 1 ? g.least : order_agree(r->p->o, v, g.n, g.depth, g.least);
    size_t n = split_runs(r, &g, depth);
    r->n += n - g.n;
    radix_sort(v, r->spare, n);
    return add_groups(r, &g, n, depth);
}

static bool sort_groups(struct run_sorter *r)
{
    while (r->groups.n)
        if (!sort_group(r))
            return false;
    return true;
}

/* A group that one thread sorts.  Until then, the list has its runs at `at`. */
struct part {
    size_t at; /* in the result */
    struct group group;
    bool equal, nomem;
};

struct run_job {
    struct run_sorter r; /* makes parts; then each thread uses `share` items of
                            its arrays */
    size_t share;        /* most samples of a part */
    struct groups groups[PARTS]; /* by thread: empty, for its next part */
    VEC(struct part) parts;
};

/* Returns how many samples a group has; more than job->share if it has. */
static size_t count_samples(const struct run_job *job, const struct group *g,
                            const struct radix_item *v)
{
    const uint32_t *shared = job->r.p->o->shared;
    size_t n = g->n, n_samples = job->r.list->n;
    for (size_t i = 0; g->least != SINGLE && i < g->n && n <= job->share; i++)
        for (size_t s = (size_t)v[i].id + 1;
             s < n_samples && shared[s] >= g->depth && n <= job->share; s++)
            n++;
    return n;
}

/* Sorts until no group has more than job->share samples, and makes parts of
 * these groups. */
static bool make_parts(struct run_job *job)
{
    struct run_sorter *r = &job->r;
    while (r->groups.n) {
        const struct group g = r->groups.v[r->groups.n - 1];
        const struct radix_item *v = r->v + r->n - g.n;
        size_t n = count_samples(job, &g, v);
        if (n > job->share) {
            if (!sort_group(r))
                return false;
            continue;
        }
        const struct part part = {.at = r->at, .group = g};
        if (!vec_push(&job->parts, part))
            return false;
        for (size_t i = 0; i < g.n; i++)
            r->list->v[r->at + i] = v[i].id;
        r->groups.n--;
        r->n -= g.n;
        r->at += n;
    }
    return true;
}

static void sort_part(void *ctx, unsigned thread, size_t i)
{
    struct run_job *job = ctx;
    struct part *part = &job->parts.v[i];
    struct run_sorter r = {.p = job->r.p,
                           .list = job->r.list,
                           .at = part->at,
                           .least = job->r.least,
                           .v = job->r.v + thread * job->share,
                           .spare = job->r.spare + thread * job->share,
                           .groups = job->groups[thread]};
    for (; r.n < part->group.n; r.n++)
        r.v[r.n].id = r.list->v[part->at + r.n];
    part->nomem = !vec_push(&r.groups, part->group) || !sort_groups(&r);
    part->equal = r.equal;
    r.groups.n = 0; /* some are left if memory is out */
    job->groups[thread] = r.groups;
}

bool order_runs(const struct order_keys *p, struct sample_list *list,
                struct radix_item *v, struct radix_item *spare)
{
    const struct group all = {.n = 1};
    unsigned threads = p->o->threads < PARTS ? p->o->threads : PARTS;
    size_t n = list->n;
    uint32_t *least = mem_array(n, sizeof *least);
    struct run_job job = {.r = {.p = p,
                                .list = list,
                                .least = least,
                                .v = v,
                                .spare = spare,
                                .n = 1},
                          .share = n > ALONE ? n / PARTS : n};
    v[0].id = 0;
    bool ok = least && vec_push(&job.r.groups, all) && make_parts(&job);
    if (ok)
        parallel_run(threads, job.parts.n, sort_part, &job);
    list->any_equal = job.r.equal;
    for (size_t i = 0; ok && i < job.parts.n; i++) {
        list->any_equal = list->any_equal || job.parts.v[i].equal;
        ok = !job.parts.v[i].nomem;
    }
    for (size_t i = 0; i < PARTS; i++)
        vec_free(&job.groups[i]);
    vec_free(&job.r.groups);
    vec_free(&job.parts);
    free(least);
    return ok;
}
