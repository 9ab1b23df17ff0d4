/*
 * trimpath.h - shorter file names
 *
 * Source files are found on the machine where a report is read by names of
 * the machine where the program was built.  The rules are those of pprof's
 * -trim_path and -source_path (trimPath() in internal/report/source.go of
 * https://github.com/google/pprof).
 *
 * `dirs` and `search` are lists of directories with colons between, or null.
 */
#ifndef PROFUTILS_PROFILE_TRIMPATH_H
#define PROFUTILS_PROFILE_TRIMPATH_H

#include "profile/profile.h"

/*
 * The next element of a list of directories at *list, which moves on: its
 * start, its length in *n.  An element may be empty.  Null when none is left,
 * and *list then too; a list that is null has none, but "" has an empty one.
 */
const char *prof_next_dir(const char **list, size_t *n);

/*
 * How many bytes to take off name[0 .. len).  Without `dirs`, all up to and
 * including the last part of the first directory of `search` whose last part
 * is that of a directory in the name as well: /home/me/proj finds
 * proj/a.c in /build/proj/a.c.  Otherwise the first of `dirs` that the name
 * begins with; behind them come /proc/self/cwd/./ and /proc/self/cwd/.
 */
size_t prof_trim_path(const char *name, size_t len, const char *dirs,
                      const char *search);

/* Takes that off the file names of all functions. */
bool prof_trim_paths(struct profile *p, const char *dirs, const char *search,
                     struct err *err);

#endif
