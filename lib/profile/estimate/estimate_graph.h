/*
 * est_graph.h - who is called by whom, with cycles collapsed
 *
 * gprof's model: functions that call each other, directly or through others,
 * form a cycle, which stands in the graph as one node; calls within it, and
 * those of a function to itself, pass on no time.  What is left has no
 * cycles, and each node's callers share its time in proportion to their
 * calls.
 *
 * Nodes are numbered: functions first, by their index, then the cycles.  A
 * function of a cycle has the cycle as its only caller, so that a path to a
 * root reads: function, cycle, caller of the cycle.
 *
 * Sources: Graham, Kessler, McKusick: gprof: a call graph execution profiler
 * (SIGPLAN '82); Tarjan: Depth-first search and linear graph algorithms
 * (SIAM J. Comput. 1, 1972).
 */
#ifndef PROFUTILS_PROFILE_ESTIMATE_GRAPH_H
#define PROFUTILS_PROFILE_ESTIMATE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* The caller of what is called from outside of what is profiled. */
#define EST_OUTSIDE UINT32_MAX

/* count calls of one function by another; 0 makes cycles, but no caller. */
struct est_call {
    uint32_t caller, callee;
    uint64_t count;
};

/* A caller of a node: a function, or the cycle that the node is part of. */
struct est_up {
    uint32_t node;
    uint64_t count;
};

struct est_graph {
    uint32_t n_funcs, n_cycles;
    uint32_t *cycle;   /* of a function: from 1, in order of the cycles' first
                          functions; 0: in none */
    size_t *up_off;    /* callers of node i: up[up_off[i] .. up_off[i + 1]), */
    struct est_up *up; /* those with most calls first, then by node */
    uint64_t *calls;   /* of node i: the sum of their counts, and of */
    uint64_t *outside; /* calls from outside */
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
 * Makes *g, which is overwritten, of n calls among n_funcs functions (less
 * than 2^31); calls[] is put in order.
 * ERR_INPUT when a sum does not fit 64 bits.
 */
bool est_graph_make(struct est_graph *g, uint32_t n_funcs,
                    struct est_call *calls, size_t n, struct err *err);
void est_graph_free(struct est_graph *g);

#endif
