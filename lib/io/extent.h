/*
 * extent.h - how much of a file its zip or 7z archive is (lib/io only)
 *
 * libarchive looks for the directory and reads what that has.  A zip archive in
 * front of another, or anything behind one, it passes over.
 *
 * zip: APPNOTE.TXT of PKWARE, 4.3.14 to 4.3.16; 7z: 7zFormat.txt of the LZMA
 * SDK, "SignatureHeader".
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

struct extent {
    uint64_t before; /* bytes in front of the archive */
    uint64_t behind; /* bytes behind it; 0 if all of them are zeros */
    /*
     * What libarchive has to see of the file: it looks for the end of a zip
     * archive's directory in the last 16 KiB only, where a comment may be.
     */
    uint64_t needed;
};

/*
 * Nothing is before or behind an archive that is damaged, or made in a way that
 * is not known here.  What zip has for volumes, of which this is the only one,
 * is part of it.  False: what the system refuses, in *err.
 */
bool extent_of(struct extent *x, enum sniff kind, const struct extent_file *f,
               struct err *err);

#endif
