/*
 * input.h - reads files, pipes, compressed streams and archives
 *
 * An input is opened by name ("-" is standard input).  It has one or more
 * parts, which are returned in order, each decompressed and in memory:
 *
 *      a file                    one part
 *      zstd, xz, bzip2, lz4      what they contain, up to four layers
 *      gzip                      each member, or with join_members all as one
 *      tar, cpio, zip, 7z        each entry, decompressed the same way; not an
 *                                archive inside an archive (`nested`)
 *
 * The type is detected from the bytes, never from the name.
 *
 * Memory: the largest part that is not a stream (struct input_streams).  zip
 * and 7z, whose directory is at the end, are read at once from a pipe, into a
 * temporary file if they are large.
 *
 * Limits: a part, the members of a gzip file together, and a file that has to
 * be read at once have at most max_size bytes; more is PROF_ERR_INPUT.
 */
#ifndef PROFUTILS_IO_INPUT_H
#define PROFUTILS_IO_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/library.h"
#include "io/stream.h"

#define INPUT_DEFAULT_MAX_SIZE ((uint64_t)16 << 30)

/* Which inputs are returned as streams. */
struct input_streams {
    /*
     * Whether a file is that begins with these n bytes, with all members of
     * gzip data as one; or an entry of an archive.
     */
    bool (*begins)(const uint8_t *head, size_t n);
    /* The file to open of a directory; null: directories are refused. */
    const char *in_directory;
};

/*
 * Looks at the beginning of data, decompressed, of which there is more: once at
 * 64 KiB, and whenever there are four times as many bytes.  False, with *err:
 * no input begins so, whatever follows.  What follows is not read then.
 */
struct input_check {
    bool (*may_begin)(const void *ctx, const uint8_t *head, size_t n,
                      struct prof_err *err);
    const void *ctx;
};

struct input_opts {
    uint64_t max_size; /* bytes after decompression; 0: the default */
    uint64_t max_held; /* the same of what is in memory; 0: max_size */
    bool join_members; /* the members of a gzip file are one part */
    bool no_archives;  /* tar, zip, cpio and 7z are plain files */
    bool all_entries;  /* links and devices too, as `irregular` parts */
    bool salvage;      /* return what can be read of damaged data */
    unsigned threads;  /* for one large input; 0 is 1 */
    const struct input_streams *streams; /* null: none */
    const struct input_check *check;     /* of the first member; null: none */
};

struct input_part {
    const char *path;    /* as given to input_open(), which keeps it */
    const uint8_t *data; /* good until the next input_next(), release or
                            close */
    size_t n;
    struct stream *stream; /* not null: `data` is only the beginning, and this
                              reads all of it, from its first byte */
    const char *directory; /* where it is, if `path` is a directory; or null */
    const char *entry;     /* name inside the archive; null outside one */
    int64_t mtime;         /* of the entry, seconds; 0 if unknown */
    const uint8_t *raw;    /* the bytes of an entry as they are in the archive,
                              raw_n of them, if it is not a stream; else null.
                              Good until another entry is read */
    size_t raw_n;
    size_t member;         /* gzip member, from 1; 0 when there is only one */
    const char *irregular; /* what the entry is in place of a file, without
                              data: "a symbolic link"; null otherwise */
    const char *link;      /* what a hard link is another name of, or null */
    /*
     * With `salvage`: the error in the compressed data or archive of this part,
     * or null.  No other part of the same file or entry follows.
     *
     *   trailing  the only error is that other data follows
     *   rest      there is no data, only an error: in the archive's directory,
     *             between two entries, or after the last readable one
     */
    const char *damage;
    const char *refused; /* by the check: why `data` is only the beginning */
    bool trailing, rest;
    bool last_member; /* no further member of the same gzip follows */
    bool nested;      /* an archive inside an archive, not opened; or one that
                         is compressed and cannot be streamed */
};

struct input;

/*
 * Opens `path`.  PROF_ERR_INPUT for a directory (but see struct input_streams),
 * PROF_ERR_SYSTEM if a system call failed.  *in is null on failure.
 */
bool input_open(struct input **in, const char *path,
                const struct input_opts *opts, const struct prof_notes *notes,
                struct prof_err *err);

/*
 * Reads the next part:
 *
 *    1  *part is set
 *    0  there are no more parts
 *   -1  failure; *err is set, and entry and member of *part are its place.  The
 *       next calls return parts that can still be read, until one returns 0
 */
int input_next(struct input *in, struct input_part *part, struct prof_err *err);

/*
 * Reads all of the last part if it is a stream of less than `max` bytes, so
 * that *part is none any more.
 */
bool input_hold(struct input *in, struct input_part *part, size_t max,
                struct prof_err *err);

/* Frees the bytes of the last part. */
void input_release(struct input *in);

/* Moves the bytes of the last part to *to, which is empty, instead. */
void input_take(struct input *in, const struct input_part *part,
                struct buf *to);

/* Whether it is an archive, with or without entries. */
bool input_is_archive(const struct input *in);

/*
 * How much of the input was read, in bytes as they are in the file, and the
 * size of the file; *size is 0 where that is not known.
 */
void input_position(const struct input *in, uint64_t *at, uint64_t *size);

void input_close(struct input *in); /* null is allowed */

/*
 * Appends the content of n bytes of xz data to *out.  PROF_ERR_INPUT: they are
 * damaged, something follows, or there are more than max bytes in it.
 */
bool unxz(const void *data, size_t n, size_t max, struct buf *out,
          struct prof_err *err);

/* libarchive, which opens archives. */
extern const struct library_about input_library;

#endif
