/*
 * Reading gmon.out files: formats, inference of address size and byte order,
 * damage.  The expected values follow from the format's tables.
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

static struct gmon_opts defaults;

static void file_bad(struct gmon_file *f, const char *text)
{
    gmon_read_bad_file(f, &defaults, text);
}

/* Bytes spelled out, not made by gmon_make.c. */
static void test_gnu_64_little(void **state)
{
    static const uint8_t bytes[] = {
        'g', 'm', 'o', 'n', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        /* histogram 0x401000-0x401010, 4 bins, 100 */
        0, 0x00, 0x10, 0x40, 0, 0, 0, 0, 0, 0x10, 0x10, 0x40, 0, 0, 0, 0, 0, 4,
        0, 0, 0, 100, 0, 0, 0, 's', 'e', 'c', 'o', 'n', 'd', 's', 0, 0, 0, 0, 0,
        0, 0, 0, 's', 0, 0, 2, 0, 0, 0, 1, 0,
        /* arc 0x401000 -> 0x401008, 7 */
        1, 0x00, 0x10, 0x40, 0, 0, 0, 0, 0, 0x08, 0x10, 0x40, 0, 0, 0, 0, 0, 7,
        0, 0, 0};
    static const uint64_t bins[] = {0, 2, 0, 1};
    struct gmon g;
    struct said said;
    struct gmon_file f = {.bytes = {(uint8_t *)bytes, sizeof bytes, 0}};
    (void)state;
    assert_int_equal(sizeof bytes, 90);
    gmon_read_good(&g, &f, &defaults, &said);
    assert_int_equal(g.family, GMON_GNU);
    assert_int_equal(g.form.addr_size, 8);
    assert_false(g.form.big_endian);
    assert_string_equal(g.dimension, "seconds");
    assert_int_equal(g.hists.n, 1);
    gmon_assert_hist(&g, 0, 0x401000, 0x401010, 100, 4, bins);
    assert_int_equal(g.arcs.n, 1);
    gmon_assert_arc(&g, 0, 0x401000, 0x401008, 7);
    assert_said(said.text, "note: GNU format, 64-bit little-endian: "
                           "histograms: 1, arcs: 1\n");
    gmon_free(&g);
}

static void test_gnu_32_big(void **state)
{
    static const uint8_t bytes[] = {
        'g', 'm',  'o',  'n',  0,   0, 0, 1, 0, 0, 0,    0,   0,
        0,   0,    0,    0,    0,   0, 0, 0, 0, 0, 0x80, 0,   0,
        0,   0x80, 0x10, 0,    0,   0, 4, 0, 0, 0, 100,  's', 'e',
        'c', 'o',  'n',  'd',  's', 0, 0, 0, 0, 0, 0,    0,   0,
        's', 0,    0,    0,    2,   0, 0, 0, 1, 1, 0,    0,   0x80,
        0,   0,    0,    0x80, 8,   0, 0, 0, 7};
    static const uint64_t bins[] = {0, 2, 0, 1};
    struct gmon g;
    struct said said;
    struct gmon_file f = {.bytes = {(uint8_t *)bytes, sizeof bytes, 0}};
    (void)state;
    assert_int_equal(sizeof bytes, 74);
    gmon_read_good(&g, &f, &defaults, &said);
    assert_int_equal(g.form.addr_size, 4);
    assert_true(g.form.big_endian);
    gmon_assert_hist(&g, 0, 0x8000, 0x8010, 100, 4, bins);
    assert_int_equal(g.arcs.n, 1);
    gmon_assert_arc(&g, 0, 0x8000, 0x8008, 7);
    gmon_free(&g);
}

static void test_bsd44_32_little(void **state)
{
    static const uint8_t bytes[] = {
        0,    0x80, 0,    0,   0x10, 0x80, 0,    0, 0x28, 0, 0, 0, 0x79,
        0x18, 0x05, 0,    100, 0,    0,    0,    0, 0,    0, 0, 0, 0,
        0,    0,    0,    0,   0,    0,    0,    0, 2,    0, 0, 0, 1,
        0,    0,    0x80, 0,   0,    8,    0x80, 0, 0,    7, 0, 0, 0};
    static const uint64_t bins[] = {0, 2, 0, 1};
    struct gmon g;
    struct said said;
    struct gmon_file f = {.bytes = {(uint8_t *)bytes, sizeof bytes, 0}};
    (void)state;
    assert_int_equal(sizeof bytes, 52);
    gmon_read_good(&g, &f, &defaults, &said);
    assert_int_equal(g.family, GMON_BSD44);
    assert_int_equal(g.form.addr_size, 4);
    assert_false(g.form.big_endian);
    assert_string_equal(g.dimension, "seconds");
    gmon_assert_hist(&g, 0, 0x8000, 0x8010, 100, 4, bins);
    gmon_assert_arc(&g, 0, 0x8000, 0x8008, 7);
    gmon_free(&g);
}

/* The same content in all four forms of both formats and versions. */
static void test_every_form(void **state)
{
    static const uint64_t bins[] = {0, 2, 0, 1};
    (void)state;
    for (int i = 0; i < 12; i++) {
        struct gmon_file f;
        struct gmon g;
        struct said said;
        unsigned addr_size = i & 1 ? 4 : 8;
        bool big = i & 2, gnu = i < 8;
        if (gnu) {
            make_gnu(&f, addr_size, big, i < 4);
            make_hist(&f, 0x8000, 0x8010, 100, "seconds", four, 4);
            make_arc(&f, 0x8000, 0x8008, 7);
        } else {
            make_bsd44(&f, addr_size, big, 0x8000, 0x8010, 100, four, 4);
            make_bsd44_arc(&f, 0x8000, 0x8008, 7);
        }
        gmon_read_good(&g, &f, &defaults, &said);
        assert_int_equal(g.family, gnu ? GMON_GNU : GMON_BSD44);
        assert_int_equal(g.form.addr_size, addr_size);
        assert_int_equal(g.form.big_endian, big);
        assert_int_equal(g.hists.n, 1);
        gmon_assert_hist(&g, 0, 0x8000, 0x8010, 100, 4, bins);
        assert_int_equal(g.arcs.n, 1);
        gmon_assert_arc(&g, 0, 0x8000, 0x8008, 7);
        gmon_free(&g);
        make_free(&f);
    }
}

/* gprof -s leaves whatever the stack held in the spare bytes. */
static void test_spare_bytes(void **state)
{
    struct gmon_file f;
    struct gmon g;
    struct said said;
    (void)state;
    make_gnu(&f, 8, false, 1);
    make_arc(&f, 0x10, 0x20, 1);
    memset(f.bytes.v + 8, 0xa5, 12);
    gmon_read_good(&g, &f, &defaults, &said);
    assert_int_equal(g.arcs.n, 1);
    gmon_free(&g);
    make_free(&f);
}

static void test_header_only(void **state)
{
    struct gmon_file f;
    struct gmon g;
    struct said said;
    (void)state;
    make_gnu(&f, 8, false, 1);
    gmon_read_good(&g, &f, &defaults, &said);
    assert_int_equal(g.hists.n + g.arcs.n, 0);
    assert_int_equal(g.form.addr_size, 0);
    assert_said(said.text,
                "warning: no samples: the file ends after its header\n");
    gmon_free(&g);
    make_free(&f);

    make_darwin(&f, 4, true);
    gmon_read_good(&g, &f, &defaults, &said);
    assert_int_equal(g.hists.n + g.arcs.n, 0);
    assert_said(said.text,
                "warning: no samples: the file ends after its header\nnote: "
                "Darwin format, 32-bit big-endian: histograms: 0, arcs: 0\n");
    gmon_free(&g);
    make_free(&f);
}

static void test_alone(void **state)
{
    struct gmon_file f;
    struct gmon g;
    struct said said;
    (void)state;
    make_gnu(&f, 4, true, 1);
    make_arc(&f, 0x8000, 0x8008, 7);
    gmon_read_good(&g, &f, &defaults, &said);
    assert_int_equal(g.hists.n, 0);
    gmon_assert_arc(&g, 0, 0x8000, 0x8008, 7);
    gmon_free(&g);
    make_free(&f);
    make_gnu(&f, 4, true, 1);
    make_hist(&f, 0x8000, 0x8010, 100, "seconds", four, 4);
    gmon_read_good(&g, &f, &defaults, &said);
    assert_int_equal(g.hists.n, 1);
    assert_int_equal(g.arcs.n, 0);
    gmon_free(&g);
    make_free(&f);
}

static void test_duplicates(void **state)
{
    static const uint64_t twice[] = {0, 4, 0, 2}, once[] = {0, 2, 0, 1};
    struct gmon_file f;
    struct gmon g;
    struct said said;
    (void)state;
    make_gnu(&f, 8, false, 1);
    make_hist(&f, 0x8000, 0x8010, 100, "seconds", four, 4);
    make_arc(&f, 0x8000, 0x8008, 0xffffffff);
    make_hist(&f, 0x9000, 0x9010, 100, "seconds", four, 4);
    make_hist(&f, 0x8000, 0x8010, 100, "seconds", four, 4);
    make_arc(&f, 0x7000, 0x8008, 3);
    make_arc(&f, 0x8000, 0x8008, 2);
    gmon_read_good(&g, &f, &defaults, &said);
    assert_int_equal(g.hists.n, 2);
    gmon_assert_hist(&g, 0, 0x8000, 0x8010, 100, 4, twice);
    gmon_assert_hist(&g, 1, 0x9000, 0x9010, 100, 4, once);
    assert_int_equal(g.arcs.n, 2);
    gmon_assert_arc(&g, 0, 0x7000, 0x8008, 3);
    gmon_assert_arc(&g, 1, 0x8000, 0x8008, 0x100000001);
    gmon_free(&g);
    make_free(&f);
}

static void test_dimensions(void **state)
{
    struct gmon_file f;
    struct gmon g;
    struct said said;
    (void)state;
    make_gnu(&f, 8, false, 1);
    make_hist(&f, 0, 16, 1, "i-cache misses!", four, 4);
    gmon_read_good(&g, &f, &defaults, &said);
    assert_string_equal(g.dimension, "i-cache misses!");
    gmon_free(&g);
    make_hist(&f, 16, 32, 1, "cycles", four, 4);
    file_bad(&f,
             "offset 69: histogram of 'cycles' after one of 'i-cache misses!'");
    make_gnu(&f, 8, false, 1);
    make_hist(&f, 0, 16, 1, "", four, 4);
    gmon_read_good(&g, &f, &defaults, &said);
    assert_string_equal(g.dimension, "");
    gmon_free(&g);
    make_free(&f);
}

static void test_no_bins(void **state)
{
    struct gmon_file f;
    struct gmon g;
    struct said said;
    (void)state;
    make_gnu(&f, 8, false, 1);
    make_hist(&f, 0x8000, 0x8010, 100, "seconds", NULL, 0);
    make_hist(&f, 0x9000, 0x9000, 100, "seconds", NULL, 0);
    gmon_read_good(&g, &f, &defaults, &said);
    assert_int_equal(g.hists.n, 2);
    assert_int_equal(g.hists.v[0].n_bins, 0);
    gmon_free(&g);
    make_free(&f);
}

static void test_blocks(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct gmon_file f;
        struct gmon g;
        struct said said;
        make_gnu(&f, 8, big, 1);
        make_uint(&f, 2, 1);
        make_uint(&f, 2, 4);
        make_uint(&f, 0x401000, 8);
        make_uint(&f, 5, 8);
        make_uint(&f, 0x400000, 8);
        make_uint(&f, 0x100000000, 8);
        make_arc(&f, 1, 2, 3);
        gmon_read_good(&g, &f, &defaults, &said);
        assert_int_equal(g.blocks.n, 2);
        assert_int_equal(g.blocks.v[0].self, 0x400000);
        assert_int_equal(g.blocks.v[0].count, 0x100000000);
        assert_int_equal(g.blocks.v[1].self, 0x401000);
        assert_int_equal(g.blocks.v[1].count, 5);
        gmon_assert_arc(&g, 0, 1, 2, 3);
        gmon_free(&g);
        make_free(&f);
    }
}

static void test_damage(void **state)
{
    struct gmon_file f;
    static const uint8_t zeros[64];
    (void)state;
    make_gnu(&f, 8, false, 1);
    make_hist(&f, 0x8010, 0x8000, 100, "seconds", four, 4);
    file_bad(&f, "offset 20: invalid histogram range: 0x8010 down to 0x8000");

    make_gnu(&f, 8, false, 1);
    make_arc(&f, 0x10, 0x20, 1);
    make_uint(&f, 9, 1);
    file_bad(&f, "offset 41: unknown record tag 9");

    make_gnu(&f, 4, true, 1);
    make_hist(&f, 0x8000, 0x8010, 100, "seconds", four, 4);
    memset(f.bytes.v + 29, 0xff, 4); /* number of bins */
    file_bad(&f, "offset 20: unexpected end of file: histogram bins of "
                 "8589934590 bytes, only 8 left");

    make_gnu(&f, 8, false, 1);
    make_hist(&f, 0x8000, 0x8010, 100, "seconds", four, 4);
    f.bytes.n--;
    file_bad(&f, "offset 20: unexpected end of file: histogram bins of 8 "
                 "bytes, only 7 left");

    make_gnu(&f, 8, false, 1);
    make_hist(&f, 0x8000, 0x8010, 100, "seconds", four, 4);
    assert_true(buf_put(&f.bytes, zeros, sizeof zeros));
    file_bad(&f, "offset 69: only zero bytes follow (padding?)");

    make_gnu(&f, 8, false, 1);
    make_uint(&f, 2, 1);
    make_uint(&f, 0xffffffff, 4);
    make_uint(&f, 0x8000, 8);
    file_bad(&f, "offset 20: unexpected end of file: 4294967295 basic blocks "
                 "of 16 bytes, only 8 left");

    make_gnu(&f, 8, false, 2);
    file_bad(&f, "offset 4: unsupported version (02 00 00 00)");
}

static void test_other_formats(void **state)
{
    struct gmon_file f;
    (void)state;
    gmon_read_bad(NULL, 0, &defaults,
                  "empty file (a program writes gmon.out when it returns from "
                  "main() or calls exit())");
    gmon_read_bad(
        (const uint8_t *)"gmon\1\0\0", 8, &defaults,
        "unexpected end of file: the header has 20 bytes, the file only 8");
    gmon_read_bad((const uint8_t *)"#!/bin/sh\n", 10, &defaults,
                  "not a gmon.out file: begins with 23 21 2f 62 69 6e 2f 73");

    /* Old BSD: low, high, size of header and bins; 4 bytes a bin; one arc. */
    f = (struct gmon_file){.form = {4, false}};
    make_uint(&f, 0x8000, 4);
    make_uint(&f, 0x8010, 4);
    make_uint(&f, 12 + 8, 4);
    make_uint(&f, 0x0001000200000000, 8);
    make_bsd44_arc(&f, 0x8000, 0x8008, 7);
    file_bad(&f, "offset 0: no gmon.out signature; if this is the old BSD "
                 "format, use --format=oldbsd");
}

/* What the person says decides; the bytes must not contradict it. */
static void test_given_form(void **state)
{
    struct gmon_file f;
    struct gmon g;
    struct said said;
    struct gmon_opts opts = {.addr_size = 4};
    (void)state;
    /* Tags 1 at 20, 33, 41, 46, ... : arcs either way, in 273 bytes. */
    make_gnu(&f, 4, false, 1);
    for (int i = 0; i < 273; i++)
        make_uint(&f, 1, 1);
    gmon_read_good(&g, &f, &opts, &said);
    assert_int_equal(g.arcs.n, 1);
    gmon_assert_arc(&g, 0, 0x01010101, 0x01010101, 21 * (uint64_t)0x01010101);
    gmon_free(&g);
    opts.addr_size = 8;
    gmon_read_good(&g, &f, &opts, &said);
    gmon_assert_arc(&g, 0, 0x0101010101010101, 0x0101010101010101,
                    13 * (uint64_t)0x01010101);
    gmon_free(&g);
    gmon_read_good(&g, &f, &defaults, &said);
    assert_int_equal(g.form.addr_size, 8);
    assert_says(said.text,
                "warning: ambiguous: 2 formats match; read as 64-bit "
                "little-endian (use --format to choose another)\n");
    gmon_free(&g);
    opts = (struct gmon_opts){.hint = {4, false}};
    gmon_read_good(&g, &f, &opts, &said);
    assert_int_equal(g.form.addr_size, 4);
    assert_null(strstr(said.text, "warning"));
    gmon_free(&g);
    opts = (struct gmon_opts){.order = GMON_ORDER_BIG};
    gmon_read_bad(f.bytes.v, f.bytes.n, &opts,
                  "offset 4: version (01 00 00 00) is that of a little-endian "
                  "file; --format specifies another");
    make_free(&f);

    make_bsd44(&f, 4, false, 0x8000, 0x8010, 100, four, 4);
    opts = (struct gmon_opts){.addr_size = 8};
    gmon_read_bad(f.bytes.v, f.bytes.n, &opts,
                  "offset 12: the header is 32-bit little-endian; --format "
                  "specifies another");
    make_free(&f);
}

static void test_lenient(void **state)
{
    struct gmon_file f;
    struct gmon g;
    struct said said;
    struct gmon_opts opts = {.lenient = true};
    (void)state;
    make_gnu(&f, 8, false, 1);
    make_hist(&f, 0x8000, 0x8010, 100, "seconds", four, 4);
    make_arc(&f, 0x8000, 0x8008, 7);
    make_arc(&f, 0x8000, 0x8008, 7);
    f.bytes.n--;
    gmon_read_good(&g, &f, &opts, &said);
    assert_int_equal(g.hists.n, 1);
    gmon_assert_arc(&g, 0, 0x8000, 0x8008, 7);
    assert_says(said.text,
                "warning: offset 90: unexpected end of file: an arc of 20 "
                "bytes, only 19 left; the remaining 20 bytes are skipped\n");
    gmon_free(&g);
    make_free(&f);

    make_bsd44(&f, 8, false, 0x8000, 0x8010, 100, four, 4);
    f.bytes.n--;
    gmon_read_bad(
        f.bytes.v, f.bytes.n, &defaults,
        "offset 40: unexpected end of file: bins of 8 bytes, only 7 left");
    gmon_read_good(&g, &f, &opts, &said);
    assert_int_equal(g.hists.n, 0);
    assert_says(said.text, "warning: offset 40: unexpected end of file: bins "
                           "of 8 bytes, only 7 left; skipped\n");
    gmon_free(&g);
    make_free(&f);
}

/* Every prefix of a file is an error or what its complete records say. */
static void test_every_prefix(void **state)
{
    struct gmon_file f;
    (void)state;
    make_gnu(&f, 8, false, 1);
    make_hist(&f, 0x401000, 0x401010, 100, "seconds", four, 4);
    make_arc(&f, 0x401000, 0x401008, 7);
    for (size_t n = 0; n <= f.bytes.n; n++) {
        struct gmon g;
        struct prof_err err = {0};
        uint8_t *copy = malloc(n ? n : 1);
        assert_non_null(copy);
        memcpy(copy, f.bytes.v, n);
        bool ok = gmon_read(&g, &(struct import_input){.data = copy, .n = n},
                            &defaults, &err);
        assert_int_equal(ok, n == 20 || n == 69 || n == 90);
        assert_true(ok || strstr(err.text, n == 0   ? "empty file"
                                           : n < 4  ? "not a gmon.out file"
                                           : n < 20 ? "end of file"
                                           : n < 69 ? "offset 20:"
                                                    : "offset 69:"));
        gmon_free(&g);
        free(copy);
    }
    make_free(&f);
}

static void test_freebsd_types(void **state)
{
    static const int32_t types[] = {-64, -32, -16, -8, 8, 16, 32, 64};
    static const uint64_t bins[] = {0, 100, 0, 1};
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct gmon_file f;
        struct gmon g;
        struct said said;
        unsigned size = (unsigned)(types[i] < 0 ? -types[i] : types[i]) / 8;
        make_bsd44_head(&f, 8, i & 1, 0x1000, 0x1010, 0, 4 * size, types[i]);
        for (int k = 0; k < 4; k++)
            make_uint(&f, bins[k], size);
        gmon_read_good(&g, &f, &defaults, &said);
        assert_int_equal(g.hists.n, 1);
        gmon_assert_hist(&g, 0, 0x1000, 0x1010, 0, 4, bins);
        gmon_free(&g);
        make_free(&f);
    }
    struct gmon_file f;
    make_bsd44_head(&f, 8, false, 0x1000, 0x1010, 0, 16, -64);
    make_uint(&f, 3, 8);
    make_uint(&f, UINT64_MAX, 8);
    file_bad(&f, "offset 40: bin 1 of the histogram is negative");
}

/* OpenBSD has the size of the arcs in FreeBSD's place for the type. */
static void test_openbsd_spare(void **state)
{
    static const uint64_t bins[] = {0, 2, 0, 1};
    struct gmon_file f;
    struct gmon g;
    struct said said;
    (void)state;
    make_bsd44_head(&f, 8, false, 0x1000, 0x1010, 100, 8, 24);
    for (int i = 0; i < 4; i++)
        make_uint(&f, four[i], 2);
    make_bsd44_arc(&f, 0x1000, 0x1008, 7);
    gmon_read_good(&g, &f, &defaults, &said);
    gmon_assert_hist(&g, 0, 0x1000, 0x1010, 100, 4, bins);
    gmon_assert_arc(&g, 0, 0x1000, 0x1008, 7);
    gmon_free(&g);
    make_free(&f);
}

static void test_wide_bins(void **state)
{
    static const uint64_t bins[] = {0, 70000, 0, 1}, small[] = {0, 4464, 0, 1};
    struct gmon_file f;
    struct gmon g;
    struct said said;
    struct gmon_opts opts = {.bin_bits = 32};
    (void)state;
    make_bsd44_head(&f, 4, false, 0x8000, 0x8010, 100, 16, 0);
    for (int i = 0; i < 4; i++)
        make_uint(&f, bins[i], 4);
    gmon_read_good(&g, &f, &opts, &said);
    gmon_assert_hist(&g, 0, 0x8000, 0x8010, 100, 4, bins);
    gmon_free(&g);
    opts.bin_bits = 16;
    f.bytes.v[32 + 6] = 0; /* 70000 becomes 4464 */
    gmon_read_good(&g, &f, &opts, &said);
    assert_int_equal(g.hists.v[0].n_bins, 8);
    assert_int_equal(g.bins.v[2], 4464);
    gmon_free(&g);
    gmon_read_bad(f.bytes.v, f.bytes.n, &defaults,
                  "offset 32: cannot tell the size of the bins; use "
                  "--format=bins32 or --format=bins16");
    make_free(&f);
    /* FreeBSD's type says 16 bits, whatever the bins look like. */
    make_bsd44_head(&f, 4, false, 0x8000, 0x8010, 100, 16, 16);
    for (int i = 0; i < 4; i++)
        make_uint(&f, small[i], 4);
    gmon_read_good(&g, &f, &defaults, &said);
    assert_int_equal(g.hists.v[0].n_bins, 8);
    assert_int_equal(g.bins.v[2], 4464);
    assert_null(strstr(said.text, "warning"));
    gmon_free(&g);
    make_free(&f);
    opts.bin_bits = 64;
    make_bsd44(&f, 4, false, 0x8000, 0x8010, 100, four, 3);
    gmon_read_bad(
        f.bytes.v, f.bytes.n, &opts,
        "offset 32: 6 bytes are not a multiple of the size of 64-bit bins");
    make_free(&f);
}

/* Counts of 2^46 and more, or none below 2^32, may have junk in them. */
static void test_junk_halves(void **state)
{
    static const char *const said_to_use =
        "offset 48: implausible call counts; use --format=counts32 (for "
        "mingw-w64) or --format=counts64";
    struct gmon_file f;
    struct gmon g;
    struct said said;
    struct gmon_opts opts = {.count_bits = 64};
    (void)state;
    make_bsd44(&f, 8, false, 0x8000, 0x8010, 100, four, 4);
    make_bsd44_arc(&f, 0x8000, 0x8004, 0x100000007);
    make_bsd44_arc(&f, 0x8000, 0x8008, 5);
    gmon_read_good(&g, &f, &defaults, &said);
    gmon_assert_arc(&g, 0, 0x8000, 0x8004, 0x100000007);
    gmon_assert_arc(&g, 1, 0x8000, 0x8008, 5);
    gmon_free(&g);
    make_bsd44_arc(&f, 0x8000, 0x800c, 0x00007fff00000009);
    gmon_read_bad(f.bytes.v, f.bytes.n, &defaults, said_to_use);
    gmon_read_good(&g, &f, &opts, &said);
    gmon_assert_arc(&g, 2, 0x8000, 0x800c, 0x00007fff00000009);
    gmon_free(&g);
    opts.count_bits = 32;
    gmon_read_good(&g, &f, &opts, &said);
    gmon_assert_arc(&g, 2, 0x8000, 0x800c, 9);
    gmon_free(&g);
    make_free(&f);
    make_bsd44(&f, 8, true, 0x8000, 0x8010, 100, four, 4);
    make_bsd44_arc(&f, 0x8000, 0x8004, 0x0000000700000001);
    make_bsd44_arc(&f, 0x8000, 0x8008, 0x0000000500000001);
    file_bad(&f, said_to_use);
}

static void test_bsd44_damage(void **state)
{
    struct gmon_file f;
    struct gmon g;
    struct said said;
    (void)state;
    make_bsd44(&f, 4, false, 0x8010, 0x8000, 100, four, 4);
    file_bad(&f, "offset 0: invalid histogram range: 0x8010 down to 0x8000");
    make_bsd44(&f, 4, false, 0x8000, 0x8010, 100, four, 4);
    f.bytes.v[8] = 31; /* of the header's 32 */
    file_bad(&f, "offset 8: size 31 of header and bins is less than the "
                 "header's 32");
    make_bsd44(&f, 4, false, 0x8000, 0x8010, 100, four, 4);
    f.bytes.n = 31;
    file_bad(
        &f,
        "unexpected end of file: the header has 32 bytes, the file only 31");
    make_bsd44(&f, 4, false, 0x8000, 0x8010, 100, four, 4);
    make_bsd44_arc(&f, 0x8000, 0x8008, 7);
    make_bsd44_arc(&f, 0x8000, 0x8008, 7);
    f.bytes.n--;
    gmon_read_good(&g, &f, &defaults, &said);
    gmon_assert_arc(&g, 0, 0x8000, 0x8008, 7);
    assert_says(said.text, "warning: offset 52: unexpected end of file: arc of "
                           "12 bytes, only 11 left; arc skipped\n");
    gmon_free(&g);
    make_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gnu_64_little),
        cmocka_unit_test(test_gnu_32_big),
        cmocka_unit_test(test_bsd44_32_little),
        cmocka_unit_test(test_every_form),
        cmocka_unit_test(test_spare_bytes),
        cmocka_unit_test(test_header_only),
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_dimensions),
        cmocka_unit_test(test_no_bins),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_other_formats),
        cmocka_unit_test(test_given_form),
        cmocka_unit_test(test_lenient),
        cmocka_unit_test(test_every_prefix),
        cmocka_unit_test(test_freebsd_types),
        cmocka_unit_test(test_openbsd_spare),
        cmocka_unit_test(test_wide_bins),
        cmocka_unit_test(test_junk_halves),
        cmocka_unit_test(test_bsd44_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
