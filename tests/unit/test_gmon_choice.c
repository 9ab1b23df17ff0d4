/*
 * What the bytes of a gmon.out leave open: which format, how numbers are
 * written, and what the options say of it.
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
static const struct gmon_opts defaults;

enum { N_FAMILIES = 5 };
static const enum gmon_family families[N_FAMILIES] = {
    GMON_GNU, GMON_LD_PROFILE, GMON_BSD44, GMON_DARWIN, GMON_OLD_BSD};

/* A file of the family, 32-bit little-endian: 0x8000-0x8010, 4 bins. */
static void make_family(struct gmon_file *f, enum gmon_family family)
{
    switch (family) {
    case GMON_GNU:
        make_gnu(f, 4, false, 1);
        make_hist(f, 0x8000, 0x8010, 100, "seconds", four, 4);
        break;
    case GMON_LD_PROFILE:
        make_ld_profile(f, 4, false, 0x8000, 0x8010, 100, four, 4);
        make_ld_table(f, 0);
        break;
    case GMON_BSD44:
        make_bsd44(f, 4, false, 0x8000, 0x8010, 100, four, 4);
        break;
    case GMON_DARWIN:
        make_darwin(f, 4, false);
        make_hist_chunk(f, 0x8000, 0x8010, 100, four, 4);
        break;
    default:
        make_old_bsd(f, 4, false, false, 0x8000, 0x8010, four, 4);
    }
}

/* --format takes what is of the format and nothing else. */
static void test_forced_formats(void **state)
{
    (void)state;
    for (int i = 0; i < N_FAMILIES; i++) {
        struct gmon_file f;
        make_family(&f, families[i]);
        assert_int_equal(gmon_begins_of(GMON_ANY)(f.bytes.v, f.bytes.n),
                         families[i] != GMON_OLD_BSD);
        for (int k = 0; k < N_FAMILIES; k++) {
            struct gmon_opts opts = {.family = families[k]};
            struct gmon g;
            struct prof_err err;
            bool ok = gmon_read(
                &g, &(struct import_input){.data = f.bytes.v, .n = f.bytes.n},
                &opts, &err);
            /* Nothing speaks against a file's being an old one. */
            if (families[k] != GMON_OLD_BSD)
                assert_int_equal(ok, i == k);
            else
                assert_true(ok || i != k);
            if (ok)
                assert_int_equal(g.family, families[k]);
            gmon_free(&g);
            if (families[k] != GMON_OLD_BSD)
                assert_int_equal(
                    gmon_begins_of(families[k])(f.bytes.v, f.bytes.n), i == k);
        }
        make_free(&f);
    }
}

static void test_forced_format_errors(void **state)
{
    struct gmon_opts opts = {.family = GMON_BSD44};
    struct gmon_file f;
    (void)state;
    make_family(&f, GMON_GNU);
    gmon_read_bad_file(&f, &opts,
                       "--format specifies the 4.4BSD format, but this file "
                       "has the GNU format");
    make_family(&f, GMON_OLD_BSD);
    gmon_read_bad(f.bytes.v, f.bytes.n, &opts,
                  "--format specifies the 4.4BSD format, but the file has no "
                  "version 0x51879 in its header");
    opts.family = GMON_GNU;
    gmon_read_bad_file(&f, &opts,
                       "--format specifies the GNU format, but the file has no "
                       "'gmon' signature and version");
    make_family(&f, GMON_LD_PROFILE);
    gmon_read_bad_file(&f, &opts,
                       "--format specifies the GNU format, but this file has "
                       "the LD_PROFILE format");
    opts.family = GMON_OLD_BSD;
    gmon_read_bad(NULL, 0, &opts,
                  "empty file (a program writes gmon.out when it returns from "
                  "main() or calls exit())");
}

/* A form that the file is not of is an error, whatever the format. */
static void test_forced_forms(void **state)
{
    static const struct gmon_opts wrong[] = {{.addr_size = 8},
                                             {.order = GMON_ORDER_BIG}};
    static const struct gmon_opts right = {.addr_size = 4,
                                           .order = GMON_ORDER_LITTLE};
    (void)state;
    for (int i = 0; i < N_FAMILIES; i++) {
        struct gmon_file f;
        struct gmon g;
        struct prof_err err;
        make_family(&f, families[i]);
        for (int k = 0; k < 3; k++) {
            struct gmon_opts opts = k < 2 ? wrong[k] : right;
            opts.family = families[i];
            assert_int_equal(gmon_read(&g,
                                       &(struct import_input){.data = f.bytes.v,
                                                              .n = f.bytes.n},
                                       &opts, &err),
                             k == 2);
            if (k < 2)
                assert_non_null(strstr(err.text, "--format"));
            gmon_free(&g);
        }
        make_free(&f);
    }
}

/* Bins of any width and order, in every format. */
static void test_forced_bins(void **state)
{
    static const uint64_t wide[] = {0x00020000, 0x00010000};
    static const uint64_t bytes[] = {0, 0, 2, 0, 0, 0, 1, 0};
    static const uint64_t swapped[] = {0, 0x200, 0, 0x100};
    static const uint64_t one = 0x0001000000020000;
    (void)state;
    for (int i = 0; i < N_FAMILIES; i++) {
        struct gmon_opts opts = {.family = families[i],
                                 .bin_order = GMON_ORDER_BIG};
        bool counted =
            families[i] == GMON_GNU || families[i] == GMON_LD_PROFILE;
        struct gmon_file f;
        struct gmon g;
        struct said said;
        make_family(&f, families[i]);
        gmon_read_good(&g, &f, &opts, &said);
        gmon_assert_hist(&g, 0, 0x8000, 0x8010, g.hists.v[0].rate, 4, swapped);
        gmon_free(&g);
        opts.bin_order = GMON_ORDER_ANY;
        if (!counted) { /* the size is in bytes */
            opts.bin_bits = 8;
            gmon_read_good(&g, &f, &opts, &said);
            gmon_assert_hist(&g, 0, 0x8000, 0x8010, g.hists.v[0].rate, 8,
                             bytes);
            gmon_free(&g);
            opts.bin_bits = 32;
            gmon_read_good(&g, &f, &opts, &said);
            gmon_assert_hist(&g, 0, 0x8000, 0x8010, g.hists.v[0].rate, 2, wide);
            gmon_free(&g);
            opts.bin_bits = 64;
            gmon_read_good(&g, &f, &opts, &said);
            gmon_assert_hist(&g, 0, 0x8000, 0x8010, g.hists.v[0].rate, 1, &one);
            gmon_free(&g);
        }
        make_free(&f);
    }
    struct gmon_opts opts = {.bin_bits = 32};
    struct gmon_file f;
    struct gmon g;
    struct said said;
    make_gnu(&f, 4, false, 1);
    make_hist(&f, 0x8000, 0x8010, 100, "seconds", four, 2);
    make_uint(&f, 0x00010000, 4);
    f.bytes.v[20 + 1 + 8] = 2; /* bins, of 32 bits */
    gmon_read_good(&g, &f, &opts, &said);
    gmon_assert_hist(&g, 0, 0x8000, 0x8010, 100, 2, wide);
    gmon_free(&g);
    make_free(&f);
}

/* Widths of counts, in the formats where they can be said. */
static void test_forced_counts(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct gmon_opts opts = {.count_bits = i & 1 ? 32 : 64};
        struct gmon_file f;
        struct gmon g;
        struct said said;
        if (i & 2) {
            make_bsd44(&f, 8, false, 0x8000, 0x8010, 100, four, 4);
        } else {
            make_old_bsd(&f, 8, false, false, 0x8000, 0x8010, four, 4);
            opts.family = GMON_OLD_BSD;
        }
        make_bsd44_arc(&f, 0x8000, 0x8004, 0x7fff123400000007);
        make_bsd44_arc(&f, 0x8000, 0x8008, 5);
        gmon_read_good(&g, &f, &opts, &said);
        gmon_assert_arc(&g, 0, 0x8000, 0x8004, i & 1 ? 7 : 0x7fff123400000007);
        gmon_assert_arc(&g, 1, 0x8000, 0x8008, 5);
        assert_null(strstr(said.text, "junk"));
        gmon_free(&g);
        make_free(&f);
    }
}

/* A big-endian file with these little-endian bins, as of OpenOCD. */
static void make_openocd(struct gmon_file *f, const uint16_t *counts,
                         uint32_t n)
{
    make_gnu(f, 4, true, 1);
    for (uint32_t i = 0; i < n; i++) {
        uint16_t bin = (uint16_t)(counts[i] << 8 | counts[i] >> 8);
        make_hist(f, 0x8000 + 64 * i, 0x8002 + 64 * i, 100, "seconds", &bin, 1);
    }
}

static void test_bin_order(void **state)
{
    static const uint16_t small[] = {1, 200, 3, 4, 255};
    static const uint16_t mixed[] = {1, 2, 0x1234, 0, 3, 4, 65535};
    struct gmon_opts big = {.bin_order = GMON_ORDER_BIG};
    struct gmon_opts little = {.bin_order = GMON_ORDER_LITTLE};
    struct gmon_file f;
    struct gmon g;
    struct said said;
    (void)state;
    make_openocd(&f, small, 5);
    gmon_read_bad(f.bytes.v, f.bytes.n, &defaults,
                  "cannot tell the byte order of the bins; use "
                  "--format=bins-le (for OpenOCD) or --format=bins-be");
    gmon_read_good(&g, &f, &little, &said);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(g.bins.v[i], small[i]);
    gmon_free(&g);
    gmon_read_good(&g, &f, &big, &said);
    assert_int_equal(g.bins.v[1], 200 << 8);
    assert_null(strstr(said.text, "warning"));
    gmon_free(&g);
    make_free(&f);
    /* Counts of more than a byte are not what it goes by. */
    make_openocd(&f, mixed, 7);
    gmon_read_bad(f.bytes.v, f.bytes.n, &defaults,
                  "cannot tell the byte order of the bins; use "
                  "--format=bins-le (for OpenOCD) or --format=bins-be");
    gmon_read_good(&g, &f, &little, &said);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(g.bins.v[i], mixed[i]);
    gmon_free(&g);
    make_free(&f);
    /* Too few to tell. */
    make_openocd(&f, small, 3);
    gmon_read_good(&g, &f, &defaults, &said);
    assert_int_equal(g.bins.v[1], 200 << 8);
    gmon_free(&g);
    gmon_read_good(&g, &f, &little, &said);
    assert_int_equal(g.bins.v[1], 200);
    gmon_free(&g);
    make_free(&f);
}

/* Big-endian bins stay so: small ones, any beside arcs, one round of many. */
static void test_bin_order_sound(void **state)
{
    static const uint16_t plain[] = {1, 2, 0x100, 0x200, 0x300, 0x400};
    static const uint16_t round[] = {0x100, 0x200, 0x300, 0x400};
    struct gmon_file f;
    struct gmon g;
    struct said said;
    (void)state;
    make_gnu(&f, 4, true, 1);
    make_hist(&f, 0x8000, 0x8018, 100, "seconds", plain, 6);
    gmon_read_good(&g, &f, &defaults, &said);
    assert_int_equal(g.bins.v[2], 0x100);
    assert_null(strstr(said.text, "warning"));
    gmon_free(&g);
    make_free(&f);
    make_gnu(&f, 4, true, 1);
    make_hist(&f, 0x8000, 0x8010, 100, "seconds", round, 4);
    make_arc(&f, 0x8000, 0x8008, 1);
    gmon_read_good(&g, &f, &defaults, &said);
    assert_int_equal(g.bins.v[0], 0x100);
    assert_null(strstr(said.text, "warning"));
    gmon_free(&g);
    make_free(&f);
    make_gnu(&f, 4, false, 1);
    make_hist(&f, 0x8000, 0x8010, 100, "seconds", round, 4);
    gmon_read_good(&g, &f, &defaults, &said);
    assert_int_equal(g.bins.v[0], 0x100);
    gmon_free(&g);
    make_free(&f);
}

/* Version 0 has names with its basic blocks; what is before is kept. */
static void test_old_blocks(void **state)
{
    const struct gmon_opts lenient = {.lenient = true};
    struct gmon_file f;
    struct gmon g;
    struct said said;
    (void)state;
    make_gnu(&f, 4, false, 0);
    make_arc(&f, 0x8000, 0x8008, 7);
    make_uint(&f, 2, 1);
    make_uint(&f, 1, 4);
    gmon_read_good(&g, &f, &lenient, &said);
    gmon_assert_arc(&g, 0, 0x8000, 0x8008, 7);
    gmon_free(&g);
    gmon_read_bad_file(&f, &defaults,
                       "offset 33: basic blocks of version 0 are not "
                       "supported");
}

/* Arcs of zeros are padding; others may have no calls. */
static void test_zero_counts(void **state)
{
    struct gmon_file f;
    struct gmon g;
    struct said said;
    (void)state;
    make_bsd44(&f, 4, false, 0x8000, 0x8010, 100, four, 4);
    make_bsd44_arc(&f, 0x8000, 0x8008, 0);
    make_bsd44_arc(&f, 0x8004, 0x8008, 3);
    make_bsd44_arc(&f, 0x8004, 0x8008, 0);
    make_bsd44_arc(&f, 0, 0, 0);
    make_bsd44_arc(&f, 0, 0, 0);
    gmon_read_good(&g, &f, &defaults, &said);
    assert_int_equal(g.arcs.n, 2);
    gmon_assert_arc(&g, 0, 0x8000, 0x8008, 0);
    gmon_assert_arc(&g, 1, 0x8004, 0x8008, 3);
    gmon_free(&g);
    make_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forced_formats),
        cmocka_unit_test(test_forced_format_errors),
        cmocka_unit_test(test_forced_forms),
        cmocka_unit_test(test_forced_bins),
        cmocka_unit_test(test_forced_counts),
        cmocka_unit_test(test_bin_order),
        cmocka_unit_test(test_bin_order_sound),
        cmocka_unit_test(test_old_blocks),
        cmocka_unit_test(test_zero_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
