/*
 * stream.h - the interface of streams: sources of bytes in order
 *
 * A kind of stream is a struct that begins with a struct stream.  The code that
 * uses a stream owns it.  A stream that reads from another one must not outlive
 * it.
 */
#ifndef PROFUTILS_IO_STREAM_H
#define PROFUTILS_IO_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct stream {
    /*
     * Reads 1 to n bytes into *to, n > 0.  Returns their number; 0 at the end;
     * -1 on failure, with *err set.
     */
    ptrdiff_t (*read)(struct stream *self, void *to, size_t n,
                      struct prof_err *err);

    /*
     * Reads 1 to n bytes at an offset, whatever read() has read.  Returns as
     * read().  Null: the bytes can only be read in order.
     */
    ptrdiff_t (*read_at)(struct stream *self, uint64_t at, void *to, size_t n,
                         struct prof_err *err);
};

#endif
