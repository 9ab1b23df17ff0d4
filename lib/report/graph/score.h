/*
 * score.h - how much a node tells in a picture
 *
 * A picture of a hundred nodes shows a program best when it has those where
 * the calls fork and where time is spent, and leaves out those that pass on
 * to one node what one node called them for.  The score is the node's
 * cumulative value times how evenly its calls are spread, in bits, of those
 * that lead to it and of those that it makes (its own value counts as one of
 * them); no calls at all are one bit.  Its flat value comes on top.
 *
 * Which is what pprof does (entropyScore() in internal/graph/graph.go), up to
 * what numbers that do not fit become.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_SCORE_H
#define PROFUTILS_REPORT_SCORE_H

#include "report/graph/graph.h"

/* By row; null when memory is out.  The graph has its edges. */
int64_t *graph_scores(const struct graph *g, const struct graph_cut *cut);

#endif
