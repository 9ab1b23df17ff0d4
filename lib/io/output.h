/*
 * output.h - writes to standard output or a device, or replaces a file
 * atomically
 *
 *      regular or new file       a temporary file in the same directory, which
 *                                output_commit() syncs and renames; until then
 *                                the old file stays; its mode is kept
 *      symbolic link             its target is replaced
 *      device, FIFO, socket      written to directly
 *      /dev/stdout, /dev/fd/N    written to directly (output_descriptor())
 *
 * output_abort() removes the temporary file.
 */
#ifndef PROFUTILS_IO_OUTPUT_H
#define PROFUTILS_IO_OUTPUT_H

#include "base/buf.h"
#include "base/err.h"

struct output_opts {
    const char *path; /* null or "-": standard output */
    bool binary;      /* refuse to write to a terminal (PROF_ERR_USAGE) */
    bool secret;      /* a new file is for its owner only (mode 0600) */
    bool if_changed;  /* leave a target with these very bytes untouched */
    /*
     * Buffer what goes to standard output, a device or a FIFO until
     * output_commit(), so that a failure writes nothing.
     */
    bool whole;
    /*
     * Called with the name of the temporary file when it is created, and with
     * null when it no longer exists, so that a signal handler can
     * unlinkat(dir, temp).
     */
    void (*on_temp)(void *ctx, int dir, const char *temp);
    void *ctx;
};

struct output;

/* Opens the output.  *out is null after a failure. */
bool output_open(struct output **out, const struct output_opts *opts,
                 struct prof_err *err);

/*
 * Whether `path` is a file whose owner or group is not that of this process:
 * in the sandbox (io/sandbox.h), a new file cannot be given this owner.
 */
bool output_has_other_owner(const char *path);

/*
 * Returns the file descriptor that a path names, or -1:
 *
 *      /dev/fd/N, /proc/self/fd/N   N
 *      /dev/stdout, /dev/stderr     1, 2
 *
 * Such a file is not replaced, because other programs may have it open and
 * continue to write to it.
 */
int output_descriptor(const char *path);

/*
 * Returns the directory (malloc'ed) of the file that output_open() would
 * replace or create at `path`, with symbolic links resolved.  Null with *err
 * set on failure.
 */
char *output_directory(const char *path, struct prof_err *err);

/* Returns the sink that writes to the output, which owns it. */
struct sink *output_sink(struct output *out);

/*
 * Writes the bytes as the sink does, with less copying: if they are buffered
 * until the commit, the memory of *bytes is taken over and *bytes zeroed.
 */
bool output_write_owned(struct output *out, struct buf *bytes,
                        struct prof_err *err);

/*
 * Writes what is buffered, syncs and renames.  Standard output is closed and
 * replaced by /dev/null.  Frees the output, after a failure too; the target is
 * then unchanged.  If the reader closed the pipe (EPIPE), *err is
 * PROF_ERR_SYSTEM and output_is_epipe() is true.
 */
bool output_commit(struct output *out, struct prof_err *err);
bool output_is_epipe(const struct prof_err *err);

/* Frees the output and removes the temporary file. */
void output_abort(struct output *out);

/* Writes all n bytes, even to a descriptor that does not block. */
bool fd_write(int fd, const void *bytes, size_t n, struct prof_err *err);

#endif
