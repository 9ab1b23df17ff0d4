#include "sweep.h"

#include <ctype.h>
#include <string.h>

#include "fuzz.h"

/* --- what stands at a place */

static const struct {
    unsigned width;
    uint64_t value;
} fixed[] = {
    {1, 0},          {1, 1},          {1, INT8_MAX},   {1, 1 << 7},
    {1, UINT8_MAX},  {2, 0},          {2, 1},          {2, INT16_MAX},
    {2, 1 << 15},    {2, UINT16_MAX}, {4, 0},          {4, 1},
    {4, INT32_MAX},  {4, 1U << 31},   {4, UINT32_MAX}, {8, 0},
    {8, 1},          {8, INT32_MAX},  {8, 1U << 31},   {8, UINT32_MAX},
    {8, 1ULL << 32}, {8, INT64_MAX},  {8, 1ULL << 63}, {8, UINT64_MAX},
};

static const char *const text[] = {
    "0",
    "1",
    "-1",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "1000000000000000000000000000000000000000000000",
    "00000000000000000000000000000000000000000000001",
    "0x7fffffffffffffff",
    "0xffffffffffffffff",
    "0x10000000000000000",
    "ffffffffffffffff",
    "1.5",
    "-0.0",
    "1e308",
    "1e999",
    "nan",
    "-inf",
    "+1",
    "",
};

static const uint64_t wire[] = {
    0,          1,          INT32_MAX,  1U << 31,  UINT32_MAX, 1ULL << 32,
    1ULL << 60, 1ULL << 61, 1ULL << 62, INT64_MAX, 1ULL << 63, UINT64_MAX,
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum {
    ORDERS = 2,
    DEPTH = 4, /* of messages in messages */
    VARINT_MAX = 10,
    /* Besides `wire`: 1 in ten bytes, and a number that has no end in ten. */
    WIRE_MORE = 2,
};

static size_t n_values(enum sweep_form form)
{
    switch (form) {
    case SWEEP_FIXED:
        return ORDERS * COUNT(fixed);
    case SWEEP_TEXT:
        return COUNT(text);
    case SWEEP_WIRE:
        return COUNT(wire) + WIRE_MORE;
    }
    return 0;
}

/* --- places */

static size_t add_place(struct sweep *s, size_t at, size_t n, size_t around)
{
    struct sweep_place place = {at, n, around};
    FUZZ_CHECK(vec_push(&s->places, place));
    return s->places.n - 1;
}

static void find_fixed(struct sweep *s)
{
    for (size_t i = 0; i < s->n; i++)
        (void)add_place(s, i, s->n - i, SWEEP_TOP);
}

static void find_text(struct sweep *s)
{
    size_t i = 0;
    while (i < s->n) {
        size_t end = i;
        bool hex = s->n - i > 2 && s->data[i] == '0' && s->data[i + 1] == 'x';
        if (hex)
            end += 2;
        if (isdigit(s->data[i]))
            while (end < s->n && isxdigit(s->data[end]))
                end++;
        if (end > i)
            (void)add_place(s, i, end - i, SWEEP_TOP);
        /* Digits within a word are none, but those behind them may be. */
        i = end > i ? end : i + 1;
    }
}

/* The number at *at, before `end`; a message that is cut has none. */
static bool varint(const uint8_t *data, size_t end, size_t *at, uint64_t *v)
{
    *v = 0;
    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        uint8_t byte = data[(*at)++];
        *v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* What a length-delimited field of a message of profile.proto has inside. */
enum inside { BYTES, PROFILE, SAMPLE, LOCATION, NUMBERS, LEAF };

static enum inside inside_of(enum inside message, uint64_t field)
{
    if (message == PROFILE && field == 2)
        return SAMPLE;
    if (message == PROFILE && field == 4)
        return LOCATION;
    if (message == PROFILE && (field <= 5 || field == 11))
        return LEAF;
    if ((message == PROFILE && field == 13) ||
        (message == SAMPLE && field <= 2))
        return NUMBERS;
    if ((message == SAMPLE && field == 3) ||
        (message == LOCATION && field == 4))
        return LEAF;
    return BYTES;
}

enum { VARINT = 0, FIXED64 = 1, DELIMITED = 2, FIXED32 = 5 };

struct range {
    enum inside inside;
    size_t at, end, around;
};

/*
 * One field, or one element of packed numbers; what is inside it is *inner.
 * False at the end, and where the message makes no sense any more.
 */
static bool next_field(struct sweep *s, struct range *r, struct range *inner)
{
    uint64_t key = 0, value;
    size_t start = r->at;
    inner->inside = BYTES;
    if (r->inside != NUMBERS) {
        if (!varint(s->data, r->end, &r->at, &key))
            return false;
        (void)add_place(s, start, r->at - start, r->around);
        if (key % 8 == FIXED64 || key % 8 == FIXED32) {
            r->at += key % 8 == FIXED64 ? 8 : 4;
            return r->at <= r->end;
        }
        start = r->at;
    }
    if (key % 8 > DELIMITED || !varint(s->data, r->end, &r->at, &value))
        return false;
    size_t place = add_place(s, start, r->at - start, r->around);
    if (key % 8 != DELIMITED)
        return true;
    if (value > r->end - r->at)
        return false;
    *inner = (struct range){inside_of(r->inside, key / 8), r->at,
                            r->at + (size_t)value, place};
    r->at = inner->end;
    return true;
}

static void find_wire(struct sweep *s)
{
    /* A profile, a sample or location in it, and what is in that. */
    struct range open[DEPTH] = {{PROFILE, 0, s->n, SWEEP_TOP}};
    size_t depth = 1;
    while (depth) {
        struct range inner;
        if (!next_field(s, &open[depth - 1], &inner)) {
            depth--;
        } else if (inner.inside != BYTES) {
            FUZZ_CHECK(depth < DEPTH);
            open[depth++] = inner;
        }
    }
}

void sweep_init(struct sweep *s, enum sweep_form form, const uint8_t *data,
                size_t n)
{
    *s = (struct sweep){.form = form, .data = data, .n = n};
    switch (form) {
    case SWEEP_FIXED:
        find_fixed(s);
        break;
    case SWEEP_TEXT:
        find_text(s);
        break;
    case SWEEP_WIRE:
        find_wire(s);
        break;
    }
    s->n_cases = s->places.n * n_values(form);
}

void sweep_free(struct sweep *s)
{
    vec_free(&s->places);
}

/* --- cases */

static void put(struct buf *out, const void *bytes, size_t n)
{
    FUZZ_CHECK(n == 0 || buf_put(out, bytes, n));
}

static bool make_fixed(const struct sweep *s, const struct sweep_place *place,
                       size_t value, struct buf *out)
{
    unsigned width = fixed[value / ORDERS].width;
    uint64_t v = fixed[value / ORDERS].value;
    bool big = value % ORDERS;
    if (width > place->n)
        return false;
    put(out, s->data, s->n);
    for (unsigned i = 0; i < width; i++)
        out->v[place->at + (big ? width - 1 - i : i)] = (uint8_t)(v >> 8 * i);
    return true;
}

static bool make_text(const struct sweep *s, const struct sweep_place *place,
                      size_t value, struct buf *out)
{
    size_t after = place->at + place->n;
    put(out, s->data, place->at);
    put(out, text[value], strlen(text[value]));
    put(out, s->data + after, s->n - after);
    return true;
}

/* A number's bytes. */
struct varint {
    uint8_t v[VARINT_MAX + 1];
    size_t n;
};

static struct varint varint_of(uint64_t value)
{
    struct varint x = {.n = 0};
    for (; value > 0x7f; value >>= 7)
        x.v[x.n++] = (uint8_t)(value | 0x80);
    x.v[x.n++] = (uint8_t)value;
    return x;
}

static struct varint wire_value(size_t value)
{
    struct varint x = {{0}, 0};
    if (value < COUNT(wire))
        return varint_of(wire[value]);
    bool overlong = value == COUNT(wire);
    x.n = overlong ? VARINT_MAX : VARINT_MAX + 1;
    memset(x.v, overlong ? 0x80 : 0xff, x.n);
    x.v[0] |= 1;
    if (overlong)
        x.v[x.n - 1] = 0;
    return x;
}

static bool make_wire(const struct sweep *s, const struct sweep_place *place,
                      size_t value, struct buf *out)
{
    /* From the innermost outwards, then written the other way round. */
    const struct sweep_place *at[DEPTH];
    struct varint with[DEPTH];
    size_t n = 0;
    size_t grown = 0; /* modulo 2^64: it may be less than nothing */
    at[n] = place;
    with[n++] = wire_value(value);
    grown += with[0].n - place->n;
    for (size_t i = place->around; i != SWEEP_TOP; i = s->places.v[i].around) {
        size_t offset = s->places.v[i].at;
        uint64_t length;
        FUZZ_CHECK(n < DEPTH && varint(s->data, s->n, &offset, &length));
        at[n] = &s->places.v[i];
        with[n] = varint_of(length + grown);
        grown += with[n].n - at[n]->n;
        n++;
    }
    size_t done = 0;
    while (n-- > 0) {
        put(out, s->data + done, at[n]->at - done);
        put(out, with[n].v, with[n].n);
        done = at[n]->at + at[n]->n;
    }
    put(out, s->data + done, s->n - done);
    return true;
}

bool sweep_make(const struct sweep *s, size_t k, struct buf *out)
{
    const struct sweep_place *place = &s->places.v[k / n_values(s->form)];
    size_t value = k % n_values(s->form);
    bool made = false;
    out->n = 0;
    switch (s->form) {
    case SWEEP_FIXED:
        made = make_fixed(s, place, value, out);
        break;
    case SWEEP_TEXT:
        made = make_text(s, place, value, out);
        break;
    case SWEEP_WIRE:
        made = make_wire(s, place, value, out);
        break;
    }
    return made && (out->n != s->n || memcmp(out->v, s->data, s->n) != 0);
}
