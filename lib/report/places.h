/*
 * places.h - appends the origin of the code to names of functions
 *
 * Both functions append a suffix to the names of all functions of *p.  If a
 * function gets several suffixes, because two programs have it, it is split
 * into several functions, which reports then show separately.
 */
#ifndef PROFUTILS_REPORT_PLACES_H
#define PROFUTILS_REPORT_PLACES_H

#include "profile.h"

/* For --folded=annotations: appends "_[k]", "_[j]", "_[i]" or "_[0]"
 * (formats/folded/folded.h explains them). */
bool places_annotate(struct profile *p, struct prof_err *err);

/*
 * For --mappings: appends " [k] " for the kernel or " [.] " for others, and the
 * file of the mapping without its directory, as perf report does.  Frames
 * without a name or a mapping do not change.
 */
bool places_add_mappings(struct profile *p, struct prof_err *err);

#endif
