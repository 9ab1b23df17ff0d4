/*
 * snapshots.h - heap profiles that one process wrote one after another
 *
 * Each of them counts from the start of the process, so that a sum of several
 * counts the same memory more than once.  Their content does not tell which
 * process wrote them, but the file names that allocators choose do:
 *
 *      PREFIX.NNNN.heap      gperftools, HEAPPROFILE=PREFIX
 *      PREFIX.PID.N.xN.heap  jemalloc; x is f, i, m or u
 *
 * Suffixes such as ".pb.gz" may follow.
 */
#ifndef PROFUTILS_FORMATS_SNAPSHOTS_H
#define PROFUTILS_FORMATS_SNAPSHOTS_H

#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"

/* Zero-initialise. */
struct snapshots {
    struct map processes; /* name before the number: row of `first` */
    VEC(char *) first;    /* by row of `processes`: its first name; owned */
    char *again;          /* name of a second snapshot of one process, for the
                             warning; owned; null: none */
    size_t process;       /* row of the process that `again` is of */
};

/* Records the name of an input. */
bool snapshots_add(struct snapshots *s, const char *name, struct prof_err *err);

/* Warns if two names were of one process.  Frees *s, which is then empty. */
void snapshots_end(struct snapshots *s, const struct prof_notes *notes);

#endif
