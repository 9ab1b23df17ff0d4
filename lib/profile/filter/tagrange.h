/*
 * tagrange.h - ranges of numbers with units: 32kb, :64kb, 4mb:, 12kb:64mb
 *
 * Read and compared as pprof does: the second number is put into the unit
 * of the first, a number without a unit stands for one of a unit that does
 * not scale, and both ends belong to the range.
 */
#ifndef PROFUTILS_PROFILE_TAGRANGE_H
#define PROFUTILS_PROFILE_TAGRANGE_H

#include <stdint.h>

#include "base/err.h"

struct tag_range {
    double least, most; /* infinite where the range is open */
    char *unit;         /* owned */
};

/*
 * 1: text is a range, now in *r; 0: it is none; -1: a number in it does not
 * fit 64 bits, or memory is out.
 */
int tag_range_parse(struct tag_range *r, const char *text, struct err *err);
void tag_range_free(struct tag_range *r);

bool tag_range_has(const struct tag_range *r, int64_t value, const char *unit);

#endif
