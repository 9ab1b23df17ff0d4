/*
 * heap_values.h - the numbers of heap profiles, and what samples stand for
 *
 * The formats of gperftools and jemalloc have rows of them:
 *
 *      2:   256 [   5:   640]
 *
 * that is objects and bytes in use, and objects and bytes allocated so far.
 */
#ifndef PROFUTILS_FORMATS_HEAP_VALUES_H
#define PROFUTILS_FORMATS_HEAP_VALUES_H

#include "formats/textprof.h"

/* Objects, and the bytes that they have together. */
struct allocated {
    int64_t objects, bytes;
};

/* How values of the profile become those of samples. */
enum heap_rule {
    HEAP_AS_IS,       /* all allocations are in the profile */
    HEAP_UNSAMPLE,    /* one byte in `rate` on average is sampled */
    HEAP_UNSAMPLE_V1, /* the first such profiles; `rate`: see below */
};

/*
 * Makes of sampled objects, and their bytes, those that they stand for, cut to
 * whole numbers.  s is their mean size, bytes/objects.
 *
 *   HEAP_UNSAMPLE     An allocation of s bytes is in the profile with
 *                     probability 1 - exp(-s/rate): divides both by that.
 *                     Nothing changes where rate is 1 or less.
 *   HEAP_UNSAMPLE_V1  `rate` is the mean distance of two samples in bytes:
 *                     allocations of less stand for that much each.
 *
 * With both rules, no objects or no bytes stand for nothing.
 *
 * Results are those of pprof to the last digit, which for large ones takes
 * exp() to the last bit.  (pprof's own differs between processors; what is
 * computed here, everywhere alike, is its result on x86-64 with FMA.)
 *
 * False when a result has more than 64 bits; *a is then as it was.
 */
bool heap_unsample(struct allocated *a, enum heap_rule rule, double rate);

struct heap_row {
    struct allocated inuse, alloc;
};

struct heap_values {
    enum heap_rule rule;
    int64_t rate;     /* of HEAP_UNSAMPLE */
    double interval;  /* of HEAP_UNSAMPLE_V1 */
    bool has_alloc;   /* samples have allocated values besides those in use */
    size_t n_unlike;  /* rows with allocated values that samples have not */
    size_t n_wrapped; /* rows with a negative number of allocated objects */
};

/*
 * Takes a row off the front of *s, which moves to what follows it; false when
 * that is not there or has numbers of more than 64 bits.
 */
bool heap_row_parse(struct prof_slice *s, struct heap_row *row);

/*
 * Whether the totals of a profile show that allocated values are not only
 * those in use again, or all 0.  (Of a kind that always counts allocations
 * they need not show it.)
 */
bool heap_has_alloc(const struct heap_row *totals);

/*
 * The sample types: objects/count and space/bytes; or alloc_ and inuse_ ones
 * of both, the allocated before those in use, so that pprof and its kin show
 * the latter.
 */
bool heap_add_types(struct profile *p, bool has_alloc, struct prof_err *err);

/*
 * Adds a sample of the stack t->frames with the values of the row and this
 * label set.  Errors name the line.
 */
bool heap_add_sample(struct textprof *t, struct heap_values *values,
                     const struct heap_row *row, uint32_t labelset,
                     struct prof_err *err);

/* Reports which allocated values were skipped or repaired, after all samples.
 */
void heap_note_values(const struct heap_values *values,
                      const struct prof_notes *notes);

#endif
