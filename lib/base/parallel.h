/*
 * parallel.h - lets several threads share pieces of work
 *
 * | parallel_run   | calls a function for each piece, in any order         |
 * | parallel_begin | starts that, for a caller that does something else    |
 * | parallel_end   | .. meanwhile, and waits for its end                   |
 * | inorder_run    | makes pieces of output in any order, and passes them  |
 * |                | on in order                                           |
 *
 * Pieces are assigned in order to threads that are free; the calling thread is
 * one of them.  So that results do not depend on the number of threads:
 *
 *   - store a result or an error by piece, never by thread
 *   - divide work into pieces by its content, never by the number of threads
 *   - report the error of the first piece that failed
 *
 * Starting a thread takes about 30 us; its stack of 8 MiB takes as much memory
 * as is used of it.  Use one thread for work of less than a millisecond.  All
 * signals except SIGPIPE and SIGXFSZ are blocked in the new threads.
 */
#ifndef PROFUTILS_BASE_PARALLEL_H
#define PROFUTILS_BASE_PARALLEL_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Processes piece number `piece`.  `thread` is less than the requested number
 * of threads.  Calls with the same `thread` do not overlap, so they can share a
 * buffer.
 */
typedef void parallel_fn(void *ctx, unsigned thread, size_t piece);

/*
 * Calls fn for the pieces 0 .. n - 1, in at most `threads` threads (0 counts as
 * 1), and returns when all are done.  It cannot fail: if the system refuses to
 * start a thread, those that run do all the work.
 */
void parallel_run(unsigned threads, size_t n, parallel_fn *fn, void *ctx);

/*
 * The same in two steps.  parallel_begin() starts at most the given number of
 * threads, numbered from 1, and returns.  parallel_end() processes, as thread
 * 0, pieces that are left, returns when all are done, and frees *p; any thread
 * may call it.  Null: memory is out; nothing was started.
 */
struct parallel;
struct parallel *parallel_begin(unsigned beside, size_t n, parallel_fn *fn,
                                void *ctx);
void parallel_end(struct parallel *p);

/*
 * Several threads call make() for pieces, each into a buffer.  take() is called
 * for the pieces in order, by one thread at a time, while others continue with
 * make().  At most 2 pieces per thread wait for take(), which limits memory.
 * The buffers are reused, in later runs too.
 */
struct inorder;
struct inorder *inorder_new(unsigned threads); /* null: memory is out */
void inorder_free(struct inorder *o);          /* null is allowed */

struct inorder_job {
    size_t n; /* pieces */
    /*
     * Appends the bytes of a piece to the empty *bytes.  Several threads call
     * it at once; `thread` is as in parallel_fn.
     */
    bool (*make)(void *ctx, unsigned thread, size_t piece, struct buf *bytes,
                 struct prof_err *err);
    /* Uses a piece's bytes.  May keep their memory: it then zeroes *bytes. */
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
