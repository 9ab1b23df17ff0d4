/*
 * stackwalk.h - all stacks, as a walk over the tree that they make
 *
 * From one sample to the next the walk goes back to where their stacks part,
 * and from there on to the leaf.  What is a sum over frames is taken by steps
 * in place of frames: neighbours share most of their stacks, and where they
 * share nothing it costs no more than looking at each frame.  A step is a
 * location, however many lines it has: a stack of a few thousand locations can
 * have millions of lines, which are too many to be looked at one by one.
 *
 *      struct stackwalk_opts opts = {...};
 *      struct stackwalk w;
 *      stackwalk_init(&w, &opts);
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
#include "profile/profile.h"

/* From one sample to the next. */
struct stackwalk_move {
    size_t keep;          /* so many steps are left; the others are undone */
    const uint32_t *step; /* then these n are taken: keys of locations */
    size_t n;
    uint32_t leaf;      /* the location where the sample is */
    int64_t value, div; /* of the sample that is reached; div 0: no mean */
};

/* A last move goes back to the root, for no sample.  False: give up. */
typedef bool stackwalk_fn(void *ctx, const struct stackwalk_move *move);

struct stackwalk_opts {
    const struct profile *p;
    const uint32_t *key; /* by location: what fn knows it by; null: itself */
    size_t type;         /* index of the value */
    bool mean;           /* value 0 is of interest, too */
    const void *table;   /* what fn looks up for each key ... */
    size_t size;         /* ... and the bytes that a key has there */
};

enum { STACKWALK_BATCH = 16 };

struct stackwalk {
    /* All private. */
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

#endif
