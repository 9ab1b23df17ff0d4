/*
 * values.h - values of samples: picked, divided, scaled, added up
 *
 * All functions that change values work in place.  An overflow is
 * PROF_ERR_INPUT; the profile is then partly changed and only good for
 * prof_free().
 *
 *   function          each value becomes              rounding
 *   prof_mean()       value / first value             towards zero
 *   prof_divide()     value * (1 / divisor), double   towards zero
 *   prof_scale()      value * num / den, exact        halves away from zero
 *   prof_normalize()  value * factor, double          halves away from zero
 */
#ifndef PROFUTILS_PROFILE_MODEL_VALUES_H
#define PROFUTILS_PROFILE_MODEL_VALUES_H

#include "profile/model/columns.h"

/* Sets *total to the sum of a type's values.  False if it overflows. */
bool prof_total(const struct profile *p, size_t type, int64_t *total);

#endif
