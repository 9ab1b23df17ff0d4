/* sample_keys.c - compares samples, and packs frames in keys to sort by
 *
 * Stacks have long prefixes in common, so samples are sorted by a few frames at
 * a time, packed into one number.  Frames that all samples of a range have in
 * common are skipped, and frames that do not affect the order are never read.
 */
#include "profile/merge/private.h"

enum { FIRST_STEP = 64 }; /* frames to compare in the first step */

int order_cmp(const struct sample_order *o, uint32_t a, uint32_t b,
              size_t *depth)
{
    size_t m = order_depth(o, a), n = order_depth(o, b);
    if (*depth > m)
        *depth = m; /* both end there */
    const uint32_t *v = o->frames + o->frame_off[a];
    const uint32_t *w = o->frames + o->frame_off[b];
    *depth += sample_order_common(o->rank, v, m - *depth, w, n - *depth);
    int c = sample_order_stacks(o->rank, v, m - *depth, w, n - *depth);
    return c ? c : order_cmp_labels(o, a, b);
}

/*
 * Returns how many frames from `depth` on, at most `most`, samples a and b have
 * in common.
 */
static size_t agree(const struct sample_order *o, uint32_t a, uint32_t b,
                    size_t depth, size_t most)
{
    size_t m = order_depth(o, a), n = order_depth(o, b);
    size_t least = m < n ? m : n;
    if (least <= depth)
        return 0;
    if (least - depth < most)
        most = least - depth;
    const uint32_t *v = o->frames + (order_root(o, a) - depth);
    const uint32_t *w = o->frames + (order_root(o, b) - depth);
    return prof_common(v - most, most, w - most, most);
}

size_t order_agree(const struct sample_order *o, const struct radix_item *v,
                   size_t n, size_t depth, size_t limit)
{
    for (size_t step = FIRST_STEP; depth < limit; step *= 2) {
        size_t most = step < limit - depth ? step : limit - depth;
        size_t agreed = most;
        for (size_t i = 1; i < n && agreed; i++)
            agreed = agree(o, v[0].id, v[i].id, depth, agreed);
        depth += agreed;
        if (agreed < most)
            break;
    }
    return depth;
}

bool order_next(const struct order_keys *p, struct radix_item *v, size_t n,
                size_t *depth)
{
    const struct sample_order *o = p->o;
    uint64_t differ = 0;
    *depth = order_agree(o, v, n, *depth, SIZE_MAX);
    for (size_t i = 0; i < n; i++) {
        order_prefetch(o, v, n, i, *depth);
        v[i].key = order_key(p, v[i].id, *depth, *depth, 0);
        differ |= v[i].key ^ v[0].key;
    }
    *depth += p->n;
    return differ;
}
