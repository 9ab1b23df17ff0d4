#include "pb/idmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static uint64_t id_at(const uint64_t *ids, size_t i, size_t stride)
{
    uint64_t id;
    memcpy(&id, (const char *)ids + i * stride, sizeof id);
    return id;
}

static size_t slot_of(const struct idmap *map, uint64_t id)
{
    uint64_t h = id * 0x9e3779b97f4a7c15U;
    size_t mask = map->n - 1, i = (size_t)(h ^ h >> 32) & mask;
    while (map->index[i] && map->id[i] != id)
        i = (i + 1) & mask;
    return i;
}

uint32_t idmap_hashed(const struct idmap *map, uint64_t id)
{
    return map->index[slot_of(map, id)] - 1;
}

bool idmap_make(struct idmap *map, const uint64_t *ids, size_t n, size_t stride,
                uint32_t *twice)
{
    memset(map, 0, sizeof *map);
    *twice = IDMAP_NONE;
    uint64_t max = 0;
    bool counting = true;
    for (size_t i = 0; i < n; i++) {
        uint64_t id = id_at(ids, i, stride);
        counting = counting && id == i + 1;
        if (id > max)
            max = id;
    }
    if (counting) {
        map->n = n;
        return true;
    }
    bool dense = max < 4 * (uint64_t)n + 64;
    if (dense) {
        map->n = (size_t)max + 1;
    } else {
        map->n = 64;
        while (map->n < 2 * n)
            map->n *= 2;
        map->id = mem_zarray(map->n, sizeof *map->id);
        if (!map->id)
            return false;
    }
    map->index = mem_zarray(map->n, sizeof *map->index);
    if (!map->index)
        return false;
    for (size_t i = 0; i < n; i++) {
        uint64_t id = id_at(ids, i, stride);
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
    free(map->index);
    free(map->id);
    memset(map, 0, sizeof *map);
}
