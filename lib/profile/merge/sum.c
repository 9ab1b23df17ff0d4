/* sum.c - adds the samples of an input to a sum, and writes a sum to disk
 *
 * The sum is far larger than any cache, and nearly every lookup of a sample
 * would miss.  So samples are added in batches: all samples of a batch are
 * translated and hashed, and what their lookups read is prefetched step by
 * step.  The lock is held for one batch at a time.  No thread waits for it
 * unless its batch is large: the batch stays for the samples of its next input.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "profile/merge/private.h"

enum {
    BATCH = 32,     /* what their lookups read fits in 32 KiB */
    MOST = 1 << 14, /* values to collect while another thread has the lock */
    PARTS = 4,      /* of an index that is needed once, to take less memory */
};

/* --- values --------------------------------------------------------------- */

static bool carry(struct sum *s, uint32_t sample, uint32_t type, int64_t times,
                  struct prof_err *err)
{
    struct sum_carry c = {sample, type, times};
    return vec_push(&s->carries, c) || err_nomem(err);
}

/* Adds the values of sample i of the batch to those of a sample. */
static bool add_values(const struct translator *t, uint32_t sample, size_t i,
                       struct prof_err *err)
{
    struct sum *s = t->sum;
    for (size_t k = 0; k < t->batch_column.n; k++) {
        uint32_t column = t->batch_column.v[k];
        int64_t v = t->values.v[i * t->batch_column.n + k];
        if (column == PROF_NONE)
            continue;
        /* Subtract v rather than add -v, which may exceed 64 bits. */
        int64_t *to = &s->p.values[sample * s->p.n_types + column];
        bool overflows = t->batch_minus ? __builtin_sub_overflow(*to, v, to)
                                        : __builtin_add_overflow(*to, v, to);
        if (overflows &&
            !carry(s, sample, column, (v > 0) != t->batch_minus ? 1 : -1, err))
            return false;
    }
    return true;
}

static int by_sample(const void *a, const void *b)
{
    const struct sum_carry *x = a, *y = b;
    const int c = ORDER(x->sample, y->sample);
    return c ? c : ORDER(x->type, y->type);
}

void sum_combine_carries(struct sum *s)
{
    struct sum_carry *v = s->carries.v;
    size_t n = s->carries.n, left = 0;
    if (!n)
        return;
    qsort(v, n, sizeof *v, by_sample);
    for (size_t i = 0, j; i < n; i = j) {
        struct sum_carry c = v[i];
        for (j = i + 1; j < n && !by_sample(&v[i], &v[j]); j++)
            c.times += v[j].times;
        if (c.times)
            v[left++] = c;
    }
    s->carries.n = left;
}

/* --- samples -------------------------------------------------------------- */

/*
 * The hash of a stack is the sum of its frames + 1, each times a random factor
 * that belongs to its depth from the root (multilinear hashing).  So stacks
 * that share frames share their sum.  Makes the factors of depths below n.
 */
static bool make_factors(struct factors *f, uint64_t seed, size_t n)
{
    if (n > f->n && !vec_reserve(f, n - f->n))
        return false;
    for (; f->n < n; f->n++)
        f->v[f->n] = hash_pair(seed, f->n, 0);
    return true;
}

static uint32_t sample_hash(uint64_t seed, uint64_t stack, uint32_t labelset)
{
    return hash_fold(hash_pair(seed, stack, labelset));
}

/*
 * Returns the sample of the sum, whose stacks share nothing, with the labels of
 * *a and this stack, or HASHIDX_NONE; then *at is where to put it in the index.
 */
static uint32_t find_sample(const struct sum *s, const struct translated *a,
                            const uint32_t *stack, size_t *at)
{
    uint32_t found;
    *at = hashidx_start(&s->sample_index, a->hash);
    while ((found = hashidx_next(&s->sample_index, a->hash, at)) !=
           HASHIDX_NONE)
        if (s->p.labelset[found] == a->labelset &&
            prof_depth(&s->p, found) == a->depth &&
            (!a->depth || !memcmp(prof_stack(&s->p, found), stack,
                                  a->depth * sizeof *stack)))
            break;
    return found;
}

/* Prefetches what the lookups of samples v[0 .. n) will read. */
static void prefetch(const struct sum *s, struct translated *v, size_t n)
{
    const struct profile *p = &s->p;
    for (size_t i = 0; i < n; i++)
        hashidx_prefetch(&s->sample_index, v[i].hash);
    for (size_t i = 0; i < n; i++) {
        uint32_t c = hashidx_peek(&s->sample_index, v[i].hash);
        v[i].candidate = c;
        if (c == HASHIDX_NONE)
            continue;
        __builtin_prefetch(&p->frame_off[c]);
        __builtin_prefetch(&p->labelset[c]);
        __builtin_prefetch(&p->values[c * p->n_types]);
    }
    for (size_t i = 0; i < n; i++) {
        if (v[i].candidate == HASHIDX_NONE)
            continue;
        const uint32_t *own = prof_own(p, v[i].candidate);
        const uint32_t *end = prof_own(p, v[i].candidate + (size_t)1);
        for (; own < end; own += CACHE_LINE / sizeof *own)
            __builtin_prefetch(own);
    }
}

/* Moves the values of a sample to an equal one. */
static bool move_values(struct sum *s, size_t from, uint32_t to,
                        struct prof_err *err)
{
    size_t nt = s->p.n_types;
    int64_t *v = s->p.values + from * nt, *sum = s->p.values + to * nt;
    for (uint32_t t = 0; t < nt; t++) {
        int64_t value = v[t];
        v[t] = 0;
        if (__builtin_add_overflow(sum[t], value, &sum[t]) &&
            !carry(s, to, t, value > 0 ? 1 : -1, err))
            return false;
    }
    return true;
}

/* Sets hash[] by sample of the sum: 0 if all values are 0. */
static bool hash_samples(const struct profile *p, uint32_t *hash)
{
    const uint64_t seed = prof_seed(p);
    struct factors factors = {0};
    VEC(uint64_t) sums = {0}; /* [k]: of the k outermost frames */
    bool ok = vec_push(&sums, 0);
    for (size_t s = 0; ok && s < p->n_samples; s++) {
        const size_t shared = prof_shared(p, s), depth = prof_depth(p, s);
        const uint32_t *root = prof_own(p, s) + depth - shared;
        ok = vec_reserve(&sums, depth) && make_factors(&factors, seed, depth);
        for (size_t k = shared; ok && k < depth; k++)
            sums.v[k + 1] = sums.v[k] + (*--root + UINT64_C(1)) * factors.v[k];
        hash[s] = sample_hash(seed, sums.v[ok ? depth : 0], p->labelset[s]);
        hash[s] += !hash[s];
        if (prof_sample_is_zero(p, s))
            hash[s] = 0;
    }
    vec_free(&factors);
    vec_free(&sums);
    return ok;
}

/* What adds the samples of a sum to its index. */
struct indexing {
    uint32_t *hash;
    struct prof_stacks next, known; /* read the samples to add; those added */
    bool any_equal;
};

static bool is_equal(struct indexing *x, uint32_t a, uint32_t b)
{
    const struct profile *p = x->next.p;
    const size_t depth = prof_depth(p, a);
    if (p->labelset[a] != p->labelset[b] || prof_depth(p, b) != depth)
        return false;
    prof_stacks_read(&x->next, a);
    prof_stacks_read(&x->known, b);
    return !depth || !memcmp(x->next.stack, x->known.stack,
                             depth * sizeof *x->next.stack);
}

/* Adds a sample, or moves its values to an equal one. */
static bool index_sample(struct sum *s, struct indexing *x, uint32_t sample,
                         struct prof_err *err)
{
    const uint32_t hash = x->hash[sample];
    uint32_t found;
    if (!hashidx_room(&s->sample_index))
        return err_nomem(err);
    size_t at = hashidx_start(&s->sample_index, hash);
    do
        found = hashidx_next(&s->sample_index, hash, &at);
    while (found != HASHIDX_NONE && !is_equal(x, sample, found));
    if (found == HASHIDX_NONE)
        hashidx_put(&s->sample_index, at, hash, sample);
    else
        x->any_equal = true;
    return found == HASHIDX_NONE || move_values(s, sample, found, err);
}

/* Adds those samples whose hash is in one of the equal parts of all hashes. */
static bool index_part(struct sum *s, struct indexing *x, size_t part,
                       size_t parts, struct prof_err *err)
{
    uint32_t row[BATCH];
    bool ok = true;
    for (size_t i = 0; ok && i < s->p.n_samples;) {
        size_t n = 0;
        for (; n < BATCH && i < s->p.n_samples; i++) {
            row[n] = (uint32_t)i;
            n += x->hash[i] && (uint64_t)x->hash[i] * parts >> 32 == part;
        }
        for (size_t k = 0; k < n; k++)
            hashidx_prefetch(&s->sample_index, x->hash[row[k]]);
        for (size_t k = 0; ok && k < n; k++)
            ok = index_sample(s, x, row[k], err);
    }
    return ok;
}

/* With more than one part, the index is that of the last one. */
static bool index_parts(struct sum *s, size_t parts, bool *any_equal,
                        struct prof_err *err)
{
    const size_t n = s->p.n_samples;
    struct indexing x = {.hash = mem_array(n, sizeof *x.hash)};
    bool ok = (x.hash && hash_samples(&s->p, x.hash)) || err_nomem(err);
    ok = ok && prof_stacks_init(&x.next, &s->p, err) &&
         prof_stacks_init(&x.known, &s->p, err);
    for (size_t k = 0; ok && k < parts; k++) {
        hashidx_free(&s->sample_index);
        ok = hashidx_reserve(&s->sample_index, n / parts)
                 ? index_part(s, &x, k, parts, err)
                 : err_nomem(err);
    }
    prof_stacks_free(&x.next);
    prof_stacks_free(&x.known);
    free(x.hash);
    *any_equal = x.any_equal;
    return ok;
}

/* Adds the samples of the first input to the index, if they are not there. */
static bool index_samples(struct sum *s, struct prof_err *err)
{
    bool any_equal;
    if (!s->is_unindexed)
        return true;
    s->is_unindexed = false;
    return index_parts(s, 1, &any_equal, err);
}

bool sum_equal_samples(struct sum *s, bool *any_equal, struct prof_err *err)
{
    bool ok = index_parts(s, PARTS, any_equal, err);
    hashidx_free(&s->sample_index);
    return ok;
}

/* Adds the batch, in pieces that fit into caches.  Needs the sample lock. */
static bool add_batch(struct translator *t, struct prof_err *err)
{
    struct sum *s = t->sum;
    /* Stacks of the sum share nothing then, so more can be added. */
    if (!prof_unshare(&s->p, err) || !index_samples(s, err))
        return false;
    for (size_t i = 0, end; i < t->batch.n; i = end) {
        end = i + BATCH < t->batch.n ? i + BATCH : t->batch.n;
        prefetch(s, t->batch.v + i, end - i);
        for (size_t k = i; k < end; k++) {
            const struct translated *a = &t->batch.v[k];
            const uint32_t *stack = t->stack.v + a->at;
            size_t at;
            if (!hashidx_room(&s->sample_index))
                return err_nomem(err);
            uint32_t sample = find_sample(s, a, stack, &at);
            if (sample == HASHIDX_NONE) {
                if (!prof_push_sample(&s->p, stack, a->depth, a->labelset, err))
                    return false;
                sample = (uint32_t)s->p.n_samples - 1;
                hashidx_put(&s->sample_index, at, a->hash, sample);
            }
            if (!add_values(t, sample, k, err))
                return false;
        }
    }
    t->batch.n = t->stack.n = t->values.n = 0;
    return true;
}

bool sum_add_batch(struct translator *t, struct prof_err *err)
{
    if (!t->batch.n)
        return true;
    (void)pthread_mutex_lock(&t->sum->sample_lock);
    bool ok = add_batch(t, err);
    (void)pthread_mutex_unlock(&t->sum->sample_lock);
    return ok;
}

/*
 * Before the first sample of an input.  The batch keeps samples of the input
 * before, if values of both are added to the same columns.
 */
static bool begin_batch(struct translator *t, struct prof_err *err)
{
    size_t n = t->p->n_types, size = n * sizeof *t->column.v;
    if (t->batch_column.n == n && t->batch_minus == t->minus &&
        (!n || !memcmp(t->batch_column.v, t->column.v, size)))
        return true;
    if (!sum_add_batch(t, err))
        return false;
    t->batch_column.n = 0;
    if (!vec_reserve(&t->batch_column, n + 1))
        return err_nomem(err);
    if (n)
        memcpy(t->batch_column.v, t->column.v, size);
    t->batch_column.n = n;
    t->batch_minus = t->minus;
    return true;
}

/* Appends sample i of the input to the batch, with ids of the sum. */
static bool translate_sample(struct translator *t, struct prof_stacks *r,
                             size_t i, struct prof_err *err)
{
    prof_stacks_read(r, i);
    const uint32_t *stack = r->stack, *to = t->locations.v;
    const uint64_t seed = prof_seed(&t->sum->p);
    size_t n = t->p->n_types;
    struct translated a = {.at = t->stack.n,
                           .depth = r->depth,
                           .labelset = t->labelsets.v[t->p->labelset[i]]};
    if (t->n_unused)
        translate_note_use(t, stack, a.depth);
    if (!vec_reserve(&t->stack, a.depth + 1) || /* + 1: never null */
        !vec_reserve(&t->values, n) ||
        !make_factors(&t->factors, seed, a.depth))
        return err_nomem(err);
    memcpy(t->values.v + t->values.n, t->p->values + i * n,
           n * sizeof *t->values.v);
    t->values.n += n;
    uint64_t hash = 0;
    uint32_t *v = t->stack.v + a.at;
    for (size_t k = 0; k < a.depth; k++) {
        v[k] = to[stack[k]];
        hash += (v[k] + UINT64_C(1)) * t->factors.v[a.depth - 1 - k];
    }
    t->stack.n += a.depth;
    a.hash = sample_hash(seed, hash, a.labelset);
    return vec_push(&t->batch, a) || err_nomem(err);
}

static bool add_all(struct translator *t, struct prof_err *err)
{
    struct sum *s = t->sum;
    struct prof_stacks r;
    bool ok = prof_stacks_init(&r, t->p, err) && begin_batch(t, err);
    for (size_t i = 0; ok && i < t->p->n_samples; i++) {
        if (prof_sample_is_zero(t->p, i))
            continue;
        ok = translate_sample(t, &r, i, err);
        if (!ok || t->batch.n % BATCH)
            continue;
        if (pthread_mutex_trylock(&s->sample_lock) != 0) {
            if (t->values.n < MOST)
                continue; /* let the batch grow rather than wait */
            (void)pthread_mutex_lock(&s->sample_lock);
        }
        ok = add_batch(t, err);
        (void)pthread_mutex_unlock(&s->sample_lock);
    }
    prof_stacks_free(&r);
    return ok && (t->is_lazy || sum_add_batch(t, err));
}

/* Returns whether to[i] is i for each i below n. */
static bool is_identity(const uint32_t *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (to[i] != i)
            return false;
    return true;
}

/*
 * Takes over the samples of the input, translated in place.  Samples whose
 * values are 0 come along; the result drops them.
 */
static bool take_all(struct translator *t, struct profile *p,
                     struct prof_err *err)
{
    struct prof_stacks r;
    if (!prof_stacks_init(&r, p, err))
        return false;
    for (size_t i = 0; t->n_unused && i < p->n_samples; i++) {
        prof_stacks_read(&r, i);
        if (!prof_sample_is_zero(p, i))
            translate_note_use(t, r.stack, r.depth);
    }
    prof_stacks_free(&r);
    if (!is_identity(t->locations.v, p->n_locations))
        for (size_t i = 0; i < p->n_frames; i++)
            p->frames[i] = t->locations.v[p->frames[i]];
    for (size_t i = 0; i < p->n_samples; i++)
        p->labelset[i] = t->labelsets.v[p->labelset[i]];
    prof_take_samples(&t->sum->p, p);
    t->sum->is_unindexed = true;
    return true;
}

bool sum_add_samples(struct translator *t, struct prof_err *err)
{
    struct sum *s = t->sum;
    struct profile *p = t->owned;
    /* If another thread has the lock, the sum has samples, or soon will. */
    if (!p || pthread_mutex_trylock(&s->sample_lock) != 0)
        return add_all(t, err);
    /* Samples of an earlier input come first, also if they are in the batch. */
    bool takes = !s->p.n_samples && !t->batch.n && p->n_types == s->p.n_types &&
                 is_identity(t->column.v, p->n_types);
    bool taken = takes && take_all(t, p, err);
    (void)pthread_mutex_unlock(&s->sample_lock);
    return takes ? taken : add_all(t, err);
}

/* --- to disk -------------------------------------------------------------- */

/*
 * Replaces a carry of 2^64, which no value can hold, by four samples of 2^62
 * (or of -2^62) with the same stack and labels.
 */
static bool write_carry(struct profile *p, const struct sum_carry *c,
                        struct prof_err *err)
{
    size_t depth = prof_depth(p, c->sample);
    uint64_t by = c->times < 0 ? -(uint64_t)c->times : (uint64_t)c->times;
    uint64_t n = 4 * by;
    if (by > PROF_NONE / 4 || n * depth > SIZE_MAX - p->n_frames)
        return err_nomem(err);
    struct prof_counts counts = {.samples = p->n_samples + (size_t)n,
                                 .frames = p->n_frames + (size_t)n * depth};
    if (!prof_reserve(p, &counts, err)) /* so that stacks do not move below */
        return false;
    for (; n; n--) {
        if (!prof_push_sample(p, prof_stack(p, c->sample), depth,
                              p->labelset[c->sample], err))
            return false;
        p->values[(p->n_samples - 1) * p->n_types + c->type] =
            c->times < 0 ? -(INT64_C(1) << 62) : INT64_C(1) << 62;
    }
    return true;
}

bool sum_spill(struct sum *s, struct prof_err *err)
{
    struct profile *p = &s->p;
    if (!p->n_samples)
        return true;
    if (!prof_unshare(p, err))
        return false;
    sum_combine_carries(s); /* most cancel each other */
    for (size_t i = 0; i < s->carries.n; i++)
        if (!write_carry(p, &s->carries.v[i], err))
            return false;
    s->carries.n = 0;
    if (!spill_write(&s->spill, p, err))
        return false;
    prof_free_samples(p);
    hashidx_free(&s->sample_index);
    s->is_unindexed = false;
    return prof_reserve(p, &(struct prof_counts){0}, err) &&
           (p->frame_off[0] = 0, true);
}
