/*
 * places.h - names of functions that say where their code comes from
 *
 * Both functions append a suffix to the names of all functions.  A function
 * that gets several suffixes, as main() of two programs, becomes several
 * functions, which reports keep apart.
 */
#ifndef PROFUTILS_REPORT_PLACES_H
#define PROFUTILS_REPORT_PLACES_H

#include "profile.h"

/* For --folded=annotations: "_[k]", "_[j]", "_[i]" and "_[0]". */
bool places_annotate(struct profile *p, struct prof_err *err);

/*
 * For --mappings: " [k] [kernel.kallsyms]" or " [.] prog", the mark and the
 * file of the mapping without its directory, as perf report prints them.
 * Frames without a name or a mapping stay as they are.
 */
bool places_add_mappings(struct profile *p, struct prof_err *err);

#endif
