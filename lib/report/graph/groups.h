/*
 * groups.h - what is always in a location together
 *
 * A location can have many items (functions, or calls between them), and many
 * samples can have the location: both are too many to be multiplied.  Items
 * that are in the same locations are in the same samples, so that what is
 * summed up for each sample has one sum for all of them.  They are a group:
 * where every location has items of its own, a location is one group.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_GROUPS_H
#define PROFUTILS_REPORT_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Location l has the items item[off[l] .. off[l + 1]), some more than once. */
struct groups_items {
    const uint64_t *off;
    const uint32_t *item;
    size_t n_locations, n; /* items are below n */
};

struct groups {
    size_t n;
    uint32_t *of; /* by item */
    /* Those of location l, each once, are v[off[l] .. off[l + 1]). */
    uint64_t *off;
    uint32_t *v;
};

/* To be freed in any case; false when memory is out. */
bool groups_init(struct groups *g, const struct groups_items *items);
void groups_free(struct groups *g);

#endif
