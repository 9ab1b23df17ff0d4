#include "random_message.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "unit.h"

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5, STRING_TABLE = 6 };
enum { MAX_IDS = 8 };

/* One field, tag and all. */
struct part {
    struct buf bytes;
    unsigned field;
};

/* The fields of a message that is being made. */
struct parts {
    VEC(struct part) v;
};

/* The world of one message. */
struct world {
    struct rng rng;
    uint32_t n_strings, n_types;
    uint32_t n_mappings, n_functions, n_locations;
    uint64_t mapping[MAX_IDS], function[MAX_IDS], location[MAX_IDS];
};

/* `most` bytes at most, padded now and then. */
static void put_varint(struct buf *b, struct rng *r, uint64_t v, unsigned most)
{
    unsigned n = 1, pad = 0;
    for (uint64_t x = v; x > 0x7f; x >>= 7)
        n++;
    if (rng_one_in(r, 16))
        pad = rng_below(r, most - n + 1);
    for (unsigned i = 0; i < n + pad; i++, v >>= 7)
        assert_true(
            buf_putc(b, (char)((v & 0x7f) | (i + 1 < n + pad ? 0x80 : 0))));
}

static void put_tag(struct buf *b, struct rng *r, unsigned field, unsigned type)
{
    put_varint(b, r, (uint64_t)field << 3 | type, 5);
}

static struct buf *new_part(struct parts *p, unsigned field)
{
    struct part part = {.field = field};
    assert_true(vec_push(&p->v, part));
    return &p->v.v[p->v.n - 1].bytes;
}

static void add_number(struct parts *p, struct rng *r, unsigned field,
                       uint64_t v)
{
    if (!v && !rng_one_in(r, 4))
        return;
    struct buf *b = new_part(p, field);
    put_tag(b, r, field, VARINT);
    put_varint(b, r, v, 10);
    if (v && rng_one_in(r, 16))
        add_number(p, r, field, v);
}

/* A number that nothing depends on may be given twice with two values. */
static void add_free_number(struct parts *p, struct rng *r, unsigned field)
{
    for (uint32_t n = rng_one_in(r, 16) ? 2 : 1; n; n--)
        add_number(p, r, field, rng_one_in(r, 3) ? 0 : rng_any(r));
}

static void put_bytes(struct buf *b, struct rng *r, unsigned field,
                      const void *bytes, size_t n)
{
    put_tag(b, r, field, BYTES);
    put_varint(b, r, n, 5);
    assert_true(buf_put(b, bytes, n));
}

static void add_bytes(struct parts *p, struct rng *r, unsigned field,
                      const void *bytes, size_t n)
{
    put_bytes(new_part(p, field), r, field, bytes, n);
}

/* Repeated numbers in one or more pieces, packed or not. */
static void add_numbers(struct parts *p, struct rng *r, unsigned field,
                        const uint64_t *v, uint32_t n)
{
    for (uint32_t i = 0, k; i < n; i += k) {
        struct buf packed = {0};
        k = 1 + rng_below(r, n - i);
        if (rng_one_in(r, 2)) {
            for (uint32_t j = 0; j < k; j++) {
                struct buf *b = new_part(p, field);
                put_tag(b, r, field, VARINT);
                put_varint(b, r, v[i + j], 10);
            }
            continue;
        }
        for (uint32_t j = 0; j < k; j++)
            put_varint(&packed, r, v[i + j], 10);
        add_bytes(p, r, field, packed.v, packed.n);
        buf_free(&packed);
    }
    if (rng_one_in(r, 16))
        add_bytes(p, r, field, "", 0);
}

/* A field that profile.proto does not have. */
static void add_unknown(struct parts *p, struct rng *r)
{
    static const unsigned fields[] = {16, 17, 100, 5000, (1U << 29) - 1};
    static const unsigned types[] = {VARINT, FIXED64, BYTES, FIXED32};
    unsigned field = fields[rng_below(r, 5)], type = types[rng_below(r, 4)];
    uint64_t junk = rng_next(r);
    if (type == BYTES) {
        add_bytes(p, r, field, &junk, rng_below(r, 9));
        return;
    }
    struct buf *b = new_part(p, field);
    put_tag(b, r, field, type);
    if (type == VARINT)
        put_varint(b, r, junk, 10);
    else
        assert_true(buf_put(b, &junk, type == FIXED64 ? 8 : 4));
}

static void shuffle(struct parts *p, struct rng *r)
{
    for (size_t i = p->v.n; i > 1; i--) {
        size_t j = rng_below(r, (uint32_t)i);
        struct part t = p->v.v[j];
        p->v.v[j] = p->v.v[i - 1];
        p->v.v[i - 1] = t;
    }
}

/* The parts as bytes of a message; frees them. */
static struct buf concatenate(struct parts *p)
{
    struct buf b = {0};
    for (size_t i = 0; i < p->v.n; i++) {
        assert_true(buf_put(&b, p->v.v[i].bytes.v, p->v.v[i].bytes.n));
        buf_free(&p->v.v[i].bytes);
    }
    vec_free(&p->v);
    return b;
}

/* *inner, in any order, as a message that is a field of *p; frees it. */
static void add_message(struct parts *p, struct rng *r, unsigned field,
                        struct parts *inner)
{
    while (rng_one_in(r, 4))
        add_unknown(inner, r);
    if (!rng_one_in(r, 3))
        shuffle(inner, r);
    struct buf b = concatenate(inner);
    add_bytes(p, r, field, b.v, b.n);
    buf_free(&b);
}

static uint64_t any_string(struct world *w)
{
    return rng_below(&w->rng, w->n_strings);
}

/* Different ids: 1, 2, 3, or from 0, or sparse, or huge. */
static uint32_t make_ids(struct rng *r, uint64_t *ids)
{
    uint32_t n = rng_below(r, MAX_IDS + 1), style = rng_below(r, 4);
    for (uint32_t i = 0; i < n; i++)
        ids[i] = style == 0   ? i + 1
                 : style == 1 ? i
                 : style == 2 ? (uint64_t)(n - i) * 1000003
                              : rng_next(r) << 4 | i;
    return n;
}

static void add_value_type(struct world *w, struct parts *p, unsigned field)
{
    struct parts m = {0};
    add_number(&m, &w->rng, 1, any_string(w));
    add_number(&m, &w->rng, 2, any_string(w));
    add_message(p, &w->rng, field, &m);
}

static void add_mapping(struct world *w, struct parts *p, uint64_t id)
{
    struct parts m = {0};
    add_number(&m, &w->rng, 1, id);
    for (unsigned field = 2; field <= 4; field++)
        add_free_number(&m, &w->rng, field);
    add_number(&m, &w->rng, 5, any_string(w));
    add_number(&m, &w->rng, 6, any_string(w));
    for (unsigned field = 7; field <= 10; field++)
        add_number(&m, &w->rng, field, rng_below(&w->rng, 2));
    add_message(p, &w->rng, 3, &m);
}

static void add_function(struct world *w, struct parts *p, uint64_t id)
{
    struct parts m = {0};
    add_number(&m, &w->rng, 1, id);
    for (unsigned field = 2; field <= 4; field++)
        add_number(&m, &w->rng, field, any_string(w));
    add_free_number(&m, &w->rng, 5);
    add_message(p, &w->rng, 5, &m);
}

static uint64_t one_of(struct rng *r, const uint64_t *ids, uint32_t n)
{
    return n && !rng_one_in(r, 8) ? ids[rng_below(r, n)] : 0;
}

static void add_location(struct world *w, struct parts *p, uint64_t id)
{
    struct rng *r = &w->rng;
    struct parts m = {0};
    add_number(&m, r, 1, id);
    add_number(&m, r, 2, one_of(r, w->mapping, w->n_mappings));
    add_free_number(&m, r, 3);
    for (uint32_t n = rng_below(r, 4); n; n--) {
        struct parts line = {0};
        add_number(&line, r, 1, one_of(r, w->function, w->n_functions));
        add_free_number(&line, r, 2);
        add_free_number(&line, r, 3);
        add_message(&m, r, 4, &line);
    }
    add_number(&m, r, 5, rng_below(r, 2));
    add_message(p, r, 4, &m);
}

static void add_label(struct world *w, struct parts *p)
{
    struct rng *r = &w->rng;
    struct parts m = {0};
    uint64_t few = w->n_strings < 4 ? w->n_strings : 4;
    add_number(&m, r, 1, few ? rng_below(r, (uint32_t)few) : 0);
    if (rng_one_in(r, 2))
        add_number(&m, r, 2, any_string(w));
    if (rng_one_in(r, 2))
        add_free_number(&m, r, 3);
    if (rng_one_in(r, 3))
        add_number(&m, r, 4, any_string(w));
    add_message(p, r, 3, &m);
}

static void add_sample(struct world *w, struct parts *p)
{
    struct rng *r = &w->rng;
    struct parts m = {0};
    uint64_t v[20] = {0};
    uint32_t n = w->n_locations ? rng_below(r, 20) : 0;
    for (uint32_t i = 0; i < n; i++)
        v[i] = w->location[rng_below(r, w->n_locations)];
    add_numbers(&m, r, 1, v, n);
    for (uint32_t i = 0; i < w->n_types; i++)
        v[i] = rng_any(r);
    add_numbers(&m, r, 2, v, w->n_types);
    for (n = rng_below(r, 5); n; n--)
        add_label(w, &m);
    add_message(p, r, 2, &m);
}

static void add_headers(struct world *w, struct parts *p)
{
    struct rng *r = &w->rng;
    uint64_t comments[4] = {0};
    uint32_t n = rng_below(r, 5);
    for (uint32_t i = 0; i < n; i++)
        comments[i] = any_string(w);
    add_numbers(p, r, 13, comments, n);
    add_number(p, r, 7, any_string(w));
    add_number(p, r, 8, any_string(w));
    add_free_number(p, r, 9);
    add_free_number(p, r, 10);
    if (rng_one_in(r, 2))
        add_value_type(w, p, 11);
    add_free_number(p, r, 12);
    add_number(p, r, 14, any_string(w));
    add_number(p, r, 15, any_string(w));
}

static struct buf random_string(struct rng *r, uint32_t i)
{
    struct buf b = {0};
    uint32_t n = i && !rng_one_in(r, 6) ? rng_below(r, 12) : 0;
    if (rng_one_in(r, 40))
        n *= 40;
    bool any = rng_one_in(r, 4);
    while (i && n--)
        assert_true(buf_putc(
            &b, (char)(any ? 1 + rng_below(r, 255) : 'a' + rng_below(r, 4))));
    return b;
}

/* Strings first, last or anywhere, but always in the order of the table. */
static void place_strings(struct world *w, struct parts *p)
{
    struct rng *r = &w->rng;
    struct parts placed = {0};
    for (uint32_t i = 0; i < w->n_strings; i++)
        (void)new_part(p, STRING_TABLE);
    shuffle(p, r);
    uint32_t where = rng_below(r, 3), next = 0;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < p->v.n; i++) {
            bool is_string = p->v.v[i].field == STRING_TABLE;
            if (where == 2 ? !pass : is_string == (where == pass))
                assert_true(vec_push(&placed.v, p->v.v[i]));
        }
    vec_free(&p->v);
    *p = placed;
    for (size_t i = 0; i < p->v.n; i++)
        if (p->v.v[i].field == STRING_TABLE) {
            struct buf s = random_string(r, next++);
            put_bytes(&p->v.v[i].bytes, r, STRING_TABLE, s.v, s.n);
            buf_free(&s);
        }
}

struct buf random_message(uint64_t seed)
{
    struct world w = {.rng = {seed}};
    struct rng *r = &w.rng;
    struct parts p = {0};
    w.n_strings = 1 + rng_below(r, 12);
    w.n_types = rng_below(r, 4);
    w.n_mappings = make_ids(r, w.mapping);
    w.n_functions = make_ids(r, w.function);
    w.n_locations = make_ids(r, w.location);
    for (uint32_t i = 0; i < w.n_types; i++)
        add_value_type(&w, &p, 1);
    for (uint32_t i = 0; i < w.n_mappings; i++)
        add_mapping(&w, &p, w.mapping[i]);
    for (uint32_t i = 0; i < w.n_functions; i++)
        add_function(&w, &p, w.function[i]);
    for (uint32_t i = 0; i < w.n_locations; i++)
        add_location(&w, &p, w.location[i]);
    for (uint32_t n = w.n_types ? rng_below(r, 8) : 0; n; n--)
        add_sample(&w, &p);
    add_headers(&w, &p);
    while (rng_one_in(r, 3))
        add_unknown(&p, r);
    place_strings(&w, &p);
    return concatenate(&p);
}

/* A run of up to `most` bytes inside n. */
static void run(struct rng *r, size_t n, uint32_t most, size_t *at, size_t *len)
{
    *at = rng_below(r, (uint32_t)n);
    *len = 1 + rng_below(r, most);
    if (*len > n - *at)
        *len = n - *at;
}

void mutate(struct buf *b, struct rng *r)
{
    for (uint32_t times = 1 + rng_below(r, 4); times && b->n; times--) {
        size_t at, from, len;
        run(r, b->n, 16, &at, &len);
        switch (rng_below(r, 7)) {
        case 0:
            b->v[at] = (uint8_t)rng_next(r);
            break;
        case 1:
            b->v[at] ^= (uint8_t)(1U << rng_below(r, 8));
            break;
        case 2:
            b->v[at] = (uint8_t)(b->v[at] + (rng_one_in(r, 2) ? 1 : -1));
            break;
        case 3: /* cut out */
            memmove(b->v + at, b->v + at + len, b->n - at - len);
            b->n -= len;
            break;
        case 4: /* repeated */
            assert_true(buf_reserve(b, len));
            memmove(b->v + at + len, b->v + at, b->n - at);
            b->n += len;
            break;
        case 5: /* copied from elsewhere */
            from = rng_below(r, (uint32_t)(b->n - len + 1));
            memmove(b->v + at, b->v + from, len);
            break;
        default: /* cut off */
            if (rng_one_in(r, 3))
                b->n = at;
            else
                memset(b->v + at, rng_one_in(r, 2) ? 0xff : 0, len);
        }
    }
}
