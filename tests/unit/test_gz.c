/* gzip.h, against whichever implementation this is linked with */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "io/gzip.h"
#include "said.h"
#include "unit.h"

/* What `printf 'hello\n' | gzip -n` writes. */
static const uint8_t hello[] = {0x1f, 0x8b, 8,    0,    0,    0,    0,    0, 0,
                                3,    0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0xe7, 2, 0,
                                0x20, 0x30, 0x3a, 0x36, 6,    0,    0,    0};

static struct gz *gz;
static struct prof_err err;

static int set_up(void **state)
{
    gz = gz_new();
    return gz ? 0 : -1;
}

static int tear_down(void **state)
{
    gz_free(gz);
    return 0;
}

/* n bytes with `bits` of chance in each, the same on every run. */
static uint8_t *noise(size_t n, unsigned bits)
{
    uint8_t *v = malloc(n ? n : 1);
    uint32_t x = 12345;
    assert_non_null(v);
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525 + 1013904223;
        v[i] = (uint8_t)(x >> (32 - bits));
    }
    return v;
}

static void test_is(void **state)
{
    assert_true(gz_begins(hello, sizeof hello));
    assert_true(gz_begins(hello, 3));
    assert_false(gz_begins(hello, 2));
    assert_false(gz_begins((const uint8_t *)"gmon", 4));
}

static void test_known_member(void **state)
{
    struct buf out = {0};
    size_t used = 0;
    assert_true(gz_inflate(gz, hello, sizeof hello, 100, &out, &used, &err));
    assert_int_equal(used, sizeof hello);
    assert_int_equal(out.n, 6);
    assert_memory_equal(out.v, "hello\n", 6);
    buf_free(&out);
}

/* Of two members the first is taken alone; what was there is kept. */
static void test_members_append(void **state)
{
    uint8_t two[2 * sizeof hello];
    memcpy(two, hello, sizeof hello);
    memcpy(two + sizeof hello, hello, sizeof hello);
    struct buf out = {0};
    size_t used = 0;
    assert_true(gz_inflate(gz, two, sizeof two, 100, &out, &used, &err));
    assert_int_equal(used, sizeof hello);
    assert_true(
        gz_inflate(gz, two + used, sizeof two - used, 100, &out, &used, &err));
    assert_int_equal(used, sizeof hello);
    assert_int_equal(out.n, 12);
    assert_memory_equal(out.v, "hello\nhello\n", 12);
    buf_free(&out);
}

static void test_max_counts_everything(void **state)
{
    struct buf out = {0};
    size_t used = 0;
    assert_true(gz_inflate(gz, hello, sizeof hello, 6, &out, &used, &err));
    assert_false(gz_inflate(gz, hello, sizeof hello, 11, &out, &used, &err));
    assert_int_equal(err.kind, PROF_ERR_INPUT);
    assert_said(err.text,
                "decompressed size exceeds 11 bytes (see --max-size)");
    assert_int_equal(out.n, 6);
    assert_true(gz_inflate(gz, hello, sizeof hello, 12, &out, &used, &err));
    assert_int_equal(out.n, 12);
    buf_free(&out);
}

static void test_every_prefix_is_cut_off(void **state)
{
    for (size_t n = 1; n < sizeof hello; n++) {
        uint8_t *cut = malloc(n);
        assert_non_null(cut);
        memcpy(cut, hello, n);
        struct buf out = {0};
        size_t used = 0;
        char text[64];
        (void)snprintf(text, sizeof text,
                       "unexpected end of gzip data after %zu bytes", n);
        assert_false(gz_inflate(gz, cut, n, 100, &out, &used, &err));
        assert_int_equal(err.kind, PROF_ERR_INPUT);
        assert_said(err.text, text);
        assert_int_equal(out.n, 0);
        buf_free(&out);
        free(cut);
    }
}

/*
 * Any bit behind the header matters, were it but in the trailer; save those
 * that pad the last byte of the deflate data, which has only its lowest two
 * bits in use.
 */
static void test_every_flip_is_corrupt(void **state)
{
    const size_t padding = (sizeof hello - 9) * 8 + 2;
    for (size_t bit = (size_t)10 * 8; bit < sizeof hello * 8; bit++) {
        uint8_t bad[sizeof hello];
        memcpy(bad, hello, sizeof hello);
        bad[bit / 8] ^= (uint8_t)(1U << (bit % 8));
        struct buf out = {0};
        size_t used = 0;
        bool is_padding = bit >= padding && bit < padding + 6;
        bool ok = gz_inflate(gz, bad, sizeof bad, 1 << 20, &out, &used, &err);
        assert_int_equal(ok, is_padding);
        assert_int_equal(out.n, is_padding ? 6 : 0);
        if (!ok)
            assert_int_equal(err.kind, PROF_ERR_INPUT);
        buf_free(&out);
    }
}

static void test_checksum_is_named(void **state)
{
    uint8_t bad[sizeof hello];
    memcpy(bad, hello, sizeof hello);
    bad[sizeof hello - 8] ^= 1;
    struct buf out = {0};
    size_t used = 0;
    assert_false(gz_inflate(gz, bad, sizeof bad, 100, &out, &used, &err));
    assert_said(err.text,
                "invalid gzip data after 22 bytes: incorrect data check");
    buf_free(&out);
}

/* A header may have a checksum: the low half of its CRC-32 (RFC 1952). */
static void test_checksum_of_header(void **state)
{
    uint8_t good[sizeof hello + 2], header[10];
    memcpy(header, hello, sizeof header);
    header[3] |= 2;
    uint32_t crc = (uint32_t)crc32(0, header, sizeof header);
    memcpy(good, header, sizeof header);
    good[10] = (uint8_t)crc;
    good[11] = (uint8_t)(crc >> 8);
    memcpy(good + 12, hello + 10, sizeof hello - 10);
    struct buf out = {0};
    size_t used = 0;
    assert_true(gz_inflate(gz, good, sizeof good, 100, &out, &used, &err));
    assert_int_equal(out.n, 6);
    good[10] ^= 1;
    assert_false(gz_inflate(gz, good, sizeof good, 100, &out, &used, &err));
    assert_said(err.text,
                "invalid gzip data after 12 bytes: header crc mismatch");
    buf_free(&out);
}

/* A trailer that promises 4 GiB costs nothing, and is wrong. */
static void test_size_in_trailer_is_not_trusted(void **state)
{
    uint8_t bad[sizeof hello];
    memcpy(bad, hello, sizeof hello);
    memset(bad + sizeof bad - 4, 0xff, 4);
    struct buf out = {0};
    size_t used = 0;
    assert_false(
        gz_inflate(gz, bad, sizeof bad, PTRDIFF_MAX, &out, &used, &err));
    assert_int_equal(err.kind, PROF_ERR_INPUT);
    assert_true(out.cap < 1 << 20);
    buf_free(&out);
}

static void round_trip(const uint8_t *data, size_t n, int level)
{
    struct buf packed = {0}, again = {0}, back = {0};
    size_t used = 0;
    assert_true(gz_deflate(gz, data, n, level, &packed, &err));
    assert_true(gz_inflate(gz, packed.v, packed.n, n, &back, &used, &err));
    assert_int_equal(used, packed.n);
    assert_int_equal(back.n, n);
    if (n)
        assert_memory_equal(back.v, data, n);
    /* A fresh one writes the same: nothing of time or of use is in it. */
    struct gz *fresh = gz_new();
    assert_non_null(fresh);
    assert_true(gz_deflate(fresh, data, n, level, &again, &err));
    assert_int_equal(again.n, packed.n);
    assert_memory_equal(again.v, packed.v, packed.n);
    assert_memory_equal(packed.v, "\x1f\x8b\x08\0\0\0\0\0", 8);
    assert_int_equal(packed.v[9], 255);
    gz_free(fresh);
    buf_free(&packed);
    buf_free(&again);
    buf_free(&back);
}

static void test_round_trips(void **state)
{
    static const size_t sizes[] = {0, 1, 100, 65536, 1000003};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint8_t *data = noise(sizes[i], i % 2 ? 3 : 8);
        for (int level = 0; level <= 9; level += 3)
            round_trip(data, sizes[i], level);
        free(data);
    }
}

struct pieces {
    const uint8_t *data;
    size_t n, n_pieces;
    struct buf out;
};

static bool make_piece(void *ctx, size_t i, struct buf *raw, struct prof_err *e)
{
    const struct pieces *p = ctx;
    size_t at = p->n / p->n_pieces * i;
    size_t k = i + 1 < p->n_pieces ? p->n / p->n_pieces : p->n - at;
    return buf_put(raw, p->data + at, k) || err_nomem(e);
}

static bool take_bytes(void *ctx, struct buf *bytes, struct prof_err *e)
{
    struct pieces *p = ctx;
    return buf_put(&p->out, bytes->v, bytes->n) || err_nomem(e);
}

/* One member of data cut into pieces. */
static struct buf in_pieces(const uint8_t *data, size_t n, int level,
                            size_t n_pieces)
{
    struct pieces p = {.data = data, .n = n, .n_pieces = n_pieces};
    const struct pack_job job = {.n = n_pieces,
                                 .level = level,
                                 .make = make_piece,
                                 .take = take_bytes,
                                 .make_ctx = &p,
                                 .take_ctx = &p};
    struct pack *pack = pack_new(1);
    assert_non_null(pack);
    assert_true(pack_run(pack, &job, &err));
    pack_free(pack);
    return p.out;
}

/* Pieces are one member, of which zlib checks every bit; empty ones too. */
static void test_pieces(void **state)
{
    static const size_t sizes[] = {0, 1, 1000, 65537, 300000};
    for (size_t i = 0; i < 3 * sizeof sizes / sizeof *sizes; i++) {
        size_t n = sizes[i / 3];
        /* What is stored, coded, and neither. */
        uint8_t *data = noise(n, i % 3 == 0 ? 8 : i % 3 == 1 ? 3 : 1);
        uint8_t *back = malloc(n + 1);
        assert_non_null(back);
        for (int level = 1; level <= 9; level++) {
            for (size_t k = 1; k < 8; k += 3) {
                struct buf b = in_pieces(data, n, level, k);
                z_stream z = {0};
                assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
                z.next_in = b.v;
                z.avail_in = (uInt)b.n;
                z.next_out = back;
                z.avail_out = (uInt)n + 1;
                assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
                assert_int_equal(z.total_in, b.n);
                assert_int_equal(z.total_out, n);
                assert_memory_equal(back, data, n);
                assert_int_equal(inflateEnd(&z), Z_OK);
                buf_free(&b);
            }
        }
        free(data);
        free(back);
    }
}

/* 64 MiB of zeros: far more than the first guess at the room. */
static void test_grows_up_to_max(void **state)
{
    size_t n = (size_t)64 << 20, used = 0;
    uint8_t *zeros = calloc(1, n);
    struct buf packed = {0}, out = {0};
    assert_non_null(zeros);
    assert_true(gz_deflate(gz, zeros, n, 6, &packed, &err));
    assert_true(packed.n < n / 100);
    assert_false(gz_inflate(gz, packed.v, packed.n, n - 1, &out, &used, &err));
    assert_said(err.text,
                "decompressed size exceeds 67108863 bytes (see --max-size)");
    buf_free(&out);
    assert_true(gz_inflate(gz, packed.v, packed.n, n, &out, &used, &err));
    assert_int_equal(out.n, n);
    assert_memory_equal(out.v, zeros, n);
    buf_free(&out);
    buf_free(&packed);
    free(zeros);
}

/* What is small or very large is compressed fast, the rest well. */
static void test_default_level(void **state)
{
    assert_true(gz_level_good > 1);
    assert_int_equal(gz_default_level(0), 1);
    assert_int_equal(gz_default_level((1 << 20) - 1), 1);
    assert_int_equal(gz_default_level(1 << 20), gz_level_good);
    assert_int_equal(gz_default_level((64 << 20) - 1), gz_level_good);
    assert_int_equal(gz_default_level(64 << 20), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is),
        cmocka_unit_test(test_known_member),
        cmocka_unit_test(test_members_append),
        cmocka_unit_test(test_max_counts_everything),
        cmocka_unit_test(test_every_prefix_is_cut_off),
        cmocka_unit_test(test_every_flip_is_corrupt),
        cmocka_unit_test(test_checksum_of_header),
        cmocka_unit_test(test_checksum_is_named),
        cmocka_unit_test(test_size_in_trailer_is_not_trusted),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_grows_up_to_max),
        cmocka_unit_test(test_default_level),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
