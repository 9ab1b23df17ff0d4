/*
 * stackwalk.h - all stacks, as a walk over the tree that they make
 *
 * From one sample to the next the walk goes back to where their stacks part,
 * and from there on to the leaf.  What is a sum over frames is taken by steps
 * in place of frames: neighbours share most of their stacks, and where they
 * share nothing it costs no more than looking at each frame.
 *
 *      struct stackwalk_opts opts = {...};
 *      struct stackwalk w;
 *      ok = stackwalk_init(&w, &opts);
 *      for (size_t piece = 0; ok && piece < stackwalk_pieces(p); piece++)
 *          ok = stackwalk_piece(&w, piece, fn, ctx);
 *      stackwalk_free(&w);
 *
 * Samples that have no frames, or no value, are passed over.  Pieces are for
 * threads, each of which has a walk of its own; the walk begins and ends at
 * the root in each of them.
 *
 * A step is a few instructions and some look-ups, at places that no cache
 * near the processor holds all of.  So some samples are looked at ahead, and
 * by the time fn gets them, what it will look up has been asked for.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_STACKWALK_H
#define PROFUTILS_REPORT_STACKWALK_H

#include "base/vec.h"
#include "report/node.h"

/* One step away from the root. */
struct stackwalk_step {
    uint32_t node;
    bool inlined; /* into the one before: they are one location */
};

/* From one sample to the next. */
struct stackwalk_move {
    size_t keep; /* so many steps are left; the others are undone */
    const struct stackwalk_step *step; /* then these n are taken */
    size_t n;
    int64_t value, div; /* of the sample that is reached; div 0: no mean */
};

/* A last move goes back to the root, for no sample.  False: give up. */
typedef bool stackwalk_fn(void *ctx, const struct stackwalk_move *move);

struct stackwalk_opts {
    const struct nodes *nodes;
    const uint32_t *only; /* stackwalk_only() */
    size_t type;          /* index of the value */
    bool mean;            /* value 0 is of interest, too */
    const void *table;    /* what fn looks up for each node ... */
    size_t size;          /* ... and the bytes that a node has there */
};

enum { STACKWALK_BATCH = 16 };

struct stackwalk {
    /* All private. */
    struct stackwalk_opts opts;
    VEC(size_t) first;                /* the first step of each location */
    VEC(struct stackwalk_step) ahead; /* of the batch */
    struct stackwalk_stack {
        int64_t value, div;
        const uint32_t *v; /* leaf first */
        size_t depth;
        size_t keep;              /* steps */
        size_t end;               /* of its own, in ahead */
    } batch[STACKWALK_BATCH + 1]; /* [0] is the last of the batch before */
    size_t n;
};

/*
 * By location: its node, or PROF_NONE when it has several.  Null when memory
 * is out.
 */
uint32_t *stackwalk_only(const struct nodes *t);

/* False when memory is out; to be freed in any case. */
bool stackwalk_init(struct stackwalk *w, const struct stackwalk_opts *opts);
void stackwalk_free(struct stackwalk *w);

size_t stackwalk_pieces(const struct profile *p);

/* False when memory is out, or fn says so. */
bool stackwalk_piece(struct stackwalk *w, size_t piece, stackwalk_fn *fn,
                     void *ctx);

#endif
