/* idmap.c - a map from the ids of a file to indices */
#include "profile/wire/idmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static size_t slot_of(const struct idmap *map, uint64_t id)
{
    size_t mask = map->n - 1, i = (size_t)hash_pair(map->seed, id, id) & mask;
    while (map->index[i] && map->id[i] != id)
        i = (i + 1) & mask;
    return i;
}

uint32_t idmap_hashed(const struct idmap *map, uint64_t id)
{
    return map->index[slot_of(map, id)] - 1;
}

/* Makes room for map->n ids or slots; zeroes the indices, as 0 means none. */
static bool room(struct idmap *map, bool hashed)
{
    if (hashed) {
        if (!vec_reserve(&map->ids, map->n))
            return false;
        map->id = map->ids.v;
        map->seed = hash_seed();
    }
    if (!vec_reserve(&map->indices, map->n))
        return false;
    map->index = map->indices.v;
    memset(map->index, 0, map->n * sizeof *map->index);
    return true;
}

bool idmap_make(struct idmap *map, const struct idmap_entities *e,
                uint32_t *twice)
{
    const struct idmap_entities all = *e; /* a local copy, for registers */
    size_t n = all.n;
    map->index = NULL;
    map->id = NULL;
    *twice = IDMAP_NONE;
    uint64_t max = 0;
    bool counting = true;
    for (size_t i = 0; i < n; i++) {
        uint64_t id = idmap_id(&all, i);
        counting = counting && id == i + 1;
        if (id > max)
            max = id;
    }
    if (counting) {
        map->n = n;
        return true;
    }
    bool dense = max < 4 * (uint64_t)n + 64;
    map->n = (size_t)max + 1;
    if (!dense)
        for (map->n = 64; map->n < 2 * n;)
            map->n *= 2;
    if (!room(map, !dense))
        return false;
    for (size_t i = 0; i < n; i++) {
        uint64_t id = idmap_id(&all, i);
        size_t at = dense ? (size_t)id : slot_of(map, id);
        if (map->index[at] && *twice == IDMAP_NONE)
            *twice = (uint32_t)i;
        map->index[at] = (uint32_t)i + 1;
        if (!dense)
            map->id[at] = id;
    }
    return true;
}

void idmap_free(struct idmap *map)
{
    free(map->indices.v);
    free(map->ids.v);
    memset(map, 0, sizeof *map);
}
