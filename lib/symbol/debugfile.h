/*
 * debugfile.h - the separate debug file of a stripped binary
 */
#ifndef PROFUTILS_SYMBOL_DEBUGFILE_H
#define PROFUTILS_SYMBOL_DEBUGFILE_H

#include "symbol/image.h"

/*
 * Opens the debug file of *im in *debug when *im has no DWARF; otherwise, or
 * if there is none to be found, debug->path stays null.  By build id under
 * ROOT/.build-id for each directory of `path` and /usr/lib/debug, then by
 * .gnu_debuglink beside the binary, in .debug beside it, and under each
 * ROOT.  A file that is there but does not belong to *im is a warning.
 * False when the system fails: whether there is one is not known.
 */
bool sym_find_debug(struct sym_image *debug, const struct sym_image *im,
                    const char *path, const struct notes *notes,
                    struct err *err);

#endif
