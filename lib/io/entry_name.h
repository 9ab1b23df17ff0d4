/*
 * entry_name.h - headers of entries, and names in all letters (lib/io only)
 *
 * zip and 7z have names in Unicode.  libarchive makes of them characters of
 * the locale, and the tools are in that of C, which has none but ASCII's: so
 * these headers are read in one that has all.
 */
#ifndef PROFUTILS_IO_ENTRY_NAME_H
#define PROFUTILS_IO_ENTRY_NAME_H

#include "io/archive.h"

/* Sets e->utf8 where e->kind needs it; a system may have no such locale. */
bool entry_name_begin(struct entries *e, struct err *err);
void entry_name_end(struct entries *e);

/*
 * The next header, and what libarchive says of it.  Where that is ARCHIVE_OK
 * or ARCHIVE_WARN, e->name and e->mtime are set: the name as the archive has
 * it, in UTF-8 or in whatever encoding is not said, and "?" if it cannot be
 * read.  What libarchive warns of is passed on.  errno, which is to be 0, then
 * is that of the system if there was no memory for all this.
 */
int entry_name_next(struct entries *e, struct archive_entry **entry,
                    const struct notes *notes);

/*
 * Whether libarchive, which warned of this header, found it only after bytes
 * that belong to no entry of a cpio archive.  This is not passed on.
 */
bool entry_name_is_gap(const struct entries *e);

#endif
