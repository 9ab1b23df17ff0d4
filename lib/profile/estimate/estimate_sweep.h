/*
 * est_sweep.h - stacks whose paths were not followed, each led up by one
 *
 * Where a call graph has too many paths, est_paths.h leaves some time on
 * stacks that end early.  A sweep over the graph, callees before callers,
 * leads these on: at each node, what has come there is divided among the
 * callers as gprof would divide it, and whole stacks are dealt out to fill
 * these parts; only the one that straddles two of them is split.  No stack
 * says any more what is likely, but each function's sum, and what it has of
 * each caller, is that of all paths.
 */
#ifndef PROFUTILS_PROFILE_ESTIMATE_SWEEP_H
#define PROFUTILS_PROFILE_ESTIMATE_SWEEP_H

#include "profile/estimate/estimate_paths.h"

/*
 * A stack: a leaf (the caller's), where it ended in est_paths, and where it
 * ends now.
 */
struct est_cut {
    uint64_t count, amount;
    uint32_t leaf, step;
    uint32_t link;  /* EST_NO_STEP: still at the step */
    uint32_t depth; /* frames in all */
    uint32_t next;  /* private */
};

/* A node above another link or, EST_NO_STEP, above the cut's step. */
struct est_link {
    uint32_t node, below;
};

struct est_cuts {
    struct est_cut *v;
    size_t n, cap;
    VEC(struct est_link) links;
};

struct est_sweep {
    uint64_t stacks, frames; /* there may be more of each */
    double missed; /* set: of the amounts (counts), those that went to another
                      caller than they should, or to none */
};

/* A stack of a path's end; false when memory is out. */
bool est_cut_add(struct est_cuts *cuts, const struct est_paths *p,
                 uint32_t leaf, uint32_t step, uint64_t count, uint64_t amount);
void est_cuts_free(struct est_cuts *cuts);

/*
 * Leads all cuts on to their roots, adding links, and cuts where they are
 * split.  Amounts are what is divided exactly, or counts if all amounts
 * are 0; their sum must fit 64 bits.  False when memory is out.
 */
bool est_sweep(struct est_sweep *s, const struct est_paths *p,
               const struct est_graph *g, struct est_cuts *cuts,
               struct err *err);

#endif
