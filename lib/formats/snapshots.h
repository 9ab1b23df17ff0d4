/*
 * snapshots.h - heap profiles that one process wrote one after another
 *
 * The numbers of each count since the process began, so that a sum counts the
 * same memory several times.  The profiles do not say which process wrote
 * them, but the names that allocators give do:
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
    struct map processes; /* names up to the number */
    VEC(char *) first;    /* of each, its first name */
    char *again;          /* a name of one that came before, or null */
    size_t process;       /* which */
};

/* Takes note of the input's name. */
bool snapshots_add(struct snapshots *s, const char *name, struct prof_err *err);

/* Warns if two names were of one process; forgets all names. */
void snapshots_end(struct snapshots *s, const struct prof_notes *notes);

#endif
