/*
 * wire.h - reading protobuf's wire format in place
 *
 * A `struct wire` is a window on bytes that belong to somebody else; reading
 * moves its start.  Nothing is copied and nothing is read past `end`.
 * Encoding: https://protobuf.dev/programming-guides/encoding/
 */
#ifndef PROFUTILS_PB_WIRE_H
#define PROFUTILS_PB_WIRE_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct wire {
    const uint8_t *at, *end;
    const uint8_t *base; /* of the whole message: offsets count from here */
};

enum wire_type {
    WIRE_VARINT = 0,
    WIRE_FIXED64 = 1,
    WIRE_BYTES = 2,
    WIRE_FIXED32 = 5,
};

static inline struct wire wire_of(const uint8_t *data, size_t n)
{
    return (struct wire){data, n ? data + n : data, data};
}

static inline bool wire_done(const struct wire *w)
{
    return w->at == w->end;
}

static inline size_t wire_left(const struct wire *w)
{
    return (size_t)(w->end - w->at);
}

static inline size_t wire_offset(const struct wire *w)
{
    return (size_t)(w->at - w->base);
}

/* For numbers of more than three bytes, or near the end. */
bool wire_varint_slow(struct wire *w, uint64_t *v, struct err *err);

/* A varint of at most 10 bytes; bits past the 64th are dropped. */
static inline bool wire_varint(struct wire *w, uint64_t *v, struct err *err)
{
    const uint8_t *p = w->at;
    if (w->end - p < 3)
        return wire_varint_slow(w, v, err);
    uint32_t x = p[0];
    if (x < 0x80) {
        w->at = p + 1;
    } else if (p[1] < 0x80) {
        x = (x & 0x7f) | (uint32_t)p[1] << 7;
        w->at = p + 2;
    } else if (p[2] < 0x80) {
        x = (x & 0x7f) | (uint32_t)(p[1] & 0x7f) << 7 | (uint32_t)p[2] << 14;
        w->at = p + 3;
    } else {
        return wire_varint_slow(w, v, err);
    }
    *v = x;
    return true;
}

/* A field: number and type, and what follows the tag. */
struct wire_field {
    uint32_t number;
    uint32_t type;     /* enum wire_type */
    uint64_t value;    /* of a varint or a fixed-width number */
    struct wire bytes; /* of a length-delimited one */
    size_t offset;     /* of the tag */
};

/* For tags of more than one byte, fixed-width numbers and errors. */
bool wire_field_slow(struct wire *w, struct wire_field *f, struct err *err);

/* The length of a length-delimited field, and the window on its bytes. */
static inline bool wire_bytes(struct wire *w, struct wire *inner,
                              struct err *err)
{
    uint64_t n;
    size_t at = wire_offset(w);
    if (!wire_varint(w, &n, err))
        return false;
    if (n > wire_left(w))
        return err_set(err, ERR_INPUT,
                       "offset %zu: field of %" PRIu64
                       " bytes, but only %zu are left",
                       at, n, wire_left(w));
    *inner = (struct wire){w->at, w->at + n, w->base};
    w->at += n;
    return true;
}

/*
 * Reads one field whole.  Errors: a tag that is cut or has number 0, a
 * length past the end, groups and unknown types.
 */
static inline bool wire_field(struct wire *w, struct wire_field *f,
                              struct err *err)
{
    uint8_t tag = wire_done(w) ? 0 : *w->at;
    if (tag < 8 || tag >= 0x80 ||
        ((tag & 7) != WIRE_VARINT && (tag & 7) != WIRE_BYTES))
        return wire_field_slow(w, f, err);
    f->offset = wire_offset(w);
    f->number = tag >> 3;
    f->type = tag & 7;
    w->at++;
    if (f->type == WIRE_VARINT)
        return wire_varint(w, &f->value, err);
    return wire_bytes(w, &f->bytes, err);
}

/* ERR_INPUT unless the field has this type. */
static inline bool wire_expect(const struct wire_field *f, enum wire_type type,
                               struct err *err)
{
    if (f->type == (uint32_t)type)
        return true;
    return err_set(err, ERR_INPUT,
                   "offset %zu: field %u has wire type %u instead of %u",
                   f->offset, f->number, f->type, (unsigned)type);
}

#endif
