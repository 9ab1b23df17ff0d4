/*
 * zip_directory.h - the directory at the end of a zip file (lib/io only)
 *
 * libarchive gives up a zip archive at the first damaged entry header, and
 * does not compare what it read with the number of entries that the archive
 * should have.  So the directory is read here, and given to libarchive in
 * portions: after a failure the next portion begins behind the failed entry.
 *
 * APPNOTE.TXT of PKWARE, 4.3.12 to 4.3.16.
 */
#ifndef PROFUTILS_IO_ZIP_DIRECTORY_H
#define PROFUTILS_IO_ZIP_DIRECTORY_H

#include "base/buf.h"
#include "base/vec.h"
#include "io/seekable.h"

/* What the directory says of one entry. */
struct zip_record {
    uint64_t offset;  /* of the entry, from the start of the archive */
    uint64_t at;      /* offset of the record in the file */
    uint32_t n_name;  /* bytes of the name, which follows the fixed part */
    uint32_t n_extra; /* and of the extra fields after it */
};

struct zip_directory {
    struct seekable file;
    uint64_t origin; /* where the archive starts in the file */
    uint64_t before; /* bytes of something else in front of the archive */
    uint64_t behind; /* and behind it; 0 if all of them are zeros */
    uint64_t start;  /* of the directory, from the start of the archive */
    VEC(struct zip_record) records; /* by offset, one for each */
    uint64_t said;                  /* how many there should be */
    bool damaged;                   /* there are not as many */
};

/* ERR_INPUT where there is no directory.  Free *d in any case. */
bool zip_directory_read(struct zip_directory *d, const struct seekable *f,
                        struct err *err);

/*
 * Replaces *to by a directory of at most *n records from `from` on, for an
 * archive whose entries end at d->start.  *n becomes their number.
 */
bool zip_directory_part(const struct zip_directory *d, size_t from, size_t *n,
                        struct buf *to, struct err *err);

/* A copy of the name in record i; null: *err. */
char *zip_directory_name(const struct zip_directory *d, size_t i,
                         struct err *err);

void zip_directory_free(struct zip_directory *d);

#endif
