#include "pb/wire.h"

#include <endian.h>
#include <inttypes.h>
#include <string.h>

/*
 * A number of up to eight bytes, all read at once: how long it is shows in
 * the top bits, and the rest of them is pushed together in pairs.  False when
 * it is not one, or near the end.
 */
static bool varint_at_once(struct wire *w, uint64_t *v)
{
    uint64_t x;
    if (wire_left(w) < sizeof x)
        return false;
    memcpy(&x, w->at, sizeof x);
    x = le64toh(x);
    uint64_t stop = ~x & 0x8080808080808080;
    if (!stop)
        return false;
    w->at += (__builtin_ctzll(stop) >> 3) + 1;
    x &= stop ^ (stop - 1);
    x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
    x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
    *v = (x & 0x0fffffff) | (x & 0x0fffffff00000000) >> 4;
    return true;
}

bool wire_varint_slow(struct wire *w, uint64_t *v, struct err *err)
{
    if (varint_at_once(w, v))
        return true;
    uint64_t x = 0;
    const uint8_t *p = w->at;
    size_t n = wire_left(w) < 10 ? wire_left(w) : 10;
    for (size_t i = 0; i < n; i++) {
        x |= (uint64_t)(p[i] & 0x7f) << (7 * i);
        if (p[i] < 0x80) {
            *v = x;
            w->at = p + i + 1;
            return true;
        }
    }
    if (n < 10)
        return err_set(err, ERR_INPUT, "offset %zu: cut inside a number",
                       wire_offset(w));
    return err_set(err, ERR_INPUT, "offset %zu: number longer than 10 bytes",
                   wire_offset(w));
}

static bool fixed(struct wire *w, size_t n, uint64_t *v, struct err *err)
{
    if (wire_left(w) < n)
        return err_set(err, ERR_INPUT, "offset %zu: cut inside a number",
                       wire_offset(w));
    *v = 0;
    for (size_t i = 0; i < n; i++)
        *v |= (uint64_t)w->at[i] << (8 * i);
    w->at += n;
    return true;
}

bool wire_field_slow(struct wire *w, struct wire_field *f, struct err *err)
{
    uint64_t tag;
    f->offset = wire_offset(w);
    if (!wire_varint(w, &tag, err))
        return false;
    if (tag > UINT32_MAX || tag >> 3 == 0)
        return err_set(err, ERR_INPUT,
                       "offset %zu: not a field of a protobuf message",
                       f->offset);
    f->number = (uint32_t)(tag >> 3);
    f->type = (uint32_t)(tag & 7);
    switch (f->type) {
    case WIRE_VARINT:
        return wire_varint(w, &f->value, err);
    case WIRE_FIXED64:
        return fixed(w, 8, &f->value, err);
    case WIRE_BYTES:
        return wire_bytes(w, &f->bytes, err);
    case WIRE_FIXED32:
        return fixed(w, 4, &f->value, err);
    default:
        return err_set(err, ERR_INPUT,
                       "offset %zu: field %u has wire type %u, which no"
                       " profile has",
                       f->offset, f->number, f->type);
    }
}
