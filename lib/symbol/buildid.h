/*
 * buildid.h - build ids for profiles that came without
 */
#ifndef PROFUTILS_SYMBOL_BUILDID_H
#define PROFUTILS_SYMBOL_BUILDID_H

#include "profile/profile.h"

/*
 * Gives each mapping that has a file name and no build id that of the ELF
 * file with this name, as it is now.  Files that cannot be read or have none
 * are mentioned as information.
 */
bool sym_read_build_ids(struct profile *p, const struct notes *notes,
                        struct err *err);

#endif
