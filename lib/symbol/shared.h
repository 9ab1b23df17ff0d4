/*
 * shared.h - debug information that files have in common
 *
 * dwz(1) moves it to a file of its own, and leaves the name and the build id
 * of that in a section .gnu_debugaltlink of each.
 */
#ifndef PROFUTILS_SYMBOL_SHARED_H
#define PROFUTILS_SYMBOL_SHARED_H

#include "symbol/image.h"

/*
 * Opens in *shared the file that *im, which has DWARF, shares with others:
 * by the name it has there, from the directory of *im if it is relative; by
 * build id under ROOT/.build-id and by name under ROOT, for each directory of
 * `path`, which may be null; by build id under /usr/lib/debug.  Without such a
 * section shared->path stays null.  If there is no such file that is a
 * warning, and if there is another under its name, which libdw would take,
 * im->has_dwarf becomes false.  False when the system fails.
 */
bool sym_find_shared(struct sym_image *shared, struct sym_image *im,
                     const char *path, const struct notes *notes,
                     struct err *err);

/*
 * Whether a file has such a section.  A file that is shared, or a .dwo file,
 * has none; libdw would open what it names, whatever that is.
 */
bool sym_shares(Elf *elf);

#endif
