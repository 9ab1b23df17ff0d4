/* private.h - what the files of graph/ share: walks over all stacks, trees */
#ifndef PROFUTILS_REPORT_GRAPH_PRIVATE_H
#define PROFUTILS_REPORT_GRAPH_PRIVATE_H

#include "base/vec.h"
#include "report/graph/graph.h"

/*
 * All stacks, as a walk over the tree that they make.
 *
 * From one sample to the next the walk goes back to where their stacks part,
 * and from there on to the leaf.  A sum over frames is made by steps instead of
 * frames: neighbours share most of their stacks, and where they share nothing
 * it costs no more than looking at each frame.  A step is a location, however
 * many lines it has: a stack of a few thousand locations can have millions of
 * lines, which are too many to be visited one by one.
 *
 *      struct stackwalk_opts opts = {...};
 *      struct stackwalk w;
 *      stackwalk_init(&w, &opts);
 *      for (size_t piece = 0; ok && piece < stackwalk_pieces(p); piece++)
 *          ok = stackwalk_piece(&w, piece, fn, ctx);
 *      stackwalk_free(&w);
 *
 * Samples without frames, or without a value, are skipped.  Pieces are for
 * threads, each of which has a walk of its own; the walk begins and ends at
 * the root in each of them.
 *
 * A step is a few instructions and some look-ups in tables that are larger than
 * a cache.  So some samples are read ahead, and what fn will look up is
 * prefetched.
 */

/* From one sample to the next. */
struct stackwalk_move {
    size_t keep;          /* so many steps remain; the others are undone */
    const uint32_t *step; /* then these n are taken: keys of locations */
    size_t n;
    uint32_t leaf;      /* the location where the sample is */
    int64_t value, div; /* of the sample that is reached; div 0: no mean */
};

/* A last move goes back to the root, for no sample.  False: give up. */
typedef bool stackwalk_fn(void *ctx, const struct stackwalk_move *move);

struct stackwalk_opts {
    const struct profile *p;
    const uint32_t *key; /* by location: what fn gets for it; null: itself */
    size_t type;         /* index of the value */
    bool mean;           /* value 0 is of interest, too */
    const void *table;   /* what fn looks up for each key ... */
    size_t size;         /* ... and the bytes that a key has there */
};

enum { STACKWALK_BATCH = 16 };

struct stackwalk {
    struct stackwalk_opts opts;
    VEC(uint32_t) ahead; /* steps of the batch */
    struct stackwalk_stack {
        int64_t value, div;
        const uint32_t *v; /* leaf first */
        size_t depth;
        size_t keep;              /* steps */
        size_t end;               /* of its own, in ahead */
    } batch[STACKWALK_BATCH + 1]; /* [0] is the last of the batch before */
    size_t n;
};

void stackwalk_init(struct stackwalk *w, const struct stackwalk_opts *opts);
void stackwalk_free(struct stackwalk *w);

size_t stackwalk_pieces(const struct profile *p);

/* False when memory is out, or fn says so. */
bool stackwalk_piece(struct stackwalk *w, size_t piece, stackwalk_fn *fn,
                     void *ctx);

/*
 * Items (nodes, or calls between them) that are always in a location together.
 *
 * A location can have many items, and many samples can have the location: both
 * are too many to be multiplied.  Items that are in the same locations are in
 * the same samples, so that they are a group and share one sum: where every
 * location has items of its own, a location is one group.
 */

/* Location l has the items item[off[l] .. off[l + 1]), some more than once. */
struct groups_items {
    const uint64_t *off;
    const uint32_t *item;
    size_t n_locations, n; /* items are below n */
};

struct groups {
    size_t n;
    uint32_t *of; /* by item */
    /* Those of location l, each once, are v[off[l] .. off[l + 1]). */
    uint64_t *off;
    uint32_t *v;
};

/* To be freed in any case; false when memory is out. */
bool groups_init(struct groups *g, const struct groups_items *items);
void groups_free(struct groups *g);

/*
 * Sets n, place, parent, inlined and value of a graph that has its places.
 * ERR_INPUT when there are too many nodes.
 */
bool tree_build(struct graph *g, struct err *err);

/*
 * Sets the edges: from each node of kept (null: all) to the nearest ancestor
 * that is kept, too.  False when memory is out.
 */
bool tree_link(struct graph *g, const bool *kept);

#endif
