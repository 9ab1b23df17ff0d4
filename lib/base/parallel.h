/*
 * parallel.h - divides work into pieces that several threads do
 *
 * | parallel_run | does the pieces in any order; in two steps              |
 * |              | parallel_begin, parallel_end                            |
 * | inorder_run  | makes the pieces in any order, passes them on in order  |
 *
 * Pieces are assigned in order to threads that are free; the calling thread is
 * one of them.  So that results do not depend on the number of threads:
 *
 *   - store a result or an error by piece, never by thread
 *   - divide work into pieces by its content, never by the number of threads
 *   - report the error of the first piece that failed
 *
 * Starting a thread takes about 30 us, and as much memory as it uses of its
 * stack of 8 MiB.  Use one thread for work of less than a millisecond.  Signals
 * except SIGPIPE and SIGXFSZ are blocked in all threads but the caller's.
 */
#ifndef PROFUTILS_BASE_PARALLEL_H
#define PROFUTILS_BASE_PARALLEL_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Does piece `piece`.  `thread` is less than the requested number of threads.
 * Calls with the same `thread` do not overlap, so they can share a buffer.
 */
typedef void parallel_fn(void *ctx, unsigned thread, size_t piece);

/*
 * Calls fn for 0 .. n - 1, by at most this many threads (0 counts as 1), and
 * returns when all are done.  It cannot fail: where the system starts no
 * threads, those that run do all the work.
 */
void parallel_run(unsigned threads, size_t n, parallel_fn *fn, void *ctx);

/*
 * The same in two steps.  Between them other threads do pieces, at most
 * threads - 1 of them; parallel_end() does those that are left, as thread 0,
 * and returns when all are done.  Null: memory is out, and nothing was begun.
 */
struct parallel;
struct parallel *parallel_begin(unsigned threads, size_t n, parallel_fn *fn,
                                void *ctx);
void parallel_end(struct parallel *p);

/*
 * Several threads call make() for pieces, each into a buffer.  take() is called
 * for the pieces in order, by one thread at a time, while others continue with
 * make().  At most 2 pieces per thread wait for take(), which limits memory.
 * Buffers are reused, also by the next run.
 */
struct inorder;
struct inorder *inorder_new(unsigned threads); /* null: memory is out */
void inorder_free(struct inorder *o);          /* null is allowed */

struct inorder_job {
    size_t n; /* pieces */
    /*
     * Appends piece `piece` to *bytes.  thread is as for parallel_fn; several
     * threads do this at once.
     */
    bool (*make)(void *ctx, unsigned thread, size_t piece, struct buf *bytes,
                 struct prof_err *err);
    /* May take over the memory of *bytes if it zeroes *bytes. */
    bool (*take)(void *ctx, size_t piece, struct buf *bytes,
                 struct prof_err *err);
    void *ctx;
};

/*
 * On failure *err is the error of the first piece that failed; take() was
 * called for some of the pieces before it.
 */
bool inorder_run(struct inorder *o, const struct inorder_job *job,
                 struct prof_err *err);

#endif
