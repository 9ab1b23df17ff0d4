/* perf_stack.c - locations, stacks and labels, and how often they occur */
#include "import/perf/private.h"

bool perf_stacks_init(struct perf *p, struct err *err)
{
    struct perf_stacks *s = &p->stacks;
    s->seed = p->seed;
    s->cache = mem_zarray(PERF_CACHE, sizeof *s->cache);
    struct perf_labels none = {0};
    return (s->cache && vec_push(&s->labels, none)) || err_nomem(err);
}

void perf_stacks_free(struct perf_stacks *s)
{
    vec_free(&s->locations);
    hashidx_free(&s->location_index);
    vec_free(&s->frames);
    vec_free(&s->list);
    hashidx_free(&s->stack_index);
    vec_free(&s->labels);
    hashidx_free(&s->label_index);
    vec_free(&s->counts);
    hashidx_free(&s->count_index);
    free(s->cache);
}

static bool intern_location(struct perf_stacks *s,
                            const struct perf_location *want, uint32_t *id,
                            struct err *err)
{
    uint32_t hash = mix_fold(mix_pair(s->seed, want->offset, want->row));
    if (!hashidx_room(&s->location_index))
        return err_nomem(err);
    size_t at = hashidx_start(&s->location_index, hash);
    while ((*id = hashidx_next(&s->location_index, hash, &at)) != HASHIDX_NONE)
        if (s->locations.v[*id].offset == want->offset &&
            s->locations.v[*id].row == want->row)
            return true;
    if (s->locations.n >= UINT32_MAX - 1 || !vec_push(&s->locations, *want))
        return err_nomem(err);
    *id = (uint32_t)s->locations.n - 1;
    hashidx_put(&s->location_index, at, hash, *id);
    return true;
}

static bool look_up(struct perf *p, const struct perf_process *process,
                    bool kernel, uint64_t address, uint32_t *location,
                    struct err *err)
{
    struct perf_location at = {address, PROF_NONE};
    const struct perf_map *map = perf_find_map(p, process, kernel, address);
    if (map) {
        at = (struct perf_location){address - map->origin, map->row};
        p->processes.rows.v[map->row].used = true;
    }
    return intern_location(&p->stacks, &at, location, err);
}

bool perf_add_frame(struct perf *p, int32_t pid, bool kernel, uint64_t address,
                    struct err *err)
{
    const struct perf_process *process = perf_process(p, pid, err);
    if (!process)
        return false;
    const uint32_t kernel_generation = p->processes.list.v[0].generation;
    uint32_t slot = mix_fold(mix_pair(process->generation, address, kernel));
    struct perf_cached *c = &p->stacks.cache[slot % PERF_CACHE];
    if (c->generation != process->generation || c->address != address ||
        c->is_kernel != kernel || c->kernel_generation != kernel_generation) {
        uint32_t location;
        if (!look_up(p, process, kernel, address, &location, err))
            return false;
        *c = (struct perf_cached){address, process->generation,
                                  kernel_generation, location, kernel};
    }
    return vec_push(&p->chain, c->location) || err_nomem(err);
}

static bool same_labels(const struct perf_labels *a,
                        const struct perf_labels *b)
{
    return a->has == b->has && memcmp(a->v, b->v, sizeof a->v) == 0;
}

bool perf_intern_labels(struct perf *p, const struct perf_labels *labels,
                        uint32_t *id, struct err *err)
{
    struct perf_stacks *s = &p->stacks;
    *id = 0;
    if (!labels->has)
        return true;
    uint64_t hash = mix_pair(s->seed, labels->has, 2);
    for (size_t i = 0; i < PERF_LABELS; i++)
        hash = mix_pair(hash, labels->v[i], i);
    uint32_t folded = mix_fold(hash);
    if (!hashidx_room(&s->label_index))
        return err_nomem(err);
    size_t at = hashidx_start(&s->label_index, folded);
    while ((*id = hashidx_next(&s->label_index, folded, &at)) != HASHIDX_NONE)
        if (same_labels(&s->labels.v[*id], labels))
            return true;
    if (s->labels.n >= UINT32_MAX - 1 || !vec_push(&s->labels, *labels))
        return err_nomem(err);
    *id = (uint32_t)s->labels.n - 1;
    hashidx_put(&s->label_index, at, folded, *id);
    return true;
}

static bool same_frames(const struct perf_stacks *s, uint32_t stack,
                        const uint32_t *frames, size_t n)
{
    const struct perf_stack *k = &s->list.v[stack];
    return k->n == n &&
           (!n || memcmp(s->frames.v + k->at, frames, n * sizeof *frames) == 0);
}

static bool intern_stack(struct perf_stacks *s, const uint32_t *frames,
                         size_t n, uint32_t *id, struct err *err)
{
    uint64_t hash = mix_pair(s->seed, n, 3);
    for (size_t i = 0; i < n; i++)
        hash = mix_pair(hash, frames[i], i);
    uint32_t folded = mix_fold(hash);
    if (!hashidx_room(&s->stack_index))
        return err_nomem(err);
    size_t at = hashidx_start(&s->stack_index, folded);
    while ((*id = hashidx_next(&s->stack_index, folded, &at)) != HASHIDX_NONE)
        if (same_frames(s, *id, frames, n))
            return true;
    struct perf_stack stack = {s->frames.n, (uint32_t)n};
    if (s->list.n >= UINT32_MAX - 1 || !vec_reserve(&s->frames, n) ||
        !vec_push(&s->list, stack))
        return err_nomem(err);
    if (n)
        memcpy(s->frames.v + s->frames.n, frames, n * sizeof *frames);
    s->frames.n += n;
    *id = (uint32_t)s->list.n - 1;
    hashidx_put(&s->stack_index, at, folded, *id);
    return true;
}

static bool add_to(struct perf_count *sum, const struct perf_count *c,
                   struct err *err)
{
    if (c->events > INT64_MAX - sum->events)
        return err_set(err, ERR_INPUT,
                       "the periods of samples with the same call chain "
                       "exceed 64 bits");
    sum->samples += c->samples;
    sum->events += c->events;
    return true;
}

bool perf_count_stack(struct perf *p, const uint32_t *frames, size_t n,
                      struct perf_count *count, struct err *err)
{
    struct perf_stacks *s = &p->stacks;
    if (!intern_stack(s, frames, n, &count->stack, err))
        return false;
    uint32_t row, hash = mix_fold(mix_pair(
                      s->seed, (uint64_t)count->stack << 32 | count->labels,
                      count->event));
    if (!hashidx_room(&s->count_index))
        return err_nomem(err);
    size_t at = hashidx_start(&s->count_index, hash);
    while ((row = hashidx_next(&s->count_index, hash, &at)) != HASHIDX_NONE) {
        struct perf_count *sum = &s->counts.v[row];
        if (sum->stack == count->stack && sum->labels == count->labels &&
            sum->event == count->event)
            return add_to(sum, count, err);
    }
    if (s->counts.n >= UINT32_MAX - 1 || !vec_push(&s->counts, *count))
        return err_nomem(err);
    hashidx_put(&s->count_index, at, hash, (uint32_t)s->counts.n - 1);
    return true;
}
