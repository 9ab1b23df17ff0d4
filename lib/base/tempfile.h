/*
 * tempfile.h - temporary files without names
 *
 * A temporary file is in the directory TMPDIR (default: /tmp) and only this
 * user can read it.  It has no name, so the system removes it when the program
 * ends, even after SIGKILL.
 *
 *      tempfile_open(&t, &err)
 *      tempfile_put(&t, bytes, n, &err)       appends, through a buffer
 *      tempfile_flush(&t, &err)               writes the buffer
 *      tempfile_read(&t, at, to, n, &err)     reads from any offset; only what
 *                                             was flushed
 *      tempfile_close(&t)                     frees the space on disk
 *
 * Errors: PROF_ERR_SYSTEM; the message names the directory.
 */
#ifndef PROFUTILS_BASE_TEMPFILE_H
#define PROFUTILS_BASE_TEMPFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { TEMPFILE_BUFFER = 64 * 1024 };

struct tempfile {
    int fd;
    uint64_t size;  /* bytes, including those in the buffer */
    uint8_t *block; /* the buffer, of TEMPFILE_BUFFER bytes; or null */
    size_t n;       /* bytes in the buffer, not yet in the file */
};

/* The directory of these files: TMPDIR or /tmp. */
const char *tempfile_directory(void);

/*
 * tempfile_open() overwrites *t.  tempfile_close() also accepts a zeroed *t and
 * one that failed to open, and zeroes it.
 */
bool tempfile_open(struct tempfile *t, struct prof_err *err);
void tempfile_close(struct tempfile *t);

bool tempfile_put(struct tempfile *t, const void *bytes, size_t n,
                  struct prof_err *err);

/* Writes the buffer to the file, and frees it. */
bool tempfile_flush(struct tempfile *t, struct prof_err *err);

/* Reads the n bytes at offset `at`; fewer are an error. */
bool tempfile_read(const struct tempfile *t, uint64_t at, void *to, size_t n,
                   struct prof_err *err);

/*
 * tempfile_map() maps the whole flushed file as read-only memory, until
 * tempfile_unmap().  Null: the file is empty, or the call failed and *err is
 * set.
 *
 * tempfile_forget() removes the pages from the memory of the process; they can
 * be read as before.  Both accept null.
 */
const void *tempfile_map(const struct tempfile *t, struct prof_err *err);
void tempfile_unmap(const struct tempfile *t, const void *map);
void tempfile_forget(const struct tempfile *t, const void *map);

#endif
