/*
 * cgroup.h - the processor time that control groups allow a process
 *
 * A container that may use "2.5 processors" sees all those of its machine:
 * the limit is the kernel's bandwidth control, so much time (quota) in each
 * period, set on the process's own group or any group above it.
 *
 *   v2   cpu.max: "QUOTA PERIOD" or "max PERIOD", in us
 *   v1   cpu.cfs_quota_us (-1: no limit) and cpu.cfs_period_us, of the
 *        hierarchy that has the controller "cpu"
 *
 * Which group that is, is in /proc/self/cgroup; where the groups' files are,
 * in /proc/self/mountinfo.  Both kinds may be there at once.
 * Sources: Documentation/admin-guide/cgroup-v2.rst,
 * Documentation/scheduler/sched-bwc.rst, and proc_pid_mountinfo(5).
 */
#ifndef PROFUTILS_CLI_CGROUP_H
#define PROFUTILS_CLI_CGROUP_H

#include <stdint.h>

/*
 * The least quota / period, rounded up: 1 at least; 0: there is no limit.
 * What cannot be read or understood is no limit.  The files are looked for
 * under `root`, which is "" for those of the system.
 */
uint64_t cgroup_processors(const char *root);

#endif
