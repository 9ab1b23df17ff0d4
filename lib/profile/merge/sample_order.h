/*
 * sample_order.h - samples in the order of their stacks
 *
 * Samples are compared from the root by the ranks of their frames, a stack
 * before those that go on from it, and samples of one stack by the ranks of
 * their label sets.
 */
#ifndef PROFUTILS_PROFILE_MERGE_SAMPLE_ORDER_H
#define PROFUTILS_PROFILE_MERGE_SAMPLE_ORDER_H

#include "profile/model/columns.h"

/* What samples are sorted by.  The columns may be a part of a profile's. */
struct sample_order {
    const uint64_t *frame_off;
    const uint32_t *frames;   /* leaf first */
    const uint32_t *rank;     /* by frame; null: frames are ranks */
    const uint32_t *labelset; /* null: labels do not count */
    const uint32_t *set_rank; /* by label set; null: sets are ranks */
    uint32_t n_ranks;         /* all ranks are below */
    unsigned threads;
};

/*
 * The order of two stacks, leaf first, of m and n frames, compared from the
 * root: below, at or above 0.  rank may be null.
 */
static inline int sample_order_stacks(const uint32_t *rank, const uint32_t *a,
                                      size_t m, const uint32_t *b, size_t n)
{
    while (m && n && a[m - 1] == b[n - 1])
        m--, n--;
    if (!m || !n)
        return m ? 1 : n ? -1 : 0;
    uint32_t x = a[m - 1], y = b[n - 1];
    return (rank ? rank[x] < rank[y] : x < y) ? -1 : 1;
}

/* The same for samples a and b; of equal stacks, by label set. */
int sample_order_cmp(const struct sample_order *o, uint32_t a, uint32_t b);

/*
 * Sorts samples[0 .. n), indices; equal ones keep their order, and *equal says
 * whether there are any.
 */
bool sample_order_sort(const struct sample_order *o, uint32_t *samples,
                       size_t n, bool *equal, struct prof_err *err);

#endif
