/*
 * edges.h - the edges that a report shows, in order
 *
 * After graph_cut() and graph_link(), edges_init() leaves out of g->edges
 * what is lighter than the cut says and sorts the rest: heaviest first, then
 * by the names of caller and callee.  Those of one node are listed in the
 * same order:
 *
 *      for (uint32_t i = e.in_off[node]; i < e.in_off[node + 1]; i++)
 *          ... g->edges[e.in[i]] leads to node ...
 *
 * and `out` likewise.  A node that has no value is in no row of the cut, but
 * may be at the end of an edge; e.row tells.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_EDGES_H
#define PROFUTILS_REPORT_EDGES_H

#include "report/graph/graph.h"

struct edges {
    uint32_t *in, *out;         /* numbers of edges in g->edges */
    uint32_t *in_off, *out_off; /* by node; g->n + 1 */
    uint32_t *row;              /* by node: of the cut; PROF_NONE: none */
    size_t dropped;             /* edges that were too light */
};

/*
 * With limits->visual, edges over nodes that are not shown also go where
 * other edges lead from the same caller to the same callee and no lighter
 * one is left that does not.  On failure *e is safe to free.
 */
bool edges_init(struct edges *e, struct graph *g,
                const struct graph_limits *limits, const struct graph_cut *cut,
                struct err *err);
void edges_free(struct edges *e);

/* Leaves out the light edges that lead to a row; returns how many. */
size_t edges_trim(struct graph *g, const struct graph_limits *limits,
                  const struct graph_cut *cut);

#endif
