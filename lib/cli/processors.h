/*
 * processors.h - how many processors this process may use
 *
 * The least of three counts: the processors of the machine, those that the
 * process may run on (taskset(1), cpusets of containers), and the share of
 * processor time that its control groups let it have (cgroup.h).  More
 * threads than that only wait for each other.
 */
#ifndef PROFUTILS_CLI_PROCESSORS_H
#define PROFUTILS_CLI_PROCESSORS_H

/* 1 at least.  What cannot be found out is no limit. */
unsigned processors_available(void);

#endif
