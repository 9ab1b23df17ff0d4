/*
 * inorder.h - pieces made by several threads, and taken in their order
 *
 * Each piece is made in a buffer, by whichever thread is free; as soon as all
 * before it were, it is taken, by one thread at a time, while others go on
 * making.  Threads are at most 2 pieces each ahead of what was taken: there
 * is never more than that in memory, and a buffer is used again.
 */
#ifndef PROFUTILS_BASE_INORDER_H
#define PROFUTILS_BASE_INORDER_H

#include "base/buf.h"
#include "base/err.h"

/* Reused across runs to save set-up.  Null: no memory. */
struct inorder;
struct inorder *inorder_new(unsigned threads);
void inorder_free(struct inorder *o); /* null is allowed */

struct inorder_job {
    size_t n; /* pieces */
    /*
     * Appends piece `piece` to *bytes.  thread is below the number of
     * threads, as in parallel.h; several do this at once.
     */
    bool (*make)(void *ctx, unsigned thread, size_t piece, struct buf *bytes,
                 struct err *err);
    /* May keep *bytes, leaving a zeroed buffer in its place. */
    bool (*take)(void *ctx, size_t piece, struct buf *bytes, struct err *err);
    void *ctx;
};

/*
 * The first error of the pieces is *err; an unknown number of those before
 * was taken then.
 */
bool inorder_run(struct inorder *o, const struct inorder_job *job,
                 struct err *err);

#endif
