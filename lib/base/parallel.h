/*
 * parallel.h - the same work on many pieces, by several threads
 *
 * The pieces are handed out one by one, in order, to whichever thread is
 * free; the caller's own thread takes part.  A result that must not depend
 * on the number of threads therefore belongs to a piece, never to a thread,
 * and pieces are cut by content alone: errors too are kept by piece, and the
 * first piece's is the one to report.
 *
 * A thread costs some 30 us to start and as much memory as it touches of its
 * stack of 8 MiB: work of less than a millisecond is for one.
 */
#ifndef PROFUTILS_BASE_PARALLEL_H
#define PROFUTILS_BASE_PARALLEL_H

#include <stddef.h>

/*
 * Does piece `piece`.  thread is below the number of threads asked for: what
 * belongs to it (a buffer, a compressor) is used by one piece at a time.
 */
typedef void parallel_fn(void *ctx, unsigned thread, size_t piece);

/*
 * Calls fn for 0 .. n - 1, by at most this many threads (0 counts as 1), and
 * returns when all are done.  Where threads cannot be had, those that can do
 * it all: there is nothing to fail.
 */
void parallel_run(unsigned threads, size_t n, parallel_fn *fn, void *ctx);

#endif
