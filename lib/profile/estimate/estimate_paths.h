/*
 * est_paths.h - from functions to the roots of the call graph
 *
 * The time of a function comes in by paths: its callers, their callers and so
 * on, each with a share in proportion to calls.  There can be more of them
 * than there are atoms, so the heaviest are followed first, over all
 * functions, until there are as many stacks as may be.  What is not followed
 * any more stays where it is: a path that ends early, with the share that
 * came so far and went no further (est_sweep.h leads it on).
 *
 * A share is a part of EST_WHOLE.  Those of a function's paths add up to
 * exactly that.
 */
#ifndef PROFUTILS_PROFILE_ESTIMATE_PATHS_H
#define PROFUTILS_PROFILE_ESTIMATE_PATHS_H

#include "base/vec.h"
#include "profile/estimate/estimate_graph.h"

#define EST_WHOLE ((uint64_t)1 << 62)
#define EST_NO_STEP UINT32_MAX

/* Where paths start: a function, and how much there is of it. */
struct est_source {
    uint32_t func;
    uint32_t n_leaves; /* a path becomes so many stacks */
    uint64_t weight;   /* of all its time; what is followed first */
};

/* A node on a path, after those that led there. */
struct est_step {
    uint32_t node;
    uint32_t below;  /* the step towards the leaf, EST_NO_STEP at the leaf */
    uint32_t source; /* where the path starts */
    uint32_t depth;  /* steps up to here, this one included */
    uint32_t n_ups;  /* so many of the node's callers have steps above */
    uint64_t share;  /* came here */
    uint64_t rest;   /* ends here; where there are callers above that are
                        not followed, it is cut */
};

/* Steps with a rest are the ends of paths. */
struct est_paths {
    struct est_step *v; /* the first are those of the sources, in order */
    size_t n, cap;
};

/*
 * Makes *p, which is overwritten, of n sources; max_stacks (from 1) bounds
 * the sum of n_leaves over all paths, except that each source has one path
 * in any case.  Long paths are bounded too: to est_max_frames() in all
 * stacks, and 32 steps for each of max_stacks.  False when memory is out.
 */
bool est_paths_make(struct est_paths *p, const struct est_graph *g,
                    const struct est_source *sources, size_t n,
                    uint64_t max_stacks, struct err *err);
void est_paths_free(struct est_paths *p);

/* How many frames so many stacks, or leaves if those are more, may have. */
uint64_t est_max_frames(uint64_t max_stacks, uint64_t n_leaves);

/* Whether the rest of this step is cut: it has callers that have none. */
static inline bool est_step_is_cut(const struct est_graph *g,
                                   const struct est_step *s)
{
    return s->n_ups < est_graph_ups(g, s->node);
}

#endif
