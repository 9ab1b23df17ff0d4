/*
 * difference.h - which samples of a difference of profiles are of its base
 *
 * Where a base is subtracted so that percentages are of it, its samples get
 * the label pprof::base=true, as in pprof.
 */
#ifndef PROFUTILS_PROFILE_DIFFERENCE_H
#define PROFUTILS_PROFILE_DIFFERENCE_H

#include "profile/profile.h"

#define PROF_BASE_KEY "pprof::base"
#define PROF_BASE_VALUE "true"

/*
 * *is_base becomes an array that says of each label set whether it has the
 * label, to be freed; or null where no set has it.  False: out of memory.
 */
bool prof_base_sets(const struct profile *p, bool **is_base);

#endif
