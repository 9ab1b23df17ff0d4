/*
 * tempfile.h - temporary files without names
 *
 * A temporary file is in the directory TMPDIR (default: /tmp); only this user
 * can read it.  Since it has no name, the system removes it when the program
 * ends, even after SIGKILL.
 *
 *      tempfile_open(&t, &err)
 *      tempfile_put(&t, bytes, n, &err)       appends, through a buffer
 *      tempfile_flush(&t, &err)               writes the buffer
 *      tempfile_read(&t, at, to, n, &err)     reads n bytes at offset `at`, of
 *                                             what was flushed
 *      tempfile_close(&t)                     removes the file
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

/* Returns the directory of temporary files: TMPDIR, else "/tmp". */
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

/* Reads n bytes at offset `at`; fewer bytes are an error. */
bool tempfile_read(const struct tempfile *t, uint64_t at, void *to, size_t n,
                   struct prof_err *err);

/*
 * tempfile_map() maps the whole flushed file read-only, until tempfile_unmap().
 * Null if the file is empty (t->size is 0); else after a failure, with *err
 * set.
 *
 * tempfile_forget() releases the memory of pages that were read; reading them
 * again loads them from the file.  A null `map` is allowed.
 */
const void *tempfile_map(const struct tempfile *t, struct prof_err *err);
void tempfile_unmap(const struct tempfile *t, const void *map);
void tempfile_forget(const struct tempfile *t, const void *map);

#endif
