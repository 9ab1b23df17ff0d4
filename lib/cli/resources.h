/*
 * resources.h - how many processors and how much memory control groups allow
 *
 * The limit of the process's own group and of those above it counts:
 *
 *   processors  v2: the quota of cpu.max by its period, rounded up
 *   memory      v2: memory.max; v1: memory.limit_in_bytes
 *
 * Sources: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst of
 * Linux.  Processors of cgroup v1 are not looked at.
 */
#ifndef PROFUTILS_CLI_RESOURCES_H
#define PROFUTILS_CLI_RESOURCES_H

#include <stdint.h>

/* 0: no limit, or it cannot be found out. */
struct resources {
    uint64_t processors;
    uint64_t memory; /* bytes */
};

/*
 * The system's files are looked for under `root`, which is "" but in tests.
 * Some are opened for each group, so call this once, before the sandbox.
 */
struct resources resources_in_cgroup(const char *root);

#endif
