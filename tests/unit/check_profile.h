/*
 * check_profile.h - whether the references within a profile are good
 */
#ifndef PROFUTILS_TESTS_CHECK_PROFILE_H
#define PROFUTILS_TESTS_CHECK_PROFILE_H

#include <stdlib.h>

#include "profile/model/build.h"

/*
 * Walks everything that refers to something: string ids, mappings of
 * locations, functions of lines, lines of locations, frames and label sets
 * of samples, the offsets that divide the columns, and what stacks share; and
 * that label sets are in their order, that there are value types if there are
 * samples, and that string 0 is empty.  False with *err (PROF_ERR_INPUT) naming
 * the first thing that does not hold; a profile that the library made always
 * does.
 */
bool check_profile(const struct profile *p, struct prof_err *err);

/* Moves what a function returned, unless that is null, to *to. */
static inline bool take_profile(struct profile *to, struct profile *from)
{
    if (from)
        *to = *from;
    free(from);
    return from;
}

#endif
