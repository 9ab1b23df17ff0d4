/*
 * gperf_glue.h - several profiles that one file holds
 *
 * Private to gperf*.c.  A process that forks without exec shares its open
 * profile with the child, and both write theirs at the end: the child what
 * it inherited, for its clock does not run, the parent all of it.  The same
 * file comes of `cat`, and nothing in it tells the one from the other.
 */
#ifndef PROFUTILS_IMPORT_GPERF_GLUE_H
#define PROFUTILS_IMPORT_GPERF_GLUE_H

#include "profile/profile.h"

/*
 * Adds up the n profiles in *out, which is initialised here, and warns of
 * those whose samples the one with the most samples has too, count for
 * count; with no_inherited these are left out instead.
 */
bool gperf_glue(const struct profile *parts, size_t n, bool no_inherited,
                struct profile *out, const struct notes *notes,
                struct err *err);

#endif
