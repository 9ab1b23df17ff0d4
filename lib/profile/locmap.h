/*
 * locmap.h - one location per address, for importers
 *
 * Importers meet the same address many times and want one location for it.
 * A locmap remembers what it made: (mapping, address) -> location index.
 */
#ifndef PROFUTILS_PROFILE_LOCMAP_H
#define PROFUTILS_PROFILE_LOCMAP_H

#include "profile/profile.h"

struct locmap {
    struct locmap_slot *slots;
    size_t n, n_slots; /* n_slots is a power of two, or 0 */
    uint64_t seed;
};

/*
 * The index of the location at `address` in `mapping` (PROF_NONE for none),
 * added to *p without lines if it is new.  Zero-initialise *map; it belongs
 * to one profile.
 */
bool locmap_get(struct locmap *map, struct profile *p, uint32_t mapping,
                uint64_t address, uint32_t *location, struct err *err);

/* Room for n addresses in all. */
bool locmap_reserve(struct locmap *map, size_t n, struct err *err);

void locmap_free(struct locmap *map);

#endif
