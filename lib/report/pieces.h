/*
 * pieces.h - the samples of a long report, printed by several threads
 *
 * Samples are cut into pieces of about equally many frames, wherever that
 * falls.  Threads make text of them, each piece in a buffer of its own that
 * is small enough for a cache, and the text goes out in the order of the
 * pieces, while others are made.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_PIECES_H
#define PROFUTILS_REPORT_PIECES_H

#include "report/format.h"

/*
 * Appends the text of samples order[from .. to) (just from .. to where there
 * is no order) to *out, which is empty.  thread is below the number of
 * threads of r->opts.  False when memory is out.
 */
typedef bool pieces_fn(void *ctx, unsigned thread, size_t from, size_t to,
                       struct buf *out);

/*
 * Prints samples order[0 .. n), or 0 .. n if that is null.  False when memory
 * is out or the text does not get where it goes.
 */
bool report_pieces(struct report *r, const uint32_t *order, size_t n,
                   pieces_fn *fn, void *ctx);

#endif
