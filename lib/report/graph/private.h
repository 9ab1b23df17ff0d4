/*
 * private.h - visits all stacks, groups nodes, and makes call trees
 *
 * Functions that return bool and have no err return false when memory is out.
 */
#ifndef PROFUTILS_REPORT_GRAPH_PRIVATE_H
#define PROFUTILS_REPORT_GRAPH_PRIVATE_H

#include "base/vec.h"
#include "report/graph/graph.h"

/*
 * Stack walk: visits all samples in order.  Neighbours share most of their
 * stacks, so a move from one sample to the next has only the locations that
 * change:
 *
 *      stack of the last sample    main  read  parse  number
 *      stack of the next sample    main  read  skip
 *      the move                    keep = 2, step = {skip}, n = 1
 *
 * A sum over frames that is updated by moves costs much less than one that
 * visits all frames.  A step is a location, however many lines it has: a stack
 * of a few thousand locations can have millions of lines.
 *
 *      struct stackwalk w = {.opts = {...}};
 *      for (size_t i = 0; ok && i < stackwalk_pieces(p); i++)
 *          ok = stackwalk_piece(&w, i, fn, ctx);
 *      stackwalk_free(&w);
 *
 * - Samples without frames, or without a value, are skipped.
 * - A piece is a range of samples.  Threads may share the pieces if each has a
 *   struct stackwalk of its own.  In each piece the first move begins at the
 *   root, and the last one goes back to it (all 0).
 * - The tables that fn reads are larger than a cache, so steps are collected
 *   ahead, and opts.table and opts.leaf are prefetched for them.
 */

struct stackwalk_move {
    size_t keep;          /* locations that remain, from the root; some of
                             the steps may be the same as before, too */
    const uint32_t *step; /* then these n follow: keys of locations */
    size_t n;
    uint32_t leaf;      /* location of the sample's leaf */
    int64_t value, div; /* of the sample; div 0 without opts.mean */
};

/* Processes one move.  False ends the walk. */
typedef bool stackwalk_fn(void *ctx, const struct stackwalk_move *move);

struct stackwalk_opts {
    const struct profile *p;
    const uint32_t *key; /* by location: its key; null: the location itself */
    size_t type;         /* index of the value */
    bool mean;           /* value 0 is the divisor */
    const void *table; /* fn reads the `size` bytes at table + k * size for key
                          k: they are prefetched */
    size_t size;
    const int64_t *leaf; /* what fn reads for location k as a leaf, prefetched
                            likewise; or null */
};

enum { STACKWALK_BATCH = 16 };

struct stackwalk {
    struct stackwalk_opts opts;
    /* Private. */
    VEC(uint32_t) ahead; /* steps of all samples of the batch */
    VEC(uint32_t) path;  /* locations of the last one's stack, from the root */
    struct stackwalk_stack {
        int64_t value, div;
        size_t keep;
        size_t end; /* end of its steps in `ahead` */
        uint32_t leaf;
    } batch[STACKWALK_BATCH];
    size_t n;
};

/* Returns the number of pieces that the samples are divided into. */
size_t stackwalk_pieces(const struct profile *p);

/* Calls fn for the samples of a piece.  False when memory is out, or fn
 * returned false. */
bool stackwalk_piece(struct stackwalk *w, size_t piece, stackwalk_fn *fn,
                     void *ctx);
void stackwalk_free(struct stackwalk *w);

/*
 * Groups of items that occur in the same locations.  An item is a node, or a
 * call between two lines of a location.
 *
 * A location can have many items, and many samples can have the location, so
 * that samples times items would be too many additions.  Items that occur in
 * the same locations occur in the same samples: they share one sum.  In most
 * profiles a location is one group.
 */

/* Location l has the items item[off[l] .. off[l + 1]), in which items may
 * repeat without effect. */
struct groups_items {
    const uint64_t *off;
    const uint32_t *item;
    size_t n_locations, n; /* items are below n */
};

struct groups {
    size_t n;
    uint32_t *of;  /* by item: its group */
    uint64_t *off; /* location l has the groups v[off[l] .. off[l + 1]), */
    uint32_t *v;   /* each once */
};

/* Finds the groups.  The caller frees *g, after a failure too. */
bool groups_init(struct groups *g, const struct groups_items *items);
void groups_free(struct groups *g);

/*
 * Makes the nodes of a tree (graph_opts.call_tree): sets n, place, parent,
 * inlined and value of *g, whose `nodes` were made before.  PROF_ERR_INPUT when
 * there are too many.
 */
bool tree_build(struct graph *g, struct prof_err *err);

/*
 * Makes the edges of a tree: one to each node that is kept, from its nearest
 * ancestor that is kept.  `kept` is by node; null: all.
 */
bool tree_link(struct graph *g, const bool *kept);

#endif
