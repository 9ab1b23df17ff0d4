/*
 * private.h - the stages of an estimate, and the data that they share
 *
 *   stage                                          result (struct estimate)
 *   1 move the samples of the profile to `in`      in
 *   2 find functions by name and address, the      node_of, graph, entry
 *     calls between them, and cycles of calls
 *   3 collect the time of each function            leaves, sources
 *   4 divide the time of each source among its     samples of p, shared
 *     paths to the roots of the call graph
 *   5 put the call counts back                     samples of p
 *
 *   file              stages
 *   estimate.c        1, 3, 5, and the public function
 *   estimate_nodes.c  2
 *   estimate_graph.c  2: the graph alone, its cycles and order
 *   estimate_paths.c  4
 *
 * Terms
 *   node    of the call graph: a function or, numbered after all functions, a
 *           cycle of functions that call each other.  A function of a cycle
 *           has the cycle as its only caller.
 *   root    a node without callers
 *   path    from a function to a root: function, [cycle,] caller, ..., root
 *   source  a function with time of its own
 *   leaf    a part of a source's time: a location, labels and a type.  Each
 *           leaf has a stack for each path of its source.
 *
 * Example: a function with 10 s is called 3 times by f and once by g, which are
 * called by main alone.  It has the paths "function, f, main" with 7.5 s and
 * "function, g, main" with 2.5 s.
 *
 * Sources: Graham, Kessler, McKusick: gprof: a call graph execution profiler
 * (SIGPLAN '82); Tarjan: Depth-first search and linear graph algorithms
 * (SIAM J. Comput. 1, 1972).
 */
#ifndef PROFUTILS_PROFILE_ESTIMATE_PRIVATE_H
#define PROFUTILS_PROFILE_ESTIMATE_PRIVATE_H

#include "base/vec.h"
#include "profile/estimate/estimate.h"

/* The number in node_of[] for locations without a name. */
#define EST_NO_NODE UINT32_MAX

/* est_call.caller of calls from outside of the profiled code. */
#define EST_OUTSIDE UINT32_MAX

/*
 * The call graph (estimate_graph.c)
 */

/* `count` calls of the callee by the caller.  With count 0, the call can still
 * be part of a cycle, but passes no time to its caller. */
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

/*
 * Makes *g, which is overwritten, from n calls between n_funcs functions (fewer
 * than 2^31).  Sorts calls[].  PROF_ERR_INPUT when a sum exceeds 64 bits.
 */
bool est_graph_make(struct est_graph *g, uint32_t n_funcs,
                    struct est_call *calls, size_t n, struct prof_err *err);
void est_graph_free(struct est_graph *g);

/*
 * The estimate
 */

/* Indices of value types; SIZE_MAX: the profile does not have the type. */
struct est_columns {
    size_t calls, samples, blocks;
};

/* A part of a function's own time. */
struct est_leaf {
    uint32_t func, location, labelset;
    size_t column;   /* value type of `amount`; at.samples: no amount */
    uint64_t count;  /* number of samples; 0 in all but one leaf of a sample */
    uint64_t amount; /* in the unit of the value type */
};

/* A function with time: leaves[first_leaf .. first_leaf + n_leaves). */
struct est_source {
    uint32_t func, n_leaves;
    size_t first_leaf;
    uint64_t weight; /* its time, or its samples if it has no time */
};

/* Sums over stacks that each replace several, because of max_stacks. */
struct est_shared {
    size_t stacks;
    double value; /* their time, or samples if there is no time */
    double wrong; /* the part of `value` that has wrong or missing callers */
};

struct estimate {
    struct profile *p; /* the input, whose samples are replaced */
    struct profile in; /* the samples of the input, nothing else */
    const struct prof_notes *notes;
    uint64_t max_stacks;
    struct est_columns at;
    uint32_t *node_of; /* by location of the input: its function */
    struct est_graph graph;
    uint32_t *entry;             /* by node of the graph: its location */
    VEC(struct est_leaf) leaves; /* sorted by function; without one: last */
    size_t n_placed;             /* leaves with a function */
    VEC(struct est_source) sources;
    int64_t *values; /* of the current sample */
    bool timed;      /* some leaf has an amount */
    size_t what;     /* value type of the first such amount */
    double all;      /* total time, or samples if there is no time */
    struct est_shared shared;
};

/* Does stage 2: sets node_of, graph and entry.  PROF_ERR_INPUT when a sum
 * exceeds 64 bits. */
bool est_find_nodes(struct estimate *e, struct prof_err *err);

/* Does stage 4: adds a sample to e->p for each path of each leaf. */
bool est_add_stacks(struct estimate *e, struct prof_err *err);

#endif
