/*
 * minidebug.h - the symbols that a stripped binary has in .gnu_debugdata
 *
 * Fedora and its kin leave them in all that they ship: the section is an ELF
 * file, compressed with xz, whose .symtab has the functions that .dynsym has
 * not.  See "Debugging with GDB", MiniDebugInfo.
 */
#ifndef PROFUTILS_SYMBOL_MINIDEBUG_H
#define PROFUTILS_SYMBOL_MINIDEBUG_H

#include "symbol/image.h"

/*
 * Opens in *mini the file that *im has in the section; without one mini->path
 * stays null.  One that cannot be read, or is larger than 256 MiB, is a
 * warning.  False when the system fails.
 */
bool sym_minidebug_open(struct sym_image *mini, const struct sym_image *im,
                        const struct notes *notes, struct err *err);

#endif
