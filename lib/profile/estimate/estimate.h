/*
 * estimate.h - estimates call stacks from call counts (gprof's model)
 *
 * Model: the time of a function is divided among its callers in proportion to
 * their calls, then among the callers of these, and so on up to the roots of
 * the call graph, which are functions without callers.
 *
 * Input: measured data, from gmon2pb --flat, or a sum of such profiles
 *   sample   frames          values
 *   time     one             any type other than calls and bb_executions
 *   calls    callee, caller  calls; callee alone if the caller is unknown
 *
 * Output: the call counts of the input, and for each path from a function with
 * time to a root a sample with its share of the time:
 *
 *      leaf, [cycle,] caller, ..., root
 *
 * In a path, a function of a cycle is followed by a frame for the whole cycle,
 * and that by a caller from outside the cycle.  Cumulative values of functions,
 * of cycles and of functions called from cycles are then gprof's.
 *
 * Values are integers.  The sums of each leaf and of each path of a function
 * are exact.  As in gprof, calls pass on no time if caller or callee has no
 * name, or is a profiling function itself (mcount etc.).
 *
 * The output is canonical and depends only on the canonical form of the input.
 *
 * Source: Graham, Kessler, McKusick: gprof: a call graph execution profiler
 * (SIGPLAN '82).
 */
#ifndef PROFUTILS_PROFILE_ESTIMATE_H
#define PROFUTILS_PROFILE_ESTIMATE_H

#include "profile/model/build.h"

/*
 * Initialises *out and fills it from *p, for which then only prof_free() is
 * allowed.  The caller frees both, after a failure too.  PROF_ERR_INPUT if *p
 * is not measured data, has stacks already, or a sum exceeds 64 bits.
 */
bool prof_estimate_stacks(struct profile *p,
                          const struct prof_estimate_opts *opts,
                          struct profile *out, struct prof_err *err);

#endif
