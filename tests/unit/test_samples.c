/*
 * Samples, one by one and millions of bytes of them: what is in the columns is
 * what was written, however it was written and however many threads read it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "check_profile.h"
#include "msg.h"
#include "profile/wire/pb.h"
#include "random_profile.h"
#include "said.h"
#include "unit.h"

/* Fields of profile.proto, by the numbers of the published schema. */
enum { SAMPLE_TYPE = 1, SAMPLE, LOCATION = 4, STRING_TABLE = 6, COMMENT = 13 };
enum { LOCATION_ID = 1, VALUE, LABEL };
enum { KEY = 1, STR, NUM, NUM_UNIT };

static const char *const words[] = {"", "count", "bytes", "a", "b", "c"};
enum { COUNT = 1, BYTES, A, B, C, N_WORDS };

static void put_strings(struct buf *b)
{
    for (size_t i = 0; i < N_WORDS; i++)
        msg_str(b, STRING_TABLE, words[i]);
}

static void put_type(struct buf *b, uint64_t type)
{
    struct buf m = {0};
    msg_num(&m, 1, type);
    msg_sub(b, SAMPLE_TYPE, &m);
}

static void put_location(struct buf *b, uint64_t id)
{
    struct buf m = {0};
    msg_num(&m, 1, id);
    msg_sub(b, LOCATION, &m);
}

static void put_label(struct buf *b, uint64_t key, uint64_t str, uint64_t num)
{
    struct buf m = {0};
    msg_num(&m, KEY, key);
    if (str)
        msg_num(&m, STR, str);
    if (num)
        msg_num(&m, NUM, num);
    msg_sub(b, LABEL, &m);
}

/* Decodes by so many threads; err and notes may be null. */
static bool decode(const struct buf *b, unsigned threads, struct profile *p,
                   const struct prof_notes *notes, struct prof_err *err)
{
    struct pb_decoder decoder = {.notes = notes, .threads = threads};
    assert_true(prof_init(p, err));
    bool ok = pb_decode_next(&decoder, b->v, b->n, p, err);
    pb_decoder_free(&decoder);
    return ok;
}

/* --- numbers, and the end of the buffer ------------------------------------
 */

/* A number of n bytes: 7 bits each, all that the last can take. */
static uint64_t put_long(struct buf *b, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = i + 1 == n ? 0x41 : (0x55 + 3 * i) & 0x7f;
        assert_true(buf_putc(b, (char)(bits | (i + 1 < n ? 0x80 : 0))));
        if (i < 10)
            v |= i == 9 ? bits << 63 : bits << (7 * i);
    }
    return v;
}

/*
 * Everything else, then a sample whose last field is `field` with the bytes
 * of *numbers, then `after` bytes of other fields.  Returns where the numbers
 * are.
 */
static size_t number_message(struct buf *b, uint64_t id, unsigned field,
                             struct buf *numbers, size_t after)
{
    struct buf m = {0};
    uint64_t one = 1;
    put_strings(b);
    put_type(b, COUNT);
    put_location(b, 1);
    if (id != 1)
        put_location(b, id);
    if (field == LOCATION_ID)
        msg_packed(&m, VALUE, &one, 1);
    size_t n = numbers->n;
    msg_sub(&m, field, numbers);
    msg_sub(b, SAMPLE, &m);
    size_t at = b->n - n;
    for (; after; after -= 2) /* time_nanos */
        msg_num(b, 9, 1);
    return at;
}

/* Numbers of all lengths, with nothing or a little behind them. */
static void lengths(void **state)
{
    for (size_t n = 1; n <= 10; n++) {
        for (size_t after = 0; after <= 16; after += 2) {
            struct buf b = {0}, numbers = {0};
            struct profile p;
            struct prof_err err = {0};
            uint64_t v = put_long(&numbers, n);
            (void)number_message(&b, 1, VALUE, &numbers, after);
            assert_true(decode(&b, 1, &p, NULL, &err));
            assert_int_equal(p.n_samples, 1);
            assert_true(p.values[0] == (int64_t)v);
            prof_free(&p);
            buf_free(&b);

            v = put_long(&numbers, n);
            (void)put_long(&numbers, n);
            (void)number_message(&b, v, LOCATION_ID, &numbers, after);
            assert_true(decode(&b, 1, &p, NULL, &err));
            assert_int_equal(p.n_frames, 2);
            assert_int_equal(p.frames[0], 1);
            assert_int_equal(p.frames[1], 1);
            assert_true(p.locations[1].id == v);
            prof_free(&p);
            buf_free(&b);
        }
    }
}

static void refused(const struct buf *b, const char *text)
{
    struct profile p;
    struct prof_err err = {0};
    assert_false(decode(b, 1, &p, NULL, &err));
    assert_int_equal(err.kind, PROF_ERR_INPUT);
    assert_said(err.text, text);
    prof_free(&p);
}

/* Cut at every byte, and longer than any number is. */
static void bad_numbers(void **state)
{
    static const unsigned fields[] = {LOCATION_ID, VALUE};
    for (size_t i = 0; i < 2; i++) {
        for (size_t good = 0; good < 3; good++) {
            for (size_t n = 1; n <= 12; n++) {
                for (size_t after = 0; after <= 16; after += 8) {
                    struct buf b = {0}, numbers = {0};
                    char text[80];
                    for (size_t k = 0; k < good; k++)
                        msg_varint(&numbers, 1);
                    for (size_t k = 0; k < n; k++)
                        assert_true(buf_putc(&numbers, (char)0x81));
                    if (n > 10)
                        assert_true(buf_putc(&numbers, 1));
                    size_t at =
                        number_message(&b, 1, fields[i], &numbers, after);
                    (void)snprintf(text, sizeof text, "offset %zu: %s",
                                   at + good,
                                   n < 10 ? "unexpected end of file in a number"
                                          : "integer longer than 10 bytes");
                    refused(&b, text);
                    buf_free(&b);
                }
            }
        }
    }
}

/* --- ways to write a sample ------------------------------------------------
 */

/* A sample as it should come out. */
struct expected {
    uint32_t frame[8];
    size_t n_frames;
    int64_t value[2];
    struct prof_label label[3]; /* words in place of string ids */
    size_t n_labels;
};

enum { N_LOCATIONS = 20000 };

static void random_expected(struct expected *e, struct rng *r)
{
    static const uint32_t below[] = {100, 10000, N_LOCATIONS};
    memset(e, 0, sizeof *e);
    e->n_frames = rng_below(r, 9);
    for (size_t i = 0; i < e->n_frames; i++)
        e->frame[i] = rng_below(r, below[rng_below(r, 3)]);
    for (size_t i = 0; i < 2; i++)
        e->value[i] = (int64_t)(rng_next(r) >> rng_below(r, 64));
    if (rng_one_in(r, 2))
        return;
    /* In order of keys, as sets are. */
    for (uint32_t key = A; key <= C; key++) {
        if (rng_one_in(r, 2))
            continue;
        struct prof_label *l = &e->label[e->n_labels++];
        l->key = key;
        if (rng_one_in(r, 2))
            l->str = A + rng_below(r, 3);
        else /* few of some, and some of which there are many */
            l->num = 1 + rng_below(r, rng_one_in(r, 8) ? 1 << 20 : 6);
    }
}

static void put_frames(struct buf *m, const struct expected *e, size_t from,
                       size_t to, bool packed)
{
    uint64_t ids[8];
    for (size_t i = from; i < to; i++) {
        ids[i] = (uint64_t)e->frame[i] + 1;
        if (!packed)
            msg_num(m, LOCATION_ID, ids[i]);
    }
    if (packed)
        msg_packed(m, LOCATION_ID, ids + from, to - from);
}

static void put_values(struct buf *m, const struct expected *e, struct rng *r)
{
    uint64_t v[2] = {(uint64_t)e->value[0], (uint64_t)e->value[1]};
    if (rng_one_in(r, 4)) {
        msg_num(m, VALUE, v[0]);
        msg_packed(m, VALUE, v + 1, 1);
    } else {
        msg_packed(m, VALUE, v, 2);
    }
}

static void put_labels(struct buf *m, const struct expected *e, size_t from,
                       size_t to)
{
    for (size_t i = from; i < to; i++)
        put_label(m, e->label[i].key, e->label[i].str,
                  (uint64_t)e->label[i].num);
}

/* A sample of everything in order, packed; or of parts in some order. */
static void put_sample(struct buf *b, const struct expected *e, struct rng *r,
                       bool usual)
{
    struct buf m = {0};
    if (usual) {
        put_frames(&m, e, 0, e->n_frames, true);
        put_values(&m, e, &(struct rng){1});
        put_labels(&m, e, 0, e->n_labels);
    } else {
        size_t half = e->n_frames / 2, some = e->n_labels / 2;
        put_labels(&m, e, 0, some);
        put_frames(&m, e, 0, half, rng_one_in(r, 2));
        if (rng_one_in(r, 2))
            put_labels(&m, e, some, e->n_labels);
        else
            some = e->n_labels + 1;
        put_values(&m, e, r);
        if (some > e->n_labels)
            put_labels(&m, e, e->n_labels / 2, e->n_labels);
        put_frames(&m, e, half, e->n_frames, rng_one_in(r, 2));
    }
    msg_sub(b, SAMPLE, &m);
}

static void assert_sample(const struct profile *p, size_t s,
                          const struct expected *e)
{
    const struct prof_label *l = p->labels + p->labelset_off[p->labelset[s]];
    size_t n = (size_t)(p->labelset_off[p->labelset[s] + 1] -
                        p->labelset_off[p->labelset[s]]);
    assert_int_equal(prof_depth(p, s), e->n_frames);
    assert_memory_equal(prof_stack(p, s), e->frame,
                        e->n_frames * sizeof *e->frame);
    assert_memory_equal(p->values + 2 * s, e->value, sizeof e->value);
    assert_int_equal(n, e->n_labels);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(prof_cstr(p, l[i].key), words[e->label[i].key]);
        assert_string_equal(prof_cstr(p, l[i].str), words[e->label[i].str]);
        assert_true(l[i].num == e->label[i].num);
    }
}

struct big {
    struct buf bytes;
    VEC(struct expected) samples;
    size_t n_comments;
};

/*
 * A message with samples of at least so many bytes.  Where not all is usual,
 * other fields stand between them.
 */
static struct big big_message(uint64_t seed, size_t bytes, bool usual)
{
    struct big big = {0};
    struct buf *b = &big.bytes;
    struct rng r = {seed};
    put_type(b, COUNT);
    put_type(b, BYTES);
    while (b->n < bytes) {
        struct expected e;
        random_expected(&e, &r);
        assert_true(vec_push(&big.samples, e));
        put_sample(b, &e, &r, usual || !rng_one_in(&r, 3));
        if (!usual && rng_one_in(&r, 100)) {
            msg_num(b, COMMENT, A);
            big.n_comments++;
        }
    }
    for (uint64_t id = 1; id <= N_LOCATIONS; id++)
        put_location(b, id);
    put_strings(b);
    return big;
}

static void big_free(struct big *big)
{
    buf_free(&big->bytes);
    vec_free(&big->samples);
}

#define ASSERT_SAME_COLUMN(a, b, column, n)                                    \
    assert_memory_equal((a)->column, (b)->column, (n) * sizeof *(a)->column)

/* Field by field: labels have padding. */
static void assert_same_sets(const struct profile *a, const struct profile *b)
{
    assert_int_equal(a->n_labelsets, b->n_labelsets);
    assert_int_equal(a->n_labels, b->n_labels);
    ASSERT_SAME_COLUMN(a, b, labelset_off, a->n_labelsets + 1);
    for (size_t i = 0; i < a->n_labels; i++) {
        const struct prof_label *l = &a->labels[i], *k = &b->labels[i];
        assert_true(l->key == k->key && l->str == k->str && l->num == k->num &&
                    l->unit == k->unit);
    }
}

static void assert_same(const struct profile *a, const struct profile *b)
{
    assert_int_equal(a->n_samples, b->n_samples);
    assert_int_equal(a->n_frames, b->n_frames);
    ASSERT_SAME_COLUMN(a, b, frame_off, a->n_samples + 1);
    ASSERT_SAME_COLUMN(a, b, frames, a->n_frames);
    ASSERT_SAME_COLUMN(a, b, values, a->n_samples * a->n_types);
    ASSERT_SAME_COLUMN(a, b, labelset, a->n_samples);
    assert_same_sets(a, b);
}

/* Several pieces of samples. */
enum { LARGE = 11 << 20 };

static void threads(void **state)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct big big = big_message(seed, LARGE >> seed, seed & 1);
        struct profile one, p;
        struct prof_err err = {0};
        assert_true(decode(&big.bytes, 1, &one, NULL, &err));
        assert_true(check_profile(&one, &err));
        assert_int_equal(one.n_samples, big.samples.n);
        assert_int_equal(one.n_comments, big.n_comments);
        for (size_t i = 0; i < one.n_samples; i++)
            assert_sample(&one, i, &big.samples.v[i]);
        for (unsigned n = 2; n <= 5; n += 3) {
            assert_true(decode(&big.bytes, n, &p, NULL, &err));
            assert_same(&one, &p);
            assert_int_equal(p.n_comments, big.n_comments);
            prof_free(&p);
        }
        prof_free(&one);
        big_free(&big);
    }
}

static void assert_big(struct profile *p, const struct big *big)
{
    assert_int_equal(p->n_samples, big->samples.n);
    for (size_t i = 0; i < p->n_samples; i++)
        assert_sample(p, i, &big->samples.v[i]);
    prof_free(p);
}

/* One decoder, message after message, large ones and small ones. */
static void one_decoder(void **state)
{
    struct pb_decoder decoder = {.threads = 2};
    struct big bigs[] = {big_message(0, 1000, true),
                         big_message(1, LARGE, true)};
    for (int i = 0; i < 6; i++) {
        const struct big *big = &bigs[i & 1];
        struct profile p;
        struct prof_err err = {0};
        assert_true(prof_init(&p, &err));
        assert_true(
            pb_decode_next(&decoder, big->bytes.v, big->bytes.n, &p, &err));
        assert_big(&p, big);
    }
    pb_decoder_free(&decoder);
    big_free(&bigs[0]);
    big_free(&bigs[1]);
}

static size_t zeros(const struct buf *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++)
        n += !b->v[i];
    return n;
}

/* Bytes that may be spent are gone in the end, those that may not are not. */
static void spent(void **state)
{
    struct big big = big_message(0, LARGE, true);
    size_t before = zeros(&big.bytes);
    assert_true(before < big.bytes.n / 2);
    for (unsigned n = 0; n < 6; n++) {
        struct pb_decoder decoder = {.threads = 1 + n / 2, .discard = n % 2};
        struct buf bytes = {0};
        struct profile p;
        struct prof_err err = {0};
        assert_true(buf_put(&bytes, big.bytes.v, big.bytes.n));
        assert_true(prof_init(&p, &err));
        assert_true(pb_decode_next(&decoder, bytes.v, bytes.n, &p, &err));
        assert_big(&p, &big);
        if (n % 2)
            assert_true(zeros(&bytes) > bytes.n / 2);
        else
            assert_int_equal(zeros(&bytes), before);
        buf_free(&bytes);
        pb_decoder_free(&decoder);
    }
    big_free(&big);
}

/* --- what is wrong, and what is said ---------------------------------------
 */

/*
 * A large message of equal samples; those of which bad[] says so refer to
 * location 99.
 */
static struct buf equal_samples(size_t n, const size_t *bad, size_t n_bad)
{
    struct buf b = {0}, labels = {0};
    uint64_t ids[40], value = 1;
    put_strings(&b);
    put_type(&b, COUNT);
    put_location(&b, 1);
    put_label(&labels, A, B, 0);
    for (size_t i = 0; i < n; i++) {
        struct buf m = {0};
        for (size_t k = 0; k < 40; k++)
            ids[k] = 1;
        for (size_t k = 0; k < n_bad; k++)
            if (bad[k] == i)
                ids[39] = 99;
        msg_packed(&m, LOCATION_ID, ids, 40);
        msg_packed(&m, VALUE, &value, 1);
        assert_true(buf_put(&m, labels.v, labels.n));
        msg_sub(&b, SAMPLE, &m);
    }
    buf_free(&labels);
    return b;
}

/* Some 50 bytes each, which makes several pieces. */
enum { MANY = 200000 };

/* Of several errors in several pieces the first counts. */
static void first_error(void **state)
{
    static const size_t bad[][3] = {
        {180000, 60000, 60001}, {199999, 199999, 199999}, {90000, 0, 120000}};
    static const size_t first[] = {60000, 199999, 0};
    for (size_t i = 0; i < 3; i++) {
        struct buf b = equal_samples(MANY, bad[i], 3);
        struct buf none = equal_samples(0, NULL, 0);
        size_t start = none.n, each = (b.n - start) / MANY;
        char text[120];
        /* Tags and lengths of the sample and its ids, and 39 ids. */
        (void)snprintf(text, sizeof text,
                       "offset %zu: sample %zu refers to location 99, which "
                       "does not exist",
                       start + first[i] * each + 4 + 39, first[i]);
        for (unsigned threads = 1; threads <= 3; threads++) {
            struct profile p;
            struct prof_err err = {0};
            assert_false(decode(&b, threads, &p, NULL, &err));
            assert_int_equal(err.kind, PROF_ERR_INPUT);
            assert_said(err.text, text);
            prof_free(&p);
        }
        buf_free(&none);
        buf_free(&b);
    }
}

struct heard {
    size_t n;
    char text[4][120];
};

static void hear(void *ctx, enum prof_note_level level, const char *text)
{
    struct heard *h = ctx;
    (void)level;
    assert_true(h->n < 4);
    (void)snprintf(h->text[h->n++], sizeof h->text[0], "%s", text);
}

/* Unknown fields and labels of two kinds are counted where they are, too,
 * in bytes that have been there before. */
static void counts(void **state)
{
    struct buf b = {0};
    put_strings(&b);
    put_type(&b, COUNT);
    put_location(&b, 1);
    for (size_t i = 0; i < MANY; i++) {
        struct buf m = {0};
        uint64_t value = i, ids[20] = {0};
        for (size_t k = 0; k < 20; k++)
            ids[k] = 1;
        msg_packed(&m, LOCATION_ID, ids, 20);
        if (i % 2)
            msg_num(&m, 7, 1);
        msg_packed(&m, VALUE, &value, 1);
        put_label(&m, A, B, 5);
        msg_str(&m, 9, "more");
        if (i % 4 == 0) {
            put_label(&m, B, C, 5);
            msg_num(&m, LOCATION_ID, 1);
        }
        msg_sub(&b, SAMPLE, &m);
    }
    for (unsigned threads = 1; threads <= 2; threads++) {
        struct heard heard = {0};
        struct prof_notes notes = {.say = hear, .ctx = &heard};
        struct profile p;
        struct prof_err err = {0};
        assert_true(decode(&b, threads, &p, &notes, &err));
        assert_int_equal(p.n_frames, MANY * 20 + MANY / 4);
        assert_int_equal(p.n_labelsets, 3);
        assert_int_equal(prof_depth(&p, 0), 21);
        assert_int_equal(p.labelset[0], p.labelset[4]);
        assert_int_not_equal(p.labelset[0], p.labelset[1]);
        assert_int_equal(p.labelset[1], p.labelset[2]);
        assert_int_equal(heard.n, 2);
        assert_said(heard.text[0],
                    "300000 fields skipped: not defined in profile.proto");
        assert_said(heard.text[1], "number or unit of 250000 labels dropped: "
                                   "a label with a string has neither");
        prof_free(&p);
    }
    buf_free(&b);
}

/* One message larger than a piece, in a run of small ones. */
static void one_large_sample(void **state)
{
    enum { DEPTH = 3 << 20 };
    struct buf b = {0}, numbers = {0}, m = {0};
    uint64_t value = 7, id = 1;
    put_strings(&b);
    put_type(&b, COUNT);
    put_location(&b, 1);
    for (size_t i = 0; i < 3; i++) {
        if (i == 1)
            for (size_t k = 0; k < DEPTH; k++)
                msg_varint(&numbers, 1);
        msg_packed(&m, VALUE, &value, 1);
        if (i == 1)
            msg_sub(&m, LOCATION_ID, &numbers);
        else
            msg_packed(&m, LOCATION_ID, &id, 1);
        msg_sub(&b, SAMPLE, &m);
    }
    for (unsigned threads = 1; threads <= 2; threads++) {
        struct profile p;
        struct prof_err err = {0};
        assert_true(decode(&b, threads, &p, NULL, &err));
        assert_int_equal(p.n_samples, 3);
        assert_int_equal(prof_depth(&p, 0), 1);
        assert_int_equal(prof_depth(&p, 1), DEPTH);
        assert_int_equal(prof_depth(&p, 2), 1);
        assert_int_equal(p.values[2], 7);
        prof_free(&p);
    }
    buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths), cmocka_unit_test(bad_numbers),
        cmocka_unit_test(threads), cmocka_unit_test(one_decoder),
        cmocka_unit_test(spent),   cmocka_unit_test(first_error),
        cmocka_unit_test(counts),  cmocka_unit_test(one_large_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
