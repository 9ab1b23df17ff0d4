/*
 * prof_check.h - whether the references within a profile are good
 */
#ifndef PROFUTILS_TESTS_PROF_CHECK_H
#define PROFUTILS_TESTS_PROF_CHECK_H

#include "profile/profile.h"

/*
 * Walks everything that refers to something: string ids, mappings of
 * locations, functions of lines, lines of locations, frames and label sets
 * of samples, and the offsets that divide the columns; and that label sets
 * are in their order, that there are value types if there are samples, and
 * that string 0 is empty.  False with *err (ERR_INPUT) naming the first
 * thing that does not hold; a profile that the library made always does.
 */
bool prof_check(const struct profile *p, struct err *err);

#endif
