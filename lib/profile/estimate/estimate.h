/*
 * estimate.h - call stacks from leaf samples and call counts
 *
 * gprof's model: a function's time is handed on to its callers in proportion
 * to their calls, and from them to theirs, up to those that nobody calls.
 * The profile to begin with has what was measured, as gmon2pb --flat writes
 * it and pbmerge adds it:
 *
 *   time    samples of one frame, with values of any type but calls and
 *           bb_executions
 *   calls   samples of two frames, callee and caller, with calls; or of the
 *           callee alone where the caller is not known
 *
 * In the result, the time of each function is in samples
 *
 *      leaf, [cycle,] caller, ..., root
 *
 * one for each path from the function to a root of the call graph
 * (estimate_graph.h, estimate_paths.h).  A function that is part of a cycle
 * is followed by the frame of the cycle (estimate_cycles.c), and that by who
 * called the cycle from outside, so that cumulative values of functions, of
 * cycles, and of what functions in cycles call outside are gprof's.  Calls
 * stay as they are.
 *
 * Values are whole: nothing is lost, and the sum of each leaf, and of each
 * path of a function, is exact (estimate_deal.h).  Calls with an end that has
 * no name pass on no time, as in gprof, and neither do those of the functions
 * of the profiling itself (mcount and the like).
 *
 * The result is canonical, and depends only on the canonical form of the
 * input: profiles that are the same to pbmerge give the same stacks.
 */
#ifndef PROFUTILS_PROFILE_ESTIMATE_H
#define PROFUTILS_PROFILE_ESTIMATE_H

#include "profile/profile.h"

/* Stacks without an option. */
enum { PROF_MAX_STACKS = 100000 };

struct prof_estimate_opts {
    /*
     * At most so many stacks (from 1), or one for each leaf sample if there
     * are more of those: the paths with most time, and for the others stacks
     * that stand for many (estimate_sweep.h).  A comment and a note say how
     * many these are, with how much, and whether sums are wrong for it.
     */
    uint64_t max_stacks;
    /*
     * Whether the caller knows what the profile is: then one from which no
     * stacks can be made is returned as it is.  Otherwise that is a warning
     * where no calls were counted, and ERR_INPUT where there are no names.
     */
    bool known;
    const struct notes *notes;
};

/*
 * Makes *out, initialised here, of *p, which is used up: both are to be freed
 * in any case.  ERR_INPUT when *p is not such a profile, has stacks already,
 * or a sum does not fit 64 bits.
 */
bool prof_estimate_stacks(struct profile *p,
                          const struct prof_estimate_opts *opts,
                          struct profile *out, struct err *err);

/* The comment that says so; whether the profile has it. */
#define PROF_ESTIMATED                                                         \
    "call stacks are estimated from call counts (gprof's model)"
bool prof_is_estimated(const struct profile *p);

#endif
