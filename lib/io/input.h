/*
 * input.h - bytes from files, pipes, compressed streams and archives
 *
 * An input is opened by name ("-" is standard input) and gives its parts one
 * after another, each a whole decompressed blob:
 *   - a plain file, or a zstd, xz, bzip2 or lz4 stream: one part;
 *   - gzip: one part per member, unless `join_members`;
 *   - tar (compressed or not), zip, cpio, 7z: the entries in order, each
 *     decompressed in turn (an entry that is gzip with several members gives
 *     several parts).  Archives inside archives are not opened: such an
 *     entry comes as it is, with `nested` set.
 * What a file is shows in its bytes, never in its name.  zstd, xz, bzip2 and
 * lz4 are undone before anything else, so that a .pb.gz.xz works too.  tar
 * and cpio are streamed: memory is that of the largest entry.  zip and 7z,
 * whose directory is at the end, are too where the input can seek; what comes
 * by a pipe is read whole first, into a temporary file if it is large.
 *
 * Limits: no part, no sum of parts of one gzip file, and no file that has to
 * be read whole is larger than max_size; more is ERR_INPUT, found while it
 * is read.
 */
#ifndef PROFUTILS_IO_INPUT_H
#define PROFUTILS_IO_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define INPUT_DEFAULT_MAX_SIZE ((uint64_t)16 << 30)

struct input_opts {
    uint64_t max_size; /* bytes after decompression; 0: the default */
    bool join_members; /* gzip members are one stream: for converters */
    bool no_archives;  /* do not look into tar, zip, cpio, 7z */
    bool all_entries;  /* links and devices too, as `irregular` parts */
    bool salvage;      /* damaged data is what can be had of it */
    unsigned threads;  /* for one large input; 0 is 1 */
};

struct input_part {
    const char *path;    /* as given to input_open(), which keeps it */
    const uint8_t *data; /* good until the next input_next(), release or
                            close */
    size_t n;
    const char *entry;     /* name inside the archive; null outside one */
    int64_t mtime;         /* of the entry, seconds; 0 if unknown */
    size_t member;         /* gzip member, from 1; 0 when there is only one */
    const char *irregular; /* what the entry is in place of a file, without
                              data: "a symbolic link"; null otherwise */
    const char *link;      /* what a hard link is another name of, or null */
    /*
     * With `salvage`: what is wrong with the compressed data or the archive
     * that this came of, or null.  `trailing`: only that something stands
     * behind it.  No part of the same file or entry follows.  `rest`: this is
     * no part, but an archive without its directory, between two entries, or
     * behind the last that can be read; there is no data.
     */
    const char *damage;
    bool trailing, rest;
    bool last_member; /* no further member of the same gzip follows */
    bool nested;      /* an archive inside an archive, not opened; or one that
                         is compressed and cannot be streamed */
};

struct input;

/*
 * Opens `path`.  Directories are ERR_INPUT, what the system refuses
 * ERR_SYSTEM.  *in is null on failure.
 */
bool input_open(struct input **in, const char *path,
                const struct input_opts *opts, const struct notes *notes,
                struct err *err);

/*
 * 1: *part is the next part; 0: there is none; -1: *err says why, and entry
 * and member of *part say where.  After -1 what can still be read comes with
 * the next calls, until one gives 0.
 */
int input_next(struct input *in, struct input_part *part, struct err *err);

/* The bytes of the last part are not needed any more. */
void input_release(struct input *in);

/* Whether it is an archive, be it one without entries. */
bool input_is_archive(const struct input *in);

/*
 * How much of the input was read, in bytes as they are in the file, and the
 * size of the file; *size is 0 where that is not known.
 */
void input_position(const struct input *in, uint64_t *at, uint64_t *size);

void input_close(struct input *in); /* null is allowed */

/*
 * Appends the content of n bytes of xz data to *out.  ERR_INPUT: they are
 * damaged, something follows, or there are more than max bytes in it.
 */
bool unxz(const void *data, size_t n, size_t max, struct buf *out,
          struct err *err);

/* The library that opens archives and its version, for --version. */
const char *input_library(void);

#endif
