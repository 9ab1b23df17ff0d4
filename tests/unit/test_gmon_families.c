/*
 * The formats besides GNU and 4.4BSD: old BSD, LD_PROFILE, Darwin.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gmon_try.h"
#include "said.h"

static const uint16_t four[] = {0, 2, 0, 1};
static const uint64_t bins[] = {0, 2, 0, 1};
static const struct gmon_opts defaults;

/* 64-bit and 32-bit, both orders; i from 0 to 3. */
static unsigned size_of(int i)
{
    return i & 1 ? 4 : 8;
}

static bool is_big(int i)
{
    return i & 2;
}

/* --- old BSD */

static const struct gmon_opts old_bsd = {.family = GMON_OLD_BSD};
static const struct gmon_opts osf1 = {.family = GMON_OSF1};

static void test_old_bsd_32_little(void **state)
{
    /* low, high, 12 + 8; bins 0 2 0 1; an arc of 7 */
    static const uint8_t bytes[] = {
        0, 0x80, 0, 0, 0x10, 0x80, 0, 0, 20, 0,    0, 0, 0, 0, 2, 0,
        0, 0,    1, 0, 0,    0x80, 0, 0, 8,  0x80, 0, 0, 7, 0, 0, 0};
    struct gmon_file f = {.bytes = {(uint8_t *)bytes, sizeof bytes, 0}};
    struct gmon g;
    struct said said;
    (void)state;
    gmon_read_good(&g, &f, &old_bsd, &said);
    assert_int_equal(g.family, GMON_OLD_BSD);
    assert_int_equal(g.form.addr_size, 4);
    assert_false(g.form.big_endian);
    assert_string_equal(g.dimension, "seconds");
    assert_int_equal(g.hists.n, 1);
    gmon_assert_hist(&g, 0, 0x8000, 0x8010, 0, 4, bins);
    assert_int_equal(g.arcs.n, 1);
    gmon_assert_arc(&g, 0, 0x8000, 0x8008, 7);
    assert_said(said.text, "note: old BSD format, 32-bit "
                           "little-endian: histograms: 1, arcs: 1\n");
    gmon_free(&g);
    assert_false(gmon_begins_of(GMON_ANY)(bytes, sizeof bytes));
    assert_true(gmon_begins_of(GMON_OLD_BSD)(bytes, sizeof bytes));
    gmon_read_bad(bytes, sizeof bytes, &defaults,
                  "offset 0: no gmon.out signature; if this is the old BSD "
                  "format, use --format=oldbsd");
}

/* Every form, with the header of OSF/1 if that is said, is found out. */
static void test_old_bsd_forms(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        struct gmon_file f;
        struct gmon g;
        struct said said;
        bool padded = i >= 4, big = padded ? i == 5 : is_big(i);
        make_old_bsd(&f, padded ? 8 : size_of(i), big, padded, 0x8000, 0x8010,
                     four, 4);
        make_bsd44_arc(&f, 0x8000, 0x8008, 7);
        make_bsd44_arc(&f, 0x8008, 0x8000, 0xffffffff);
        gmon_read_good(&g, &f, padded ? &osf1 : &old_bsd, &said);
        assert_int_equal(g.form.addr_size, padded ? 8 : size_of(i));
        assert_int_equal(g.form.big_endian, big);
        gmon_assert_hist(&g, 0, 0x8000, 0x8010, 0, 4, bins);
        assert_int_equal(g.arcs.n, 2);
        gmon_assert_arc(&g, 0, 0x8008, 0x8000, 0xffffffff);
        gmon_assert_arc(&g, 1, 0x8000, 0x8008, 7);
        assert_null(strstr(said.text, "warning"));
        gmon_free(&g);
        make_free(&f);
    }
}

static void test_old_bsd_damage(void **state)
{
    static const struct gmon_opts lenient = {.family = GMON_OLD_BSD,
                                             .addr_size = 4,
                                             .order = GMON_ORDER_BIG,
                                             .lenient = true};
    static const struct gmon_opts bins16 = {.family = GMON_OLD_BSD,
                                            .bin_bits = 16};
    static const struct gmon_opts form = {
        .family = GMON_OLD_BSD, .addr_size = 4, .order = GMON_ORDER_BIG};
    struct gmon_file f;
    struct gmon g;
    struct said said;
    (void)state;
    gmon_read_bad(
        (const uint8_t *)"gmon\1\0\0\0", 8, &old_bsd,
        "offset 0: cannot tell the address size and byte order; use for "
        "example --format=oldbsd,32,be");
    gmon_read_bad(
        (const uint8_t *)"gmon\1\0\0\0", 8, &form,
        "offset 0: unexpected end of file: header of 12 bytes, only 8 left");
    make_old_bsd(&f, 4, true, false, 0x8000, 0x8010, four, 4);
    f.bytes.n--;
    gmon_read_bad(f.bytes.v, f.bytes.n, &form,
                  "offset 12: unexpected end of file: bins of 8 bytes, only "
                  "7 left");
    gmon_read_good(&g, &f, &lenient, &said);
    assert_int_equal(g.hists.n, 0);
    assert_says(said.text, "warning: offset 12: unexpected end of file: bins "
                           "of 8 bytes, only 7 left; skipped\n");
    gmon_free(&g);
    make_free(&f);
    make_old_bsd(&f, 4, true, false, 0x8010, 0x8000, four, 4);
    gmon_read_bad_file(
        &f, &form, "offset 0: invalid histogram range: 0x8010 down to 0x8000");
    /* An arc cut short is left out, as gprof leaves it. */
    make_old_bsd(&f, 4, true, false, 0x8000, 0x8010, four, 4);
    make_bsd44_arc(&f, 0x8000, 0x8008, 7);
    make_bsd44_arc(&f, 0x8000, 0x8008, 7);
    f.bytes.n--;
    gmon_read_good(&g, &f, &old_bsd, &said);
    gmon_assert_arc(&g, 0, 0x8000, 0x8008, 7);
    assert_says(said.text, "warning: offset 32: unexpected end of file: arc of "
                           "12 bytes, only 11 left; arc skipped\n");
    gmon_free(&g);
    make_free(&f);
    /* A 4.4BSD file forced to be an old one. */
    make_bsd44(&f, 4, false, 0x8000, 0x8010, 100, four, 4);
    gmon_read_good(&g, &f, &bins16, &said);
    assert_int_equal(g.hists.v[0].n_bins, 14);
    assert_says(said.text, "warning: the header has 4.4BSD's version "
                           "(0x51879); is --format correct?\n");
    gmon_free(&g);
    make_free(&f);
}

/*
 * As 32-bit words 0-8 in two bins, then an arc; as 64-bit ones a range of 16
 * bytes in four bins.
 */
static void test_old_bsd_ambiguous(void **state)
{
    static const uint32_t words[] = {0, 8, 16, 8, 28, 5, 7};
    static const uint64_t two[] = {8, 0};
    struct gmon_opts opts = old_bsd;
    struct gmon_file f = {.form = {4, false}};
    struct gmon g;
    struct said said;
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        make_uint(&f, words[i], 4);
    gmon_read_bad(f.bytes.v, f.bytes.n, &opts,
                  "offset 0: cannot tell the address size and byte order; use "
                  "for example --format=oldbsd,32,be");
    for (int i = 0; i < 2; i++) {
        if (i)
            opts.addr_size = 4;
        else
            opts.hint = (struct gmon_form){4, false};
        gmon_read_good(&g, &f, &opts, &said);
        gmon_assert_hist(&g, 0, 0, 8, 0, 2, two);
        gmon_assert_arc(&g, 0, 28, 5, 7);
        assert_null(strstr(said.text, "warning"));
        gmon_free(&g);
    }
    make_free(&f);
}

/* --- LD_PROFILE */

static void make_library(struct gmon_file *f, int i)
{
    make_ld_profile(f, size_of(i), is_big(i), 0x1000, 0x1010, 100, four, 4);
    make_ld_table(f, 3);
    make_ld_arc(f, 0, 0x8, 21);
    make_ld_arc(f, 0xb, 0x4, 20);
    make_ld_arc(f, 0xb, 0x4, 1);
    make_ld_arc(f, 0, 0, 0); /* not used yet */
    make_ld_arc(f, 0, 0, 0);
}

static void test_ld_profile_64_little(void **state)
{
    static const uint8_t bytes[] = {
        'g', 'm', 'o', 'n', 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0,
        /* tag 0: 0x1000-0x1010, 4 bins, 100 */
        0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0x10, 0x10, 0, 0, 0, 0, 0, 0, 4,
        0, 0, 0, 100, 0, 0, 0, 's', 'e', 'c', 'o', 'n', 'd', 's', 0, 0, 0, 0, 0,
        0, 0, 0, 's', 0, 0, 2, 0, 0, 0, 1, 0,
        /* tag 1: 2 arcs, from outside to 8, 21; from 0xb to 4, 20; a free one
         */
        1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0,
        21, 0, 0, 0, 0xb, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    struct gmon_file f = {.bytes = {(uint8_t *)bytes, sizeof bytes, 0}};
    struct gmon g;
    struct said said;
    (void)state;
    assert_int_equal(sizeof bytes, 20 + 4 + 40 + 8 + 8 + 3 * 20);
    gmon_read_good(&g, &f, &defaults, &said);
    assert_int_equal(g.family, GMON_LD_PROFILE);
    assert_int_equal(g.form.addr_size, 8);
    gmon_assert_hist(&g, 0, 0x1000, 0x1010, 100, 4, bins);
    assert_int_equal(g.arcs.n, 1);
    gmon_assert_arc(&g, 0, 0x100b, 0x1004, 20);
    assert_int_equal(g.entries.n, 1);
    gmon_assert_arc_of(&g.entries, 0, 0, 0x1008, 21);
    assert_said(said.text, "note: LD_PROFILE format, 64-bit "
                           "little-endian: histograms: 1, arcs: 2\n");
    gmon_free(&g);
    assert_true(gmon_begins_of(GMON_ANY)(bytes, sizeof bytes));
    assert_true(gmon_begins_of(GMON_LD_PROFILE)(bytes, sizeof bytes));
    assert_false(gmon_begins_of(GMON_GNU)(bytes, sizeof bytes));
}

static void test_ld_profile_forms(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct gmon_file f;
        struct gmon g;
        struct said said;
        make_library(&f, i);
        gmon_read_good(&g, &f, &defaults, &said);
        assert_int_equal(g.form.addr_size, size_of(i));
        assert_int_equal(g.form.big_endian, is_big(i));
        gmon_assert_hist(&g, 0, 0x1000, 0x1010, 100, 4, bins);
        assert_int_equal(g.arcs.n, 1);
        gmon_assert_arc(&g, 0, 0x100b, 0x1004, 21);
        assert_int_equal(g.entries.n, 1);
        gmon_assert_arc_of(&g.entries, 0, 0, 0x1008, 21);
        assert_null(strstr(said.text, "warning"));
        gmon_free(&g);
        make_free(&f);
    }
}

static void test_ld_profile_damage(void **state)
{
    static const struct gmon_opts lenient = {.lenient = true};
    static const struct gmon_opts order = {.order = GMON_ORDER_BIG};
    static const struct gmon_opts size = {.addr_size = 4};
    struct gmon_file f;
    struct gmon g;
    struct said said;
    (void)state;
    make_gnu(&f, 8, false, 0x1ffff);
    f.bytes.n = 12;
    gmon_read_bad_file(
        &f, &defaults,
        "unexpected end of file: the header has 20 bytes, the file only 12");
    make_gnu(&f, 8, false, 0x1ffff);
    gmon_read_bad_file(&f, &defaults,
                       "offset 20: unexpected end of file: record tag of 4 "
                       "bytes, only 0 left");
    make_library(&f, 0);
    gmon_read_bad(f.bytes.v, f.bytes.n, &order,
                  "offset 4: the version is that of a little-endian file; "
                  "--format specifies another");
    gmon_read_bad(f.bytes.v, f.bytes.n, &size,
                  "offset 20: the histogram's dimension is not text (read as "
                  "32-bit little-endian because of --format)");
    /* 20 + 4 + 40 + 8: the table's head; then entries of 20 bytes. */
    f.bytes.n = 80 + 2 * 20 + 19;
    gmon_read_bad(f.bytes.v, f.bytes.n, &defaults,
                  "offset 120: unexpected end of file: arc 3 of 3 has 20 "
                  "bytes, only 19 left");
    gmon_read_good(&g, &f, &lenient, &said);
    assert_int_equal(g.hists.n, 1);
    gmon_assert_arc(&g, 0, 0x100b, 0x1004, 20);
    gmon_assert_arc_of(&g.entries, 0, 0, 0x1008, 21);
    assert_says(said.text,
                "warning: offset 120: unexpected end of file: arc 3 of 3 has "
                "20 bytes, only 19 left; the rest of the file is skipped\n");
    gmon_free(&g);
    memset(f.bytes.v + 76, 0xff, 4); /* number of arcs */
    gmon_read_bad_file(&f, &defaults,
                       "offset 120: unexpected end of file: arc 3 of "
                       "4294967295 has 20 bytes, only 19 left");
    make_library(&f, 0);
    f.bytes.v[72] = 2;
    gmon_read_bad_file(&f, &defaults, "offset 72: record tag 2, expected 1");
    make_ld_profile(&f, 8, false, 0x1000, 0x1010, 100, four, 4);
    make_ld_table(&f, 1);
    make_ld_arc(&f, 4, 0x10, 1);
    gmon_read_bad_file(&f, &defaults,
                       "offset 80: arc from 0x4 to 0x10 lies outside the "
                       "library (0x10 bytes)");
}

/* --- Darwin */

/* A program at 0x1000 and a library at 0x8000. */
static void make_images(struct gmon_file *f, int i)
{
    unsigned a = size_of(i);
    make_darwin(f, a, is_big(i));
    make_hist_chunk(f, 0x1000, 0x1010, 100, four, 4);
    make_chunk(f, 2, 3 * a);
    make_uint(f, 0x1000, a);
    make_uint(f, 0x1008, a);
    make_uint(f, 7, 4);
    if (a == 8) /* what the stack held */
        make_uint(f, 0x7fff1234, 4);
    make_hist_chunk(f, 0x8000, 0x8010, 100, four, 4);
    make_chunk(f, 3, 2 * (2 * a + 8));
    for (uint32_t k = 0; k < 2; k++) {
        make_uint(f, 0x1008 + k, a);
        make_uint(f, 0x8004, a);
        make_uint(f, 20 + k, 4);
        make_uint(f, k + 1, 4);
    }
    make_chunk(f, 5, 4 + a + 5 + a + 9);
    make_uint(f, 2, 4);
    make_image(f, 0x1000, "/bin");
    make_image(f, 0x7000, "/usr/lib");
}

static void test_darwin_forms(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct gmon_file f;
        struct gmon g;
        struct said said;
        make_images(&f, i);
        gmon_read_good(&g, &f, &defaults, &said);
        assert_int_equal(g.family, GMON_DARWIN);
        assert_int_equal(g.form.addr_size, size_of(i));
        assert_int_equal(g.form.big_endian, is_big(i));
        assert_string_equal(g.dimension, "seconds");
        assert_int_equal(g.hists.n, 2);
        gmon_assert_hist(&g, 0, 0x1000, 0x1010, 100, 4, bins);
        gmon_assert_hist(&g, 1, 0x8000, 0x8010, 100, 4, bins);
        assert_int_equal(g.arcs.n, 3);
        gmon_assert_arc(&g, 0, 0x1000, 0x1008, 7);
        gmon_assert_arc(&g, 1, 0x1008, 0x8004, 20);
        gmon_assert_arc(&g, 2, 0x1009, 0x8004, 21);
        assert_int_equal(g.images.n, 2);
        assert_int_equal(g.images.v[1].at, 0x7000);
        assert_false(g.images.v[1].moved);
        assert_string_equal(g.images.v[1].path, "/usr/lib");
        assert_null(strstr(said.text, "warning"));
        assert_says(said.text,
                    "note: the order of first calls is dropped from 2 arcs\n");
        assert_true(gmon_begins_of(GMON_ANY)(f.bytes.v, f.bytes.n));
        gmon_free(&g);
        make_free(&f);
    }
}

/* Spelled out: one chunk of one bin, one of slides. */
static void test_darwin_32_big(void **state)
{
    static const uint8_t bytes[] = {
        0xbe, 0xef, 0xba, 0xbe,
        /* type 1, 34 bytes: 0x8000-0x8004, 34, 0x51879, 100; a bin of 3 */
        0, 0, 0, 1, 0, 0, 0, 34, 0, 0, 0x80, 0, 0, 0, 0x80, 4, 0, 0, 0, 34, 0,
        5, 0x18, 0x79, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3,
        /* type 4, 14 bytes: one image, moved by 0x2000, "/a/b" and a NUL */
        0, 0, 0, 4, 0, 0, 0, 13, 0, 0, 0, 1, 0, 0, 0x20, 0, '/', 'a', '/', 'b',
        0};
    static const uint64_t three[] = {3};
    struct gmon_file f = {.bytes = {(uint8_t *)bytes, sizeof bytes, 0}};
    struct gmon g;
    struct said said;
    (void)state;
    gmon_read_good(&g, &f, &defaults, &said);
    assert_int_equal(g.form.addr_size, 4);
    assert_true(g.form.big_endian);
    assert_int_equal(g.hists.n, 1);
    gmon_assert_hist(&g, 0, 0x8000, 0x8004, 100, 1, three);
    assert_int_equal(g.images.n, 1);
    assert_int_equal(g.images.v[0].at, 0x2000);
    assert_true(g.images.v[0].moved);
    assert_string_equal(g.images.v[0].path, "/a/b");
    gmon_free(&g);
}

static void test_darwin_unknown_chunks(void **state)
{
    struct gmon_file f;
    struct gmon g;
    struct said said;
    (void)state;
    make_darwin(&f, 4, false);
    make_chunk(&f, 9, 3);
    make_uint(&f, 0xaabbcc, 3);
    make_hist_chunk(&f, 0x1000, 0x1010, 100, four, 4);
    make_chunk(&f, 0x80000000, 5);
    make_uint(&f, 1, 5);
    gmon_read_good(&g, &f, &defaults, &said);
    gmon_assert_hist(&g, 0, 0x1000, 0x1010, 100, 4, bins);
    assert_says(said.text,
                "warning: 2 chunks of unknown type skipped (8 bytes)\n");
    gmon_free(&g);
    make_free(&f);
}

static void test_darwin_damage(void **state)
{
    static const struct gmon_opts lenient = {.lenient = true};
    static const struct gmon_opts size = {.addr_size = 8};
    static const uint8_t zeros[16];
    struct gmon_file f;
    struct gmon g;
    struct said said;
    (void)state;
    make_images(&f, 1);
    gmon_read_bad(f.bytes.v, f.bytes.n, &size,
                  "offset 0: the header is 32-bit little-endian; --format "
                  "specifies another");
    /* 4; 8 + 32 + 8 of the histogram; 8 + 12 of arcs; the same histogram */
    gmon_read_bad(f.bytes.v, 55, &defaults,
                  "offset 52: unexpected end of file: head of a chunk of 8 "
                  "bytes, only 3 left");
    gmon_read_bad(
        f.bytes.v, 71, &defaults,
        "offset 52: unexpected end of file: chunk of 12 bytes, only 11 left");
    make_free(&f);
    /* Of arcs cut short, those that are there; the order of one is not. */
    make_images(&f, 1);
    f.bytes.n = 72 + 48 + 8 + 16 + 15;
    gmon_read_good(&g, &f, &lenient, &said);
    assert_int_equal(g.hists.n, 2);
    assert_int_equal(g.arcs.n, 2);
    gmon_assert_arc(&g, 1, 0x1008, 0x8004, 20);
    assert_says(said.text, "warning: offset 120: unexpected end of file: chunk "
                           "of 32 bytes, only 31 left");
    gmon_free(&g);
    /* A chunk that makes no sense does not take the next along. */
    f.bytes.v[4 + 8 + 4] = 0; /* high becomes 0x1000 */
    f.bytes.v[4 + 8 + 5] = 0; /* and then 0 */
    f.bytes.n = 72 + 48;
    gmon_read_bad(f.bytes.v, f.bytes.n, &defaults,
                  "offset 12: invalid histogram range: 0x1000 down to 0x0");
    gmon_read_good(&g, &f, &lenient, &said);
    assert_int_equal(g.hists.n, 1);
    assert_int_equal(g.hists.v[0].low, 0x8000);
    assert_int_equal(g.arcs.n, 1);
    assert_says(said.text, "warning: offset 12: invalid histogram range: "
                           "0x1000 down to 0x0; chunk skipped\n");
    gmon_free(&g);
    assert_true(buf_put(&f.bytes, zeros, sizeof zeros));
    f.bytes.v[4 + 8 + 4] = 0x10;
    f.bytes.v[4 + 8 + 5] = 0x10;
    gmon_read_bad_file(&f, &defaults,
                       "offset 120: only zero bytes follow (padding?)");
    /* More images than there is room for. */
    make_darwin(&f, 4, true);
    make_chunk(&f, 5, 4 + 4 + 2);
    make_uint(&f, 0xffffffff, 4);
    make_image(&f, 0x1000, "/");
    gmon_read_good(&g, &f, &lenient, &said);
    assert_int_equal(g.images.n, 0);
    assert_says(said.text, "offset 22: image 2 of 4294967295 extends beyond "
                           "its chunk; chunk skipped\n");
    gmon_free(&g);
    gmon_read_bad_file(
        &f, &defaults,
        "offset 22: image 2 of 4294967295 extends beyond its chunk");
    make_darwin(&f, 4, true);
    make_chunk(&f, 4, 2);
    make_uint(&f, 0, 2);
    gmon_read_bad_file(&f, &defaults,
                       "offset 12: unexpected end of file: number of images of "
                       "4 bytes, only 2 left");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_old_bsd_32_little),
        cmocka_unit_test(test_old_bsd_forms),
        cmocka_unit_test(test_old_bsd_damage),
        cmocka_unit_test(test_old_bsd_ambiguous),
        cmocka_unit_test(test_ld_profile_64_little),
        cmocka_unit_test(test_ld_profile_forms),
        cmocka_unit_test(test_ld_profile_damage),
        cmocka_unit_test(test_darwin_forms),
        cmocka_unit_test(test_darwin_32_big),
        cmocka_unit_test(test_darwin_unknown_chunks),
        cmocka_unit_test(test_darwin_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
