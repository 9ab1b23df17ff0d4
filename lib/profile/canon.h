/*
 * canon.h - from a sum to the canonical profile, private to lib/profile
 *
 * The steps, each of which makes ids mean order for the next:
 *   live      which samples have a value left, and what they use
 *   strings   only those in use stay, numbered in byte-wise order
 *   ranks     of functions, mappings, locations and label sets
 *   order     of samples, by rank of location from the root
 *   combine   equal ones, where no index has done it before
 *   write     entities into the result as the ordered samples need them
 */
#ifndef PROFUTILS_PROFILE_CANON_H
#define PROFUTILS_PROFILE_CANON_H

#include "profile/merger.h"

struct canon {
    struct merger *m;
    struct profile *sum; /* of the merger */
    uint32_t *column;    /* of the sum, by type of the result */
    size_t n_columns;
    uint32_t *samples; /* live ones, in the end in order */
    size_t n_samples;
    /*
     * By index in the sum: 0 when no live sample uses it, then 1, and once
     * ranked its rank + 1.
     */
    uint32_t *location, *function, *mapping, *labelset;
    /* By rank: the index in the sum. */
    uint32_t *by_location, *by_function, *by_mapping;
    size_t n_by_mapping;
};

/* canon_live.c: fills samples and the marks; checks sums for overflow. */
bool canon_live(struct canon *c, struct err *err);

/* canon_rank.c: strings to byte-wise order, then ranks. */
bool canon_strings(struct canon *c, struct err *err);
bool canon_rank(struct canon *c, struct err *err);

/*
 * The sum of this sample and type does not fit; returns false.  Frames are
 * ranks already, or not yet.
 */
bool canon_overflow(const struct canon *c, uint32_t sample, uint32_t type,
                    bool ranked, struct err *err);

/* canon_combine.c: equal samples, which are neighbours by now, become one. */
bool canon_combine(struct canon *c, struct err *err);

/* canon_write.c: the result; takes the sum's strings. */
bool canon_write(struct canon *c, struct profile *out, struct err *err);

#endif
