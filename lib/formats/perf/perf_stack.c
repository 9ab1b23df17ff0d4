/* perf_stack.c - locations, stacks and labels, and how often they occur */
#include "formats/perf/private.h"

/* Caches, where a new entry replaces an old one. */
enum {
    PERF_CACHE_BITS = 12,
    PERF_CACHE = 1 << PERF_CACHE_BITS, /* locations by address */
    PERF_THREADS = 1 << 8,             /* chains by thread */
};

enum {
    PERF_WAITING = 12,         /* samples whose stacks are being loaded */
    PERF_WAITING_FRAMES = 126, /* of each */
    CACHE_LINE = 64,           /* bytes */
};

/* A sample that is not yet counted. */
struct perf_waiting {
    bool is_set;
    uint32_t guess; /* its stack, by the hash alone; HASHIDX_NONE: none */
    uint64_t hash;
    struct perf_count count;
    size_t n;
    uint32_t locations[PERF_WAITING_FRAMES];
};

struct perf_cached {
    uint64_t address;
    uint32_t generation; /* of the process, or of the kernel; 0: empty */
    uint32_t location;
};

/*
 * The last chain of a thread, outermost caller first: frames, their locations,
 * and hashes of the locations up to each.
 */
struct perf_last {
    uint32_t generation; /* of the process */
    size_t n, cap;
    struct perf_frame *frames;
    uint32_t *locations;
    uint64_t *hashes;
};

bool perf_stacks_init(struct perf *p, struct prof_err *err)
{
    struct perf_stacks *s = &p->stacks;
    s->seed = p->seed;
    s->cache[0] = mem_zarray(PERF_CACHE, sizeof **s->cache);
    s->cache[1] = mem_zarray(PERF_CACHE, sizeof **s->cache);
    s->last = mem_zarray(PERF_THREADS, sizeof *s->last);
    s->waiting = mem_zarray(PERF_WAITING, sizeof *s->waiting);
    struct perf_labels none = {0};
    return (s->cache[0] && s->cache[1] && s->last && s->waiting &&
            vec_push(&s->labels, none)) ||
           err_nomem(err);
}

static void free_last(struct perf_last *last)
{
    free(last->frames);
    free(last->locations);
    free(last->hashes);
}

void perf_stacks_free(struct perf_stacks *s)
{
    for (size_t i = 0; s->last && i < PERF_THREADS; i++)
        free_last(&s->last[i]);
    vec_free(&s->locations);
    hashidx_free(&s->location_index);
    vec_free(&s->stacks);
    hashidx_free(&s->stack_index);
    vec_free(&s->labels);
    hashidx_free(&s->label_index);
    vec_free(&s->counts);
    hashidx_free(&s->count_index);
    free(s->cache[0]);
    free(s->cache[1]);
    free(s->last);
    free(s->waiting);
}

static bool intern_location(struct perf_stacks *s,
                            const struct perf_location *want, uint32_t *id,
                            struct prof_err *err)
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

/*
 * Returns the process, and gives it a new generation if the mappings of the
 * kernel have changed since it got the last.  Null: no memory.
 */
static const struct perf_process *space_of(struct perf *p, int32_t pid,
                                           struct prof_err *err)
{
    struct perf_process *process = perf_process(p, pid, err);
    const struct perf_process *kernel = &p->processes.list.v[0];
    if (!process || process == kernel ||
        process->kernel_generation == kernel->generation)
        return process;
    process->kernel_generation = kernel->generation;
    process->generation = ++p->processes.generations;
    return process;
}

/*
 * The entry of the cache for an address.  The factors only spread addresses:
 * an input that makes them collide is slow to read, and nothing else.
 */
static struct perf_cached *cached(const struct perf_stacks *s,
                                  uint32_t generation,
                                  const struct perf_frame *f)
{
    uint64_t hash =
        (f->address + generation * 0xd6e8feb86659fd93) * 0x9e3779b97f4a7c15;
    return &s->cache[f->kernel][hash >> (64 - PERF_CACHE_BITS)];
}

static bool is_cached(const struct perf_cached *c, uint32_t generation,
                      const struct perf_frame *f)
{
    return c->address == f->address && c->generation == generation;
}

/* What the kernel has mapped is the same in all processes. */
static bool look_up(struct perf *p, const struct perf_process *process,
                    const struct perf_frame *f, uint32_t *location,
                    struct prof_err *err)
{
    const struct perf_process *kernel = &p->processes.list.v[0];
    struct perf_location at = {f->address, PROF_NONE};
    uint32_t generation = kernel->generation;
    const struct perf_map *map = NULL;
    if (f->kernel)
        map = perf_tree_find(&p->processes.trees, kernel->maps, f->address);
    if (!map) {
        map = perf_find_map(p, process, f->kernel, f->address);
        generation = process->generation;
    }
    if (map) {
        at = (struct perf_location){f->address - map->origin, map->row};
        struct perf_mapping *mapping = &p->processes.mappings.v[map->row];
        mapping->used = true;
        if (at.offset >= mapping->size + mapping->behind)
            mapping->behind = at.offset + 1 - mapping->size;
    }
    if (!intern_location(&p->stacks, &at, location, err))
        return false;
    *cached(&p->stacks, generation, f) =
        (struct perf_cached){f->address, generation, *location};
    return true;
}

/* The location in the cache, or HASHIDX_NONE. */
static inline uint32_t find_cached(const struct perf *p,
                                   const struct perf_process *process,
                                   const struct perf_frame *f)
{
    uint32_t generation =
        f->kernel ? p->processes.list.v[0].generation : process->generation;
    const struct perf_cached *c = cached(&p->stacks, generation, f);
    if (f->kernel && !is_cached(c, generation, f)) {
        generation = process->generation;
        c = cached(&p->stacks, generation, f);
    }
    return is_cached(c, generation, f) ? c->location : HASHIDX_NONE;
}

static bool locate(struct perf *p, const struct perf_process *process,
                   const struct perf_frame *f, uint32_t *location,
                   struct prof_err *err)
{
    *location = find_cached(p, process, f);
    return *location != HASHIDX_NONE || look_up(p, process, f, location, err);
}

bool perf_locate_chain(struct perf *p, int32_t pid, struct prof_err *err)
{
    const struct perf_process *process = space_of(p, pid, err);
    if (!process)
        return false;
    if (!vec_reserve(&p->deferred_frames, p->chain.n))
        return err_nomem(err);
    for (size_t i = 0; i < p->chain.n; i++)
        if (!locate(p, process, &p->chain.v[i],
                    &p->deferred_frames.v[p->deferred_frames.n++], err))
            return false;
    return true;
}

static bool same_labels(const struct perf_labels *a,
                        const struct perf_labels *b)
{
    return a->has == b->has && memcmp(a->v, b->v, sizeof a->v) == 0;
}

bool perf_intern_labels(struct perf *p, const struct perf_labels *labels,
                        uint32_t *id, struct prof_err *err)
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

/* --- stacks --------------------------------------------------------------- */

static uint64_t hash_start(const struct perf_stacks *s)
{
    return mix_pair(s->seed, 3, 3);
}

static bool same_stack(const struct perf_stacks *s, uint32_t stack,
                       const uint32_t *locations, size_t n)
{
    const uint32_t *k = perf_stack_at(s, stack);
    return k[PERF_STACK_N] == n &&
           (!n || memcmp(k + PERF_STACK_LOCATIONS, locations,
                         n * sizeof *locations) == 0);
}

/* The stack of n locations that have this hash. */
static bool intern_stack(struct perf_stacks *s, const uint32_t *locations,
                         size_t n, uint64_t hash, uint32_t *id,
                         struct prof_err *err)
{
    uint32_t folded = mix_fold(hash);
    if (!hashidx_room(&s->stack_index))
        return err_nomem(err);
    size_t at = hashidx_start(&s->stack_index, folded);
    while ((*id = hashidx_next(&s->stack_index, folded, &at)) != HASHIDX_NONE)
        if (same_stack(s, *id, locations, n))
            return true;
    if (s->stacks.n >= UINT32_MAX - 1 || n >= UINT32_MAX ||
        !vec_reserve(&s->stacks, PERF_STACK_LOCATIONS + n))
        return err_nomem(err);
    *id = (uint32_t)s->stacks.n;
    uint32_t *to = perf_stack_at(s, *id);
    to[PERF_STACK_N] = (uint32_t)n;
    to[PERF_STACK_COUNT] = 0;
    if (n)
        memcpy(to + PERF_STACK_LOCATIONS, locations, n * sizeof *locations);
    s->stacks.n += PERF_STACK_LOCATIONS + n;
    hashidx_put(&s->stack_index, at, folded, *id);
    return true;
}

/* Makes room for n frames. */
static bool grow_last(struct perf_last *last, size_t n, struct prof_err *err)
{
    const size_t cap = 2 * n + 64;
    if (n <= last->cap)
        return true;
    free_last(last);
    *last = (struct perf_last){
        .cap = cap,
        .frames = mem_array(cap, sizeof *last->frames),
        .locations = mem_array(cap, sizeof *last->locations),
        .hashes = mem_array(cap, sizeof *last->hashes),
    };
    if (last->frames && last->locations && last->hashes)
        return true;
    last->cap = 0;
    return err_nomem(err);
}

/* How many callers, from the outermost on, the chain shares with `last`. */
static size_t count_common(const struct perf *p, const struct perf_last *last)
{
    const struct perf_frame *a = p->chain.v + p->chain.n, *b = last->frames;
    size_t i = 0, n = p->chain.n < last->n ? p->chain.n : last->n;
    while (i < n && (--a)->address == b[i].address && a->kernel == b[i].kernel)
        i++;
    return i;
}

/*
 * Makes *last the present chain, with its locations.  Most samples of a thread
 * have nearly all callers of the sample before, which need no lookup.
 */
static bool follow(struct perf *p, const struct perf_process *process,
                   struct perf_last *last, struct prof_err *err)
{
    const size_t n = p->chain.n;
    if (last->generation != process->generation)
        last->n = 0;
    if (!grow_last(last, n, err))
        return false;
    last->generation = process->generation;
    last->n = count_common(p, last);
    uint64_t hash =
        last->n ? last->hashes[last->n - 1] : hash_start(&p->stacks);
    for (size_t i = last->n; i < n; i++) {
        const struct perf_frame *f = &p->chain.v[n - 1 - i];
        uint32_t *location = &last->locations[i];
        last->frames[i] = *f;
        *location = find_cached(p, process, f);
        if (*location == HASHIDX_NONE && !look_up(p, process, f, location, err))
            return false;
        last->hashes[i] = hash = mix_pair(hash, *location, i);
    }
    last->n = n;
    return true;
}

/* --- counts --------------------------------------------------------------- */

/* Of two counts of one stack: whether they are of the same samples. */
static bool is_same(const struct perf_count *a, const struct perf_count *b)
{
    return a->labels == b->labels && a->event == b->event;
}

static bool add_to(struct perf_count *sum, const struct perf_count *c,
                   struct prof_err *err)
{
    if (c->events > INT64_MAX - sum->events)
        return err_set(err, PROF_ERR_INPUT,
                       "the periods of samples with the same call chain "
                       "exceed 64 bits");
    sum->samples += c->samples;
    sum->events += c->events;
    return true;
}

/* Most stacks have one count, which needs no index. */
static bool add_count(struct perf_stacks *s, const struct perf_count *count,
                      struct prof_err *err)
{
    uint32_t *first = perf_stack_at(s, count->stack) + PERF_STACK_COUNT;
    uint32_t row = *first - 1;
    const bool is_first = !*first;
    size_t at = 0;
    uint32_t hash = 0;
    if (!is_first && is_same(&s->counts.v[row], count))
        return add_to(&s->counts.v[row], count, err);
    if (!is_first) {
        hash = mix_fold(mix_pair(s->seed,
                                 (uint64_t)count->stack << 32 | count->labels,
                                 count->event));
        if (!hashidx_room(&s->count_index))
            return err_nomem(err);
        at = hashidx_start(&s->count_index, hash);
        while ((row = hashidx_next(&s->count_index, hash, &at)) != HASHIDX_NONE)
            if (s->counts.v[row].stack == count->stack &&
                is_same(&s->counts.v[row], count))
                return add_to(&s->counts.v[row], count, err);
    }
    if (s->counts.n >= UINT32_MAX - 1 || !vec_push(&s->counts, *count))
        return err_nomem(err);
    if (is_first)
        *first = (uint32_t)s->counts.n;
    else
        hashidx_put(&s->count_index, at, hash, (uint32_t)s->counts.n - 1);
    return true;
}

/* --- samples that wait for the memory of their stacks --------------------- */

static bool add_waiting(struct perf_stacks *s, struct perf_waiting *w,
                        struct prof_err *err)
{
    w->is_set = false;
    return intern_stack(s, w->locations, w->n, w->hash, &w->count.stack, err) &&
           add_count(s, &w->count, err);
}

static struct perf_waiting *nth_last(const struct perf_stacks *s, size_t n)
{
    return &s->waiting[(s->n_waited - n) % PERF_WAITING];
}

/* The stack that the sample may have, by the hash alone; or null. */
static const uint32_t *guess_stack(const struct perf_stacks *s,
                                   struct perf_waiting *w)
{
    w->guess = w->is_set ? hashidx_peek(&s->stack_index, mix_fold(w->hash))
                         : HASHIDX_NONE;
    return w->guess == HASHIDX_NONE ? NULL : perf_stack_at(s, w->guess);
}

/* The first count of that stack, or null. */
static const struct perf_count *guess_count(const struct perf_stacks *s,
                                            const struct perf_waiting *w)
{
    uint32_t row = w->is_set && w->guess != HASHIDX_NONE
                       ? perf_stack_at(s, w->guess)[PERF_STACK_COUNT]
                       : 0;
    return row ? &s->counts.v[row - 1] : NULL;
}

/*
 * Most of the time of a sample would be spent waiting for its stack and its
 * count, which are in memory in no order.  So they are loaded while other
 * samples are read, and the sample is counted PERF_WAITING samples later.
 */
static bool count_later(struct perf_stacks *s, const struct perf_last *last,
                        uint64_t hash, const struct perf_count *count,
                        struct prof_err *err)
{
    struct perf_waiting *w = nth_last(s, 0);
    if (w->is_set && !add_waiting(s, w, err))
        return false;
    w->is_set = true;
    w->hash = hash;
    w->count = *count;
    w->n = last->n;
    memcpy(w->locations, last->locations, last->n * sizeof *w->locations);
    hashidx_prefetch(&s->stack_index, mix_fold(hash));
    const uint32_t *stack = guess_stack(s, nth_last(s, PERF_WAITING / 3));
    __builtin_prefetch(stack);
    __builtin_prefetch(stack ? stack + CACHE_LINE / sizeof *stack : stack);
    __builtin_prefetch(guess_count(s, nth_last(s, 2 * PERF_WAITING / 3)));
    s->n_waited++;
    return true;
}

bool perf_count_waiting(struct perf *p, struct prof_err *err)
{
    struct perf_stacks *s = &p->stacks;
    for (size_t i = 0; i < PERF_WAITING; i++) {
        struct perf_waiting *w = nth_last(s, PERF_WAITING - i);
        if (w->is_set && !add_waiting(s, w, err))
            return false;
    }
    return true;
}

bool perf_count_chain(struct perf *p, int32_t pid, int32_t tid,
                      struct perf_count *count, struct prof_err *err)
{
    struct perf_stacks *s = &p->stacks;
    struct perf_last *last = &s->last[(uint32_t)tid % PERF_THREADS];
    const struct perf_process *process = space_of(p, pid, err);
    if (!process || !follow(p, process, last, err))
        return false;
    uint64_t hash = last->n ? last->hashes[last->n - 1] : hash_start(s);
    if (last->n && last->n <= PERF_WAITING_FRAMES)
        return count_later(s, last, hash, count, err);
    return intern_stack(s, last->locations, last->n, hash, &count->stack,
                        err) &&
           add_count(s, count, err);
}

bool perf_count_locations(struct perf *p, uint32_t *locations, size_t n,
                          struct perf_count *count, struct prof_err *err)
{
    struct perf_stacks *s = &p->stacks;
    uint64_t hash = hash_start(s);
    for (size_t i = 0; i < n / 2; i++) {
        uint32_t location = locations[i];
        locations[i] = locations[n - 1 - i];
        locations[n - 1 - i] = location;
    }
    for (size_t i = 0; i < n; i++)
        hash = mix_pair(hash, locations[i], i);
    return intern_stack(s, locations, n, hash, &count->stack, err) &&
           add_count(s, count, err);
}
