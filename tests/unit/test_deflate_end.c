/* deflate_end.c, held to what zlib's inflate() finds */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/buf.h"
#include "io/private.h"
#include "unit.h"

/* What the bytes that are compressed are like. */
enum kind {
    ZEROS,
    NOISE,    /* nothing to be saved: stored blocks */
    FEW_BITS, /* no repetitions, but short codes */
    TEXT,     /* repetitions near and far */
    N_KINDS,
};

static uint32_t rng;

static uint32_t chance(uint32_t below)
{
    rng = rng * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)rng * below >> 32);
}

static uint8_t *make_data(enum kind kind, size_t n)
{
    uint8_t *v = calloc(1, n + 1);
    assert_non_null(v);
    for (size_t i = 0; i < n && kind != ZEROS; i++) {
        size_t back = 1 + chance(i < 30000 ? (uint32_t)i + 1 : 30000);
        size_t k = chance(40);
        v[i] = (uint8_t)(kind == NOISE ? chance(256) : 'a' + chance(12));
        if (kind != TEXT || back > i || k > n - i)
            continue;
        for (size_t end = i + k; i < end; i++)
            v[i] = v[i - back];
        i -= k > 0;
    }
    return v;
}

static struct buf deflate_raw(const uint8_t *v, size_t n, int level,
                              int strategy)
{
    z_stream z = {0};
    struct buf out = {0};
    assert_int_equal(
        deflateInit2(&z, level, Z_DEFLATED, -MAX_WBITS, 8, strategy), Z_OK);
    if (!buf_reserve(&out, deflateBound(&z, n)) || !out.v)
        abort();
    z.next_in = (Bytef *)v;
    z.avail_in = (uInt)n;
    z.next_out = out.v;
    z.avail_out = (uInt)out.cap;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out.n = z.total_out;
    assert_int_equal(deflateEnd(&z), Z_OK);
    return out;
}

/*
 * The same from zlib, which stops behind each block.  False where it takes
 * the data for no whole stream.
 */
static bool zlib_end(const uint8_t *v, size_t n, struct deflate_end *end)
{
    static uint8_t window[65536];
    z_stream z = {0};
    assert_int_equal(inflateInit2(&z, -MAX_WBITS), Z_OK);
    z.next_in = (Bytef *)v;
    z.avail_in = (uInt)n;
    *end = (struct deflate_end){0};
    int got = Z_OK;
    while (got == Z_OK) {
        z.next_out = window;
        z.avail_out = sizeof window;
        got = inflate(&z, Z_BLOCK);
        /* Behind a block, that may have been the last. */
        if (got == Z_OK && z.data_type & 128)
            *(z.data_type & 64 ? &end->end : &end->last) =
                8 * z.total_in - (unsigned)(z.data_type & 63);
    }
    assert_int_equal(inflateEnd(&z), Z_OK);
    return got == Z_STREAM_END && (end->end + 7) / 8 == n;
}

/* A copy that ends where its memory does. */
static uint8_t *exactly(const uint8_t *v, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, v, n);
    return copy;
}

static void check(const struct buf *b)
{
    struct deflate_end got, want;
    uint8_t *v = exactly(b->v, b->n);
    assert_true(zlib_end(v, b->n, &want));
    assert_true(deflate_find_end(v, b->n, &got));
    assert_int_equal(got.last, want.last);
    assert_int_equal(got.end, want.end);
    free(v);
}

static void test_all_kinds(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 10, 300, 5000, 70000, 400000};
    static const int strategies[] = {Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_RLE,
                                     Z_FIXED};
    rng = 1;
    for (int kind = 0; kind < N_KINDS; kind++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            uint8_t *v = make_data((enum kind)kind, sizes[i]);
            for (int level = 0; level <= 9; level++) {
                struct buf b = deflate_raw(v, sizes[i], level, strategies[0]);
                check(&b);
                buf_free(&b);
            }
            for (size_t k = 1; k < 4; k++) {
                struct buf b = deflate_raw(v, sizes[i], 6, strategies[k]);
                check(&b);
                buf_free(&b);
            }
            free(v);
        }
    }
}

/*
 * Streams with some bits turned.  zlib sees more that is wrong, such as
 * distances to before the beginning; what it takes is taken.
 */
static void test_mutated(void **state)
{
    size_t taken = 0, refused = 0;
    rng = 4;
    for (unsigned round = 0; round < 20000; round++) {
        enum kind kind = (enum kind)chance(N_KINDS);
        size_t n = chance(600);
        uint8_t *v = make_data(kind, n);
        struct buf b = deflate_raw(v, n, (int)chance(10), Z_DEFAULT_STRATEGY);
        for (uint32_t k = 1 + chance(3); k--;) {
            uint32_t bit = chance((uint32_t)(8 * b.n));
            b.v[bit / 8] ^= (uint8_t)(1U << bit % 8);
        }
        struct deflate_end got, want;
        uint8_t *copy = exactly(b.v, b.n);
        bool ok = deflate_find_end(copy, b.n, &got);
        if (ok)
            assert_true(got.last < got.end && got.end <= 8 * b.n);
        if (zlib_end(copy, b.n, &want) &&
            (want.end % 8 == 0 || !(b.v[b.n - 1] >> want.end % 8))) {
            assert_true(ok);
            assert_int_equal(got.last, want.last);
            assert_int_equal(got.end, want.end);
            taken++;
        }
        refused += !ok;
        free(copy);
        buf_free(&b);
        free(v);
    }
    assert_true(taken > 1000 && refused > 1000);
}

static void test_no_stream(void **state)
{
    struct deflate_end end;
    /* Block type 3; a stored block whose length is not confirmed. */
    assert_false(deflate_find_end((const uint8_t *)"\x07", 1, &end));
    assert_false(
        deflate_find_end((const uint8_t *)"\x01\1\0\xfd\xff!", 6, &end));
    assert_true(
        deflate_find_end((const uint8_t *)"\x01\1\0\xfe\xff!", 6, &end));
    assert_int_equal(end.last, 0);
    assert_int_equal(end.end, 48);
    /* The end-of-block symbol of the fixed code alone, and more behind it. */
    assert_true(deflate_find_end((const uint8_t *)"\x03\0", 2, &end));
    assert_int_equal(end.end, 10);
    assert_false(deflate_find_end((const uint8_t *)"\x03\0\0", 3, &end));
    assert_false(deflate_find_end((const uint8_t *)"", 0, &end));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_kinds),
        cmocka_unit_test(test_mutated),
        cmocka_unit_test(test_no_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
