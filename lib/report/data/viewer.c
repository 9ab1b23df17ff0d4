/* viewer.c - frames and stacks as tables, for viewers that run in browsers */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "profile/measure.h"
#include "profile/merge/sample_order.h"
#include "profile/text.h"
#include "report/data/private.h"

/* Values. */

enum { DOUBLE_BITS = 53 };

static bool is_wide(int64_t value)
{
    uint64_t v = graph_abs(value);
    return v >> DOUBLE_BITS && v >> __builtin_ctzll(v) >> DOUBLE_BITS;
}

static size_t count_wide_values(const struct profile *p)
{
    size_t n = p->n_samples * p->n_types, n_wide = 0;
    for (size_t i = 0; i < n; i++)
        n_wide += is_wide(p->values[i]);
    return n_wide;
}

void wide_warn(const struct report *r, const char *reader)
{
    size_t n = count_wide_values(r->p);
    if (n)
        note_warn(r->notes,
                  "%zu values have more than 53 bits; they are written in "
                  "full, but %s them",
                  n, reader);
}

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
    if (!nodes_init(t, p, false, err))
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

/* A stack, and its depth in frames. */
struct place {
    uint32_t stack;
    size_t depth;
};

struct stacks_maker {
    struct stacktable *t;
    const struct nodes *nodes;
    uint32_t *kind; /* by location: equal where frames are */
    /* The last sample: what its locations, from the root, have led to. */
    const uint32_t *stack;
    size_t depth;
    VEC(struct place) at;
};

/* Sets m->kind, and *n to more than all of them. */
static bool find_kinds(struct stacks_maker *m, uint32_t *n)
{
    const struct nodes *t = m->nodes;
    struct strtab kinds;
    m->kind = mem_array(t->p->n_locations, sizeof *m->kind);
    bool ok = strtab_init(&kinds) && m->kind;
    for (size_t l = 0; ok && l < t->p->n_locations; l++) {
        const uint32_t *frame = t->of + t->off[l];
        size_t size = (size_t)(t->off[l + 1] - t->off[l]) * sizeof *frame;
        ok = strtab_add(&kinds, (const char *)frame, size, &m->kind[l]);
    }
    *n = kinds.n;
    strtab_free(&kinds);
    return ok;
}

/* How many locations the stack shares with the last, from the root. */
static size_t count_shared(const struct stacks_maker *m, const uint32_t *stack,
                           size_t depth)
{
    size_t k = 0, n = depth < m->depth ? depth : m->depth;
    while (k < n &&
           m->kind[stack[depth - 1 - k]] == m->kind[m->stack[m->depth - 1 - k]])
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
static bool add_stack(struct stacktable *t, uint32_t frame, struct place *place,
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

static bool add_sample_stacks(struct stacks_maker *m, size_t sample,
                              struct err *err)
{
    const struct nodes *nodes = m->nodes;
    const uint32_t *stack = prof_stack(nodes->p, sample);
    size_t depth = prof_depth(nodes->p, sample);
    size_t k = count_shared(m, stack, depth);
    if (!vec_grow((void **)&m->at.v, &m->at.cap, depth, sizeof *m->at.v))
        return err_nomem(err);
    struct place at = {0};
    if (k)
        at = m->at.v[k - 1];
    for (; k < depth; k++) {
        uint32_t l = stack[depth - 1 - k];
        for (uint64_t i = nodes->off[l + 1]; i-- > nodes->off[l];)
            if (!add_stack(m->t, nodes->of[i], &at, err))
                return false;
        m->at.v[k] = at;
    }
    m->stack = stack;
    m->depth = depth;
    m->t->of[sample] = at.stack;
    return true;
}

/* In the order of their stacks; samples without frames come first. */
static bool add_stacks(struct stacks_maker *m, const uint32_t *samples,
                       size_t n, struct err *err)
{
    struct place none = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        uint32_t s = samples[i];
        if (prof_depth(m->nodes->p, s)) {
            ok = add_sample_stacks(m, s, err);
            continue;
        }
        if (!none.depth)
            ok = add_stack(m->t, (uint32_t)m->nodes->n, &none, err);
        m->t->of[s] = none.stack;
    }
    return ok;
}

bool stacktable_init(struct stacktable *t, const struct nodes *nodes,
                     unsigned threads, struct err *err)
{
    const struct profile *p = nodes->p;
    struct stacks_maker m = {.t = t, .nodes = nodes};
    struct sample_order order = {
        .frame_off = p->frame_off, .frames = p->frames, .threads = threads};
    bool any_equal;
    memset(t, 0, sizeof *t);
    t->of = mem_array(p->n_samples, sizeof *t->of);
    uint32_t *samples = mem_array(p->n_samples, sizeof *samples);
    bool ok =
        (t->of && samples && find_kinds(&m, &order.n_ranks)) || err_nomem(err);
    order.rank = m.kind;
    for (size_t s = 0; ok && s < p->n_samples; s++)
        samples[s] = (uint32_t)s;
    ok = ok &&
         sample_order_sort(&order, samples, p->n_samples, &any_equal, err) &&
         add_stacks(&m, samples, p->n_samples, err);
    free(m.kind);
    vec_free(&m.at);
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
