/*
 * listing.h - what --list and --disasm print in the same way
 *
 * Both have a block for each function with a line that sums it up, then lines
 * with a flat and a cumulative value before the text.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_LISTING_H
#define PROFUTILS_REPORT_LISTING_H

#include "report/out.h"

/*
 * Adds what a node weighs, values and divisors.  ERR_INPUT when that does not
 * fit 64 bits, which is possible where a function calls itself.
 */
bool listing_add(struct graph_weight *sum, const struct graph_weight *w,
                 struct err *err);

/* "Total: 1.20s". */
bool listing_total(struct report *r);

/* "      10ms      1.10s (flat, cum) 91.67% of Total". */
bool listing_head(struct report *r, const struct graph_weight *sum);

/* "      10ms          . ", with a dot for nothing. */
bool listing_values(struct report *r, const struct graph_weight *sum);

#endif
