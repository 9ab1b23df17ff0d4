/*
 * trimpath.h - shorter file names
 */
#ifndef PROFUTILS_PROFILE_TRIMPATH_H
#define PROFUTILS_PROFILE_TRIMPATH_H

#include "profile/profile.h"

/*
 * Takes the first of the colon-separated directories that a file name
 * begins with off that name, for all functions.  Behind those of `dirs`
 * come /proc/self/cwd/./ and /proc/self/cwd/, as in pprof.
 */
bool prof_trim_paths(struct profile *p, const char *dirs, struct err *err);

#endif
