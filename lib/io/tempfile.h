/*
 * tempfile.h - a temporary file without a name
 *
 * It is in TMPDIR, or else in /tmp, only this user can read it, and nothing is
 * left of it however the program ends.
 *
 *      tempfile_open(&t, &err)
 *      tempfile_put(&t, bytes, n, &err)       appends, through a buffer
 *      tempfile_flush(&t, &err)               after this:
 *      tempfile_read(&t, at, to, n, &err)     reads from any offset
 *      tempfile_close(&t)                     frees the space on disk
 *
 * Errors: ERR_SYSTEM, with the directory.
 */
#ifndef PROFUTILS_IO_TEMPFILE_H
#define PROFUTILS_IO_TEMPFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { TEMPFILE_BUFFER = 64 * 1024 };

struct tempfile {
    int fd;
    uint64_t size;  /* bytes, those in the buffer included */
    uint8_t *block; /* TEMPFILE_BUFFER bytes; the first n are not written */
    size_t n;
};

/* Of all temporary files but those in the directory of an output. */
const char *tempfile_directory(void);

/* After a failure *t may be closed, and so may a zeroed one. */
bool tempfile_open(struct tempfile *t, struct err *err);
void tempfile_close(struct tempfile *t);

bool tempfile_put(struct tempfile *t, const void *bytes, size_t n,
                  struct err *err);

/* Writes the buffer, and frees it. */
bool tempfile_flush(struct tempfile *t, struct err *err);

/* The n bytes at `at`, which must exist. */
bool tempfile_read(const struct tempfile *t, uint64_t at, void *to, size_t n,
                   struct err *err);

/*
 * The whole file as read-only memory, until tempfile_unmap().  Null if it is
 * empty, or *err is set.  tempfile_forget() gives the process's share of the
 * page cache back; the bytes can be read as before.
 */
const void *tempfile_map(const struct tempfile *t, struct err *err);
void tempfile_unmap(const struct tempfile *t, const void *map);
void tempfile_forget(const struct tempfile *t, const void *map);

#endif
