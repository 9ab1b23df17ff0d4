/*
 * detail.h - less detail: granularity, and file names without prefixes
 */
#ifndef PROFUTILS_PROFILE_DETAIL_H
#define PROFUTILS_PROFILE_DETAIL_H

#include "profile/profile.h"

/*
 * What a granularity keeps, as pprof's options of these names:
 *
 *                 address  line  file  function name
 *   addresses        x      x     x         x
 *   lines                   x     x         x
 *   filefunctions                 x         x
 *   functions                               x
 *   files                         x
 *
 * Mappings are always kept.  Columns are kept with addresses unless
 * no_inlines, and with lines if show_columns.
 */
enum prof_granularity {
    PROF_ADDRESSES,
    PROF_LINES,
    PROF_FUNCTIONS,
    PROF_FILEFUNCTIONS,
    PROF_FILES,
};

struct prof_detail {
    enum prof_granularity granularity;
    bool no_inlines;   /* keep only the outermost line of a location */
    bool show_columns; /* lines keep their columns */
    /* Functions keep their start lines at any granularity, as in pprof, whose
     * -files rows differ by them.  Otherwise they go with the lines. */
    bool keep_start_lines;
};

/*
 * Clears in place what is not kept.  Locations that become equal stay
 * separate until the profile is merged or reported.
 */
void prof_aggregate(struct profile *p, const struct prof_detail *detail);

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

/* Removes these prefixes from the file names of all functions. */
bool prof_trim_paths(struct profile *p, const char *dirs, const char *search,
                     struct err *err);

#endif
