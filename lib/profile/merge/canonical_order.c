/* canonical_order.c - samples in order, and equal ones as one */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/sort.h"
#include "profile/merge/private.h"
#include "profile/merge/sample_order.h"
#include "profile/text.h"

bool canon_sort(const struct canon *c, uint32_t *samples, size_t n, bool *equal,
                struct err *err)
{
    const struct profile *p = c->p;
    struct sample_order o = {
        .frame_off = p->frame_off,
        .frames = p->frames,
        .rank = c->location_rank,
        .labelset = p->labelset,
        .set_rank = c->labelset_rank,
        .n_ranks = (uint32_t)(p->n_locations > p->n_labelsets ? p->n_locations
                                                              : p->n_labelsets),
        .threads = c->threads,
    };
    return sample_order_sort(&o, samples, n, equal, err);
}

/* --- overflow ------------------------------------------------------------- */

uint32_t canon_leaf(const struct canon *c, uint32_t sample)
{
    return prof_depth(c->p, sample) ? prof_stack(c->p, sample)[0] : PROF_NONE;
}

/* How to call a sample in a message: its leaf, PROF_NONE if it has none. */
static void leaf_name(const struct profile *p, uint32_t leaf, struct buf *to)
{
    if (leaf == PROF_NONE) {
        (void)buf_puts(to, "without a stack");
        return;
    }
    const struct prof_location *l = &p->locations[leaf];
    if (l->n_lines && p->lines[l->line_off].function != PROF_NONE) {
        uint32_t f = p->lines[l->line_off].function;
        (void)buf_printf(to, "of %s", prof_show(p, p->functions[f].name).text);
    } else {
        (void)buf_printf(to, "at 0x%" PRIx64, l->address);
    }
}

bool canon_overflow(const struct canon *c, uint32_t leaf, uint32_t type,
                    struct err *err)
{
    struct buf b = {0};
    leaf_name(c->p, leaf, &b);
    const struct prof_value_type *vt = &c->p->types[type];
    err_set(err, ERR_INPUT, "the sum of %s of the sample %.*s overflows",
            prof_show_type(c->p, *vt).text, (int)b.n, b.v ? (char *)b.v : "");
    buf_free(&b);
    return false;
}

/* --- equal samples, next to each other ------------------------------------ */

/* Whether two samples have the same stack and labels. */
static bool is_same(const struct profile *p, uint32_t a, uint32_t b)
{
    size_t n = prof_depth(p, a);
    return n == prof_depth(p, b) && p->labelset[a] == p->labelset[b] &&
           (!n ||
            !memcmp(prof_stack(p, a), prof_stack(p, b), n * sizeof *p->frames));
}

/* Sums samples[0 .. n) in the first; the values of others become 0. */
static bool sum_neighbours(struct canon *c, const uint32_t *samples, size_t n,
                           struct err *err)
{
    size_t nt = c->p->n_types;
    int64_t *to = c->p->values + samples[0] * nt;
    for (size_t k = 0; k < nt; k++) {
        struct wide sum = {0};
        for (size_t i = 0; i < n; i++) {
            int64_t *v = &c->p->values[samples[i] * nt + k];
            wide_add(&sum, *v);
            *v = 0;
        }
        if (!wide_fits(sum, &to[k]))
            return canon_overflow(c, canon_leaf(c, samples[0]), (uint32_t)k,
                                  err);
    }
    return true;
}

bool canon_combine(struct canon *c, struct err *err)
{
    size_t n = 0;
    for (size_t i = 0, j; i < c->n_samples; i = j) {
        uint32_t s = c->samples[i];
        for (j = i + 1; j < c->n_samples && is_same(c->p, s, c->samples[j]);)
            j++;
        if (j - i > 1 && !sum_neighbours(c, c->samples + i, j - i, err))
            return false;
        if (canon_is_live(c, s))
            c->samples[n++] = s;
    }
    c->n_samples = n;
    return true;
}

/* --- equal samples anywhere -------------------------------------------------
 *
 * An index of all samples would be far larger than any cache.  So samples are
 * divided by hash into pieces, each of which has an index that a cache holds,
 * and several threads look through pieces at once.  What is found is summed
 * afterwards, in the order of the samples.
 */

enum {
    PIECE = 1 << 14,  /* samples of one, on average */
    MOST_BITS = 10,   /* of the hash that say which piece */
    HASHED = 1 << 12, /* samples whose hashes are worth handing out */
    FRAMES_EACH = 8,  /* of a location, for which counting them pays */
};

struct hashed {
    uint32_t hash, sample;
};

struct equals {
    const struct canon *c;
    const struct profile *p; /* the sum */
    uint32_t *hash;          /* by sample */
    struct hashed *hashed; /* by piece, samples in order; then as find() says */
    size_t *first;         /* of a piece in hashed, and the end of the last */
    size_t *n_equal;       /* by piece */
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
        e->hash[s] = sum_hash(prof_seed(p), stack, depth, p->labelset[s]);
        for (size_t i = 0; frames && i < depth; i++)
            frames[stack[i]]++;
    }
}

/* The upper bits, for the lower ones tell the place in an index. */
static size_t piece_of(const struct equals *e, uint32_t hash)
{
    return (size_t)((uint64_t)hash >> (32 - e->bits));
}

static void divide(struct equals *e)
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
        e->hashed[(*to)++] = (struct hashed){e->hash[s], (uint32_t)s};
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
    struct hashed *to = e->hashed + e->first[piece];
    const struct hashed *v = to, *end = e->hashed + e->first[piece + 1];
    hashidx_clear(h);
    for (; v < end; v++) {
        if (!hashidx_room(h)) {
            e->no_memory[thread] = true;
            return;
        }
        uint32_t found, hash = v->hash;
        size_t at = hashidx_start(h, hash);
        while ((found = hashidx_next(h, hash, &at)) != HASHIDX_NONE)
            if (is_same(e->p, found, v->sample))
                break;
        if (found == HASHIDX_NONE)
            hashidx_put(h, at, hash, v->sample);
        else
            *to++ = (struct hashed){found, v->sample};
    }
    e->n_equal[piece] = (size_t)(to - (e->hashed + e->first[piece]));
}

/* Adds the values of a sample to those of an equal one, and makes them 0. */
static bool add_equal(struct sum *s, uint32_t to, uint32_t sample,
                      struct err *err)
{
    size_t nt = s->p.n_types;
    for (size_t k = 0; k < nt; k++) {
        int64_t v = s->p.values[sample * nt + k];
        s->p.values[sample * nt + k] = 0;
        if (!sum_add_value(s, to, (uint32_t)k, v, err))
            return false;
    }
    return true;
}

static bool sum_up(const struct canon *c, const struct equals *e,
                   struct err *err)
{
    for (size_t i = 0; i < e->n_pieces; i++) {
        const struct hashed *v = e->hashed + e->first[i];
        for (size_t k = 0; k < e->n_equal[i]; k++)
            if (!add_equal(c->s, v[k].hash, v[k].sample, err))
                return false;
    }
    return true;
}

static bool find_all(const struct canon *c, struct equals *e, struct err *err)
{
    size_t n = e->p->n_samples;
    bool ok = true;
    parallel_run(c->threads, n / HASHED + 1, hash_some, e);
    divide(e);
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
    size_t n = c->p->n_locations, frames = c->p->n_frames;
    if (frames > UINT32_MAX || frames / FRAMES_EACH / c->threads < n)
        return true;
    e->frames = mem_zarray(n, c->threads * sizeof *e->frames);
    return e->frames;
}

/* What was counted stays true if no sample was summed up. */
static bool keep_counts(struct canon *c, const struct equals *e)
{
    size_t n = c->p->n_locations;
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
    free(e->hashed);
    free(e->first);
    free(e->n_equal);
    free(e->index);
    free(e->no_memory);
    free(e->frames);
}

bool canon_sum_equal(struct canon *c, struct err *err)
{
    struct equals e = {.c = c, .p = c->p};
    size_t n = c->p->n_samples;
    while (e.bits < MOST_BITS && n >> e.bits > PIECE)
        e.bits++;
    e.n_pieces = (size_t)1 << e.bits;
    e.hash = mem_array(n, sizeof *e.hash);
    e.hashed = mem_array(n, sizeof *e.hashed);
    e.first = mem_zarray(e.n_pieces + 2, sizeof *e.first);
    e.n_equal = mem_zarray(e.n_pieces, sizeof *e.n_equal);
    e.index = mem_zarray(c->threads, sizeof *e.index);
    e.no_memory = mem_zarray(c->threads, sizeof *e.no_memory);
    bool ok = (e.hash && e.hashed && e.first && e.n_equal && e.index &&
               e.no_memory && count_as_well(c, &e)) ||
              err_nomem(err);
    ok = ok && find_all(c, &e, err) && sum_up(c, &e, err) &&
         (keep_counts(c, &e) || err_nomem(err));
    equals_free(c, &e);
    return ok;
}
