/*
 * flameweight.h - what the nodes of a flame graph are in all, and how wide
 *
 * Of one type: the values of a node and all below it, on each side of a
 * difference, and the width that it is drawn with.  That is the value, where
 * none is negative; otherwise each node's own values count with their
 * amounts, those of a difference with the greater of both sides, so that
 * children always fit below their parent and what has vanished is seen.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_FLAMEWEIGHT_H
#define PROFUTILS_REPORT_FLAMEWEIGHT_H

#include "report/flame/flametree.h"

struct flame_weight {
    int64_t width, now, old; /* old is 0 where there is no difference */
};

struct flame_weights {
    struct flame_weight *node; /* by node */
    struct flame_weight all;
    size_t depth; /* of the deepest node, plus 1; 0: there are no nodes */
};

/* Of t's first type.  *w is to be freed in any case; false: no memory. */
bool flame_weigh(struct flame_weights *w, const struct flame_tree *t);
void flame_weights_free(struct flame_weights *w);

#endif
