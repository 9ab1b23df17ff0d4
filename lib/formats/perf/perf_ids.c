/* perf_ids.c - maps of ids */
#include "formats/perf/private.h"

uint32_t perf_ids_find(const struct perf *p, const struct perf_ids *ids,
                       uint64_t id)
{
    uint32_t row, hash = mix_fold(mix_pair(p->seed, id, 4));
    if (!ids->index.n_slots)
        return HASHIDX_NONE;
    size_t at = hashidx_start(&ids->index, hash);
    while ((row = hashidx_next(&ids->index, hash, &at)) != HASHIDX_NONE)
        if (ids->v[row].id == id)
            break;
    return row;
}

bool perf_ids_add(const struct perf *p, struct perf_ids *ids, uint64_t id,
                  uint32_t value, uint32_t *row, struct prof_err *err)
{
    const struct perf_id new = {.id = id, .value = value};
    uint32_t hash = mix_fold(mix_pair(p->seed, id, 4));
    if (!hashidx_room(&ids->index))
        return err_nomem(err);
    size_t at = hashidx_start(&ids->index, hash);
    while ((*row = hashidx_next(&ids->index, hash, &at)) != HASHIDX_NONE)
        if (ids->v[*row].id == id)
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
