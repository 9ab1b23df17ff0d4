/*
 * values.h - choosing and dividing the values of samples
 *
 * All work in place.  Overflow is ERR_INPUT; the profile is then only good
 * for freeing.
 */
#ifndef PROFUTILS_PROFILE_VALUES_H
#define PROFUTILS_PROFILE_VALUES_H

#include "profile/profile.h"

/* Keeps the value type with this index, which is then the only one. */
void prof_keep_type(struct profile *p, size_t index);

/*
 * Divides the value with this index by the first one of the same sample,
 * which says how many times it was counted, and keeps only that.  The type
 * is renamed to mean_TYPE.  Rounds towards zero; where the count is 0 the
 * value stays.  What is meant is the mean of equal samples, so the profile
 * should have them summed up; a mean must not be summed up afterwards.
 */
bool prof_mean(struct profile *p, size_t index, struct err *err);

/*
 * Divides every value by `divisor`, above 0, as pprof does: times 1/divisor
 * as a double, rounded towards zero.
 */
bool prof_divide(struct profile *p, double divisor, struct err *err);

#endif
