/*
 * output.h - where results go: standard output, a device, or a file that is
 * replaced as a whole
 *
 *      regular file, or none     a temporary file in the same directory, which
 *                                output_commit() syncs and renames; the old
 *                                file stays until then, and its mode is kept
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
    bool binary;      /* refuse to write to a terminal (ERR_USAGE) */
    bool if_changed;  /* leave a target with these very bytes untouched */
    /*
     * Nothing goes where it could not be taken back (standard output, a
     * device, a FIFO) before output_commit().
     */
    bool whole;
    /*
     * Told the temporary name when it comes into being, and null when it is
     * gone, so that a signal handler can unlinkat(dir, temp).
     */
    void (*on_temp)(void *ctx, int dir, const char *temp);
    void *ctx;
};

struct output;

bool output_open(struct output **out, const struct output_opts *opts,
                 struct err *err);

/*
 * The N of "/dev/fd/N" and "/proc/self/fd/N", 1 and 2 of "/dev/stdout" and
 * "/dev/stderr"; -1 of other names.  A file that is open there is for others
 * to go on with: it is not replaced, and need not have a name.
 */
int output_descriptor(const char *path);

/*
 * The directory of the file that output_open() would replace or make at
 * `path`, links followed; malloc'ed.  Null and *err on failure.
 */
char *output_directory(const char *path, struct err *err);

/* The output as a sink; belongs to the output. */
struct sink *output_sink(struct output *out);

/*
 * Takes the bytes as the sink does, with less copying: what has to wait for
 * the commit is kept in *bytes's own memory, and *bytes zeroed.
 */
bool output_give(struct output *out, struct buf *bytes, struct err *err);

/*
 * Writes what is buffered, syncs and renames; standard output is closed, with
 * /dev/null in its place.  The output is freed whether
 * it worked or not; after a failure the target is as it was.  A reader that
 * went away (EPIPE) is ERR_SYSTEM with output_is_epipe() true.
 */
bool output_commit(struct output *out, struct err *err);
bool output_is_epipe(const struct err *err);

/* Gives up: frees, and removes the temporary file. */
void output_abort(struct output *out);

/* Writes all n bytes, even to a descriptor that does not block. */
bool fd_write(int fd, const void *bytes, size_t n, struct err *err);

#endif
