/*
 * processors.h - how many processors this process may use
 *
 * The least of
 *   - the processors of the machine;
 *   - those that the process may run on (taskset(1), cpusets of containers);
 *   - the processor time that its control group (v2) and those above it allow:
 *     the quota of cpu.max by its period, rounded up.
 *
 * Source: Documentation/admin-guide/cgroup-v2.rst of Linux.  cgroup v1 is not
 * looked at.
 */
#ifndef PROFUTILS_CLI_PROCESSORS_H
#define PROFUTILS_CLI_PROCESSORS_H

#include <stdint.h>

/* 1 at least.  What cannot be found out is no limit. */
unsigned processors_available(void);

/*
 * The limit of control groups alone, 0 for none.  The system's files are
 * looked for under `root`, which is "" but in tests.
 */
uint64_t processors_in_cgroup(const char *root);

#endif
