/*
 * seekable.h - a file that can be read at any offset, or bytes in memory
 * (lib/io only)
 */
#ifndef PROFUTILS_IO_SEEKABLE_H
#define PROFUTILS_IO_SEEKABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct seekable {
    int fd; /* or -1: the bytes are in memory, at */
    const uint8_t *data;
    uint64_t n; /* bytes in all */
};

/*
 * Reads the n bytes at offset `at`, which must be there.  Bytes of a file that
 * has become shorter are zeros.
 */
bool seekable_read(const struct seekable *f, uint64_t at, uint8_t *to, size_t n,
                   struct err *err);

/* Sets *trailing to the number of bytes from `at` on; 0 if all are zeros. */
bool seekable_trailing(const struct seekable *f, uint64_t at,
                       uint64_t *trailing, struct err *err);

/* A little-endian number of up to 8 bytes. */
static inline uint64_t le_bytes(const uint8_t *p, int bytes)
{
    uint64_t v = 0;
    while (bytes--)
        v = v << 8 | p[bytes];
    return v;
}

#endif
