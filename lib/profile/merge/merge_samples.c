/*
 * Adding the samples of an input to a sum.
 *
 * The sum is far larger than any cache, and nearly every sample is looked up
 * at a place that is in none.  So samples go in batches: all of a batch are
 * translated and hashed, then what each will need is asked for ahead, step
 * by step, and by the time it is compared it is there.
 */
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/hash.h"
#include "base/vec.h"
#include "profile/merge/merger.h"

/* Of a batch; the most where the sum is shared and its lock not to be had. */
enum { BATCH = 64, MOST = 256, LINE_FRAMES = 16 };

#define PREFETCH(p) __builtin_prefetch(p)

/* The input's stack in locations of the sum, appended to in->stack. */
static bool translate(struct merge_input *in, struct merge_arrival *a,
                      struct err *err)
{
    const uint32_t *stack = prof_stack(in->p, a->sample);
    const uint32_t *to = in->locations.v;
    size_t depth = prof_depth(in->p, a->sample);
    if (in->n_not_used)
        merge_note_use(in, stack, depth);
    if (!vec_reserve(&in->stack, depth + 1)) /* a place, even of none */
        return err_nomem(err);
    uint32_t *v = in->stack.v + in->stack.n;
    for (size_t i = 0; i < depth; i++)
        v[i] = to[stack[i]];
    a->at = in->stack.n;
    a->depth = depth;
    in->stack.n += depth;
    return true;
}

uint32_t merge_sample_hash(uint64_t seed, const uint32_t *stack, size_t depth,
                           uint32_t labelset)
{
    uint64_t h =
        depth ? XXH3_64bits_withSeed(stack, depth * sizeof *stack, seed) : 0;
    return mix_fold(mix_pair(seed, h, labelset));
}

/* Makes sample s of the input the next of the batch. */
static bool arrive(const struct merger *m, struct merge_input *in, size_t s,
                   struct err *err)
{
    struct merge_arrival a = {.sample = s};
    if (!translate(in, &a, err))
        return false;
    a.labelset = in->labelsets.v[in->p->labelset[s]];
    a.hash = merge_sample_hash(prof_seed(&m->sum), in->stack.v + a.at, a.depth,
                               a.labelset);
    return vec_push(&in->batch, a) || err_nomem(err);
}

/* Asks for what the lookups of the batch will read. */
static void prefetch(const struct merger *m, struct merge_arrival *v, size_t n)
{
    const struct profile *sum = &m->sum;
    for (size_t i = 0; i < n; i++)
        hashidx_prefetch(&m->sample_index, v[i].hash);
    for (size_t i = 0; i < n; i++) {
        uint32_t c = hashidx_peek(&m->sample_index, v[i].hash);
        v[i].candidate = c;
        if (c == HASHIDX_NONE)
            continue;
        PREFETCH(&sum->frame_off[c]);
        PREFETCH(&sum->labelset[c]);
        PREFETCH(&sum->values[c * sum->n_types]);
    }
    for (size_t i = 0; i < n; i++) {
        if (v[i].candidate == HASHIDX_NONE)
            continue;
        const uint32_t *stack = prof_stack(sum, v[i].candidate);
        for (size_t k = 0; k < v[i].depth; k += LINE_FRAMES)
            PREFETCH(stack + k);
    }
}

static bool same_stack(const struct profile *p, size_t s, const uint32_t *stack,
                       size_t depth)
{
    return prof_depth(p, s) == depth &&
           (!depth || !memcmp(prof_stack(p, s), stack, depth * sizeof *stack));
}

uint32_t merge_find_sample(const struct merger *m, uint32_t hash,
                           const uint32_t *stack, size_t depth,
                           uint32_t labelset, size_t *at)
{
    const struct profile *sum = &m->sum;
    uint32_t found;
    *at = hashidx_start(&m->sample_index, hash);
    while ((found = hashidx_next(&m->sample_index, hash, at)) != HASHIDX_NONE)
        if (sum->labelset[found] == labelset &&
            same_stack(sum, found, stack, depth))
            break;
    return found;
}

/* The sum's sample with this stack and these labels, added if new. */
static bool find_sample(struct merger *m, const struct merge_input *in,
                        const struct merge_arrival *a, uint32_t *sample,
                        struct err *err)
{
    const uint32_t *stack = in->stack.v + a->at;
    struct profile *sum = &m->sum;
    if (!hashidx_room(&m->sample_index))
        return err_nomem(err);
    size_t at;
    *sample = merge_find_sample(m, a->hash, stack, a->depth, a->labelset, &at);
    if (*sample != HASHIDX_NONE)
        return true;
    if (!prof_push_sample(sum, stack, a->depth, a->labelset, err))
        return false;
    *sample = (uint32_t)sum->n_samples - 1;
    hashidx_put(&m->sample_index, at, a->hash, *sample);
    return true;
}

static bool carry(struct merger *m, uint32_t sample, uint32_t type,
                  int64_t times, struct err *err)
{
    struct merge_carry c = {sample, type, times};
    return vec_push(&m->carries, c) || err_nomem(err);
}

bool merge_add_value(struct merger *m, uint32_t sample, uint32_t column,
                     int64_t v, struct err *err)
{
    int64_t *to = &m->sum.values[sample * m->sum.n_types + column];
    if (!__builtin_add_overflow(*to, v, to))
        return true;
    return carry(m, sample, column, v > 0 ? 1 : -1, err);
}

/* *to -= v: the opposite of v need not be a 64-bit value. */
static bool subtract_value(struct merger *m, uint32_t sample, uint32_t column,
                           int64_t v, struct err *err)
{
    int64_t *to = &m->sum.values[sample * m->sum.n_types + column];
    if (!__builtin_sub_overflow(*to, v, to))
        return true;
    return carry(m, sample, column, v < 0 ? 1 : -1, err);
}

static int by_sample(const void *a, const void *b)
{
    const struct merge_carry *x = a, *y = b;
    if (x->sample != y->sample)
        return x->sample < y->sample ? -1 : 1;
    return (x->type > y->type) - (x->type < y->type);
}

void merge_net_carries(struct merger *m)
{
    struct merge_carry *v = m->carries.v;
    size_t n = m->carries.n, left = 0;
    if (!n)
        return;
    qsort(v, n, sizeof *v, by_sample);
    for (size_t i = 0, j; i < n; i = j) {
        struct merge_carry c = v[i];
        for (j = i + 1; j < n && !by_sample(&v[i], &v[j]); j++)
            c.times += v[j].times;
        if (c.times)
            v[left++] = c;
    }
    m->carries.n = left;
}

static bool add_values(struct merger *m, const struct merge_input *in,
                       uint32_t sample, const int64_t *values, struct err *err)
{
    for (size_t k = 0; k < in->p->n_types; k++) {
        uint32_t column = in->column.v[k];
        if (column != PROF_NONE &&
            !(in->minus ? subtract_value(m, sample, column, values[k], err)
                        : merge_add_value(m, sample, column, values[k], err)))
            return false;
    }
    return true;
}

/* Adds n of the batch, and notes in to[], if not null, where they went. */
static bool add_some(struct merger *m, struct merge_input *in,
                     struct merge_arrival *v, size_t n, uint32_t *to,
                     struct err *err)
{
    const struct profile *p = in->p;
    prefetch(m, v, n);
    for (size_t i = 0; i < n; i++) {
        const int64_t *values = p->values + v[i].sample * p->n_types;
        uint32_t sample;
        if (!find_sample(m, in, &v[i], &sample, err))
            return false;
        if (!add_values(m, in, sample, values, err))
            return false;
        if (to)
            to[v[i].sample] = sample;
    }
    return true;
}

/* Asks for the memory that the samples of the next batches will go to. */
static void ask_ahead(struct merger *m)
{
    struct profile *p = &m->sum;
    struct merge_asked *a = &m->asked;
#define AHEAD(column, n, cap)                                                  \
    pages_ahead(p->column, (n) * sizeof *p->column, (cap) * sizeof *p->column, \
                &a->column)
    AHEAD(frame_off, p->n_samples, p->cap_frame_off);
    AHEAD(frames, p->n_frames, p->cap_frames);
    AHEAD(values, p->n_samples * p->n_types, p->cap_values);
    AHEAD(labelset, p->n_samples, p->cap_labelset);
#undef AHEAD
}

/* The same for the whole batch, in pieces that the caches hold. */
static bool add_batch(struct merger *m, struct merge_input *in, uint32_t *to,
                      struct err *err)
{
    for (size_t i = 0, n; i < in->batch.n; i += n) {
        n = in->batch.n - i < BATCH ? in->batch.n - i : BATCH;
        ask_ahead(m);
        if (!add_some(m, in, in->batch.v + i, n, to, err))
            return false;
    }
    in->batch.n = in->stack.n = 0;
    return true;
}

/*
 * All samples of the input: those of a profile unless they are 0; those of a
 * sum all, for what one that has become 0 says of its mappings counts, as it
 * does where the inputs are added one by one.
 */
static bool add_all(struct merger *m, struct merge_input *in, uint32_t *to,
                    struct err *err)
{
    const struct profile *p = in->p;
    size_t enough = BATCH;
    bool ok = true;
    in->batch.n = in->stack.n = 0;
    for (size_t s = 0; ok && s < p->n_samples; s++) {
        if (!in->from && prof_sample_is_zero(p, s))
            continue;
        if (!arrive(m, in, s, err))
            return false;
        if (in->batch.n < enough)
            continue;
        if (!merge_try_lock(m)) {
            if (in->batch.n < MOST) { /* there is more to translate */
                enough += BATCH;
                continue;
            }
            merge_lock(m);
        }
        ok = add_batch(m, in, to, err);
        merge_unlock(m);
        enough = BATCH;
    }
    merge_lock(m);
    ok = ok && add_batch(m, in, to, err);
    merge_unlock(m);
    return ok;
}

/* A sum's carries, at the samples that its own went to. */
static bool join_carries(struct merger *m, const struct merge_input *in,
                         const uint32_t *to, struct err *err)
{
    for (size_t i = 0; i < in->from->carries.n; i++) {
        const struct merge_carry *c = &in->from->carries.v[i];
        uint32_t column = in->column.v[c->type];
        if (column != PROF_NONE &&
            !carry(m, to[c->sample], column, c->times, err))
            return false;
    }
    return true;
}

/* Whether the input's columns are those of the sum, one for one. */
static bool same_columns(const struct merger *m, const struct merge_input *in)
{
    for (size_t k = 0; k < in->p->n_types; k++)
        if (in->column.v[k] != k)
            return false;
    return in->p->n_types == m->sum.n_types;
}

bool merge_samples(struct merger *m, struct merge_input *in, struct err *err)
{
    if (m->shared)
        return merge_reach_shared(m, in, err) &&
               add_all(m->shared, in, NULL, err);
    if (in->given && !m->sum.n_samples && same_columns(m, in)) {
        merge_adopt(m, in);
        return true;
    }
    if (!merge_index_adopted(m, err))
        return false;
    if (!m->sum.n_samples) { /* an only input needs as much as it has */
        struct prof_counts counts = prof_count(in->p);
        if (!prof_reserve(&m->sum, &counts, err))
            return false;
    }
    if (!in->from || !in->from->carries.n)
        return add_all(m, in, NULL, err);
    uint32_t *to = mem_array(in->p->n_samples, sizeof *to);
    bool ok = to ? add_all(m, in, to, err) && join_carries(m, in, to, err)
                 : err_nomem(err);
    free(to);
    return ok;
}
