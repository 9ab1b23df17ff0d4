#include "profile/estimate/estimate_deal.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/wide.h"

/* Fills the row with whole parts; what they leave over. */
static uint64_t whole_parts(const struct est_deal *d, size_t row,
                            uint64_t *cell)
{
    uint64_t left = d->total[row];
    for (size_t i = 0; i < d->n_columns; i++) {
        cell[i] = apportion_cut(d->total[row], d->share[i], EST_WHOLE);
        left -= cell[i];
    }
    return left;
}

/*
 * How many more each column is to get, and how many they are together.  A
 * column's part of all is no less than the sum of its whole parts.
 */
static bool count_extra(const struct est_deal *d, uint64_t *more, uint64_t *n,
                        struct err *err)
{
    uint64_t sum = 0;
    uint64_t *cell = mem_array(d->n_columns, sizeof *cell);
    struct radix_item *spare = mem_array(d->n_columns, 2 * sizeof *spare);
    *n = 0;
    for (size_t row = 0; row < d->n_rows; row++)
        sum += d->total[row];
    if (cell && spare)
        apportion(sum, d->share, d->n_columns, more, spare);
    for (size_t row = 0; cell && spare && row < d->n_rows; row++) {
        *n += whole_parts(d, row, cell);
        for (size_t i = 0; i < d->n_columns; i++)
            more[i] -= cell[i];
    }
    bool ok = cell && spare;
    free(cell);
    free(spare);
    return ok || err_nomem(err);
}

/* In the order in which rows take them: each column's spread evenly. */
static bool order_extra(struct est_deal *d, const uint64_t *more, uint64_t n,
                        struct err *err)
{
    struct radix_item *spare = mem_array(n, sizeof *spare);
    d->extra = mem_array(n, sizeof *d->extra);
    if (!spare || !d->extra) {
        free(spare);
        return err_nomem(err);
    }
    size_t k = 0;
    for (size_t i = 0; i < d->n_columns; i++)
        for (uint64_t j = 0; j < more[i]; j++)
            d->extra[k++] = (struct radix_item){
                .key = apportion_cut(n << 20, 2 * j + 1, 2 * more[i]),
                .id = (uint32_t)i};
    radix_sort(d->extra, spare, k);
    free(spare);
    return true;
}

bool est_deal_begin(struct est_deal *d, const uint64_t *total, size_t n_rows,
                    const uint64_t *share, size_t n_columns, struct err *err)
{
    *d = (struct est_deal){.total = total,
                           .share = share,
                           .n_rows = n_rows,
                           .n_columns = n_columns};
    if (n_columns < 2)
        return true;
    uint64_t n, *more = mem_array(n_columns, sizeof *more);
    bool ok = (more || err_nomem(err)) && count_extra(d, more, &n, err) &&
              order_extra(d, more, n, err);
    free(more);
    return ok;
}

void est_deal_end(struct est_deal *d)
{
    free(d->extra);
    memset(d, 0, sizeof *d);
}

void est_deal_row(struct est_deal *d, uint64_t *cell)
{
    for (uint64_t left = whole_parts(d, d->row++, cell); left; left--)
        cell[d->extra[d->n_used++].id]++;
}
