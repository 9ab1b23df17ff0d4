/* DCPI counts of all inputs, added up. */
#include <stdlib.h>

#include "import/dcpi/dcpi_join.h"

int dcpi_cell_order(const struct cell *a, const struct cell *b)
{
    if (a->image != b->image)
        return a->image < b->image ? -1 : 1;
    if (a->pc != b->pc)
        return a->pc < b->pc ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->event > b->event) - (a->event < b->event);
}

static int by_place(const void *a, const void *b)
{
    return dcpi_cell_order(a, b);
}

static bool add(struct dcpi_values *to, const struct dcpi_values *from)
{
    struct dcpi_values sum;
    if (__builtin_add_overflow(to->samples, from->samples, &sum.samples) ||
        __builtin_add_overflow(to->events, from->events, &sum.events) ||
        __builtin_add_overflow(to->nanos, from->nanos, &sum.nanos))
        return false;
    *to = sum;
    return true;
}

void dcpi_sum_cells(struct dcpi *d)
{
    struct cell *v = d->cells.v;
    size_t n = 0;
    if (d->cells.n)
        qsort(v, d->cells.n, sizeof *v, by_place);
    for (size_t i = 0; i < d->cells.n; i++)
        if (!n || dcpi_cell_order(&v[n - 1], &v[i]) != 0 ||
            !add(&v[n - 1].values, &v[i].values))
            v[n++] = v[i];
    d->cells.n = n;
}
