/*
 * calltree.h - samples put together by their stacks
 *
 * A call tree has one node for each distinct sequence of frames from the
 * root on.  A frame here is any small number that the caller gives to each
 * node of a report (see report/node.h); equal numbers are one frame.
 */
#ifndef PROFUTILS_REPORT_CALLTREE_H
#define PROFUTILS_REPORT_CALLTREE_H

#include "report/node.h"

struct calltree_node {
    int64_t self;    /* the values of samples whose stack ends here */
    uint32_t parent; /* index; node 0 is the root, its own parent */
    uint32_t frame;  /* meaningless for the root */
};

struct calltree {
    struct calltree_node *v; /* parents before their children */
    size_t n, cap;
};

/*
 * Adds up value `type` of all samples of t->p; frame_of maps the nodes of *t
 * to frames.  Samples without frames end at the root.  The sum of all
 * magnitudes must fit 63 bits (graph_total() tells).  Free with vec_free().
 */
bool calltree_init(struct calltree *tree, const struct nodes *t, size_t type,
                   const uint32_t *frame_of, struct err *err);

/*
 * Sets *child to a malloc'ed array of the nodes but the root, and *off to one
 * of n + 1 elements: the children of node i are child[off[i] .. off[i + 1]),
 * by growing rank[frame].  There are n_frames frames and as many ranks.
 */
bool calltree_children(const struct calltree *tree, const uint32_t *rank,
                       size_t n_frames, uint32_t **child, uint32_t **off,
                       struct err *err);

#endif
