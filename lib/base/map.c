/* map.c - numbers keys and finds their numbers */
#include "base/map.h"

bool map_add(struct map *map, const void *key, size_t n, uint32_t *row,
             bool *is_new)
{
    if (!n || (!map->keys.n && !strtab_init(&map->keys)))
        return false;
    uint32_t known = map->keys.n, id;
    if (!strtab_add(&map->keys, key, n, &id))
        return false;
    if (is_new)
        *is_new = id == known;
    *row = id - 1; /* string 0 is "", which is not a key */
    return true;
}

bool map_find(const struct map *map, const void *key, size_t n, uint32_t *row)
{
    uint32_t id;
    if (!map->keys.n || !strtab_find(&map->keys, key, n, &id) || !id)
        return false;
    *row = id - 1;
    return true;
}

void map_free(struct map *map)
{
    strtab_free(&map->keys);
}
