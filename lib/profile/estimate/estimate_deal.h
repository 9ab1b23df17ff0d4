/*
 * est_deal.h - a function's bins dealt out over its paths
 *
 * A table with a row for each bin and a column for each path.  Each cell is
 * the whole part of total of the bin * share of the path; what that leaves
 * over is dealt so that each row adds up to the bin's total exactly, and
 * each column to the path's part of all, divided by largest remainder, and
 * so that each column's are spread evenly over the rows.
 */
#ifndef PROFUTILS_PROFILE_ESTIMATE_DEAL_H
#define PROFUTILS_PROFILE_ESTIMATE_DEAL_H

#include "base/err.h"
#include "base/sort.h"
#include "profile/estimate/estimate_paths.h"

struct est_deal {
    const uint64_t *total, *share;
    size_t n_rows, n_columns;
    struct radix_item *extra; /* id: the column that gets one more */
    size_t row, n_used;
};

/*
 * Begins a table; total[0 .. n_rows) and share[0 .. n_columns) must stay
 * until it ends.  The totals' sum must fit 64 bits; the shares' is
 * EST_WHOLE.  est_deal_end() must be called, also after a failure, which
 * means that memory is out.
 */
bool est_deal_begin(struct est_deal *d, const uint64_t *total, size_t n_rows,
                    const uint64_t *share, size_t n_columns, struct err *err);
void est_deal_end(struct est_deal *d);

/* The cells of the next row, n_columns of them. */
void est_deal_row(struct est_deal *d, uint64_t *cell);

#endif
