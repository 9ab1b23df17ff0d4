/* perf_ids.c - maps of ids */
#include "formats/perf/private.h"

/* Returns the row of an id.  HASHIDX_NONE: there is none, and *at and *hash are
 * set for hashidx_put().  The index must have slots. */
static uint32_t find(const struct perf_ids *ids, uint64_t id, size_t *at,
                     uint32_t *hash)
{
    uint32_t row;
    *hash = hash_fold(hash_pair(ids->seed, id, 4));
    *at = hashidx_start(&ids->index, *hash);
    while ((row = hashidx_next(&ids->index, *hash, at)) != HASHIDX_NONE)
        if (ids->v[row].id == id)
            break;
    return row;
}

uint32_t perf_ids_find(const struct perf_ids *ids, uint64_t id)
{
    size_t at;
    uint32_t hash;
    return ids->index.n_slots ? find(ids, id, &at, &hash) : HASHIDX_NONE;
}

bool perf_ids_add(struct perf_ids *ids, uint64_t id, uint32_t value,
                  uint32_t *row, struct prof_err *err)
{
    const struct perf_id new = {.id = id, .value = value};
    size_t at;
    uint32_t hash;
    if (!ids->index.n_slots)
        ids->seed = hash_seed();
    if (!hashidx_room(&ids->index))
        return err_nomem(err);
    *row = find(ids, id, &at, &hash);
    if (*row != HASHIDX_NONE)
        return true;
    if (!vec_push(ids, new))
        return err_nomem(err);
    *row = (uint32_t)ids->n - 1;
    hashidx_put(&ids->index, at, hash, *row);
    return true;
}

void perf_ids_free(struct perf_ids *ids)
{
    vec_free(ids);
    hashidx_free(&ids->index);
}
