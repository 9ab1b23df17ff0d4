/*
 * private.h - call graph, paths and stacks of an estimate: what the files of
 * profile/estimate share
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

/* Locations without a name, and functions of the profiling itself. */
#define EST_NO_NODE UINT32_MAX

/* The caller of calls that come from outside the profiled code. */
#define EST_OUTSIDE UINT32_MAX

/*
 * The call graph (estimate_graph.c)
 */

/* `count` calls; a count of 0 can close a cycle, but passes on no time. */
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
 *   cycle     of each function: the cycle's number from 1, in order of first
 *             members; 0: none
 *   up        the callers of node i are up[up_off[i] .. up_off[i + 1]), those
 *             with most calls first, then by node
 *   calls     of each node: the sum of its callers' counts and `outside`
 *   outside   of each node: calls from outside
 *   order     the nodes, each after all that it calls
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
 * Makes *g, which is overwritten, of n calls among n_funcs functions (fewer
 * than 2^31); sorts calls[].  ERR_INPUT when a sum exceeds 64 bits.
 */
bool est_graph_make(struct est_graph *g, uint32_t n_funcs,
                    struct est_call *calls, size_t n, struct err *err);
void est_graph_free(struct est_graph *g);

/*
 * Paths (estimate_paths.c)
 *
 * A function's time is shared out among the paths that lead from it to a root
 * of the graph, in proportion to calls.  There can be more paths than atoms:
 * the heaviest are followed first, over all functions, until there are as many
 * stacks as allowed.  A step whose callers are not all followed is cut; its
 * `rest` goes up the graph by the flow, which leads each cut step, or as few
 * pieces of it as possible, along one path each, so that every function and
 * every caller of it gets what all paths together would give it.
 */
#define EST_WHOLE ((uint64_t)1 << 62) /* the shares of a function's paths */
#define EST_NO_STEP UINT32_MAX

/* A function with time. */
struct est_source {
    uint32_t func;
    uint32_t n_leaves; /* stacks for each path */
    uint64_t weight;   /* its time, or samples where it has none */
};

/* A node on a path. */
struct est_step {
    uint32_t node;
    uint32_t below;  /* the step towards the leaf, EST_NO_STEP at the leaf */
    uint32_t source; /* where the path starts */
    uint32_t depth;  /* steps from the leaf to here, both included */
    uint32_t n_ups;  /* callers followed: the first n_ups of the node's */
    uint64_t share;  /* of the source, that arrives here */
    uint64_t rest;   /* of that: not passed on to callers followed */
};

/* Steps with a rest are the ends of paths.  Zero-initialise. */
struct est_paths {
    struct est_step *v; /* the first ones are those of the sources, in order */
    size_t n, cap;
    uint64_t stacks, frames; /* still allowed */

    /* The flow.  Of each node, one for each caller and one for outside: */
    double *from;    /* where in the node's flow the caller's part begins */
    double *to;      /* where in the caller's flow it goes */
    double *next_at; /* of each node: where its next cut step begins */
};

/*
 * Follows paths of n sources.  max_stacks (from 1) bounds stacks, but not to
 * fewer than one for each leaf; frames are bounded to 128 for each stack, and
 * steps to 32.  False when memory is out.
 */
bool est_paths_make(struct est_paths *p, const struct est_graph *g,
                    const struct est_source *sources, size_t n,
                    uint64_t max_stacks);
void est_paths_free(struct est_paths *p);

/* How much of the source's time the share is. */
static inline double est_share_value(const struct est_source *source,
                                     uint64_t share)
{
    return (double)source->weight * ((double)share / (double)EST_WHOLE);
}

/* Whether the step's rest is to go further up. */
static inline bool est_step_is_cut(const struct est_graph *g,
                                   const struct est_step *s)
{
    return s->n_ups < est_graph_ups(g, s->node);
}

/*
 * Goes from the place *at in the flow of *node to that caller, and to the
 * place there, which it keeps for *length at most, which may get less.  False
 * where the way ends.
 */
bool est_flow_up(const struct est_paths *p, const struct est_graph *g,
                 uint32_t *node, double *at, double *length);

/*
 * The estimate
 */

/* Which of a sample's values are which; SIZE_MAX: there is no such type. */
struct est_columns {
    size_t calls, samples, blocks;
};

/* Time of a function at one leaf, of one type. */
struct est_part {
    uint32_t node, location, labelset;
    size_t column; /* of the amount; of the samples: there is no amount */
    uint64_t count, amount; /* count: 0 but for one part of each leaf */
};

/* A function: a name and a range of addresses. */
struct est_node {
    uint32_t location; /* that stands for it as a caller: its entry, else the
                          first from which it calls, else the first */
    bool is_callee, is_arc; /* what that location is */
    bool is_profiling;      /* takes no part in the graph */
};

struct estimate {
    struct profile *p; /* the input, whose samples are replaced */
    struct profile in; /* the samples of the input, nothing else */
    const struct notes *notes;
    uint64_t max_stacks;
    struct est_columns at;
    uint32_t *node_of; /* of a location of the input: its node */
    VEC(struct est_node) nodes;
    VEC(struct est_part) parts; /* in order of nodes; those of none are last */
    struct est_graph graph;
    VEC(struct est_source) sources;
    VEC(size_t) source_part; /* the first of its parts; one more at the end */
    struct est_paths paths;
    uint32_t *entry;         /* of a node of the graph: its location */
    int64_t *values;         /* of the sample at work */
    bool timed;              /* some part has an amount, */
    size_t what;             /* the first of this type */
    size_t n_cut;            /* stacks of cut steps */
    double cut, missed, all; /* time (else samples) of cut steps, of those that
                                went to wrong callers or none, of everything */
};

/* Calls of a sample of the input. */
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
