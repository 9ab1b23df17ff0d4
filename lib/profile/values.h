/*
 * values.h - values of samples: picked, divided, scaled, added up
 *
 * All functions that change values work in place.  An overflow is ERR_INPUT;
 * the profile is then partly changed and only good for prof_free().
 *
 *   function          each value becomes              rounding
 *   prof_mean()       value / first value             towards zero
 *   prof_divide()     value * (1 / divisor), double   towards zero
 *   prof_scale()      value * num / den, exact        halves away from zero
 *   prof_normalize()  value * factor, double          halves away from zero
 */
#ifndef PROFUTILS_PROFILE_VALUES_H
#define PROFUTILS_PROFILE_VALUES_H

#include "profile/profile.h"

/*
 * The value type that --sample-index asks for: a name, with or without inuse_
 * before it, or an index from 0; null or "" is the default type.  ERR_USAGE
 * for anything else, ERR_INPUT when the profile has no types.
 */
bool prof_pick_type(const struct profile *p, const char *asked, size_t *index,
                    struct err *err);

/*
 * Keeps the value type with this index, which is then the only one; the profile
 * names no default, so that it equals that of other defaults.
 */
void prof_keep_type(struct profile *p, size_t index);

/*
 * Divides the value with this index by the first one of the same sample,
 * which counts events, and keeps only the quotient; a count of 0 divides
 * nothing.  The type is renamed mean_TYPE.  Equal samples should have been
 * summed before, and means must not be summed.
 */
bool prof_mean(struct profile *p, size_t index, struct err *err);

/* Divides every value by `divisor`, above 0, as pprof does. */
bool prof_divide(struct profile *p, double divisor, struct err *err);

/* num / den, den > 0; products have 128 bits. */
struct prof_ratio {
    int64_t num, den;
};

/*
 * A decimal number such as "3", "-1" or "0.25", of at most 18 digits.  False
 * when the text is anything else.
 */
bool prof_ratio_parse(const char *text, struct prof_ratio *ratio);

/* Multiplies every value by the ratio. */
bool prof_scale(struct profile *p, struct prof_ratio ratio, struct err *err);

/* Sets *total to the sum of a type's values.  False if it overflows. */
bool prof_total(const struct profile *p, size_t type, int64_t *total);

/* Sets totals[0 .. p->n_types).  ERR_INPUT if a sum overflows. */
bool prof_totals(const struct profile *p, int64_t *totals, struct err *err);

/*
 * Scales each type to the total of the same type in *base, as pprof's
 * -normalize does: by base total / own total, 0 where the own total is 0.
 * ERR_INPUT if the base lacks a type.
 */
bool prof_normalize(struct profile *p, const struct profile *base,
                    struct err *err);

#endif
