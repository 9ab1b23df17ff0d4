/*
 * split.h - debug information of a unit that is in a .dwo file
 *
 * A skeleton in the binary has its line table and addresses, and the name of
 * the file with everything else (DWARF 5, 3.1.3; gcc -gsplit-dwarf).
 */
#ifndef PROFUTILS_SYMBOL_SPLIT_H
#define PROFUTILS_SYMBOL_SPLIT_H

#include <elfutils/libdw.h>

#include "base/err.h"

/* The name of the file, which is relative to the unit's directory, or null. */
const char *sym_split_name(Dwarf_Die *skeleton);

/*
 * The unit in the .dwo file of a skeleton whose own file is in `dir`;
 * split->addr is null where that cannot be had.  False when the system fails.
 */
bool sym_split_unit(Dwarf_Die *skeleton, const char *dir, Dwarf_Die *split,
                    struct err *err);

#endif
