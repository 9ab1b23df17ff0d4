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

/*
 * Divides the value with this index by the first one of the same sample,
 * which counts events, and keeps only the quotient; a count of 0 divides
 * nothing.  The type is renamed mean_TYPE.  Equal samples should have been
 * summed before, and means must not be summed.
 */
bool prof_mean(struct profile *p, size_t index, struct prof_err *err);

/* Divides every value by `divisor`, above 0, as pprof does. */
bool prof_divide(struct profile *p, double divisor, struct prof_err *err);

/* Sets *total to the sum of a type's values.  False if it overflows. */
bool prof_total(const struct profile *p, size_t type, int64_t *total);

/*
 * Scales each type to the total of the same type in *base, as pprof's
 * -normalize does: by base total / own total, 0 where the own total is 0.
 * PROF_ERR_INPUT if the base lacks a type.
 */
bool prof_normalize(struct profile *p, const struct profile *base,
                    struct prof_err *err);

#endif
