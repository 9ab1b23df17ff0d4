/*
 * private.h - call graph, paths and stacks of an estimate
 *
 *   estimate.c         the steps, and the public function
 *   estimate_nodes.c   functions and cycles as nodes of the call graph
 *   estimate_graph.c   the call graph, its cycles and order
 *   estimate_paths.c   paths from functions to roots
 *   estimate_stacks.c  samples of these paths
 *
 * A node of the call graph is a function or, numbered after all functions, a
 * cycle of functions that call each other.  A function of a cycle has the
 * cycle as its only caller, so that a path to a root of the graph reads:
 * function, cycle, caller of the cycle.
 *
 * Sources: Graham, Kessler, McKusick: gprof: a call graph execution profiler
 * (SIGPLAN '82); Tarjan: Depth-first search and linear graph algorithms
 * (SIAM J. Comput. 1, 1972).
 */
#ifndef PROFUTILS_PROFILE_ESTIMATE_PRIVATE_H
#define PROFUTILS_PROFILE_ESTIMATE_PRIVATE_H

#include "base/vec.h"
#include "profile/estimate/estimate.h"

/* The node of locations without a name and of profiling functions (mcount). */
#define EST_NO_NODE UINT32_MAX

/* The caller of calls from outside the profiled code. */
#define EST_OUTSIDE UINT32_MAX

/*
 * The call graph (estimate_graph.c)
 */

/* `count` calls; 0 passes on no time, but can be part of a cycle. */
struct est_call {
    uint32_t caller, callee;
    uint64_t count;
};

/* A caller of a node: a function, or the cycle that the node is part of. */
struct est_up {
    uint32_t node;
    uint64_t count;
};

/*
 *   array     elements       each element
 *   cycle     functions      number of its cycle, from 1 in order of the first
 *                            functions of cycles; 0: in no cycle
 *   up_off    nodes + 1      the callers of node i are
 *                            up[up_off[i] .. up_off[i + 1])
 *   up        up_off[nodes]  a caller; most calls first, then by node
 *   calls     nodes          calls from all its callers and from outside
 *   outside   nodes          calls from outside
 *   order     nodes          a node, after all nodes that it calls
 */
struct est_graph {
    uint32_t n_funcs, n_cycles;
    uint32_t *cycle;
    size_t *up_off;
    struct est_up *up;
    uint64_t *calls, *outside;
    uint32_t *order;
};

static inline uint32_t est_graph_nodes(const struct est_graph *g)
{
    return g->n_funcs + g->n_cycles;
}

static inline size_t est_graph_ups(const struct est_graph *g, uint32_t node)
{
    return g->up_off[node + 1] - g->up_off[node];
}

/*
 * Makes *g, which is overwritten, from n calls between n_funcs functions (fewer
 * than 2^31).  Sorts calls[].  ERR_INPUT when a sum exceeds 64 bits.
 */
bool est_graph_make(struct est_graph *g, uint32_t n_funcs,
                    struct est_call *calls, size_t n, struct err *err);
void est_graph_free(struct est_graph *g);

/*
 * Paths (estimate_paths.c)
 *
 * A function's time is divided among the paths from it to the roots of the
 * graph, in proportion to calls.  The number of paths can be exponential, so
 * they are followed step by step, always the step with the most time, over all
 * functions, until the number of stacks reaches the limit.
 *
 * A step of which some callers were not followed is cut: its `rest`, the time
 * of these callers, still has to reach the roots.  It does so by the flow, in
 * which stacks are few, but each function and each caller of it gets the time
 * that all paths together would give it:
 *
 *   - A node's flow is an interval that begins at 0; its length is the rest of
 *     all cut steps that passes through the node.
 *   - Caller i of the node gets the part from from[i] to from[i + 1], which
 *     begins in the caller's own flow at to[i].
 *   - A cut step has a part of its node's flow.  Its stack follows that part
 *     from caller to caller; where two callers divide the part, the step is
 *     divided into pieces with a stack each.
 */
#define EST_WHOLE ((uint64_t)1 << 62) /* all shares of a function */
#define EST_NO_STEP UINT32_MAX

/* A function with time. */
struct est_source {
    uint32_t func;
    uint32_t n_leaves; /* stacks for each path */
    uint64_t weight;   /* its time, or its samples if it has no time */
};

/* A node on a path. */
struct est_step {
    uint32_t node;
    uint32_t below;  /* the step towards the leaf, EST_NO_STEP at the leaf */
    uint32_t source; /* where the path starts */
    uint32_t depth;  /* steps from the leaf to here, both included */
    uint32_t n_ups;  /* the first n_ups callers of the node were followed */
    uint64_t share;  /* part of the source's EST_WHOLE that arrives here */
    uint64_t rest;   /* part of `share` not passed on to followed callers */
};

/* Steps with a rest are the ends of paths.  Zero-initialise. */
struct est_paths {
    struct est_step *v; /* first one step for each source, in their order */
    size_t n, cap;
    uint64_t stacks, frames; /* still allowed */

    /* The flow, as above.  Node i has its callers' elements, and one more for
     * calls from outside, from index graph.up_off[i] + i on: */
    double *from, *to;
    double *next_at; /* by node: where its next cut step begins */
};

/*
 * Follows the paths of n sources.  False when memory is out.  Limits:
 *
 *   stacks  max_stacks (at least 1), but at least one for each leaf
 *   frames  128 for each stack, on average
 *   steps   32 for each of max_stacks, on average
 */
bool est_paths_make(struct est_paths *p, const struct est_graph *g,
                    const struct est_source *sources, size_t n,
                    uint64_t max_stacks);
void est_paths_free(struct est_paths *p);

/* The part of the source's time that the share stands for. */
static inline double est_share_value(const struct est_source *source,
                                     uint64_t share)
{
    return (double)source->weight * ((double)share / (double)EST_WHOLE);
}

/* Whether some callers of the step were not followed. */
static inline bool est_step_is_cut(const struct est_graph *g,
                                   const struct est_step *s)
{
    return s->n_ups < est_graph_ups(g, s->node);
}

/*
 * Follows the part of *node's flow that begins at *at and is *length long to
 * the caller that gets it.  *node becomes the caller, *at the position in its
 * flow, and *length is reduced where the part goes to several callers.  False
 * if *node is a root, or if the calls at *at come from outside.
 */
bool est_flow_up(const struct est_paths *p, const struct est_graph *g,
                 uint32_t *node, double *at, double *length);

/*
 * The estimate
 */

/* The indices of value types; SIZE_MAX: there is no such type. */
struct est_columns {
    size_t calls, samples, blocks;
};

/* Time of a function at one leaf, of one type. */
struct est_part {
    uint32_t node, location, labelset;
    size_t column;          /* type of the amount; that of samples: no amount */
    uint64_t count, amount; /* count: samples, in one part of each leaf */
};

/* A function: a name and a range of addresses. */
struct est_node {
    uint32_t location; /* stands for it as a caller: its entry, else the first
                          from which it calls, else its first location */
    bool is_callee, is_arc; /* what that location is */
    bool is_profiling;      /* mcount etc.: not in the graph */
};

struct estimate {
    struct profile *p; /* the input, whose samples are replaced */
    struct profile in; /* the samples of the input, nothing else */
    const struct notes *notes;
    uint64_t max_stacks;
    struct est_columns at;
    uint32_t *node_of; /* of a location of the input: its node */
    VEC(struct est_node) nodes;
    VEC(struct est_part) parts; /* by node; those with EST_NO_NODE are last */
    struct est_graph graph;
    VEC(struct est_source) sources;
    VEC(size_t) source_part; /* by source: its first part; then parts in all */
    struct est_paths paths;
    uint32_t *entry; /* by node of the graph: its location */
    int64_t *values; /* of the current sample */
    bool timed;      /* some part has an amount */
    size_t what;     /* type of the first such amount */
    size_t n_cut;    /* stacks of cut steps */
    double all;      /* time, or samples if there is no time, in total */
    double cut;      /* of it: of cut steps */
    double missed;   /* of that: with wrong or missing callers */
};

/* The calls of a sample of the input. */
static inline int64_t est_calls(const struct estimate *e, size_t sample)
{
    return e->in.values[sample * e->p->n_types + e->at.calls];
}

/* estimate_nodes.c: e->node_of, and e->nodes in order of addresses. */
bool est_find_nodes(struct estimate *e, struct err *err);

/* The same: e->graph from the calls; notes how many are not in it. */
bool est_make_graph(struct estimate *e, struct err *err);

/* The same: functions and locations of all cycles, in e->entry. */
bool est_add_cycles(struct estimate *e, struct err *err);

/* estimate_stacks.c: adds the samples of all paths of all sources. */
bool est_add_stacks(struct estimate *e, struct err *err);

#endif
