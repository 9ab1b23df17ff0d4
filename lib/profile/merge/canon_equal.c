/*
 * Equal samples of a sum that has no index, made one where the first is.
 *
 * An index of all samples would be far larger than any cache.  So samples
 * are dealt out by hash to pieces, each of which has an index that a cache
 * holds, and which several threads look through at once.  What is found
 * there is summed up afterwards, in the order of the samples.
 */
#include <stdlib.h>

#include "base/parallel.h"
#include "profile/merge/canon.h"

enum {
    PIECE = 1 << 14,  /* samples that are dealt to one, on average */
    MOST_BITS = 10,   /* of the hash that say which piece */
    HASHED = 1 << 12, /* samples whose hashes are worth handing out */
    FRAMES_EACH = 8,  /* of a location, for which counting them pays */
};

struct dealt {
    uint32_t hash, sample;
};

struct equals {
    const struct canon *c;
    const struct profile *p; /* the sum */
    uint32_t *hash;          /* by sample */
    struct dealt *dealt; /* by piece, samples in order; then as find() says */
    size_t *first;       /* of a piece in dealt, and the end of the last */
    size_t *n_equal;     /* by piece */
    size_t n_pieces;
    unsigned bits;
    struct hashidx *index; /* by thread */
    bool *no_memory;       /* by thread */
    uint32_t *frames;      /* by thread and location, or null */
};

static void hash_some(void *ctx, unsigned thread, size_t piece)
{
    const struct equals *e = ctx;
    const struct profile *p = e->p;
    uint32_t *frames = e->frames ? e->frames + thread * p->n_locations : NULL;
    size_t s = piece * HASHED, end = s + HASHED;
    for (; s < end && s < p->n_samples; s++) {
        const uint32_t *stack = prof_stack(p, s);
        size_t depth = prof_depth(p, s);
        if (!canon_is_live(e->c, s))
            continue;
        e->hash[s] =
            merge_sample_hash(prof_seed(p), stack, depth, p->labelset[s]);
        for (size_t i = 0; frames && i < depth; i++)
            frames[stack[i]]++;
    }
}

/* The upper bits, for the lower ones tell the place in an index. */
static size_t piece_of(const struct equals *e, uint32_t hash)
{
    return (size_t)((uint64_t)hash >> (32 - e->bits));
}

static void deal(struct equals *e)
{
    size_t *at = e->first + 1; /* of piece i here, of i + 1 in the end */
    for (size_t s = 0; s < e->p->n_samples; s++)
        if (canon_is_live(e->c, s))
            e->first[piece_of(e, e->hash[s]) + 2]++;
    for (size_t i = 1; i <= e->n_pieces; i++)
        at[i] += at[i - 1];
    for (size_t s = 0; s < e->p->n_samples; s++) {
        if (!canon_is_live(e->c, s))
            continue;
        size_t *to = &at[piece_of(e, e->hash[s])];
        e->dealt[(*to)++] = (struct dealt){e->hash[s], (uint32_t)s};
    }
}

/*
 * Leaves at the front of a piece those samples that equal an earlier one, and
 * in place of their hash that sample.
 */
static void find(void *ctx, unsigned thread, size_t piece)
{
    struct equals *e = ctx;
    struct hashidx *h = &e->index[thread];
    struct dealt *to = e->dealt + e->first[piece];
    const struct dealt *v = to, *end = e->dealt + e->first[piece + 1];
    hashidx_clear(h);
    for (; v < end; v++) {
        if (!hashidx_room(h)) {
            e->no_memory[thread] = true;
            return;
        }
        uint32_t found, hash = v->hash;
        size_t at = hashidx_start(h, hash);
        while ((found = hashidx_next(h, hash, &at)) != HASHIDX_NONE)
            if (canon_is_same(e->p, found, v->sample))
                break;
        if (found == HASHIDX_NONE)
            hashidx_put(h, at, hash, v->sample);
        else
            *to++ = (struct dealt){found, v->sample};
    }
    e->n_equal[piece] = (size_t)(to - (e->dealt + e->first[piece]));
}

/* Adds the values of a sample to those of an equal one, and makes them 0. */
static bool add(struct merger *m, uint32_t to, uint32_t sample, struct err *err)
{
    size_t nt = m->sum.n_types;
    for (size_t k = 0; k < nt; k++) {
        int64_t v = m->sum.values[sample * nt + k];
        m->sum.values[sample * nt + k] = 0;
        if (!merge_add_value(m, to, (uint32_t)k, v, err))
            return false;
    }
    return true;
}

static bool sum_up(const struct canon *c, const struct equals *e,
                   struct err *err)
{
    for (size_t i = 0; i < e->n_pieces; i++) {
        const struct dealt *v = e->dealt + e->first[i];
        for (size_t k = 0; k < e->n_equal[i]; k++)
            if (!add(c->m, v[k].hash, v[k].sample, err))
                return false;
    }
    return true;
}

static bool find_all(const struct canon *c, struct equals *e, struct err *err)
{
    size_t n = e->p->n_samples;
    bool ok = true;
    parallel_run(c->threads, n / HASHED + 1, hash_some, e);
    deal(e);
    parallel_run(c->threads, e->n_pieces, find, e);
    for (unsigned i = 0; i < c->threads; i++)
        ok = ok && !e->no_memory[i];
    return ok || err_nomem(err);
}

/*
 * Frames are in the caches while their sample is hashed, so they are counted
 * then, too: if counts are small beside them, and never pass 32 bits.
 */
static bool count_as_well(const struct canon *c, struct equals *e)
{
    size_t n = c->sum->n_locations, frames = c->sum->n_frames;
    if (frames > UINT32_MAX || frames / FRAMES_EACH / c->threads < n)
        return true;
    e->frames = mem_zarray(n, c->threads * sizeof *e->frames);
    return e->frames;
}

/* What was counted stays true if no sample was summed up. */
static bool keep_counts(struct canon *c, const struct equals *e)
{
    size_t n = c->sum->n_locations;
    bool any = !e->frames;
    for (size_t i = 0; !any && i < e->n_pieces; i++)
        any = e->n_equal[i];
    if (any)
        return true;
    c->frames = mem_zarray(n, sizeof *c->frames);
    for (unsigned t = 0; c->frames && t < c->threads; t++)
        for (size_t l = 0; l < n; l++)
            c->frames[l] += e->frames[t * n + l];
    return c->frames;
}

static void equals_free(const struct canon *c, struct equals *e)
{
    for (unsigned i = 0; e->index && i < c->threads; i++)
        hashidx_free(&e->index[i]);
    free(e->hash);
    free(e->dealt);
    free(e->first);
    free(e->n_equal);
    free(e->index);
    free(e->no_memory);
    free(e->frames);
}

bool canon_equal(struct canon *c, struct err *err)
{
    struct equals e = {.c = c, .p = c->sum};
    size_t n = c->sum->n_samples;
    while (e.bits < MOST_BITS && n >> e.bits > PIECE)
        e.bits++;
    e.n_pieces = (size_t)1 << e.bits;
    e.hash = mem_array(n, sizeof *e.hash);
    e.dealt = mem_array(n, sizeof *e.dealt);
    e.first = mem_zarray(e.n_pieces + 2, sizeof *e.first);
    e.n_equal = mem_zarray(e.n_pieces, sizeof *e.n_equal);
    e.index = mem_zarray(c->threads, sizeof *e.index);
    e.no_memory = mem_zarray(c->threads, sizeof *e.no_memory);
    bool ok = (e.hash && e.dealt && e.first && e.n_equal && e.index &&
               e.no_memory && count_as_well(c, &e)) ||
              err_nomem(err);
    ok = ok && find_all(c, &e, err) && sum_up(c, &e, err) &&
         (keep_counts(c, &e) || err_nomem(err));
    equals_free(c, &e);
    return ok;
}
