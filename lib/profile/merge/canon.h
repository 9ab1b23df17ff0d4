/*
 * canon.h - from a sum to the canonical profile, private to lib/profile
 *
 * The steps:
 *   live      which samples have a value left
 *   strings   numbered in byte-wise order
 *   ranks     of functions, mappings, locations and label sets
 *   order     of samples, by rank of location from the root
 *   combine   equal ones, where no index has done it before
 *   number    locations by how many frames are theirs, and what they need
 *             in their order
 *   write     those into the result, which takes the samples over
 *
 * A profile that keeps its order has its equal samples summed up first
 * (canon_equal.c), and neither samples nor what they need are sorted; what
 * its samples are in the result is told (prof_layout), and they stay as they
 * are.  The rest is the same.
 *
 * Everything in the sum is ranked, whether a live sample needs it or not,
 * for that changes no order among those that one does.  So the frames of
 * samples, which are most of the sum, are read for the order as far as it
 * takes to decide, and then once more to be numbered.
 */
#ifndef PROFUTILS_PROFILE_CANON_H
#define PROFUTILS_PROFILE_CANON_H

#include "profile/merge/merger.h"

struct canon {
    struct merger *m;
    struct profile *sum; /* of the merger */
    unsigned threads;
    bool in_place;    /* it keeps its order */
    bool is_told;     /* what frames mean is told by `number`: they stay */
    uint32_t *column; /* of the sum, by type of the result */
    size_t n_columns;
    uint32_t *samples; /* live ones, in the end in order */
    size_t n_samples;
    /* Ranks by index in the sum; null where it keeps its order. */
    uint32_t *location, *function, *mapping, *labelset;
    uint32_t *by_mapping; /* by rank: the index in the sum */
    uint32_t *number;     /* in the result, by location, if it is told */
    uint64_t *frames;     /* by location, how many are its; null: not counted */
};

/* Locations and label sets of the result, in order. */
struct canon_numbers {
    uint32_t *location, *labelset; /* indices in the sum */
    size_t n_locations, n_labelsets;
};

/*
 * canon_equal.c: sums equal samples up where the first of them is; fills
 * frames if there are none.
 */
bool canon_equal(struct canon *c, struct err *err);

/* canon_live.c: fills samples; checks sums for overflow. */
bool canon_live(struct canon *c, struct err *err);

static inline bool canon_is_live(const struct canon *c, size_t sample)
{
    const int64_t *values = c->sum->values + sample * c->sum->n_types;
    for (size_t i = 0; i < c->n_columns; i++)
        if (values[c->column[i]])
            return true;
    return false;
}
/* The sum of this sample and type does not fit; returns false. */
bool canon_overflow(const struct canon *c, uint32_t sample, uint32_t type,
                    struct err *err);
/* The same of one with this leaf, PROF_NONE if it has no stack. */
bool canon_overflow_of(const struct canon *c, uint32_t leaf, uint32_t type,
                       struct err *err);

/* canon_strings.c: strings to byte-wise order, those out of use left out. */
bool canon_strings(struct canon *c, struct err *err);

/* canon_rank.c, once strings are in order. */
bool canon_rank(struct canon *c, struct err *err);

/* Labels of each set in the order of their keys, once strings are in order. */
bool canon_labels(struct canon *c, struct err *err);

/* canon_combine.c: whether two samples have the same stack and labels. */
bool canon_is_same(const struct profile *p, uint32_t a, uint32_t b);

/* Equal samples, which are neighbours by now, become one. */
bool canon_combine(struct canon *c, struct err *err);

/*
 * canon_number.c: frames and label sets of the samples become indices in the
 * result, by *numbers, and all other samples go.  In place these stay; frames
 * stay where c->number tells what they mean.  The caller frees what is in
 * *numbers.
 */
bool canon_number(struct canon *c, struct canon_numbers *numbers,
                  struct err *err);

/*
 * Fills to->location with the locations that have frames, the one with most
 * of them first, equal ones by rank or as they stand, and number[location] with
 * their places there, PROF_NONE for the others.  False: no memory.
 */
bool canon_number_locations(const struct canon *c, const uint64_t *frames,
                            uint32_t *number, struct canon_numbers *to);

/* canon_write.c: the result; takes the sum's strings and samples. */
bool canon_write(struct canon *c, const struct canon_numbers *numbers,
                 struct profile *out, struct err *err);

/* canonical.c: samples[0 .. n) of the sum in order; *equal: some are. */
bool canon_sort(const struct canon *c, uint32_t *samples, size_t n, bool *equal,
                struct err *err);

/*
 * canon_spill.c: all that comes behind the ranks, for a sum of which all
 * samples are on disk, and *numbers, too.
 */
bool canon_spilled(struct canon *c, struct canon_numbers *numbers,
                   struct profile *out, struct err *err);

#endif
