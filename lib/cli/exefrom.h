/*
 * exefrom.h - where patterns say that the executable of a profile is
 *
 * A pattern is a file name in which these stand for parts of the profile's
 * own:
 *
 *   {dir}     its directory, "." if its name has none
 *   {parent}  the last part of that directory
 *   {name}    its name without the directory
 *   {stem}    the same without the suffix: what follows the last dot, when
 *             that of a compression (.gz .bz2 .xz .zst .lz4) is off; so
 *             prog.1234 of GMON_OUT_PREFIX=prog is prog
 *
 * A pattern that begins with neither {dir} nor a slash is relative to {dir}:
 * "prog" is "{dir}/prog".  For a profile in an archive the result is the
 * name of an entry, where a leading slash is the top of the archive; for
 * another it is a file name.
 */
#ifndef PROFUTILS_CLI_EXEFROM_H
#define PROFUTILS_CLI_EXEFROM_H

#include "base/buf.h"

/* ERR_USAGE if this is no pattern. */
bool exefrom_check(const char *pattern, struct err *err);

/*
 * What the pattern makes of a profile's name, NUL-terminated, in *to, that
 * held something else before: 1; or 0 where that says nothing, and *why says
 * why: a part that the name does not have, or a name outside the archive.  -1:
 * memory. path      of the profile or entry; null: it has none (standard
 * input), which leaves {dir}, the current directory is_entry  the names are
 * those of entries, as exefrom_entry() has them
 */
int exefrom_expand(const char *pattern, const char *path, bool is_entry,
                   struct buf *to, const char **why);

/*
 * An entry's name by which it is known, NUL-terminated: no "./", and ".." only
 * in front, of one that leads out of the archive.
 */
bool exefrom_entry(const char *entry, struct buf *to);

/* Whether an entry can be what the pattern makes of some profile's name. */
bool exefrom_may_be(const char *pattern, const char *entry);

#endif
