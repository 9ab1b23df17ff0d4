/*
 * gmon_stacks.h - histograms and arcs as call stacks, by gprof's model
 *
 * A gmon.out has no stacks.  It knows how much time was spent in a function,
 * and who called it how often; gprof hands the time on to the callers in
 * proportion to their calls, and so do these stacks:
 *
 *   bin    one part for each function that owns some of it (owners.h,
 *          gmon_credit.h), and for each path from that function to a root of
 *          the call graph (gmon_graph.h, gmon_paths.h) a sample
 *
 *              bin, [<cycle N>,] caller, ..., root
 *
 *          Callers are locations at the entry of the function.  A function
 *          that is part of a cycle is followed by a frame <cycle N>, and
 *          that by who called the cycle from outside, so that cumulative
 *          values of functions, cycles, and what functions in cycles call
 *          outside are those that gprof prints.
 *   arc    as measured, a sample of callee and caller with calls/count and
 *          no time, calls of a function to itself included.
 *   block  as in gmon_profile.h, and so are the types.
 *
 * Values are whole: nothing is lost, and the sum of each bin, and of each
 * path of a function, is exact (gmon_deal.h).  Arcs that a function's owner
 * is not known of, at either end, are kept as measured and take no time, as
 * in gprof; nor do the functions that profiling itself has (mcount and the
 * like), whose own time gprof leaves out and this does not.
 *
 * Frames are to be symbolized, and after that gmon_name_frames() gives them
 * the function by which gprof calls them: DWARF and gprof do not always
 * agree on whose an address is.
 */
#ifndef PROFUTILS_IMPORT_GMON_STACKS_H
#define PROFUTILS_IMPORT_GMON_STACKS_H

#include "base/vec.h"
#include "import/gmon.h"
#include "import/gmon_profile.h"
#include "profile/profile.h"
#include "symbol/owners.h"
#include "symbol/symbol.h"

/* What a location stands for. */
enum gmon_frame_kind {
    GMON_FRAME_LEAF,  /* of a bin */
    GMON_FRAME_ENTRY, /* a caller, at its entry */
    GMON_FRAME_ARC,   /* an end of an arc */
    GMON_FRAME_OTHER, /* a cycle, which has its name, or a basic block */
};

struct gmon_frame {
    enum gmon_frame_kind kind;
    uint32_t func; /* of the owners, or SYM_NO_OWNER */
};

/* Of the locations in order. */
struct gmon_frames {
    struct gmon_frame *v;
    size_t n, cap;
};

/* Stacks without an option. */
enum { GMON_MAX_STACKS = 100000 };

/*
 * Makes *p, initialised here, of a gmon.out whose functions the owners are,
 * and *frames.  At most max_stacks (from 1) stacks are estimated,
 * or one for each part of a bin if there are more of those: the paths with
 * most time, and for the others stacks that stand for many (gmon_sweep.h).
 * A comment and a note say how many these are, with how much, and whether
 * sums are wrong for it.  ERR_INPUT when a value does not fit 63 bits.
 */
bool gmon_stacks(const struct gmon_job *job, const struct sym_owners *owners,
                 uint64_t max_stacks, struct profile *p,
                 struct gmon_frames *frames, struct err *err);
void gmon_frames_free(struct gmon_frames *frames);

/*
 * After symbolization: names the frames by their functions.  Bins keep lines
 * (and inlined frames, if they have any) that are of this function; callers
 * and arcs have no line.  Bins without an owner stay without a name.
 */
bool gmon_name_frames(struct profile *p, const struct gmon_frames *frames,
                      const struct sym_owners *owners,
                      enum sym_demangle demangle, struct err *err);

#endif
