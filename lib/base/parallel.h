/*
 * parallel.h - the same work on many pieces, by several threads
 *
 * | parallel_run | does pieces in any order                               |
 * | inorder_run  | makes pieces in any order, hands them on in theirs     |
 *
 * Pieces are handed out one by one, in order, to whichever thread is free;
 * the caller's own thread takes part.  A result that must not depend on the
 * number of threads therefore belongs to a piece, never to a thread, and
 * pieces are divided by content alone.  Errors are kept by piece too: the
 * first piece's is the one to report.
 *
 * A thread costs some 30 us to start and as much memory as it touches of its
 * stack of 8 MiB: work of less than a millisecond is for one.  Signals are
 * blocked in all threads but the caller's, except SIGPIPE and SIGXFSZ.
 */
#ifndef PROFUTILS_BASE_PARALLEL_H
#define PROFUTILS_BASE_PARALLEL_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Does piece `piece`.  thread is below the number of threads asked for: what
 * belongs to it (a buffer, a compressor) is used by one piece at a time.
 */
typedef void parallel_fn(void *ctx, unsigned thread, size_t piece);

/*
 * Calls fn for 0 .. n - 1, by at most this many threads (0 counts as 1), and
 * returns when all are done.  It cannot fail: where the system starts no
 * threads, those that run do all the work.
 */
void parallel_run(unsigned threads, size_t n, parallel_fn *fn, void *ctx);

/*
 * Pieces made by several threads and taken in order.  Each is made in a
 * buffer; as soon as all before it were taken, it is taken, by one thread at
 * a time, while others go on making.  Threads run at most 2 pieces each ahead
 * of what was taken: there is never more than that in memory, and buffers are
 * used again, also by the next run.
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
                 struct err *err);
    /* May keep *bytes, leaving a zeroed buffer in its place. */
    bool (*take)(void *ctx, size_t piece, struct buf *bytes, struct err *err);
    void *ctx;
};

/*
 * On failure *err is the error of the first piece that failed; any number of
 * those before it have been taken.
 */
bool inorder_run(struct inorder *o, const struct inorder_job *job,
                 struct err *err);

#endif
