/*
 * flametree.h - all stacks as one tree, with what each way weighs
 *
 * A node is a way from the root: the frames before it and its own.  Nodes are
 * in preorder, children of one node by the rank of their names, and each has
 * the values of the samples that end in it; what it weighs in all is the sum
 * over its subtree.  The root is not a node: several may have depth 0.
 *
 * In a difference (samples with the label pprof::base=true, whose values are
 * negated, beside others) each node has the values of both sides, as they
 * were before.  Stacks of one side only are nodes like any other.
 *
 * Subtrees too light to be seen are merged: what weighs, in the magnitudes of
 * its samples on both sides, less than `limit` of that type's total in every
 * type, becomes part of one node FLAME_SMALL behind its siblings.  Sums stay
 * what they are.
 *
 * It is made in one pass over the samples in the order of their stacks, with
 * the nodes from the root to the sample open.  A node that is closed and
 * found too light is taken back before the next one comes, so that memory is
 * what the result takes, however many ways there are.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_FLAMETREE_H
#define PROFUTILS_REPORT_FLAMETREE_H

#include "base/vec.h"
#include "report/data/stackrank.h"

/* Names that are not ranks. */
#define FLAME_SMALL UINT32_MAX          /* merged nodes */
#define FLAME_NO_STACK (UINT32_MAX - 1) /* samples without frames */

struct flame_node {
    uint32_t name;  /* its rank, or one of the two */
    uint32_t depth; /* from 0 */
};

struct flame_tree {
    size_t n_types, first_type; /* types first_type .. + n_types */
    bool diff;
    bool subtracted; /* as in the options */
    size_t n_sums;   /* n_types, in a difference twice as many */
    VEC(struct flame_node) nodes;
    VEC(int64_t) self;   /* by node n_sums values: by type; then of the base */
    VEC(uint64_t) small; /* how many each FLAME_SMALL stands for, in order */
    int64_t *total;      /* by type: the sum of the samples' amounts */
    bool *has_negative;  /* by type: a sample has a value below 0 */
    bool is_wide;        /* there is none: values would be too many */
};

struct flame_tree_opts {
    size_t first_type, n_types; /* the types of interest */
    double limit;               /* 0: every node is kept */
    bool subtracted;            /* the profile is known to be less a base */
    unsigned threads;
};

/*
 * The tree of the samples that f was made of and that have a value in one of
 * the types.  ERR_INPUT when the magnitudes of a type do not add up to 63
 * bits, or when there are 2^32 - 2 nodes, or when those of several types have
 * so many values together that they are out of proportion to the profile:
 * t->is_wide tells.  *t is to be freed in any case.
 */
bool flame_tree_init(struct flame_tree *t, const struct stackrank *f,
                     const struct flame_tree_opts *opts, struct err *err);
void flame_tree_free(struct flame_tree *t);

/*
 * Whether values of a type are what grew and shrank, without both sides of a
 * difference to tell from what: `pbmerge --base` writes such profiles.
 */
static inline bool flame_is_signed(const struct flame_tree *t, size_t type)
{
    return !t->diff && (t->subtracted || t->has_negative[type]);
}

/* How many nodes were merged. */
uint64_t flame_merged(const struct flame_tree *t);

static inline const int64_t *flame_self(const struct flame_tree *t, size_t node)
{
    return t->self.v + node * t->n_sums;
}

#endif
