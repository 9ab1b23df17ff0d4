/*
 * output.h - where results go: standard output, or a file made whole
 *
 * A named output is written to a temporary file beside the target (O_EXCL,
 * mode by umask or that of the file replaced), synced and renamed over it by
 * output_commit().  Until then the old file stands.  A symbolic link is
 * followed, so that its target is replaced; devices, FIFOs and sockets are
 * written to directly.  output_abort(), or closing without a commit, leaves
 * nothing behind.
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
     * Told the temporary name when it comes into being, and null when it is
     * gone, so that a signal handler can unlinkat(dir, temp).
     */
    void (*on_temp)(void *ctx, int dir, const char *temp);
    void *ctx;
};

struct output;

bool output_open(struct output **out, const struct output_opts *opts,
                 struct err *err);

/* The output as a sink; belongs to the output. */
struct sink *output_sink(struct output *out);

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

#endif
