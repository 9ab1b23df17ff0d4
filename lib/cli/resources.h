/*
 * resources.h - how many processors and how much memory control groups allow
 *
 * The least limit of the process's own control group and of those above it:
 *
 *   processors  v2: the quota of cpu.max by its period, rounded up
 *   memory      v2: memory.max; v1: memory.limit_in_bytes
 *
 * Sources: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst of
 * Linux.  Limits of processors by cgroup v1 are ignored.
 */
#ifndef PROFUTILS_CLI_RESOURCES_H
#define PROFUTILS_CLI_RESOURCES_H

#include <stdint.h>

/* Limits; 0: no limit, or it is unknown. */
struct resources {
    uint64_t processors;
    uint64_t memory; /* bytes */
};

/*
 * Returns the limits.  Reads the system's files below `root`, which is ""
 * except in tests.  Call it once, before the sandbox, because it opens several
 * files for each group.
 */
struct resources resources_in_cgroup(const char *root);

#endif
