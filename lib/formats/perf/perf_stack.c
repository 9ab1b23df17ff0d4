/* perf_stack.c - locations, stacks and labels, and how often they occur */
#include "base/prefetch.h"
#include "formats/perf/private.h"

/* Sizes of caches, in which a new entry replaces an old one. */
enum {
    CACHE_BITS = 16,         /* a few seconds of -a have 20,000 addresses */
    CACHE = 1 << CACHE_BITS, /* locations by address */
    THREADS = 1 << 8,        /* chains by thread */
};

enum {
    BATCH = 16, /* samples that are counted at once */
};

struct perf_batched {
    uint64_t hash; /* of its stack */
    size_t at, n;  /* of the stack's locations */
    struct perf_count count;
};

struct perf_batch {
    struct perf_batched v[BATCH];
    size_t n;
    VEC(uint32_t) locations;
};

struct perf_cached {
    uint64_t address;
    uint32_t generation; /* of the process, or of the kernel; 0: empty */
    uint32_t location;
};

/*
 * The last chain of a thread: its frames from the outermost caller on, and for
 * each frame the hash of the locations from the outermost caller up to it.  The
 * locations are leaf first and end at the end of their array, so that those of
 * callers stay in place.
 */
struct perf_last {
    uint32_t generation; /* of the process */
    size_t n, cap;
    struct perf_frame *frames;
    uint32_t *locations;
    uint64_t *hashes;
};

static void free_last(struct perf_last *last)
{
    free(last->frames);
    free(last->locations);
    free(last->hashes);
}

bool perf_stacks_init(struct perf_stacks *s, struct prof_err *err)
{
    const struct perf_labels none = {0};
    s->seed = hash_seed();
    s->cache[0] = mem_zarray(CACHE, sizeof **s->cache);
    s->cache[1] = mem_zarray(CACHE, sizeof **s->cache);
    s->last = mem_zarray(THREADS, sizeof *s->last);
    s->batch = mem_zarray(1, sizeof *s->batch);
    return (s->cache[0] && s->cache[1] && s->last && s->batch &&
            vec_push(&s->labels, none) && vec_reserve(&s->frames, 1) &&
            vec_push(&s->offsets, 0) && vec_push(&s->offsets, 0) &&
            vec_push(&s->firsts, 0)) ||
           err_nomem(err);
}

void perf_stacks_free(struct perf_stacks *s)
{
    for (size_t i = 0; s->last && i < THREADS; i++)
        free_last(&s->last[i]);
    free(s->last);
    if (s->batch)
        vec_free(&s->batch->locations);
    free(s->batch);
    free(s->cache[0]);
    free(s->cache[1]);
    vec_free(&s->locations);
    hashidx_free(&s->location_index);
    vec_free(&s->functions);
    vec_free(&s->frames);
    vec_free(&s->offsets);
    vec_free(&s->firsts);
    hashidx_free(&s->stack_index);
    vec_free(&s->labels);
    hashidx_free(&s->label_index);
    vec_free(&s->counts);
    hashidx_free(&s->count_index);
}

/* --- locations ------------------------------------------------------------ */

static bool intern_location(struct perf_stacks *s, struct perf_location want,
                            uint32_t *id, struct prof_err *err)
{
    const uint32_t hash = hash_fold(hash_pair(s->seed, want.offset, want.row));
    if (!hashidx_room(&s->location_index))
        return err_nomem(err);
    size_t at = hashidx_start(&s->location_index, hash);
    while ((*id = hashidx_next(&s->location_index, hash, &at)) != HASHIDX_NONE)
        if (s->locations.v[*id].offset == want.offset &&
            s->locations.v[*id].row == want.row)
            return true;
    if (s->locations.n >= UINT32_MAX - 1 || !vec_push(&s->locations, want))
        return err_nomem(err);
    *id = (uint32_t)s->locations.n - 1;
    hashidx_put(&s->location_index, at, hash, *id);
    return true;
}

/*
 * Returns the cache entry for an address.  The factors only spread addresses:
 * an input with many collisions is only slow to read.
 */
static struct perf_cached *cached(const struct perf_stacks *s,
                                  uint32_t generation,
                                  const struct perf_frame *f)
{
    uint64_t hash =
        (f->address + generation * 0xd6e8feb86659fd93) * 0x9e3779b97f4a7c15;
    return &s->cache[f->kernel][hash >> (64 - CACHE_BITS)];
}

/* Finds the location of a frame in the mappings, and caches it. */
static bool look_up(struct perf_stacks *s, struct perf_processes *ps,
                    const struct perf_process *process,
                    const struct perf_frame *f, uint32_t *location,
                    struct prof_err *err)
{
    const struct perf_process *kernel = &ps->list.v[0];
    struct perf_location at = {f->address, PROF_NONE, 0};
    uint32_t generation = kernel->generation;
    const struct perf_map *map = NULL;
    /* Mappings of the kernel are the same in all processes. */
    if (f->kernel)
        map = perf_tree_find(&ps->trees, kernel->maps, f->address);
    if (!map) {
        map = perf_find_map(ps, process, f->kernel, f->address);
        generation = process->generation;
    }
    if (map) {
        at = (struct perf_location){f->address - map->origin, map->row, 0};
        struct perf_mapping *mapping = &ps->mappings.v[map->row];
        mapping->used = true;
        if (at.offset >= mapping->size + mapping->behind)
            mapping->behind = at.offset + 1 - mapping->size;
    }
    if (!intern_location(s, at, location, err))
        return false;
    *cached(s, generation, f) =
        (struct perf_cached){f->address, generation, *location};
    return true;
}

static inline bool locate(struct perf_stacks *s, struct perf_processes *ps,
                          const struct perf_process *process,
                          const struct perf_frame *f, uint32_t *location,
                          struct prof_err *err)
{
    const uint32_t kernel = ps->list.v[0].generation;
    for (int of_process = !f->kernel; of_process < 2; of_process++) {
        const uint32_t generation = of_process ? process->generation : kernel;
        const struct perf_cached *c = cached(s, generation, f);
        if (c->address == f->address && c->generation == generation) {
            *location = c->location;
            return true;
        }
    }
    return look_up(s, ps, process, f, location, err);
}

bool perf_locate(struct perf_stacks *s, struct perf_processes *ps, int32_t pid,
                 const struct perf_chain *chain, uint32_t *locations,
                 struct prof_err *err)
{
    const struct perf_process *process = perf_space(ps, pid, err);
    for (size_t i = 0; process && i < chain->n; i++)
        if (!locate(s, ps, process, &chain->v[i], &locations[i], err))
            return false;
    return process != NULL;
}

/* --- labels --------------------------------------------------------------- */

bool perf_intern_labels(struct perf *p, const struct perf_label *values,
                        uint32_t *id, struct prof_err *err)
{
    struct perf_stacks *s = &p->stacks;
    const unsigned want = perf_wanted_labels(p->opts);
    struct perf_labels labels = {0};
    for (unsigned key = 0; key < PERF_LABELS; key++)
        if (want >> key & 1 && values[key].has) {
            labels.has |= 1u << key;
            labels.v[key] = values[key].v;
        }
    *id = 0;
    if (!labels.has)
        return true;
    uint64_t hash = hash_pair(s->seed, labels.has, 2);
    for (size_t i = 0; i < PERF_LABELS; i++)
        hash = hash_pair(hash, labels.v[i], i);
    const uint32_t folded = hash_fold(hash);
    if (!hashidx_room(&s->label_index))
        return err_nomem(err);
    size_t at = hashidx_start(&s->label_index, folded);
    while ((*id = hashidx_next(&s->label_index, folded, &at)) != HASHIDX_NONE) {
        const struct perf_labels *l = &s->labels.v[*id];
        if (l->has == labels.has && !memcmp(l->v, labels.v, sizeof l->v))
            return true;
    }
    if (s->labels.n >= UINT32_MAX - 1 || !vec_push(&s->labels, labels))
        return err_nomem(err);
    *id = (uint32_t)s->labels.n - 1;
    hashidx_put(&s->label_index, at, folded, *id);
    return true;
}

/* --- stacks --------------------------------------------------------------- */

/* Returns the hash of the empty stack.  Hashes are computed from the outermost
 * caller to the leaf, so that those of callers can be reused. */
static uint64_t hash_start(const struct perf_stacks *s)
{
    return hash_pair(s->seed, 0, 3);
}

/* Sets *id to the stack of these locations, at least one, with this hash. */
static bool find_stack(struct perf_stacks *s, const struct perf_locations *l,
                       uint64_t hash, uint32_t *id, struct prof_err *err)
{
    const uint32_t folded = hash_fold(hash);
    const size_t bytes = l->n * sizeof *l->v;
    if (!hashidx_room(&s->stack_index))
        return err_nomem(err);
    size_t at = hashidx_start(&s->stack_index, folded);
    while ((*id = hashidx_next(&s->stack_index, folded, &at)) != HASHIDX_NONE) {
        const struct perf_locations k = perf_stack(s, *id);
        if (k.n == l->n && !memcmp(k.v, l->v, bytes))
            return true;
    }
    if (s->firsts.n >= PROF_NONE - 1 || !vec_reserve(&s->frames, l->n) ||
        !vec_push(&s->offsets, s->frames.n + l->n) || !vec_push(&s->firsts, 0))
        return err_nomem(err);
    *id = (uint32_t)s->firsts.n - 1;
    memcpy(s->frames.v + s->frames.n, l->v, bytes);
    s->frames.n += l->n;
    hashidx_put(&s->stack_index, at, folded, *id);
    return true;
}

bool perf_intern_stack(struct perf_stacks *s, const uint32_t *locations,
                       size_t n, uint32_t *stack, struct prof_err *err)
{
    const struct perf_locations l = {locations, n};
    uint64_t hash = hash_start(s);
    for (size_t i = 0; i < n; i++)
        hash = hash_pair(hash, locations[n - 1 - i], i);
    *stack = 0;
    return !n || find_stack(s, &l, hash, stack, err);
}

/*
 * Sets *l to the locations of a chain, valid until the next call, and *hash to
 * their hash.  Most samples of a thread share nearly all outer callers with the
 * sample before: only the other frames are looked up.
 */
static bool follow(struct perf_stacks *s, struct perf_processes *ps,
                   const struct perf_sampled *sampled, struct perf_locations *l,
                   uint64_t *hash, struct prof_err *err)
{
    const struct perf_chain *chain = sampled->chain;
    struct perf_last *last = &s->last[(uint32_t)sampled->tid % THREADS];
    const struct perf_process *process = perf_space(ps, sampled->pid, err);
    const size_t n = chain->n, cap = 2 * n + 64;
    if (!process)
        return false;
    if (n > last->cap) {
        free_last(last);
        *last = (struct perf_last){
            .cap = cap,
            .frames = mem_array(cap, sizeof *last->frames),
            .locations = mem_array(cap, sizeof *last->locations),
            .hashes = mem_array(cap, sizeof *last->hashes),
        };
        if (!last->frames || !last->locations || !last->hashes) {
            last->cap = 0;
            return err_nomem(err);
        }
    }
    const struct perf_frame *f = chain->v + n, *known = last->frames;
    size_t i = 0;
    if (last->generation == process->generation)
        while (i < n && i < last->n && (--f)->address == known[i].address &&
               f->kernel == known[i].kernel)
            i++;
    *hash = i ? last->hashes[i - 1] : hash_start(s);
    last->generation = process->generation;
    for (last->n = i; last->n < n; last->n++) {
        f = &chain->v[n - 1 - last->n];
        uint32_t *location = &last->locations[last->cap - 1 - last->n];
        if (!locate(s, ps, process, f, location, err))
            return false;
        last->frames[last->n] = *f;
        last->hashes[last->n] = *hash = hash_pair(*hash, *location, last->n);
    }
    *l = (struct perf_locations){last->locations + (last->cap - n), n};
    return true;
}

/* --- counts --------------------------------------------------------------- */

/* Returns whether two counts of one stack have the same event and labels. */
static bool is_same(const struct perf_count *a, const struct perf_count *b)
{
    return a->labels == b->labels && a->event == b->event;
}

/* The first count of a stack is found by s->firsts, others by an index: most
 * stacks have one. */
bool perf_count(struct perf_stacks *s, const struct perf_count *count,
                struct prof_err *err)
{
    uint32_t *first = &s->firsts.v[count->stack];
    uint32_t row = *first - 1;
    const bool is_first = !*first;
    size_t at = 0;
    uint32_t hash = 0;
    if (!is_first && !is_same(&s->counts.v[row], count)) {
        hash = hash_fold(hash_pair(s->seed,
                                   (uint64_t)count->stack << 32 | count->labels,
                                   count->event));
        if (!hashidx_room(&s->count_index))
            return err_nomem(err);
        at = hashidx_start(&s->count_index, hash);
        while ((row = hashidx_next(&s->count_index, hash, &at)) != HASHIDX_NONE)
            if (s->counts.v[row].stack == count->stack &&
                is_same(&s->counts.v[row], count))
                break;
    }
    if (!is_first && row != HASHIDX_NONE) {
        struct perf_count *sum = &s->counts.v[row];
        if (count->events > INT64_MAX - sum->events ||
            count->latency > INT64_MAX - sum->latency)
            return err_input(err, "the periods of samples with the same call "
                                  "chain exceed 64 bits");
        sum->samples += count->samples;
        sum->events += count->events;
        sum->latency += count->latency;
        return true;
    }
    if (s->counts.n >= UINT32_MAX - 1 || !vec_push(&s->counts, *count))
        return err_nomem(err);
    if (is_first)
        *first = (uint32_t)s->counts.n;
    else
        hashidx_put(&s->count_index, at, hash, (uint32_t)s->counts.n - 1);
    return true;
}

/* --- batches -------------------------------------------------------------- */

/*
 * Counts the samples of the batch.  Their stacks and counts are scattered in
 * memory, so cache misses would take most of the time: they are prefetched for
 * all samples before the first is counted.
 */
bool perf_count_batch(struct perf_stacks *s, struct prof_err *err)
{
    struct perf_batch *b = s->batch;
    uint32_t stack[BATCH] = {0};
    for (size_t i = 0; i < b->n; i++) {
        /* Guess the stack by its hash alone. */
        uint32_t id = hashidx_peek(&s->stack_index, hash_fold(b->v[i].hash));
        stack[i] = id == HASHIDX_NONE ? 0 : id;
        __builtin_prefetch(&s->offsets.v[stack[i]]);
        __builtin_prefetch(&s->firsts.v[stack[i]]);
    }
    for (size_t i = 0; i < b->n; i++) {
        const struct perf_locations l = perf_stack(s, stack[i]);
        for (size_t k = 0; k < l.n; k += CACHE_LINE / sizeof *l.v)
            __builtin_prefetch(l.v + k);
        if (s->firsts.v[stack[i]])
            __builtin_prefetch(&s->counts.v[s->firsts.v[stack[i]] - 1]);
    }
    for (size_t i = 0; i < b->n; i++) {
        struct perf_batched *e = &b->v[i];
        const struct perf_locations l = {b->locations.v + e->at, e->n};
        if ((l.n && !find_stack(s, &l, e->hash, &e->count.stack, err)) ||
            !perf_count(s, &e->count, err))
            return false;
    }
    b->n = b->locations.n = 0;
    return true;
}

bool perf_count_chain(struct perf_stacks *s, struct perf_processes *ps,
                      const struct perf_sampled *sampled,
                      const struct perf_count *count, struct prof_err *err)
{
    struct perf_batch *b = s->batch;
    struct perf_batched *e = &b->v[b->n];
    struct perf_locations l;
    if (!follow(s, ps, sampled, &l, &e->hash, err))
        return false;
    hashidx_prefetch(&s->stack_index, hash_fold(e->hash));
    if (!vec_reserve(&b->locations, l.n))
        return err_nomem(err);
    e->count = *count;
    e->at = b->locations.n;
    e->n = l.n;
    if (l.n)
        memcpy(b->locations.v + e->at, l.v, l.n * sizeof *l.v);
    b->locations.n += l.n;
    return ++b->n < BATCH || perf_count_batch(s, err);
}
