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
 * Adds the profiles; initialises *out.
 *
 * When a process forks without exec, parent and child share the open profile,
 * and both write their samples at its end: the child only those that it
 * inherited, because its profiling timer does not run; the parent all.  A file
 * made by `cat` looks the same.  So profiles whose samples, with their counts,
 * are all in the profile with the most samples get a warning or, with
 * no_inherited, are skipped.
 */
bool cpu_forks_sum(const struct cpu_forks *forks, struct profile *out,
                   struct err *err);

#endif
