/*
 * estimate.h - call stacks from leaf samples and call counts (gprof's model)
 *
 * A function's time goes to its callers in proportion to their calls, from
 * them to their callers, and so on up to functions that nobody calls.
 *
 * Input: measured data, as gmon2pb --flat writes it and pbmerge adds it
 *   time    samples of one frame, with values of any type but calls and
 *           bb_executions
 *   calls   samples of two frames, callee and caller, with calls; or of the
 *           callee alone where the caller is not known
 *
 * Output: calls as they are, and the time of each function in samples
 *
 *      leaf, [cycle,] caller, ..., root
 *
 * one for each path from the function to a root of the call graph.  A function
 * that is part of a cycle is followed by a frame for the cycle, and that by a
 * caller of the cycle from outside, so that cumulative values of functions, of
 * cycles, and of what functions in cycles call outside equal gprof's.
 *
 * Values are integers.  The sum of each leaf, and of each path of a function,
 * is exact.  Calls with an end that has no name pass on no time, as in gprof,
 * and neither do those of the profiling functions themselves (mcount etc.).
 *
 * The output is canonical and depends only on the canonical form of the input:
 * profiles that are equal to pbmerge get equal stacks.
 *
 * Source: Graham, Kessler, McKusick: gprof: a call graph execution profiler
 * (SIGPLAN '82).
 */
#ifndef PROFUTILS_PROFILE_ESTIMATE_H
#define PROFUTILS_PROFILE_ESTIMATE_H

#include "profile/profile.h"

/* The default of max_stacks. */
enum { PROF_MAX_STACKS = 100000 };

/*
 *   max_stacks  (from 1) at most so many stacks, or one for each leaf sample
 *               if there are more of those.  If there are more paths, the
 *               heaviest have stacks of their own, and the others share stacks
 *               that keep the sums of each function and each caller of it.  A
 *               comment and a note say how many stacks these are, with how
 *               much time, and whether sums are wrong because even so there
 *               are too few.
 *   known       the caller knows that the profile is measured data: one from
 *               which no stacks can be made is returned as it is.  Otherwise
 *               one without calls is a warning, and one without names
 *               ERR_INPUT.
 */
struct prof_estimate_opts {
    uint64_t max_stacks;
    bool known;
    const struct notes *notes;
};

/*
 * Makes *out, initialised here, of *p, which is used up; the caller frees both
 * in any case.  ERR_INPUT when *p is not measured data, has stacks already, or
 * a sum exceeds 64 bits.
 */
bool prof_estimate_stacks(struct profile *p,
                          const struct prof_estimate_opts *opts,
                          struct profile *out, struct err *err);

#endif
