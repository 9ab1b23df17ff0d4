/*
 * scan.h - the fields of small messages, one after another, in registers
 *
 * Locations, lines and functions are a few bytes per field, and there are
 * millions of them.  wire_field() keeps where it is in a struct, which the
 * rare cases take by address; that holds it in memory, and going there and
 * back between two fields takes longer than reading them.  Here the place is
 * a plain pointer, and the rare cases get a copy:
 *
 *      for (const uint8_t *at = w.at, *from; at != w.end;) {
 *          from = at;
 *          if (!(at = scan_field(at, &w, limit, &key, &value, err)))
 *              return false;
 *          switch (key) {
 *          case SCAN_NUMBER(3): ... value
 *          case SCAN_BYTES(4): ... at[0 .. value); at += value
 *
 * What is accepted, and every message, is that of wire_field().
 */
#ifndef PROFUTILS_PB_SCAN_H
#define PROFUTILS_PB_SCAN_H

#include <endian.h>
#include <string.h>

#include "pb/wire.h"

/* Keys of fields: number and type, as they are on the wire. */
#define SCAN_NUMBER(field) ((uint32_t)(field) << 3 | WIRE_VARINT)
#define SCAN_BYTES(field) ((uint32_t)(field) << 3 | WIRE_BYTES)

/* For tags of more than a byte, long numbers, fixed widths and errors. */
const uint8_t *scan_field_slow(const uint8_t *at, const struct wire *w,
                               uint32_t *key, uint64_t *value, struct err *err);

/*
 * Reads the field at `at` in the window *w; bytes before `limit` may be looked
 * at, even outside the window.  *value is the number, or how many bytes
 * follow, which the caller passes over.  Returns what is behind the number or
 * the length, null on failure.
 */
static inline const uint8_t *scan_field(const uint8_t *at, const struct wire *w,
                                        const uint8_t *limit, uint32_t *key,
                                        uint64_t *value, struct err *err)
{
    if (limit - at < 5)
        return scan_field_slow(at, w, key, value, err);
    const uint8_t *p = at + 2;
    uint32_t tag = at[0], v = at[1];
    if (v >= 0x80) {
        v = (v & 0x7f) | (uint32_t)(at[2] & 0x7f) << 7;
        p = at + 3;
        if (at[2] >= 0x80) {
            v |= (uint32_t)(at[3] & 0x7f) << 14;
            p = at + 4;
            if (at[3] >= 0x80) {
                v |= (uint32_t)at[4] << 21;
                p = at + 5;
                if (at[4] >= 0x80)
                    return scan_field_slow(at, w, key, value, err);
            }
        }
    }
    uint32_t type = tag & 0x87; /* with the bit that says there is more */
    if (tag < 8 || p > w->end ||
        (type != WIRE_VARINT &&
         (type != WIRE_BYTES || v > (size_t)(w->end - p))))
        return scan_field_slow(at, w, key, value, err);
    *key = tag;
    *value = v;
    return p;
}

/* Eight bytes as a number, the first one lowest. */
static inline uint64_t scan_eight(const uint8_t *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return le64toh(x);
}

/*
 * Reads the number at `at` in the window, of those that are packed: of up to
 * eight bytes without a branch by its length, which shows in the top bits; the
 * rest of them is pushed together in pairs.
 */
static inline const uint8_t *scan_number(const uint8_t *at,
                                         const struct wire *w,
                                         const uint8_t *limit, uint64_t *value,
                                         struct err *err)
{
    if (limit - at >= 8) {
        uint64_t x = scan_eight(at), stop = ~x & 0x8080808080808080;
        size_t n = stop ? (size_t)(__builtin_ctzll(stop) >> 3) + 1 : 9;
        if (n < 9 && n <= (size_t)(w->end - at)) {
            x &= stop ^ (stop - 1);
            x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
            x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
            *value = (x & 0x0fffffff) | (x & 0x0fffffff00000000) >> 4;
            return at + n;
        }
    }
    struct wire rest = {at, w->end, w->base};
    uint64_t v;
    if (!wire_varint_slow(&rest, &v, err))
        return NULL;
    *value = v;
    return rest.at;
}

/* How many bytes a field has behind what scan_field() returns. */
static inline size_t scan_rest(uint32_t key, uint64_t value)
{
    return (key & 7) == WIRE_BYTES ? (size_t)value : 0;
}

/* ERR_INPUT: the field at `at` has this key, and not the type it should. */
bool scan_unexpected(const uint8_t *at, const struct wire *w, uint32_t key,
                     enum wire_type expected, struct err *err);

#endif
