/* sample_order.c - sorts samples by their stacks
 *
 * Stacks share long prefixes, so samples are sorted by a few frames at a time,
 * packed into one number.  Frames that all samples of a range share are
 * skipped, and frames that do not affect the order are never read.
 */
#include "profile/columns.h"

#include <stdlib.h>

#include "base/sort.h"
#include "base/vec.h"

enum {
    FIRST_STEP = 64, /* frames to compare in the first step */
    /*
     * Samples to prefetch ahead.  On 1,000,000 stacks and 314 heap profiles, 12
     * took 3 % and 6 % less time than 8.
     */
    AHEAD = 12,
    FAR_AHEAD = 24, /* where the address of the stack is needed by then */
};

/* How frames are packed. */
struct packing {
    const struct sample_order *o;
    unsigned bits, per_part; /* bits of a frame; frames of a key */
};

static size_t depth_of(const struct sample_order *o, uint32_t s)
{
    return (size_t)(o->frame_off[s + 1] - o->frame_off[s]);
}

/* Returns the end of the stack, after the root: frames are read backwards. */
static const uint32_t *root_of(const struct sample_order *o, uint32_t s)
{
    return o->frames + o->frame_off[s + 1];
}

static uint32_t label_rank(const struct sample_order *o, uint32_t s)
{
    if (!o->labelset)
        return 0;
    return o->set_rank ? o->set_rank[o->labelset[s]] : o->labelset[s];
}

/* Compares two samples whose first k frames, from the root, are equal. */
static int cmp_from(const struct sample_order *o, uint32_t a, uint32_t b,
                    size_t k)
{
    size_t m = depth_of(o, a), n = depth_of(o, b);
    if (k > m)
        k = m;
    int c = sample_order_stacks(o->rank, o->frames + o->frame_off[a], m - k,
                                o->frames + o->frame_off[b], n - k);
    if (c)
        return c;
    uint32_t i = label_rank(o, a), j = label_rank(o, b);
    return (i > j) - (i < j);
}

/*
 * Returns how many frames from `depth` on, at most `most`, all samples in v
 * share with sample s.
 */
static size_t agree(const struct sample_order *o, uint32_t s,
                    const struct radix_item *v, size_t n, size_t depth,
                    size_t most)
{
    const uint32_t *first = root_of(o, s);
    if (depth_of(o, s) < depth + most)
        most = depth_of(o, s) > depth ? depth_of(o, s) - depth : 0;
    for (size_t i = 0; i < n && most; i++) {
        const uint32_t *other = root_of(o, v[i].id);
        size_t has = depth_of(o, v[i].id), k = 0;
        if (has < depth + most)
            most = has > depth ? has - depth : 0;
        while (k < most && first[-1 - (ptrdiff_t)(depth + k)] ==
                               other[-1 - (ptrdiff_t)(depth + k)])
            k++;
        most = k;
    }
    return most;
}

/*
 * Returns a sort key: the frames from `depth` on, as rank + 1; after the leaf a
 * 0, then the rank of the labels.
 */
static uint64_t pack(const struct packing *p, uint32_t s, size_t depth)
{
    const struct sample_order *o = p->o;
    size_t n = depth_of(o, s);
    const uint32_t *root = root_of(o, s);
    uint64_t key = 0;
    for (size_t k = depth; k < depth + p->per_part; k++) {
        key <<= p->bits;
        if (k < n) {
            uint32_t frame = root[-1 - (ptrdiff_t)k];
            key |= (o->rank ? o->rank[frame] : frame) + 1;
        } else if (k == n + 1) {
            key |= label_rank(o, s);
        }
    }
    return key;
}

/*
 * Skips the frames that all samples share, sets the keys to the frames after
 * these, and advances *depth.  Steps double, so that a long common part of two
 * samples is not compared to its end each time that other samples differ
 * earlier.
 */
static bool next_frames(const void *ctx, struct radix_item *v, size_t n,
                        size_t *depth)
{
    const struct packing *p = ctx;
    const struct sample_order *o = p->o;
    size_t step = FIRST_STEP, agreed;
    do {
        agreed = agree(o, v[0].id, v + 1, n - 1, *depth, step);
        *depth += agreed;
    } while (agreed == step && (step *= 2));
    uint64_t differ = 0;
    for (size_t i = 0; i < n; i++) {
        if (i + FAR_AHEAD < n) {
            __builtin_prefetch(&o->frame_off[v[i + FAR_AHEAD].id]);
            /* May lie outside the stack, which a prefetch allows. */
            uintptr_t root = (uintptr_t)root_of(o, v[i + AHEAD].id);
            root -= (*depth + 1) * sizeof *o->frames;
            __builtin_prefetch((const void *)root);
        }
        v[i].key = pack(p, v[i].id, *depth);
        differ |= v[i].key ^ v[0].key;
    }
    *depth += p->per_part;
    return differ;
}

static int cmp_few(const void *ctx, uint32_t a, uint32_t b, size_t depth)
{
    return cmp_from(((const struct packing *)ctx)->o, a, b, depth);
}

/*
 * Returns whether the samples are sorted, as those of a canonical profile are.
 * If so, sets *equal if two are equal.
 */
static bool is_sorted(const struct sample_order *o, const uint32_t *samples,
                      size_t n, bool *equal)
{
    *equal = false;
    for (size_t i = 1; i < n; i++) {
        int d = cmp_from(o, samples[i - 1], samples[i], 0);
        if (d > 0)
            return false;
        *equal = *equal || !d;
    }
    return true;
}

bool sample_order_sort(const struct sample_order *o, struct sample_list *list,
                       struct prof_err *err)
{
    uint32_t *samples = list->v;
    size_t n = list->n;
    bool *equal = &list->any_equal;
    struct packing p = {.o = o};
    struct longkey k = {next_frames, cmp_few, &p, o->threads};
    if (is_sorted(o, samples, n, equal))
        return true;
    do
        p.bits++;
    while (p.bits < 32 && o->n_ranks >> p.bits);
    p.per_part = 64 / p.bits;
    struct radix_item *v = mem_array(n, sizeof *v);
    struct radix_item *spare = mem_array(n, sizeof *spare);
    bool ok = v && spare;
    for (size_t i = 0; ok && i < n; i++)
        v[i].id = samples[i];
    ok = ok && longkey_sort(&k, v, spare, n, equal);
    for (size_t i = 0; ok && i < n; i++)
        samples[i] = v[i].id;
    free(v);
    free(spare);
    return ok || err_nomem(err);
}
