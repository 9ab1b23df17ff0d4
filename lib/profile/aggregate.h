/*
 * aggregate.h - giving up detail: addresses, lines, files, inlined frames
 *
 * prof_aggregate() does what pprof's granularity options do: it blanks, in
 * place, what the granularity does not tell apart.  Locations that become
 * equal stay separate entities until the profile is merged or reported.
 *
 *                 address  line  file  function name
 *   addresses        x      x     x         x
 *   lines                   x     x         x
 *   filefunctions                 x         x
 *   functions                               x
 *   files                         x
 *
 * The mapping is kept throughout.  Columns go together with addresses,
 * unless show_columns; with addresses they go only under no_inlines, where
 * pprof drops them as well.
 */
#ifndef PROFUTILS_PROFILE_AGGREGATE_H
#define PROFUTILS_PROFILE_AGGREGATE_H

#include "profile/profile.h"

enum prof_granularity {
    PROF_ADDRESSES,
    PROF_LINES,
    PROF_FUNCTIONS,
    PROF_FILEFUNCTIONS,
    PROF_FILES,
};

/* "addresses", "lines", ... to *g; false when it is none of them. */
bool prof_granularity_parse(const char *name, enum prof_granularity *g);

struct prof_detail {
    enum prof_granularity granularity;
    bool no_inlines;   /* keep only the outermost line of a location */
    bool show_columns; /* lines keep their columns */
    /*
     * Functions keep the line they start at whatever the granularity, as in
     * pprof, whose -files rows differ by it.  Otherwise it goes with the
     * line, so that what looks the same is the same.
     */
    bool keep_start_lines;
};

/* Cannot fail: it only blanks. */
void prof_aggregate(struct profile *p, const struct prof_detail *detail);

#endif
