/*
 * aggregate.h - giving up detail: addresses, lines, files, inlined frames
 *
 * prof_aggregate() does what pprof's granularity options do: it blanks, in
 * place, what the granularity does not tell apart.  Locations that become
 * equal stay separate entities until the profile is merged or reported.
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
};

bool prof_aggregate(struct profile *p, const struct prof_detail *detail,
                    struct err *err);

#endif
