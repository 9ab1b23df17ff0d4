/*
 * pixz.h - a tar archive without the index that pixz puts behind it (lib/io
 * only)
 *
 * pixz, which compresses in the format of xz, appends to a tar archive an index
 * of it, in a block of its own, unless -t is given.  It says nothing that the
 * archive does not, and to libarchive is damage.
 *
 * From its source: 8 bytes that are always the same; for each entry its name
 * with a NUL and the offset of its header in 8 bytes; at last an empty name and
 * the offset behind the last entry.  Numbers are little endian.
 */
#ifndef PROFUTILS_IO_PIXZ_H
#define PROFUTILS_IO_PIXZ_H

#include "io/stream.h"

/*
 * Bytes are taken for an index only where a header of tar could be, if they
 * are one as a whole, and if nothing follows.  To find that out they are kept,
 * up to 64 MiB of them.
 */
struct pixz_stream {
    struct stream stream;
    struct stream *from;
    const struct notes *notes; /* is told what is left out */
    uint64_t at;               /* bytes of `from` so far */
    struct buf held;           /* what may be an index */
    size_t served;             /* of that, by read() */
    bool holding;              /* it has yet to be seen whether it is one */
};
struct pixz_stream pixz_stream_of(struct stream *from,
                                  const struct notes *notes);
void pixz_free(struct pixz_stream *p);

#endif
