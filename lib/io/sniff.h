/*
 * sniff.h - what bytes are, by how they begin (lib/io only)
 *
 * Only what is certain counts: a tar header's checksum must hold, a cpio
 * header's fields must make sense.  Profiles of old formats begin with
 * arbitrary words, and none of them may be taken for an archive.
 */
#ifndef PROFUTILS_IO_SNIFF_H
#define PROFUTILS_IO_SNIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sniff {
    SNIFF_RAW, /* none of the others */
    SNIFF_GZIP,
    SNIFF_ZSTD,
    SNIFF_XZ,
    SNIFF_BZIP2,
    SNIFF_LZ4,
    SNIFF_TAR,
    SNIFF_CPIO,
    SNIFF_ZIP,
    SNIFF_7Z,
    SNIFF_EMPTY_ZIP, /* one without entries, all of it seen */
};

/*
 * As many bytes as sniff() may need.  An empty tar archive is told by its
 * size; for all else the first SNIFF_HEADER do.
 */
enum { SNIFF_HEADER = 512, SNIFF_BYTES = 10240 + 1 };

/* n is less than SNIFF_BYTES only where there are no more bytes, or all
   before the first nonzero one have been seen. */
enum sniff sniff(const uint8_t *data, size_t n);

static inline bool sniff_is_archive(enum sniff s)
{
    return s >= SNIFF_TAR;
}

/* Compressed, other than by gzip. */
static inline bool sniff_is_packed(enum sniff s)
{
    return s >= SNIFF_ZSTD && s <= SNIFF_LZ4;
}

/* "tar", "zstd", ...: for messages. */
const char *sniff_name(enum sniff s);

#endif
