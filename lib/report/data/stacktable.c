#include "report/data/stacktable.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "profile/merge/sample_order.h"

/* Locations that have equal frames are one kind. */
struct kinds {
    const struct nodes *nodes;
    uint32_t *of;        /* by location */
    VEC(uint32_t) first; /* by kind: a location of it */
    struct hashidx index;
};

/* A stack, and its depth in frames. */
struct place {
    uint32_t stack;
    size_t depth;
};

/* The last sample: what its locations, from the root, have led to. */
struct way {
    const uint32_t *stack;
    size_t depth;
    VEC(struct place) at;
};

static bool equal(const struct nodes *t, uint32_t a, uint32_t b)
{
    size_t n = (size_t)(t->off[a + 1] - t->off[a]);
    return n == t->off[b + 1] - t->off[b] &&
           !memcmp(t->of + t->off[a], t->of + t->off[b], n * sizeof *t->of);
}

static uint32_t hash_of(const struct nodes *t, uint32_t location)
{
    uint64_t h = 0;
    for (uint64_t i = t->off[location]; i < t->off[location + 1]; i++)
        h = mix_pair(prof_seed(t->p), h, t->of[i]);
    return mix_fold(h);
}

static bool add_location(struct kinds *k, uint32_t location)
{
    uint32_t hash = hash_of(k->nodes, location), *kind = &k->of[location];
    if (!hashidx_room(&k->index))
        return false;
    size_t at = hashidx_start(&k->index, hash);
    while ((*kind = hashidx_next(&k->index, hash, &at)) != HASHIDX_NONE)
        if (equal(k->nodes, k->first.v[*kind], location))
            return true;
    *kind = (uint32_t)k->first.n;
    if (!vec_push(&k->first, location))
        return false;
    hashidx_put(&k->index, at, hash, *kind);
    return true;
}

static bool make_kinds(struct kinds *k)
{
    size_t n = k->nodes->p->n_locations;
    k->of = mem_array(n, sizeof *k->of);
    bool ok = k->of;
    for (size_t l = 0; ok && l < n; l++)
        ok = add_location(k, (uint32_t)l);
    hashidx_free(&k->index);
    return ok;
}

/* How many kinds the stack shares with the last, from the root. */
static size_t shared(const struct kinds *kinds, const struct way *w,
                     const uint32_t *stack, size_t depth)
{
    size_t k = 0, n = depth < w->depth ? depth : w->depth;
    while (k < n && kinds->of[stack[depth - 1 - k]] ==
                        kinds->of[w->stack[w->depth - 1 - k]])
        k++;
    return k;
}

static bool put_varint(struct buf *to, size_t v)
{
    for (; v >= 0x80; v >>= 7)
        if (!buf_putc(to, (char)(v | 0x80)))
            return false;
    return buf_putc(to, (char)v);
}

/* Goes on to the stack of the frame called from *place. */
static bool step(struct stacktable *t, uint32_t frame, struct place *place,
                 struct err *err)
{
    if (t->frame.n >= PROF_NONE)
        return err_set(err, ERR_INPUT, "there are more than %zu stacks",
                       t->frame.n);
    size_t closed = t->open - place->depth;
    place->stack = (uint32_t)t->frame.n;
    t->open = ++place->depth;
    return (vec_push(&t->frame, frame) && put_varint(&t->closed, closed)) ||
           err_nomem(err);
}

static bool walk(struct stacktable *t, const struct kinds *kinds, struct way *w,
                 size_t sample, struct err *err)
{
    const struct nodes *nodes = kinds->nodes;
    const uint32_t *stack = prof_stack(nodes->p, sample);
    size_t depth = prof_depth(nodes->p, sample);
    size_t k = shared(kinds, w, stack, depth);
    if (!vec_grow((void **)&w->at.v, &w->at.cap, depth, sizeof *w->at.v))
        return err_nomem(err);
    struct place at = {0};
    if (k)
        at = w->at.v[k - 1];
    for (; k < depth; k++) {
        uint32_t l = stack[depth - 1 - k];
        for (uint64_t i = nodes->off[l + 1]; i-- > nodes->off[l];)
            if (!step(t, nodes->of[i], &at, err))
                return false;
        w->at.v[k] = at;
    }
    w->stack = stack;
    w->depth = depth;
    t->of[sample] = at.stack;
    return true;
}

/* Samples without frames come first. */
static bool walk_all(struct stacktable *t, const struct kinds *kinds,
                     const uint32_t *samples, size_t n, struct err *err)
{
    struct way w = {0};
    struct place none = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        uint32_t s = samples[i];
        if (prof_depth(kinds->nodes->p, s)) {
            ok = walk(t, kinds, &w, s, err);
            continue;
        }
        if (!none.depth)
            ok = step(t, (uint32_t)kinds->nodes->n, &none, err);
        t->of[s] = none.stack;
    }
    vec_free(&w.at);
    return ok;
}

bool stacktable_init(struct stacktable *t, const struct nodes *nodes,
                     unsigned threads, struct err *err)
{
    const struct profile *p = nodes->p;
    struct kinds kinds = {.nodes = nodes};
    memset(t, 0, sizeof *t);
    t->of = mem_array(p->n_samples, sizeof *t->of);
    uint32_t *samples = mem_array(p->n_samples, sizeof *samples);
    bool ok = (t->of && samples && make_kinds(&kinds)) || err_nomem(err);
    bool any_equal;
    for (size_t s = 0; ok && s < p->n_samples; s++)
        samples[s] = (uint32_t)s;
    struct sample_order order = {.frame_off = p->frame_off,
                                 .frames = p->frames,
                                 .rank = kinds.of,
                                 .n_ranks = (uint32_t)kinds.first.n};
    ok = ok &&
         sample_order_sort(&order, samples, p->n_samples, threads, &any_equal,
                           err) &&
         walk_all(t, &kinds, samples, p->n_samples, err);
    free(kinds.of);
    vec_free(&kinds.first);
    free(samples);
    return ok;
}

void stacktable_free(struct stacktable *t)
{
    vec_free(&t->frame);
    buf_free(&t->closed);
    free(t->of);
    memset(t, 0, sizeof *t);
}

bool stacktable_caller(struct stacktable_callers *c, uint32_t *caller)
{
    size_t closed = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = c->t->closed.v[c->at++];
        closed |= (size_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    c->open.n -= closed;
    *caller = c->open.n ? c->open.v[c->open.n - 1] : PROF_NONE;
    return vec_push(&c->open, c->next++);
}
