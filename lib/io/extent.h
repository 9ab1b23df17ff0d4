/*
 * extent.h - how much of a file its 7z archive is (lib/io only)
 *
 * libarchive looks for the directory and reads what that has.  It passes over
 * anything behind the archive.
 *
 * 7zFormat.txt of the LZMA SDK, "SignatureHeader".
 */
#ifndef PROFUTILS_IO_EXTENT_H
#define PROFUTILS_IO_EXTENT_H

#include "base/err.h"
#include "io/sniff.h"

/* A file of n bytes that can seek, or, if fd is -1, bytes in memory. */
struct extent_file {
    int fd;
    const uint8_t *data;
    uint64_t n;
};

/* A number of so many bytes, the lowest first. */
uint64_t extent_le(const uint8_t *p, int bytes);

/* The n bytes at `at`, which the file has; what it has lost is zeros. */
bool extent_read(const struct extent_file *f, uint64_t at, uint8_t *to,
                 size_t n, struct err *err);

/* How many bytes stand from `at` on; 0 if all of them are zeros. */
bool extent_behind(const struct extent_file *f, uint64_t at, uint64_t *behind,
                   struct err *err);

/*
 * Where the 7z archive at the start of the file ends by its header; the end of
 * the file where that is not known.
 */
bool extent_of_7z(const struct extent_file *f, uint64_t *end, struct err *err);

#endif
