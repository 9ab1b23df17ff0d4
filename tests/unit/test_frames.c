/*
 * io/frames.h, and what unpack_stream makes of frames; these are written here
 * byte by byte, with what they hold as it is, after the formats' descriptions
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "io/archive.h"
#include "slow_stream.h"

static struct buf bytes; /* the data at hand */
static struct err err;

static int tear_down(void **state)
{
    (void)state;
    buf_free(&bytes);
    return 0;
}

static void put(const void *p, size_t n)
{
    assert_true(buf_put(&bytes, p, n));
}

#define PUT(literal) put(literal, sizeof(literal) - 1)

static void put_le(uint64_t v, int n)
{
    for (int i = 0; i < n; i++)
        put(&(uint8_t){(uint8_t)(v >> 8 * i)}, 1);
}

static void put_skippable(unsigned which, const char *text)
{
    put_le(0x184d2a50 + which, 4);
    put_le(strlen(text), 4);
    put(text, strlen(text));
}

/* A single segment with its size in a byte, and blocks of up to 3 bytes. */
static void put_zstd(const char *text)
{
    size_t n = strlen(text);
    put_le(0xfd2fb528, 4);
    put_le(0x20, 1);
    put_le(n, 1);
    do {
        size_t k = n < 3 ? n : 3;
        put_le(k << 3 | (k == n), 3);
        put(text, k);
        text += k;
        n -= k;
    } while (n);
}

/* n times c; a window of 1 KiB, no size. */
static void put_repeated_zstd(char c, size_t n)
{
    put_le(0xfd2fb528, 4);
    put_le(0, 2);
    put_le(n << 3 | 1 << 1 | 1, 3);
    put(&c, 1);
}

/* Version 1, independent blocks of up to 64 KiB; the header has its sum. */
static void put_lz4(const char *text)
{
    PUT("\x04\x22\x4d\x18\x60\x40\x82");
    if (*text) {
        put_le(0x80000000 | strlen(text), 4);
        put(text, strlen(text));
    }
    put_le(0, 4);
}

/* As put_lz4(""), with the sum of no content: xxh32's of nothing. */
static void put_empty_lz4(void)
{
    PUT("\x04\x22\x4d\x18\x64\x40\xa7");
    put_le(0, 4);
    put_le(0x02cc5d05, 4);
}

/* What the bytes hold: all of it, and then the error, if not null. */
static void expect(enum sniff kind, const char *text, const char *error)
{
    static const size_t steps[] = {1, 7, 100000};
    assert_int_equal(sniff(bytes.v, bytes.n), kind);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct slow_stream slow = slow_stream_of(bytes.v, bytes.n, steps[i]);
        struct unpack_stream unpack = unpack_stream_of(kind, &slow.stream);
        struct head_stream all = head_stream_of(&unpack.stream);
        bool ok = head_fill_all(&all, 0, 100000, &err);
        assert_int_equal(ok, !error);
        if (error)
            assert_string_equal(err.text, error);
        assert_int_equal(all.head.n, strlen(text));
        if (*text)
            assert_memory_equal(all.head.v, text, strlen(text));
        assert_int_equal(unpack.trailing, error != NULL);
        head_free(&all);
        unpack_free(&unpack);
    }
    bytes.n = 0;
}

static void test_frames_to_skip(void **state)
{
    (void)state;
    for (unsigned which = 0; which < 16; which++) {
        put_skippable(which, "one");
        put_skippable(15 - which, "");
        put_zstd("abcdefgh");
        put_skippable(which, "behind");
        expect(SNIFF_ZSTD, "abcdefgh", NULL);
    }
    put_skippable(0, "one");
    put_skippable(1, "two");
    put_lz4("abc");
    put_skippable(2, "three");
    put_lz4("def");
    put_skippable(3, "four");
    expect(SNIFF_LZ4, "abcdef", NULL);
    put_skippable(0, "no more");
    expect(SNIFF_ZSTD, "", NULL);
}

static void test_what_is_skipped_must_be_there(void **state)
{
    (void)state;
    put_skippable(0, "x");
    PUT("neither");
    assert_int_equal(sniff(bytes.v, bytes.n), SNIFF_RAW);
    bytes.n = 0;
    put_skippable(0, "some bytes");
    assert_int_equal(sniff(bytes.v, bytes.n - 1), SNIFF_RAW);
    bytes.n = 0;
    put_skippable(0, "then zip, which is not skipped to");
    PUT("PK\3\4");
    assert_int_equal(sniff(bytes.v, bytes.n), SNIFF_RAW);
    bytes.n = 0;
}

static void test_empty_frames(void **state)
{
    (void)state;
    put_zstd("");
    put_zstd("ab");
    put_zstd("");
    put_repeated_zstd('c', 5);
    put_zstd("");
    expect(SNIFF_ZSTD, "abccccc", NULL);
    put_lz4("");
    put_empty_lz4();
    put_lz4("ab");
    put_empty_lz4();
    put_lz4("");
    put_lz4("cd");
    put_empty_lz4();
    expect(SNIFF_LZ4, "abcd", NULL);
    put_empty_lz4();
    put_lz4("");
    expect(SNIFF_LZ4, "", NULL);
}

static void test_zeros_behind(void **state)
{
    (void)state;
    static const uint8_t zeros[70000];
    put_zstd("abcd");
    put(zeros, 1);
    expect(SNIFF_ZSTD, "abcd", NULL);
    put_zstd("abcd");
    put(zeros, sizeof zeros);
    expect(SNIFF_ZSTD, "abcd", NULL);
    put_lz4("abcd");
    put(zeros, sizeof zeros);
    expect(SNIFF_LZ4, "abcd", NULL);
}

/* The offset is that of the first byte that is in no frame. */
static void test_more_behind(void **state)
{
    (void)state;
    static const uint8_t zeros[70000];
    put_zstd("abc"); /* 6 + 3 + 3 bytes */
    PUT("more");
    expect(SNIFF_ZSTD, "abc", "offset 12: data after the end of the zstd data");
    put_zstd("abc");
    put(zeros, sizeof zeros);
    PUT("x");
    expect(SNIFF_ZSTD, "abc", "offset 12: data after the end of the zstd data");
    put_skippable(0, "12"); /* 10 bytes */
    put_empty_lz4();        /* 15 bytes */
    put_lz4("abc");         /* 7 + 4 + 3 + 4 bytes */
    put_empty_lz4();
    PUT("\x28\xb5\x2f\xfd"); /* zstd behind lz4 is no frame of it */
    expect(SNIFF_LZ4, "abc", "offset 58: data after the end of the lz4 data");
}

/* The first `from` bytes, and all with more of them but the last, are bad. */
static void expect_cut(enum sniff kind, size_t from)
{
    size_t whole = bytes.n;
    for (bytes.n = from; bytes.n < whole; bytes.n++) {
        struct slow_stream slow = slow_stream_of(bytes.v, bytes.n, bytes.n);
        struct unpack_stream unpack = unpack_stream_of(kind, &slow.stream);
        struct head_stream all = head_stream_of(&unpack.stream);
        err.kind = ERR_NONE;
        assert_false(head_fill_all(&all, 0, 100, &err));
        assert_int_equal(err.kind, ERR_INPUT);
        assert_false(unpack.trailing);
        head_free(&all);
        unpack_free(&unpack);
    }
}

/* Each byte that is missing, up to the last, is an error. */
static void test_cut(void **state)
{
    (void)state;
    for (int lz4 = 0; lz4 < 2; lz4++) {
        enum sniff kind = lz4 ? SNIFF_LZ4 : SNIFF_ZSTD;
        put_skippable(0, "12");
        size_t skipped = bytes.n;
        (lz4 ? put_lz4 : put_zstd)("abcdef");
        expect_cut(kind, skipped + 4);
        size_t whole = bytes.n;
        put_skippable(0, "before more that is cut off, perhaps");
        expect_cut(kind, whole + 8);
        bytes.n = 0;
    }
}

/* Where it is cut no content need be missing, but some may be. */
static void test_cut_in_what_is_skipped(void **state)
{
    (void)state;
    put_lz4("abc"); /* 7 + 4 + 3 + 4 bytes */
    put_skippable(1, "four");
    bytes.n--;
    struct mem_stream mem = mem_stream_of(bytes.v, bytes.n);
    struct unpack_stream unpack = unpack_stream_of(SNIFF_LZ4, &mem.stream);
    struct head_stream all = head_stream_of(&unpack.stream);
    assert_false(head_fill_all(&all, 0, 100, &err));
    assert_string_equal(err.text,
                        "offset 29: lz4 data is cut off inside of a frame");
    head_free(&all);
    unpack_free(&unpack);
    bytes.n = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_to_skip),
        cmocka_unit_test(test_what_is_skipped_must_be_there),
        cmocka_unit_test(test_empty_frames),
        cmocka_unit_test(test_zeros_behind),
        cmocka_unit_test(test_more_behind),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_cut_in_what_is_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
