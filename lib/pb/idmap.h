/*
 * idmap.h - from the ids of a file to indices
 *
 * Ids of a profile are mostly 1, 2, 3 ... but may be sparse or huge.  No map
 * is kept where they count up from 1; else it is an array where the ids allow
 * it and a hash where they do not, in space proportional to the number of
 * ids.
 */
#ifndef PROFUTILS_PB_IDMAP_H
#define PROFUTILS_PB_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IDMAP_NONE UINT32_MAX

struct idmap {
    uint32_t *index;        /* dense: by id; hashed: by slot; + 1, 0 is none */
    uint64_t *id;           /* hashed only: by slot */
    size_t n;               /* dense: ids up to n - 1; hashed: slots, 2^k;
                               counting: ids up to n */
    uint32_t *index_memory; /* kept for the next file */
    uint64_t *id_memory;
    size_t cap_index, cap_id;
    uint64_t seed; /* hashed only: mix.h */
};

/*
 * A map of ids[0 .. n) to 0 .. n - 1; ids[i * stride] in bytes.  *map was
 * zeroed once, or made before, whose memory it takes over.  False when memory
 * is out.  If an id is there twice *twice is its second index, else
 * IDMAP_NONE.
 */
bool idmap_make(struct idmap *map, const uint64_t *ids, size_t n, size_t stride,
                uint32_t *twice);
void idmap_free(struct idmap *map);

uint32_t idmap_hashed(const struct idmap *map, uint64_t id);

/* The index of the id, or IDMAP_NONE. */
static inline uint32_t idmap_get(const struct idmap *map, uint64_t id)
{
    if (!map->index) /* 0 wraps to a number that no map has */
        return id - 1 < map->n ? (uint32_t)(id - 1) : IDMAP_NONE;
    if (map->id)
        return idmap_hashed(map, id);
    return id < map->n ? map->index[id] - 1 : IDMAP_NONE;
}

#endif
