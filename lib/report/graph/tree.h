/*
 * tree.h - the tree of calls that samples make
 *
 * A node is a place under the node that called it.  Callers have smaller
 * numbers than what they call.  What the walk over all stacks reaches is
 * looked up by caller and place; cumulative values are summed up at the end,
 * from the last node to the first.
 *
 * Private to lib/report; see graph_weigh_tree() and graph_link().
 */
#ifndef PROFUTILS_REPORT_TREE_H
#define PROFUTILS_REPORT_TREE_H

#include "base/hash.h"
#include "report/graph/graph.h"

/*
 * Sets n, place, parent, inlined and weight of a graph that has its places.
 * ERR_INPUT when there are too many nodes.
 */
bool tree_build(struct graph *g, struct err *err);

/*
 * Sets the edges: from each node of kept (null: all) to the nearest of its
 * callers that is kept, too.  False when memory is out.
 */
bool tree_link(struct graph *g, const bool *kept);

/* Nodes by caller and place; to be freed in any case.  False: no memory. */
bool tree_index(const struct graph *g, struct hashidx *index);

/*
 * What the caller (PROF_NONE: nobody) calls at that place; PROF_NONE when no
 * sample that weighs anything went there.  There must be nodes.
 */
uint32_t tree_find(const struct graph *g, const struct hashidx *index,
                   uint32_t parent, uint32_t place);

#endif
