/*
 * encode_samples.c - encodes samples
 *
 * The hot loop of encoding: nearly all bytes of a large profile are made here,
 * with one check for room per sample.  All but location ids are written once,
 * in their final place.
 *
 * Most of them are location ids of one to three bytes, in no order that a
 * branch could predict.  So each location's id is encoded once, together with
 * its length; a frame is then a load, a store of four bytes and a subtraction.
 *
 * A stack is made in memory of its own, from the root to the leaf, before it is
 * copied to the output.  The frames that the next stack shares are at the root,
 * so their ids are there already.
 */
#include <stdlib.h>
#include <string.h>

#include "base/prefetch.h"
#include "profile/wire/private.h"

enum {
    TAG_AND_LENGTH = 1 + PUT_VARINT_MAX,
    FRAME_MAX = 5,   /* bytes; ids are below 2^32 */
    MADE_ID_MAX = 3, /* bytes of an id in e->ids */
    LABEL_MAX = 2 + 3 * (1 + FRAME_MAX) + 1 + PUT_VARINT_MAX,
    FAR_AHEAD = 24,    /* samples to prefetch ahead, in the order of writing */
    AHEAD = 12,        /* .. whose frames are prefetched */
    FRAMES_EACH = 8,   /* from so many for each location, e->ids pays */
    AHEAD_FRAMES = 96, /* the hardware prefetches deeper ones */
    LINE = CACHE_LINE / sizeof(uint32_t),
    SAMPLE_MAX = 3 * TAG_AND_LENGTH, /* plus frames, values and labels */
};

static inline uint64_t id_of(const struct encoding *e, uint32_t frame)
{
    const uint32_t *number = e->layout.number;
    return (uint64_t)(number ? number[frame] : frame) + 1;
}

bool encode_ids(struct encoding *e)
{
    const struct profile *p = e->p;
    const uint32_t *number = e->layout.number;
    size_t n = number ? e->layout.n_number : p->n_locations;
    if (p->n_locations >> (7 * MADE_ID_MAX) || p->n_frames / FRAMES_EACH < n)
        return true;
    e->ids = mem_array(n, sizeof *e->ids);
    if (!e->ids)
        return false;
    for (size_t i = 0; i < n; i++) {
        uint8_t bytes[sizeof *e->ids] = {0};
        if (!number || number[i] != PROF_NONE) {
            uint64_t id = id_of(e, (uint32_t)i);
            *bytes = (uint8_t)varint_size(id);
            put_varint(bytes + sizeof bytes - *bytes, id);
        }
        memcpy(&e->ids[i], bytes, sizeof bytes);
    }
    return true;
}

/* What the samples of a piece are written with. */
struct sample_writer {
    const struct encoding *e;
    struct buf *out;
    unsigned length; /* bytes that the length of the sample before took */
    uint8_t *room;   /* the ids of the stack before, which end at `end` */
    uint8_t *end;
    uint8_t **from; /* where the ids of its last n frames begin; null: stacks
                       share no frames */
    struct prof_stacks stacks;
};

static void writer_free(struct sample_writer *w)
{
    free(w->room);
    free(w->from);
    prof_stacks_free(&w->stacks);
}

static bool writer_init(struct sample_writer *w, const struct encoding *e,
                        struct buf *out)
{
    *w = (struct sample_writer){.e = e, .out = out, .length = 1};
    w->room = mem_array(e->deepest, FRAME_MAX);
    if (!w->room || !prof_stacks_init(&w->stacks, e->p, NULL))
        return false;
    w->end = w->room + e->deepest * FRAME_MAX;
    if (!e->p->shared)
        return true;
    w->from = mem_array(e->deepest + 1, sizeof *w->from);
    if (w->from)
        w->from[0] = w->end;
    return w->from;
}

/* Puts an id of e->ids before `at`.  Returns where it begins. */
static inline uint8_t *put_made_id(uint8_t *at, const uint32_t *id)
{
    memcpy(at - sizeof *id, id, sizeof *id);
    return at - *(at - sizeof *id);
}

/*
 * Makes the ids of the stack of sample s, whose last `shared` frames are those
 * of the stack before.  Returns where they begin.
 */
static inline const uint8_t *make_stack(struct sample_writer *w, size_t s,
                                        size_t shared)
{
    size_t n = prof_depth(w->e->p, s) - shared;
    const uint32_t *own = prof_stacks_first(&w->stacks, s, n);
    const uint32_t *ids = w->e->ids; /* a copy: *at may be of any type */
    uint8_t **from = w->from ? w->from + shared : NULL;
    uint8_t *at = from ? *from : w->end;
    if (!ids)
        while (n--) {
            uint64_t id = id_of(w->e, own[n]);
            at -= varint_size(id);
            put_varint(at, id);
            if (from)
                *++from = at;
        }
    else if (from)
        while (n--)
            *++from = at = put_made_id(at, &ids[own[n]]);
    else
        while (n--)
            at = put_made_id(at, &ids[own[n]]);
    return at;
}

/* Writes sample s, whose last `shared` frames are those of the stack before. */
static bool put_sample(struct sample_writer *w, size_t s, size_t shared)
{
    const struct encoding *e = w->e;
    const struct profile *p = e->p;
    size_t nt = p->n_types;
    size_t first = (size_t)p->labelset_off[p->labelset[s]];
    size_t past = (size_t)p->labelset_off[p->labelset[s] + 1];
    const uint8_t *ids = make_stack(w, s, shared);
    size_t n = (size_t)(w->end - ids); /* bytes of ids */
    if (!buf_reserve(w->out, SAMPLE_MAX + n + PUT_VARINT_MAX * nt +
                                 LABEL_MAX * (past - first)))
        return false;
    uint8_t *at = w->out->v + w->out->n;
    uint8_t *body = put_begin(at, PROFILE_SAMPLE, w->length), *end = body;
    if (n) {
        end = put_varint(put_tag(end, SAMPLE_LOCATION_ID, WIRE_BYTES), n);
        memcpy(end, ids, n);
        end += n;
    }
    if (nt) {
        const int64_t *v = p->values + s * nt;
        uint8_t *values = put_begin(end, SAMPLE_VALUE, 1);
        end = values;
        for (size_t i = 0; i < nt; i++)
            end = put_varint(end, (uint64_t)v[i]);
        end = put_end_short(values, end);
    }
    for (size_t i = first; i < past; i++) {
        const struct prof_label *l = &p->labels[i];
        uint8_t *label = put_begin(end, SAMPLE_LABEL, 1);
        end = put_number(label, LABEL_KEY, e->index[l->key]);
        end = put_number(end, LABEL_STR, e->index[l->str]);
        end = put_number(end, LABEL_NUM, (uint64_t)l->num);
        end = put_number(end, LABEL_NUM_UNIT, e->index[l->unit]);
        end = put_end_short(label, end);
    }
    w->out->n = (size_t)(put_end(body, end, &w->length) - w->out->v);
    return true;
}

/*
 * Prefetches what the samples after sample i need.  Samples that are not in the
 * order of memory cause several cache misses each.  Two lines at a time suffice
 * for most stacks, so that the loop ends where it is predicted to.
 */
ALWAYS_INLINE static inline void prefetch_next(const struct encoding *e,
                                               size_t i, size_t to)
{
    const struct profile *p = e->p;
    const uint32_t *order = e->layout.order;
    if (order && to - i > FAR_AHEAD) {
        size_t s = order[i + FAR_AHEAD];
        __builtin_prefetch(&p->frame_off[s]);
        __builtin_prefetch(&p->labelset[s]);
        __builtin_prefetch(&p->values[s * p->n_types]);
        if (p->shared)
            __builtin_prefetch(&p->shared[s]);
    }
    if (order && to - i > AHEAD) {
        size_t s = order[i + AHEAD];
        const uint32_t *own = prof_own(p, s), *end = prof_own(p, s + 1);
        if (end - own > AHEAD_FRAMES)
            end = own + AHEAD_FRAMES;
        for (; own < end; own += (size_t)2 * LINE) {
            __builtin_prefetch(own);
            __builtin_prefetch(own + LINE);
        }
    }
}

static bool put_samples(struct sample_writer *w, size_t from, size_t to)
{
    const struct encoding *e = w->e;
    const uint32_t *shared = e->p->shared;
    if (e->layout.order && shared)
        shared = e->layout.shared;
    for (size_t i = from; i < to; i++) {
        prefetch_next(e, i, to);
        /* The first stack has none before it, and is written as a whole. */
        if (!put_sample(w, nth_sample(e, i),
                        shared && i != from ? shared[i] : 0))
            return false;
    }
    return true;
}

bool encode_samples(const struct encoding *e, size_t from, size_t to,
                    struct buf *out)
{
    struct sample_writer w;
    bool ok = writer_init(&w, e, out) && put_samples(&w, from, to);
    writer_free(&w);
    return ok;
}
