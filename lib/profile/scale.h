/*
 * scale.h - multiplying the values of a profile
 *
 * For differences (base profiles count negatively) and for comparing runs
 * of different length.  Every function works in place, checks for overflow
 * (ERR_INPUT, the profile is then half done and only good for freeing) and
 * rounds halves away from zero.
 */
#ifndef PROFUTILS_PROFILE_SCALE_H
#define PROFUTILS_PROFILE_SCALE_H

#include "profile/profile.h"

/* num / den, den > 0; exact: products are taken in 128 bits. */
struct prof_ratio {
    int64_t num, den;
};

/*
 * A decimal number such as "3", "-1" or "0.25", of at most 18 digits.  False
 * when the text is anything else.
 */
bool prof_ratio_parse(const char *text, struct prof_ratio *ratio);

/* Every value times the ratio. */
bool prof_scale(struct profile *p, struct prof_ratio ratio, struct err *err);

/* The sum of a type's values; false where it does not fit. */
bool prof_total(const struct profile *p, size_t type, int64_t *total);

/* totals[0 .. p->n_types): that of each type; ERR_INPUT. */
bool prof_totals(const struct profile *p, int64_t *totals, struct err *err);

/*
 * Scales each type so that its total becomes that of the same type in
 * *base, as pprof's -normalize does: by a double, base total / own total
 * (0 when the own total is 0).  A type that base does not have is
 * ERR_INPUT.
 */
bool prof_normalize(struct profile *p, const struct profile *base,
                    struct err *err);

#endif
