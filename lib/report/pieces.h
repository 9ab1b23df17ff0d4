/*
 * pieces.h - the samples of a long report, printed by several threads
 *
 * Samples are cut into pieces of about equally many frames, wherever that
 * falls.  Threads make text of them, each piece in a buffer of its own that
 * is small enough for a cache, and the text goes out in the order of the
 * pieces, while others are made.
 *
 * A sample can have more text than is to be held in memory.  It is a piece of
 * its own then, made when it is its turn, and goes out while it is made.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_PIECES_H
#define PROFUTILS_REPORT_PIECES_H

#include "report/out.h"

enum { PIECES_LONG = 4 << 20 }; /* bytes of text */

struct pieces_job {
    const uint32_t *order; /* samples; null: 0 .. n */
    size_t n;
    /*
     * Appends the text of samples order[from .. to) (just from .. to where
     * there is no order) to *out, which is empty.  thread is below the number
     * of threads of r->opts; or it is that number: then *out is that of the
     * report, which is to be handed on by report_flush() wherever the text
     * may be long.  False when memory is out or the text does not get on.
     */
    bool (*fn)(void *ctx, unsigned thread, size_t from, size_t to,
               struct buf *out);
    /* About the bytes of a sample's text; null: none is long. */
    size_t (*size)(const void *ctx, size_t sample);
    void *ctx;
};

/* False when memory is out or the text does not get where it goes. */
bool report_pieces(struct report *r, const struct pieces_job *job);

#endif
