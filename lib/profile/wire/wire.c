/* wire.c - reading protobuf's wire format */
#include "profile/wire/wire.h"

bool wire_varint(struct wire *w, uint64_t *v, struct prof_err *err)
{
    if (wire_left(w) >= 8) { /* up to eight bytes at once */
        uint64_t eight = le64(w->at), stop = scan_stops(eight);
        if (stop) {
            w->at += (__builtin_ctzll(stop) >> 3) + 1;
            *v = scan_join(eight, stop);
            return true;
        }
    }
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
        return err_input(err, "offset %zu: unexpected end of file in a number",
                         wire_offset(w));
    return err_input(err, "offset %zu: integer longer than 10 bytes",
                     wire_offset(w));
}

static bool read_fixed(struct wire *w, size_t n, uint64_t *v,
                       struct prof_err *err)
{
    if (wire_left(w) < n)
        return err_input(err, "offset %zu: unexpected end of file in a number",
                         wire_offset(w));
    *v = 0;
    for (size_t i = 0; i < n; i++)
        *v |= (uint64_t)w->at[i] << (8 * i);
    w->at += n;
    return true;
}

/* Reads a length, and sets *inner to as many bytes. */
static bool read_bytes(struct wire *w, struct wire *inner, struct prof_err *err)
{
    uint64_t n;
    size_t at = wire_offset(w);
    if (!wire_varint(w, &n, err))
        return false;
    if (n > wire_left(w))
        return err_input(err,
                         "offset %zu: unexpected end of file: field of %" PRIu64
                         " bytes, only %zu left",
                         at, n, wire_left(w));
    *inner = (struct wire){w->at, w->at + n, w->base};
    w->at += n;
    return true;
}

bool wire_field(struct wire *w, struct wire_field *f, struct prof_err *err)
{
    uint64_t tag;
    f->offset = wire_offset(w);
    if (!wire_varint(w, &tag, err))
        return false;
    if (tag > UINT32_MAX || tag >> 3 == 0)
        return err_input(err, "offset %zu: not a protobuf field", f->offset);
    f->number = (uint32_t)(tag >> 3);
    f->type = (uint32_t)(tag & 7);
    switch (f->type) {
    case WIRE_VARINT:
        return wire_varint(w, &f->value, err);
    case WIRE_FIXED64:
        return read_fixed(w, 8, &f->value, err);
    case WIRE_BYTES:
        return read_bytes(w, &f->bytes, err);
    case WIRE_FIXED32:
        return read_fixed(w, 4, &f->value, err);
    default:
        return err_input(err, "offset %zu: field %u has invalid wire type %u",
                         f->offset, f->number, f->type);
    }
}

bool wire_unexpected(size_t offset, uint32_t key, enum wire_type expected,
                     struct prof_err *err)
{
    return err_input(err, "offset %zu: field %u has wire type %u, expected %u",
                     offset, key >> 3, key & 7, (unsigned)expected);
}

const uint8_t *scan_field_slow(const uint8_t *at, const struct wire *w,
                               uint32_t *key, uint64_t *value,
                               struct prof_err *err)
{
    struct wire rest = *w;
    struct wire_field f;
    rest.at = at;
    if (!wire_field(&rest, &f, err))
        return NULL;
    *key = f.number << 3 | f.type;
    if (f.type != WIRE_BYTES) {
        *value = f.value;
        return rest.at;
    }
    *value = wire_left(&f.bytes);
    return f.bytes.at;
}
