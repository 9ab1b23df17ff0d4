/*
 * spill.h - samples of a sum on disk, and the way back in order
 *
 * What a sum has by some time is a run: its columns of samples as they are,
 * so that it is written and read back at the speed of the disk.  Frames and
 * label sets are indices in the sum, whose entities stay in memory.  When all
 * are there, and not before, it is known in what order the entities come;
 * then
 *
 *      spill_read()          a run, to be sorted by who knows how
 *      spill_put()           each of its samples in that order
 *      spill_end_run()
 *
 * for each, and then spill_merge() gives the samples of all runs in order,
 * equal ones one behind the other.  It reads as many runs at once as buffers
 * fit where the largest run was, and makes longer runs of shorter ones before
 * where there are more.
 *
 * A value that passed 2^63 is written as several samples.
 */
#ifndef PROFUTILS_PROFILE_SPILL_H
#define PROFUTILS_PROFILE_SPILL_H

#include "base/vec.h"
#include "io/scratch.h"
#include "profile/profile.h"

struct spill_run {
    uint64_t at;      /* in the file */
    uint64_t n_bytes; /* once it is sorted */
    size_t n_samples, n_frames;
    size_t n_types; /* that there were then; none went since */
};

/* Zero-initialise. */
struct spill {
    struct scratch raw, sorted; /* runs as they came, and in order */
    VEC(struct spill_run) runs; /* of raw until one is read, then of sorted */
    size_t n_read;              /* runs that moved over */
    uint64_t merging;           /* bytes that buffers may have */
    uint64_t most;              /* bytes on disk at once */
};

/* Closes all files; what s->most says stays. */
void spill_free(struct spill *s);

/* Counts what is on disk, and that many bytes beside it, for s->most. */
void spill_note_size(struct spill *s, uint64_t beside);

/* Writes all samples of *p as one more run. */
bool spill_write(struct spill *s, const struct profile *p, struct err *err);

/*
 * The next run as the samples of *p, which has none; its types may have
 * become more.  The last one frees the disk of them all.
 */
bool spill_read(struct spill *s, struct profile *p, struct err *err);

struct spill_sample {
    uint32_t depth, labelset;
    const uint32_t *stack; /* leaf first */
    const int64_t *values; /* one for each type of the profile */
};

static inline struct spill_sample spill_sample_of(const struct profile *p,
                                                  size_t i)
{
    return (struct spill_sample){(uint32_t)prof_depth(p, i), p->labelset[i],
                                 prof_stack(p, i), p->values + i * p->n_types};
}

/* The next sample of the sorted run in f, which is s->sorted. */
bool spill_put(struct scratch *f, const struct spill_sample *sample,
               size_t n_types, struct err *err);
bool spill_end_run(struct spill *s, struct err *err);

/* The order of samples: by these ranks of frames from the root, then sets. */
struct spill_order {
    const uint32_t *location, *labelset;
};

/* Below, at or above 0 as a comes before, with or after b. */
int spill_cmp(const struct spill_order *o, const struct spill_sample *a,
              const struct spill_sample *b);

/*
 * Gives all samples to fn, in order.  What they point at is good until fn
 * returns.  n_types as in the profile that they were read into.
 */
typedef bool spill_fn(void *ctx, const struct spill_sample *sample,
                      struct err *err);
bool spill_merge(struct spill *s, size_t n_types, const struct spill_order *o,
                 spill_fn *fn, void *ctx, struct err *err);

#endif
