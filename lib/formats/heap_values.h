/*
 * heap_values.h - the values of heap profiles, and scaling of sampled ones
 *
 * In the formats of gperftools and jemalloc, each stack has a row of values:
 *
 *      2:   256 [   5:   640]
 *
 * which are the objects and bytes in use, and in brackets the objects and bytes
 * that were allocated since the start, freed ones included.
 */
#ifndef PROFUTILS_FORMATS_HEAP_VALUES_H
#define PROFUTILS_FORMATS_HEAP_VALUES_H

#include "formats/textprof.h"

/* A number of objects, and their total size in bytes. */
struct allocated {
    int64_t objects, bytes;
};

/* How the values of a sampled heap are scaled to those of the whole heap. */
enum heap_rule {
    HEAP_AS_IS,       /* unchanged: the profile has all allocations */
    HEAP_UNSAMPLE,    /* of every `rate` allocated bytes, one is sampled on
                         average, and its object is recorded */
    HEAP_UNSAMPLE_V1, /* the rule of the first sampled profiles, see below */
};

/*
 * Scales recorded objects and bytes to those that they stand for, truncated to
 * whole numbers.  s is the mean size of the objects, bytes / objects.
 *
 *   HEAP_UNSAMPLE     An allocation of s bytes is recorded with probability
 *                     1 - exp(-s/rate): divides both values by that.  A rate
 *                     of 1 or less changes nothing.
 *   HEAP_UNSAMPLE_V1  `rate` is the mean number of bytes between two samples:
 *                     multiplies both values by rate / s, if s is less.
 *
 * With both rules, the result is 0 objects and 0 bytes if either value is 0.
 *
 * Results equal pprof's to the last digit, for which large values need exp() to
 * be exact to the last bit.  pprof's exp() differs between processors; here it
 * is, on all machines, the one of x86-64 with FMA.
 *
 * False, with *a unchanged, if a result exceeds 64 bits.
 */
bool heap_unsample(struct allocated *a, enum heap_rule rule, double rate);

/* A row of values. */
struct heap_row {
    struct allocated inuse, alloc;
};

/* How rows become samples, and counts of rows that are not as expected. */
struct heap_values {
    enum heap_rule rule;
    int64_t rate;     /* for HEAP_UNSAMPLE */
    double interval;  /* the rate of HEAP_UNSAMPLE_V1 */
    bool has_alloc;   /* samples have the allocated values too */
    size_t n_unlike;  /* without has_alloc: rows whose allocated values differ
                         from those in use, and were skipped */
    size_t n_wrapped; /* rows with a negative number of allocated objects */
};

/*
 * Removes a row from the beginning of *s.  False if *s does not begin with a
 * row, or a number exceeds 64 bits.
 */
bool heap_row_parse(struct prof_slice *s, struct heap_row *row);

/*
 * Whether the totals of a profile show that it has allocated values of its own:
 * they are neither 0 nor equal to those in use.
 */
bool heap_has_alloc(const struct heap_row *totals);

/*
 * Adds the sample types objects/count and space/bytes; with has_alloc, both as
 * alloc_ and then as inuse_ types.  Readers show the last type by default.
 */
bool heap_add_types(struct profile *p, bool has_alloc, struct prof_err *err);

/*
 * Adds a sample with the stack t->frames, the scaled values of the row, and
 * this label set.  Errors name the line.
 */
bool heap_add_sample(struct textprof *t, struct heap_values *values,
                     const struct heap_row *row, uint32_t labelset,
                     struct prof_err *err);

/* After the last sample: notes how many values were skipped or repaired. */
void heap_note_values(const struct heap_values *values,
                      const struct prof_notes *notes);

#endif
