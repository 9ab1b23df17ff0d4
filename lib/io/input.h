/*
 * input.h - reads files, pipes, compressed data and archives
 *
 * An input is opened by name ("-" is standard input).  It has one or more
 * parts, which are returned in order, each decompressed and in memory:
 *
 *      a file                    one part
 *      zstd, xz, bzip2, lz4      the parts of the content; up to four layers
 *      gzip                      each member, or with join_members all as one
 *      tar, cpio, zip, 7z        the parts of each entry; an archive in an
 *                                archive is not opened (`nested`)
 *
 * The type is detected from the bytes, never from the name.
 *
 * Memory: a part is in memory as a whole, unless it is returned as a stream
 * (struct input_streams).  A zip or 7z archive from a pipe is first read
 * completely, because its directory is at the end: into a temporary file if it
 * is large.
 *
 * Limits: PROF_ERR_INPUT if a part, the members of a gzip file together, or a
 * file that has to be read completely exceeds max_size bytes.
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

/* Selects parts that are not read into memory but returned as streams. */
struct input_streams {
    /*
     * Whether a file or archive entry whose (decompressed) content begins with
     * these n bytes is returned as a stream.  All members of gzip data are then
     * one part.
     */
    bool (*begins)(const uint8_t *head, size_t n);
    /* An operand that is a directory stands for this file in it; null:
     * directories are refused. */
    const char *in_directory;
};

/*
 * Stops reading a part that cannot be a valid input.  may_begin() gets the
 * first n decompressed bytes of a part that has more: when there are 64 KiB,
 * and again each time there are four times as many.  It returns false, with
 * *err set, if no valid input begins like that; the rest is then not read.
 */
struct input_check {
    bool (*may_begin)(const void *ctx, const uint8_t *head, size_t n,
                      struct prof_err *err);
    const void *ctx;
};

struct input_opts {
    uint64_t max_size; /* bytes after decompression; 0: the default */
    uint64_t max_held; /* limit for parts that are in memory; 0: max_size */
    bool join_members; /* return all members of a gzip file as one part */
    bool no_archives;  /* treat tar, zip, cpio and 7z as plain files */
    bool all_entries;  /* return links and devices too, as `irregular` parts */
    bool salvage;      /* return what can be read of damaged data */
    unsigned threads;  /* to decompress a large input; 0 counts as 1 */
    const struct input_streams *streams; /* null: no streams */
    const struct input_check *check;     /* null: none; applies to files and
                                            entries, to the first member only */
    /*
     * A file or pipe of at least so many bytes, a gzip file or one that is not
     * compressed, is returned in blocks if it is not an archive and this build
     * can do that well.  0: never.
     */
    uint64_t blocks_from;
};

struct input_part {
    const char *path;    /* as given to input_open() */
    const uint8_t *data; /* valid until the next call of input_next(),
                            input_release() or input_close() */
    size_t n;
    struct stream *stream; /* null, or it reads the part from its first byte,
                              and `data` has only the first n bytes */
    struct prof_blocks *blocks; /* null, or they are the part, and there is no
                                   data; input_again() if they are of no use */
    const char *directory;      /* `path` if that is a directory; else null */
    const char *entry;  /* name in the archive; null: not in an archive */
    int64_t mtime;      /* of the entry, seconds since 1970; 0: unknown */
    const uint8_t *raw; /* the entry as it is in the archive, raw_n bytes,
                           valid until the next entry is read; null outside
                           archives and for streams */
    size_t raw_n;
    size_t member;         /* number of the gzip member, from 1; 0: the only */
    const char *irregular; /* null, or what the entry is instead of a regular
                              file: "a symbolic link".  It has no data */
    const char *link;      /* target of a hard link; null for others */
    /*
     * With `salvage`: the error in the compressed data or archive of this part,
     * or null.  No other part of the same file or entry follows.
     *
     *   trailing  the only error is that other data follows
     *   rest      there is no data, only an error: in the archive's directory,
     *             between two entries, or after the last readable one
     */
    const char *damage;
    const char *refused; /* null, or the error of the check: `data` has only
                            what was read until then */
    bool trailing, rest;
    bool last_member; /* no further member of the same gzip data follows */
    bool nested;      /* an archive in an archive, not opened; also one that is
                         compressed and cannot be streamed */
};

struct input;

/*
 * Opens `path` ("-": standard input), a string that must outlive *in.
 * PROF_ERR_INPUT for a directory (but see struct input_streams),
 * PROF_ERR_SYSTEM if a system call failed; *in is then null.
 */
bool input_open(struct input **in, const char *path,
                const struct input_opts *opts, const struct prof_notes *notes,
                struct prof_err *err);

/*
 * Reads the next part:
 *
 *    1  *part is set
 *    0  there are no more parts
 *   -1  failure; *err is set, and part->entry and part->member say where.  Call
 *       it again: the parts that can still be read follow, and then 0
 */
int input_next(struct input *in, struct input_part *part, struct prof_err *err);

/*
 * Reads the file or pipe, whose part was in blocks, again from its start.  No
 * part is in blocks then.
 */
bool input_again(struct input *in, struct prof_err *err);

/*
 * Turns the last part, if it is a stream of less than `max` bytes, into a part
 * in memory.  Leaves the stream of a directory as it is.
 */
bool input_hold(struct input *in, struct input_part *part, size_t max,
                struct prof_err *err);

/* Frees the bytes of the last part now, rather than with the next one. */
void input_release(struct input *in);

/* Moves the bytes of the last part to the empty *to, which the caller owns. */
void input_take(struct input *in, const struct input_part *part,
                struct buf *to);

/* Whether the input is an archive, even if it has no entries. */
bool input_is_archive(const struct input *in);

/* Return the size of the file, or 0 if it is unknown, and how many bytes of it
 * were read, both before decompression. */
uint64_t input_size(const struct input *in);
uint64_t input_position(const struct input *in);

void input_close(struct input *in); /* null is allowed */

/*
 * Decompresses n bytes of xz data and appends the content to *out.
 * PROF_ERR_INPUT: the data is damaged, other data follows, or the content
 * exceeds `max` bytes.
 */
bool unxz(const void *data, size_t n, size_t max, struct buf *out,
          struct prof_err *err);

/* libarchive, which opens archives, for cli_spec.libraries. */
extern const struct library_about input_library;

#endif
