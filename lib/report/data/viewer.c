/* viewer.c - frames and stacks as tables, for viewers that run in browsers */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "profile/measure.h"
#include "profile/merge/sample_order.h"
#include "profile/text.h"
#include "report/data/private.h"
#include "report/wide.h"

/* Frames. */

enum viewer_unit viewer_unit(const struct profile *p, size_t type)
{
    const char *unit = prof_plain(p, p->types[type].unit), *to;
    if (measure_compatible(unit, "B"))
        return measure_scale(1, unit, "B", &to) == 1 ? VIEWER_BYTES
                                                     : VIEWER_OTHER;
    if (!measure_compatible(unit, "ns"))
        return VIEWER_OTHER;
    double ns = measure_scale(1, unit, "ns", &to);
    return ns == 1     ? VIEWER_NANOSECONDS
           : ns == 1e3 ? VIEWER_MICROSECONDS
           : ns == 1e6 ? VIEWER_MILLISECONDS
           : ns == 1e9 ? VIEWER_SECONDS
                       : VIEWER_OTHER;
}

/* By location: whether a sample has it. */
static bool *used_locations(const struct profile *p)
{
    bool *used = mem_zarray(p->n_locations, sizeof *used);
    for (size_t i = 0; used && i < p->n_frames; i++)
        used[p->frames[i]] = true;
    return used;
}

/* Nodes keep their order. */
static void renumber(struct nodes *t, const bool *used, uint32_t *number)
{
    for (size_t l = 0; l < t->p->n_locations; l++)
        for (uint64_t i = t->off[l]; used[l] && i < t->off[l + 1]; i++)
            number[t->of[i]] = 1;
    size_t n = 0;
    for (size_t k = 0; k < t->n; k++) {
        if (!number[k])
            continue;
        t->v[n] = t->v[k];
        number[k] = (uint32_t)n++;
    }
    t->n = n;
    for (uint64_t i = 0; i < t->off[t->p->n_locations]; i++)
        t->of[i] = number[t->of[i]];
}

bool viewer_nodes(struct nodes *t, const struct profile *p, struct err *err)
{
    if (!nodes_init(t, p, err))
        return false;
    bool *used = used_locations(p);
    uint32_t *number = mem_zarray(t->n, sizeof *number);
    bool ok = used && number;
    if (ok)
        renumber(t, used, number);
    free(used);
    free(number);
    return ok || err_nomem(err);
}

bool viewer_put_name(const struct nodes *t, uint32_t node, struct buf *to)
{
    if (!viewer_has_place(&t->v[node]))
        return node_name(t, node, to);
    struct node bare = t->v[node];
    bare.line = bare.column = 0;
    bare.file = 0;
    struct nodes one = *t;
    one.v = &bare;
    return node_name(&one, 0, to);
}

static void note_labels(const struct report *r, const char *format)
{
    size_t n = 0;
    for (size_t s = 0; s < r->p->n_samples; s++)
        n += r->p->labelset[s] != 0;
    if (n)
        note_info(r->notes,
                  "%zu samples have labels, which --%s does not show; "
                  "--tagroot makes frames of them",
                  n, format);
}

void viewer_report_lost(const struct report *r, size_t n_replaced,
                        const char *format, const char *reader)
{
    json_warn_replaced(r, n_replaced);
    wide_warn(r, reader);
    note_labels(r, format);
}

/* Stacks. */

/* Locations that have equal frames are one kind. */
struct location_kinds {
    const struct nodes *nodes;
    uint32_t *of;        /* by location */
    VEC(uint32_t) first; /* by kind: a location of it */
    struct hashidx index;
};

/* A stack, and its depth in frames. */
struct stack_place {
    uint32_t stack;
    size_t depth;
};

/* The last sample: what its locations, from the root, have led to. */
struct last_stack {
    const uint32_t *stack;
    size_t depth;
    VEC(struct stack_place) at;
};

static bool same_frames(const struct nodes *t, uint32_t a, uint32_t b)
{
    size_t n = (size_t)(t->off[a + 1] - t->off[a]);
    return n == t->off[b + 1] - t->off[b] &&
           !memcmp(t->of + t->off[a], t->of + t->off[b], n * sizeof *t->of);
}

static uint32_t hash_location(const struct nodes *t, uint32_t location)
{
    uint64_t h = 0;
    for (uint64_t i = t->off[location]; i < t->off[location + 1]; i++)
        h = mix_pair(prof_seed(t->p), h, t->of[i]);
    return mix_fold(h);
}

static bool add_location(struct location_kinds *k, uint32_t location)
{
    uint32_t hash = hash_location(k->nodes, location), *kind = &k->of[location];
    if (!hashidx_room(&k->index))
        return false;
    size_t at = hashidx_start(&k->index, hash);
    while ((*kind = hashidx_next(&k->index, hash, &at)) != HASHIDX_NONE)
        if (same_frames(k->nodes, k->first.v[*kind], location))
            return true;
    *kind = (uint32_t)k->first.n;
    if (!vec_push(&k->first, location))
        return false;
    hashidx_put(&k->index, at, hash, *kind);
    return true;
}

static bool find_kinds(struct location_kinds *k)
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
static size_t shared_kinds(const struct location_kinds *location_kinds,
                           const struct last_stack *w, const uint32_t *stack,
                           size_t depth)
{
    size_t k = 0, n = depth < w->depth ? depth : w->depth;
    while (k < n && location_kinds->of[stack[depth - 1 - k]] ==
                        location_kinds->of[w->stack[w->depth - 1 - k]])
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
static bool add_stack(struct stacktable *t, uint32_t frame,
                      struct stack_place *stack_place, struct err *err)
{
    if (t->frame.n >= PROF_NONE)
        return err_set(err, ERR_INPUT, "there are more than %zu stacks",
                       t->frame.n);
    size_t closed = t->open - stack_place->depth;
    stack_place->stack = (uint32_t)t->frame.n;
    t->open = ++stack_place->depth;
    return (vec_push(&t->frame, frame) && put_varint(&t->closed, closed)) ||
           err_nomem(err);
}

static bool add_sample_stacks(struct stacktable *t,
                              const struct location_kinds *location_kinds,
                              struct last_stack *w, size_t sample,
                              struct err *err)
{
    const struct nodes *nodes = location_kinds->nodes;
    const uint32_t *stack = prof_stack(nodes->p, sample);
    size_t depth = prof_depth(nodes->p, sample);
    size_t k = shared_kinds(location_kinds, w, stack, depth);
    if (!vec_grow((void **)&w->at.v, &w->at.cap, depth, sizeof *w->at.v))
        return err_nomem(err);
    struct stack_place at = {0};
    if (k)
        at = w->at.v[k - 1];
    for (; k < depth; k++) {
        uint32_t l = stack[depth - 1 - k];
        for (uint64_t i = nodes->off[l + 1]; i-- > nodes->off[l];)
            if (!add_stack(t, nodes->of[i], &at, err))
                return false;
        w->at.v[k] = at;
    }
    w->stack = stack;
    w->depth = depth;
    t->of[sample] = at.stack;
    return true;
}

/* Samples without frames come first. */
static bool add_all_stacks(struct stacktable *t,
                           const struct location_kinds *location_kinds,
                           const uint32_t *samples, size_t n, struct err *err)
{
    struct last_stack w = {0};
    struct stack_place none = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        uint32_t s = samples[i];
        if (prof_depth(location_kinds->nodes->p, s)) {
            ok = add_sample_stacks(t, location_kinds, &w, s, err);
            continue;
        }
        if (!none.depth)
            ok = add_stack(t, (uint32_t)location_kinds->nodes->n, &none, err);
        t->of[s] = none.stack;
    }
    vec_free(&w.at);
    return ok;
}

bool stacktable_init(struct stacktable *t, const struct nodes *nodes,
                     unsigned threads, struct err *err)
{
    const struct profile *p = nodes->p;
    struct location_kinds location_kinds = {.nodes = nodes};
    memset(t, 0, sizeof *t);
    t->of = mem_array(p->n_samples, sizeof *t->of);
    uint32_t *samples = mem_array(p->n_samples, sizeof *samples);
    bool ok =
        (t->of && samples && find_kinds(&location_kinds)) || err_nomem(err);
    bool any_equal;
    for (size_t s = 0; ok && s < p->n_samples; s++)
        samples[s] = (uint32_t)s;
    struct sample_order order = {.frame_off = p->frame_off,
                                 .frames = p->frames,
                                 .rank = location_kinds.of,
                                 .n_ranks = (uint32_t)location_kinds.first.n};
    ok = ok &&
         sample_order_sort(&order, samples, p->n_samples, threads, &any_equal,
                           err) &&
         add_all_stacks(t, &location_kinds, samples, p->n_samples, err);
    free(location_kinds.of);
    vec_free(&location_kinds.first);
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
