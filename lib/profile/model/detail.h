/*
 * detail.h - less detail: granularity, and file names without prefixes
 */
#ifndef PROFUTILS_PROFILE_MODEL_DETAIL_H
#define PROFUTILS_PROFILE_MODEL_DETAIL_H

#include "profile/model/columns.h"

/*
 * Prefixes of file names, by the rules of pprof's -trim_path and -source_path
 * (trimPath() in internal/report/source.go of
 * https://github.com/google/pprof): files are found on this machine by names
 * of the machine that built the program.  `dirs` and `search` are lists of
 * directories separated by colons, or null.
 */

/*
 * Returns the next element of the list at *list, its length in *n, and
 * advances *list; null, and *list null, at the end.  Elements may be empty: ""
 * is one.
 */
const char *prof_next_dir(const char **list, size_t *n);

/*
 * The length of the prefix to remove from name[0 .. len):
 *   with `dirs`     the first of them that the name begins with
 *   without `dirs`  up to and including the last part of the first directory
 *                   of `search` whose last part is a directory in the name:
 *                   /home/me/proj finds proj/a.c in /build/proj/a.c
 *   otherwise       /proc/self/cwd/./ or /proc/self/cwd/
 */
size_t prof_trim_path(const char *name, size_t len, const char *dirs,
                      const char *search);

#endif
