/*
 * stream.h - bytes read in order, one stream on top of another (lib/io only)
 *
 * The streams are structs that their user owns; each begins with a `struct
 * stream`.  The one below must outlive the one above.
 */
#ifndef PROFUTILS_IO_STREAM_H
#define PROFUTILS_IO_STREAM_H

#include <zlib.h>

#include "base/buf.h"

struct stream {
    /*
     * Up to n > 0 bytes into *to, at least one unless the end is reached:
     * their number, 0 at the end, -1 and *err.
     */
    ptrdiff_t (*read)(struct stream *self, void *to, size_t n, struct err *err);
};

/* A file descriptor, which it does not own. */
struct fd_stream {
    struct stream stream;
    int fd;
    uint64_t total; /* bytes read so far */
};
struct fd_stream fd_stream_of(int fd);

/* Bytes in memory. */
struct mem_stream {
    struct stream stream;
    const uint8_t *data;
    size_t n;
};
struct mem_stream mem_stream_of(const uint8_t *data, size_t n);

/*
 * A stream of which the first bytes have been looked at: read() gives the
 * bytes of `head` again before it goes on with `from`.
 */
struct head_stream {
    struct stream stream;
    struct stream *from;
    struct buf head;
    size_t served; /* of head, by read() */
    bool ended;    /* head is all there is */
};
struct head_stream head_stream_of(struct stream *from);

/* Reads on until head has n bytes, or all. */
bool head_fill(struct head_stream *h, size_t n, struct err *err);

/*
 * Reads everything into head: `likely` bytes if the guess is good, at most
 * max, or ERR_INPUT, which it is at once if `likely` is more.
 */
bool head_fill_all(struct head_stream *h, size_t likely, size_t max,
                   struct err *err);
void head_free(struct head_stream *h);

/*
 * Copies all that comes to a file without a name, in TMPDIR or else in /tmp,
 * that can seek.  More than max bytes is ERR_INPUT.  *fd is to be closed if it
 * is not -1, on failure too.
 */
bool stream_to_file(struct stream *from, size_t max, int *fd, struct err *err);

/* The members of a gzip stream, inflated and checked, one after another. */
struct gunzip_stream {
    struct stream stream;
    struct stream *from;
    z_stream z;
    uint8_t *block;  /* compressed bytes at hand */
    uint64_t offset; /* of the end of the block in the stream below */
    bool started, ended, in_member;
    bool trailing; /* the error is that something stands behind the members */
};
struct gunzip_stream gunzip_stream_of(struct stream *from);
void gunzip_free(struct gunzip_stream *g);

#endif
