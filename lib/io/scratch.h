/*
 * scratch.h - bytes put aside in a temporary file that has no name
 *
 * The file is in TMPDIR, or else in /tmp, and only this user can read it.
 * It loses its name before anything is in it, so that however the program
 * ends nothing is left; its space is free again when it is closed.
 *
 * Bytes are appended through a buffer, and read from any place once
 * scratch_flush() has been called.  Failures are ERR_SYSTEM and name the
 * directory.
 */
#ifndef PROFUTILS_IO_SCRATCH_H
#define PROFUTILS_IO_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { SCRATCH_BUFFER = 64 * 1024 };

struct scratch {
    int fd;
    uint64_t size;  /* bytes so far, those in the buffer too */
    uint8_t *block; /* SCRATCH_BUFFER bytes, n of which wait to be written */
    size_t n;
};

/* Where all temporary files are that are not beside an output. */
const char *scratch_directory(void);

/* On failure *s is safe to close, and so is one that is all zero. */
bool scratch_open(struct scratch *s, struct err *err);
void scratch_close(struct scratch *s);

bool scratch_put(struct scratch *s, const void *bytes, size_t n,
                 struct err *err);

/* Writes what waits, and frees the buffer until more is put. */
bool scratch_flush(struct scratch *s, struct err *err);

/* Bytes [at, at + n), which must be there. */
bool scratch_read(const struct scratch *s, uint64_t at, void *to, size_t n,
                  struct err *err);

/* Replaces them by others. */
bool scratch_replace(struct scratch *s, uint64_t at, const void *bytes,
                     size_t n, struct err *err);

/*
 * All bytes as memory that may be read until scratch_unmap(); they are in the
 * page cache, and in the process only as long as nobody calls
 * scratch_forget(), after which they come back when they are read again.
 * Null for a file without bytes, and on failure: then *err is set.
 */
const void *scratch_map(const struct scratch *s, struct err *err);
void scratch_unmap(const struct scratch *s, const void *map);
void scratch_forget(const struct scratch *s, const void *map);

#endif
