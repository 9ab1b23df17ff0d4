/*
 * heap_row.h - the numbers of a heap profile
 *
 * Private to heap*.c and jemalloc.c, whose formats have them alike:
 *
 *      2:   256 [   5:   640]
 *
 * that is objects and bytes in use, and objects and bytes allocated so far.
 */
#ifndef PROFUTILS_IMPORT_HEAP_ROW_H
#define PROFUTILS_IMPORT_HEAP_ROW_H

#include "import/gperftools/unsample.h"
#include "import/textprof.h"

struct heap_row {
    struct allocated inuse, alloc;
};

/* How values of the profile become those of samples. */
enum heap_rule {
    HEAP_AS_IS,
    HEAP_UNSAMPLE,    /* unsample() by rate */
    HEAP_UNSAMPLE_V1, /* unsample_v1() by interval */
};

struct heap_values {
    enum heap_rule rule;
    int64_t rate;
    double interval;
    bool has_alloc;   /* samples have allocated values besides those in use */
    size_t n_unlike;  /* rows with allocated values that samples have not */
    size_t n_wrapped; /* rows with a negative number of allocated objects */
};

/*
 * Takes a row off the front of *s, which moves to what follows it; false when
 * that is not there or has numbers of more than 64 bits.
 */
bool heap_row_take(struct slice *s, struct heap_row *row);

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
bool heap_add_types(struct profile *p, bool has_alloc, struct err *err);

/*
 * Adds a sample of the stack t->frames with the values of the row and this
 * label set.  Errors name the line.
 */
bool heap_add_sample(struct textprof *t, struct heap_values *values,
                     const struct heap_row *row, uint32_t labelset,
                     struct err *err);

/* What of allocated values was left out or mended, after all samples. */
void heap_note_values(const struct heap_values *values,
                      const struct notes *notes);

#endif
