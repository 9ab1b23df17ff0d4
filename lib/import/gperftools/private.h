/* private.h - what the files of lib/import/gperftools share */
#ifndef PROFUTILS_IMPORT_GPERFTOOLS_PRIVATE_H
#define PROFUTILS_IMPORT_GPERFTOOLS_PRIVATE_H

#include "import/import.h"

/*
 * Whether google-pprof's --raw wrote these bytes of a CPU profile from its own
 * tables (raw_profile.c).  It gives 1 for the period, no end marker and no
 * mappings.  Callers are one less than the return address already; and without
 * a period asked for the only sample type is samples/count.
 */
bool cpu_is_rewritten(const uint8_t *data, size_t n);

/* The CPU profiles of one file, which have no labels. */
struct cpu_forks {
    struct profile *parts;
    size_t n;
    bool no_inherited;
    const struct notes *notes;
};

/*
 * Adds them up in *out, which is initialised here.  A process that forks
 * without exec shares its open profile with the child, and both write theirs at
 * the end: the child what it inherited, for its clock does not run, the parent
 * all of it.  The same file comes of `cat`, and nothing in it tells the one
 * from the other.  So parts whose samples the one with the most samples has
 * too, count for count, are warned of, or with no_inherited left out.
 */
bool cpu_forks_sum(const struct cpu_forks *forks, struct profile *out,
                   struct err *err);

#endif
