/*
 * idmap.h - a map from the ids of a file to indices
 *
 * | ids                          | representation        |
 * | 1, 2, 3 ... n                | only their number, n  |
 * | at most a few times n        | an array by id        |
 * | sparse or huge               | a hash table          |
 *
 * Memory is proportional to the number of ids.
 */
#ifndef PROFUTILS_PROFILE_WIRE_IDMAP_H
#define PROFUTILS_PROFILE_WIRE_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/vec.h"

#define IDMAP_NONE UINT32_MAX

/* Zero-initialise. */
struct idmap {
    uint32_t *index; /* index + 1, by id or by slot; 0: none.  Null: the ids
                        are 1, 2, 3 ... n */
    uint64_t *id;    /* by slot of the hash table: the id; null: no table */
    size_t n;        /* ids, elements of the array, or slots (2^k) */
    VEC(uint32_t) indices; /* reused for the next file; n is 0 */
    VEC(uint64_t) ids;
    uint64_t seed; /* hash table only: hash.h */
};

/* n entities of `size` bytes that begin with their ids of 64 bits. */
struct idmap_entities {
    const void *v;
    size_t n, size;
};

static inline uint64_t idmap_id(const struct idmap_entities *e, size_t i)
{
    uint64_t id;
    memcpy(&id, (const char *)e->v + i * e->size, sizeof id);
    return id;
}

/*
 * Maps the ids to 0 .. n - 1, replacing earlier content.  If an id occurs
 * twice, sets *twice to its second index, else to IDMAP_NONE; the map has the
 * last index of the id.  False when memory is out.
 */
bool idmap_make(struct idmap *map, const struct idmap_entities *e,
                uint32_t *twice);
void idmap_free(struct idmap *map);

/*
 * Before idmap_make(), in a zeroed map: makes each id up to this one, which is
 * larger than those before, that of index id - 1.
 */
static inline void idmap_expect(struct idmap *map, uint64_t id)
{
    map->n = (size_t)id;
}

/* The id of the last idmap_expect(); 0: there was none. */
static inline uint64_t idmap_expected(const struct idmap *map)
{
    return map->n;
}

/* idmap_get() in a hash table. */
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
