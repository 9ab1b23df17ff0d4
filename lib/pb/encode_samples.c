/*
 * Samples to the wire: the hot loop of encoding.
 *
 * Nearly all bytes of a large profile are made here, each of them once and in
 * its final place (put.h says how); nothing is measured beforehand, and there
 * is one check for room per sample.
 *
 * Most of them are location ids, of one to three bytes in no order that a
 * branch could be foretold from.  So each location's id is put together once,
 * with its length in the byte above; a frame is then a load, a store of four
 * bytes and an addition.  On a million stacks of 40 frames that took 33 ms
 * where writing byte by byte took 81, and spreading the bits of each id
 * without a branch 92.
 */
#include <endian.h>

#include "pb/encoder.h"
#include "pb/put.h"

enum {
    TAG_AND_LENGTH = 1 + PUT_VARINT_MAX,
    FRAME_MAX = 5,   /* ids are below 2^32 */
    MADE_ID_MAX = 3, /* bytes of an id that was put together before */
    MADE_SPARE = 1,  /* what storing one writes behind its end */
    LABEL_MAX = 2 + 3 * (1 + FRAME_MAX) + 1 + PUT_VARINT_MAX,
    FAR_AHEAD = 16, /* samples */
    AHEAD = 8,
    LINE_FRAMES = 16,  /* in a line of the cache */
    FRAMES_EACH = 8,   /* for an id that it pays to put together */
    AHEAD_FRAMES = 96, /* what is deeper comes in by itself */
    SAMPLE_MAX = 3 * TAG_AND_LENGTH + MADE_SPARE, /* and those */
};

static inline uint64_t id_of(const struct pb_encoder *e, uint32_t frame)
{
    const uint32_t *number = e->layout.number;
    return (uint64_t)(number ? number[frame] : frame) + 1;
}

bool encode_make_ids(struct pb_encoder *e)
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
        size_t k = 0;
        if (!number || number[i] != PROF_NONE)
            k = (size_t)(put_varint(bytes, id_of(e, (uint32_t)i)) - bytes);
        bytes[MADE_ID_MAX] = (uint8_t)k;
        memcpy(&e->ids[i], bytes, sizeof bytes);
    }
    return true;
}

static inline uint8_t *put_made_id(uint8_t *at, uint32_t id)
{
    memcpy(at, &id, sizeof id);
    return at + (le32toh(id) >> (8 * MADE_ID_MAX));
}

/* Bytes that the lengths of the last sample took. */
struct rooms {
    unsigned sample, stack;
};

static inline uint8_t *put_stack(const struct pb_encoder *e, uint8_t *at,
                                 const uint32_t *stack, size_t n,
                                 unsigned *room)
{
    if (!n)
        return at;
    uint8_t *body = put_begin(at, SAMPLE_LOCATION_ID, *room), *end = body;
    if (e->ids)
        for (size_t i = 0; i < n; i++)
            end = put_made_id(end, e->ids[stack[i]]);
    else
        for (size_t i = 0; i < n; i++)
            end = put_varint(end, id_of(e, stack[i]));
    return put_end(body, end, room);
}

static inline uint8_t *put_values(uint8_t *at, const int64_t *v, size_t n)
{
    if (!n)
        return at;
    uint8_t *body = put_begin(at, SAMPLE_VALUE, 1), *end = body;
    for (size_t i = 0; i < n; i++)
        end = put_varint(end, (uint64_t)v[i]);
    return put_end_short(body, end);
}

static uint8_t *put_label(uint8_t *at, const struct prof_label *l,
                          const uint32_t *index)
{
    uint8_t *body = put_begin(at, SAMPLE_LABEL, 1), *end = body;
    end = put_number(end, LABEL_KEY, index[l->key]);
    end = put_number(end, LABEL_STR, index[l->str]);
    end = put_number(end, LABEL_NUM, (uint64_t)l->num);
    end = put_number(end, LABEL_NUM_UNIT, index[l->unit]);
    return put_end_short(body, end);
}

static bool put_sample(const struct pb_encoder *e, size_t s, struct buf *out,
                       struct rooms *rooms)
{
    const struct profile *p = e->p;
    size_t depth = prof_depth(p, s), nt = p->n_types;
    size_t first = (size_t)p->labelset_off[p->labelset[s]];
    size_t past = (size_t)p->labelset_off[p->labelset[s] + 1];
    if (!buf_reserve(out, SAMPLE_MAX + FRAME_MAX * depth + PUT_VARINT_MAX * nt +
                              LABEL_MAX * (past - first)))
        return false;
    uint8_t *at = out->v + out->n;
    uint8_t *body = put_begin(at, PROFILE_SAMPLE, rooms->sample);
    uint8_t *end = put_stack(e, body, prof_stack(p, s), depth, &rooms->stack);
    end = put_values(end, p->values + s * nt, nt);
    for (size_t i = first; i < past; i++)
        end = put_label(end, &p->labels[i], e->index);
    out->n = (size_t)(put_end(body, end, &rooms->sample) - out->v);
    return true;
}

/*
 * In an order other than that of memory each sample would be waited for,
 * several times, so what those to come are going to need is asked for before.
 * Not in a function of its own: compilers find that it does nothing.
 */
static bool in_order(const struct pb_encoder *e, size_t from, size_t to,
                     struct buf *out)
{
    const struct profile *p = e->p;
    const uint32_t *order = e->layout.order;
    struct rooms rooms = {1, 1};
    for (size_t i = from; i < to; i++) {
        if (to - i > FAR_AHEAD) {
            size_t s = order[i + FAR_AHEAD];
            __builtin_prefetch(&p->frame_off[s]);
            __builtin_prefetch(&p->values[s * p->n_types]);
            __builtin_prefetch(&p->labelset[s]);
        }
        if (to - i > AHEAD && order[i + AHEAD] != order[i + AHEAD - 1] + 1) {
            size_t s = order[i + AHEAD], n = prof_depth(p, s);
            const uint32_t *stack = prof_stack(p, s);
            for (size_t k = 0; k < n && k < AHEAD_FRAMES; k += LINE_FRAMES)
                __builtin_prefetch(stack + k);
        }
        if (!put_sample(e, order[i], out, &rooms))
            return false;
    }
    return true;
}

bool encode_samples(const struct pb_encoder *e, size_t from, size_t to,
                    struct buf *out)
{
    struct rooms rooms = {1, 1};
    if (e->layout.order)
        return in_order(e, from, to, out);
    for (size_t s = from; s < to; s++)
        if (!put_sample(e, s, out, &rooms))
            return false;
    return true;
}
