/*
 * wire.h - protobuf's wire format, and the field numbers of profile.proto
 *
 * A `struct wire` is a window on the caller's bytes; reading moves its start.
 * Nothing is copied.  wire_ functions read nothing past `end`; scan_ functions
 * may read up to `limit`, but use only bytes before `end`.
 *
 * | wire_ | fields with their offsets, in any order                     |
 * | scan_ | the same for hot loops, which keep their place in a pointer |
 *
 * Encoding: https://protobuf.dev/programming-guides/encoding/
 * Schema: lib/profile/wire/profile.proto
 */
#ifndef PROFUTILS_PROFILE_WIRE_WIRE_H
#define PROFUTILS_PROFILE_WIRE_WIRE_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"

enum profile_field {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE,
    PROFILE_MAPPING,
    PROFILE_LOCATION,
    PROFILE_FUNCTION,
    PROFILE_STRING_TABLE,
    PROFILE_DROP_FRAMES,
    PROFILE_KEEP_FRAMES,
    PROFILE_TIME_NANOS,
    PROFILE_DURATION_NANOS,
    PROFILE_PERIOD_TYPE,
    PROFILE_PERIOD,
    PROFILE_COMMENT,
    PROFILE_DEFAULT_SAMPLE_TYPE,
    PROFILE_DOC_URL,
};
enum value_type_field { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT };
enum sample_field { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum label_field { LABEL_KEY = 1, LABEL_STR, LABEL_NUM, LABEL_NUM_UNIT };
enum mapping_field {
    MAPPING_ID = 1,
    MAPPING_START,
    MAPPING_LIMIT,
    MAPPING_OFFSET,
    MAPPING_FILENAME,
    MAPPING_BUILD_ID,
    MAPPING_HAS_FUNCTIONS,
    MAPPING_HAS_FILENAMES,
    MAPPING_HAS_LINE_NUMBERS,
    MAPPING_HAS_INLINE_FRAMES,
};
enum location_field {
    LOCATION_ID = 1,
    LOCATION_MAPPING_ID,
    LOCATION_ADDRESS,
    LOCATION_LINE,
    LOCATION_IS_FOLDED,
};
enum line_field { LINE_FUNCTION_ID = 1, LINE_LINE, LINE_COLUMN };
enum function_field {
    FUNCTION_ID = 1,
    FUNCTION_NAME,
    FUNCTION_SYSTEM_NAME,
    FUNCTION_FILENAME,
    FUNCTION_START_LINE,
};

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

/* A number of at most 10 bytes; bits past the 64th are dropped. */
bool wire_varint(struct wire *w, uint64_t *v, struct prof_err *err);

/* A field: number and type, and what follows the tag. */
struct wire_field {
    uint32_t number;
    uint32_t type;     /* enum wire_type */
    uint64_t value;    /* of a varint or a fixed-width number */
    struct wire bytes; /* of a length-delimited one */
    size_t offset;     /* of the tag */
};

/*
 * Reads one field.  Errors: a tag or number that is cut or too long, a tag with
 * number 0, a length past the end, groups and unknown types.
 */
bool wire_field(struct wire *w, struct wire_field *f, struct prof_err *err);

/* PROF_ERR_INPUT: the field at this offset has a type that is not `expected`.
 */
bool wire_unexpected(size_t offset, uint32_t key, enum wire_type expected,
                     struct prof_err *err);

/*
 * Reading fields in registers: small messages (locations, lines, functions)
 * are a few bytes per field, and there are millions of them.  wire_field()
 * passes its struct by address to the rare cases, which keeps the position in
 * memory; here it is a plain pointer, and the rare cases get a copy:
 *
 *      for (const uint8_t *at = w.at, *from; at != w.end;) {
 *          from = at;
 *          if (!(at = scan_field(at, &w, limit, &key, &value, err)))
 *              return false;
 *          switch (key) {
 *          case SCAN_NUMBER(3): ... value
 *          case SCAN_BYTES(4): ... at[0 .. value); at += value
 *
 * It accepts what wire_field() does, with the same errors.
 */

/* Keys of fields: number and type, as they are on the wire. */
#define SCAN_NUMBER(field) ((uint32_t)(field) << 3 | WIRE_VARINT)
#define SCAN_BYTES(field) ((uint32_t)(field) << 3 | WIRE_BYTES)

/* For tags of more than a byte, long numbers, fixed widths and errors. */
const uint8_t *scan_field_slow(const uint8_t *at, const struct wire *w,
                               uint32_t *key, uint64_t *value,
                               struct prof_err *err);

/*
 * Reads the field at `at` in the window *w; bytes up to `limit` may be read,
 * even outside the window.  *value is the number, or how many bytes follow,
 * which the caller skips.  Returns the end of the number or of the length;
 * null on failure.
 */
static inline const uint8_t *scan_field(const uint8_t *at, const struct wire *w,
                                        const uint8_t *limit, uint32_t *key,
                                        uint64_t *value, struct prof_err *err)
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

/* The top bits of the bytes that end a number. */
static inline uint64_t scan_stops(uint64_t x)
{
    return ~x & 0x8080808080808080;
}

/* Decodes the number in the low bytes of x: masks the bytes after it, and
 * merges its groups of 7 bits in three steps. */
static inline uint64_t scan_join(uint64_t x, uint64_t stops)
{
    x &= stops ^ (stops - 1);
    x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
    x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
    return (x & 0x0fffffff) | (x & 0x0fffffff00000000) >> 4;
}

/*
 * Reads a packed number at `at` in the window: up to eight bytes without a
 * branch on its length.
 */
static inline const uint8_t *scan_number(const uint8_t *at,
                                         const struct wire *w,
                                         const uint8_t *limit, uint64_t *value,
                                         struct prof_err *err)
{
    if (limit - at >= 8) {
        uint64_t x = le64(at), stop = scan_stops(x);
        size_t n = stop ? (size_t)(__builtin_ctzll(stop) >> 3) + 1 : 9;
        if (n < 9 && n <= (size_t)(w->end - at)) {
            *value = scan_join(x, stop);
            return at + n;
        }
    }
    struct wire rest = {at, w->end, w->base};
    uint64_t v;
    if (!wire_varint(&rest, &v, err))
        return NULL;
    *value = v;
    return rest.at;
}

/* How many bytes the field has after what scan_field() returns. */
static inline size_t scan_rest(uint32_t key, uint64_t value)
{
    return (key & 7) == WIRE_BYTES ? (size_t)value : 0;
}

#endif
