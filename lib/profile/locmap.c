#include "profile/locmap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

enum { FIRST_SLOTS = 256 };

struct locmap_slot {
    uint64_t address;
    uint32_t mapping;
    uint32_t location; /* index + 1; 0: the slot is free */
};

static struct locmap_slot *find(uint64_t seed, struct locmap_slot *slots,
                                size_t n_slots, uint32_t mapping,
                                uint64_t address)
{
    size_t mask = n_slots - 1;
    size_t i = (size_t)mix_pair(seed, address, mapping) & mask;
    while (slots[i].location &&
           (slots[i].address != address || slots[i].mapping != mapping))
        i = (i + 1) & mask;
    return &slots[i];
}

static bool resize(struct locmap *map, size_t n_slots)
{
    struct locmap_slot *slots = mem_zarray(n_slots, sizeof *slots);
    if (!slots)
        return false;
    if (!map->n_slots)
        map->seed = mix_seed();
    for (size_t i = 0; i < map->n_slots; i++) {
        const struct locmap_slot *s = &map->slots[i];
        if (s->location)
            *find(map->seed, slots, n_slots, s->mapping, s->address) = *s;
    }
    free(map->slots);
    map->slots = slots;
    map->n_slots = n_slots;
    return true;
}

bool locmap_reserve(struct locmap *map, size_t n, struct err *err)
{
    size_t n_slots = FIRST_SLOTS;
    while (n_slots / 2 < n && n_slots <= SIZE_MAX / 4)
        n_slots *= 2;
    return n_slots <= map->n_slots || resize(map, n_slots) || err_nomem(err);
}

bool locmap_get(struct locmap *map, struct profile *p, uint32_t mapping,
                uint64_t address, uint32_t *location, struct err *err)
{
    if (map->n >= map->n_slots / 2 && !locmap_reserve(map, map->n + 1, err))
        return false;
    struct locmap_slot *s =
        find(map->seed, map->slots, map->n_slots, mapping, address);
    if (s->location) {
        *location = s->location - 1;
        return true;
    }
    struct prof_location l = {.address = address, .mapping = mapping};
    if (!prof_add_location(p, &l, NULL, 0, location, err))
        return false;
    *s = (struct locmap_slot){address, mapping, *location + 1};
    map->n++;
    return true;
}

void locmap_free(struct locmap *map)
{
    free(map->slots);
    memset(map, 0, sizeof *map);
}
