/*
 * weigh.h - what each node weighs in all samples
 *
 * What a step of the walk over all stacks weighs is added to its nodes once,
 * when the walk leaves it.  Nodes that are always in a location together are
 * one sum (groups.h), so that a step is about as much work for a location of
 * many nodes as for one of one.  Each thread weighs some pieces of the samples,
 * with weights of its own, which are added up at the end: sums of whole
 * numbers do not depend on how.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_WEIGH_H
#define PROFUTILS_REPORT_WEIGH_H

#include "report/graph/node.h"

struct weights {
    int64_t *flat, *cum; /* by node */
};

/*
 * Sums the values of this type.  The sum of their magnitudes must fit 63
 * bits: then no sum here can overflow.  *to is to be freed in any case.
 * False when memory is out.
 */
bool weigh(const struct nodes *t, size_t type, unsigned threads,
           struct weights *to);
void weights_free(struct weights *w);

#endif
