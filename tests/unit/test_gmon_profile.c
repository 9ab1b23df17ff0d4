/*
 * From the content of gmon.out files to a profile: sums, bin ranges, values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/gmon/private.h"
#include "gmon_try.h"
#include "merge_try.h"
#include "profile/merge/merge.h"
#include "profile/wire/pb.h"
#include "said.h"

static const uint16_t four[] = {0, 2, 0, 1};
static const struct gmon_opts defaults;

static void assert_add_fails(struct gmon *sum, struct gmon_file *f,
                             const char *text)
{
    gmon_sum_add_fails(sum, f, &defaults, text);
}

static void make_vector(struct gmon_file *f, unsigned addr_size, bool big)
{
    make_gnu(f, addr_size, big, 1);
    make_hist(f, 0x401000, 0x401010, 100, "seconds", four, 4);
    make_arc(f, 0x401000, 0x401008, 7);
}

static void test_mapping_to_profile(void **state)
{
    struct gmon_file f;
    struct gmon sum = {0};
    struct profile p;
    struct said said;
    (void)state;
    make_vector(&f, 8, false);
    gmon_sum_add(&sum, &f, &defaults, "gmon.out");
    gmon_sum_convert(&sum, &p, &said);
    gmon_assert_types(&p,
                      "samples/count cpu/nanoseconds calls/count default cpu "
                      "period 10000000 cpu/nanoseconds");
    gmon_assert_samples(&p, "401007: 2 20000000 0\n"
                            "40100f: 1 10000000 0\n"
                            "401008<401000: 0 0 7\n");
    assert_int_equal(p.n_mappings, 1);
    assert_int_equal(p.mappings[0].start, 0x401000);
    assert_int_equal(p.mappings[0].limit, 0x401010);
    assert_int_equal(p.mappings[0].offset, 0);
    assert_string_equal(prof_cstr(&p, p.mappings[0].filename), "");
    assert_int_equal(p.n_comments, 3);
    assert_string_equal(prof_cstr(&p, p.comments[0]),
                        "# gmon.out: GNU format, 64-bit");
    assert_string_equal(
        prof_cstr(&p, p.comments[1]),
        "# histogram: 100 ticks per \"seconds\", bins of 4 bytes");
    assert_string_equal(prof_cstr(&p, p.comments[2]),
                        "# gmon.out has no time spent in shared libraries");
    assert_said(said.text, "");
    prof_free(&p);
}

/* One content in either byte order is one profile, to the byte. */
static void test_twins(void **state)
{
    (void)state;
    for (unsigned size = 4; size <= 8; size += 4) {
        struct buf out[2] = {{0}};
        for (int big = 0; big < 2; big++) {
            struct gmon_file f;
            struct gmon sum = {0};
            struct profile raw, p;
            struct said said;
            struct prof_err err;
            make_vector(&f, size, big);
            gmon_sum_add(&sum, &f, &defaults, "gmon.out");
            gmon_sum_convert(&sum, &raw, &said);
            assert_true(canonical_copy(&raw, &p, &err));
            struct buf_sink sink = buf_sink_of(&out[big]);
            assert_true(pb_encode(&p, &sink.sink, &err));
            prof_free(&raw);
            prof_free(&p);
        }
        assert_int_equal(out[0].n, out[1].n);
        assert_memory_equal(out[0].v, out[1].v, out[0].n);
        buf_free(&out[0]);
        buf_free(&out[1]);
    }
}

/* Sums above 16 bits of bins and 32 of calls; gprof -s wraps both. */
static void test_sum_of_files(void **state)
{
    static const uint16_t full[] = {65535, 0, 0, 1};
    struct gmon sum = {0};
    struct profile p;
    struct said said;
    (void)state;
    for (int i = 0; i < 100; i++) {
        struct gmon_file f;
        make_gnu(&f, 4, false, 1);
        make_hist(&f, 0x8000, 0x8010, 100, "seconds", full, 4);
        make_arc(&f, 0x8000, 0x8008, 0xfffffff0);
        if (i == 50)
            make_arc(&f, 0x8008, 0x8000, 1);
        gmon_sum_add(&sum, &f, &defaults, "gmon.out");
    }
    gmon_sum_convert(&sum, &p, &said);
    gmon_assert_samples(&p, "8003: 6553500 65535000000000 0\n"
                            "800f: 100 1000000000 0\n"
                            "8000<8008: 0 0 1\n"
                            "8008<8000: 0 0 429496728000\n");
    assert_said(said.text, "");
    prof_free(&p);
}

static void test_files_that_differ(void **state)
{
    struct gmon_file f;
    struct gmon sum = {0};
    struct profile p;
    struct said said;
    (void)state;
    make_gnu(&f, 8, false, 1); /* arcs alone: its name is not that of a hist */
    make_arc(&f, 0x1000, 0x1004, 1);
    gmon_sum_add(&sum, &f, &defaults, "arcs");
    make_gnu(&f, 8, false, 1);
    make_hist(&f, 0x1000, 0x1010, 100, "seconds", four, 4);
    gmon_sum_add(&sum, &f, &defaults, "first");

    make_gnu(&f, 8, false, 1);
    make_hist(&f, 0x1000, 0x1010, 1, "cycles", four, 4);
    assert_add_fails(
        &sum, &f,
        "the histogram counts 'cycles', but that of first counts 'seconds'");
    make_vector(&f, 4, false);
    assert_add_fails(&sum, &f,
                     "32-bit little-endian, but first is 64-bit little-endian; "
                     "the files come from different programs");
    make_vector(&f, 8, true);
    assert_add_fails(&sum, &f,
                     "64-bit big-endian, but first is 64-bit little-endian; "
                     "the files come from different programs");

    /* None of these left anything behind. */
    gmon_sum_convert(&sum, &p, &said);
    gmon_assert_samples(&p, "1007: 2 20000000 0\n"
                            "100f: 1 10000000 0\n"
                            "1004<1000: 0 0 1\n");
    prof_free(&p);
}

static void make_wide(struct gmon_file *f, uint64_t count, uint64_t calls)
{
    make_bsd44_head(f, 8, false, 0x1000, 0x1010, 100, 16, 64);
    make_uint(f, 1, 8);
    make_uint(f, count, 8);
    make_bsd44_arc(f, 0x1000, 0x1004, 1);
    make_bsd44_arc(f, 0x1000, 0x1008, calls);
}

static void test_overflow_of_sums(void **state)
{
    struct gmon_file f;
    struct gmon sum = {0};
    (void)state;
    make_wide(&f, UINT64_MAX - 1, 1);
    gmon_sum_add(&sum, &f, &defaults, "first");
    make_wide(&f, 2, 0);
    assert_add_fails(&sum, &f,
                     "bin 1 of histogram 0x1000-0x1010 overflows 64 bits");
    assert_int_equal(sum.bins.v[0], 1);
    make_wide(&f, 1, 0);
    gmon_sum_add(&sum, &f, &defaults, "second");
    assert_int_equal(sum.bins.v[0], 2);
    assert_int_equal(sum.bins.v[1], UINT64_MAX);
    assert_int_equal(sum.arcs.v[0].count, 2);
    sum.arcs.v[1].count = UINT64_MAX;
    make_wide(&f, 0, 1);
    assert_add_fails(&sum, &f, "calls from 0x1000 to 0x1008 overflow 64 bits");
    assert_int_equal(sum.arcs.v[0].count, 2);

    struct profile p;
    struct prof_err err;
    assert_false(gmon_convert(&(struct gmon_job){.g = &sum, .opts = &defaults},
                              &p, &err));
    assert_said(err.text, "the value at 0x100f overflows");
    prof_free(&p);
    sum.bins.v[1] = (uint64_t)1 << 62; /* ticks fit, nanoseconds do not */
    assert_false(gmon_convert(&(struct gmon_job){.g = &sum, .opts = &defaults},
                              &p, &err));
    assert_said(err.text, "the value at 0x100f overflows");
    prof_free(&p);
    sum.bins.v[1] = 0;
    assert_false(gmon_convert(&(struct gmon_job){.g = &sum, .opts = &defaults},
                              &p, &err));
    assert_said(err.text, "the value at 0x1008 overflows");
    prof_free(&p);
    gmon_free(&sum);
}

static void test_rates(void **state)
{
    static const uint16_t ones[] = {1, 1, 1};
    struct gmon_file f;
    struct gmon sum = {0};
    struct profile p;
    struct said said;
    (void)state;
    /* A third of a second each: 1 s in all. */
    make_gnu(&f, 8, false, 1);
    make_hist(&f, 0, 12, 3, "seconds", ones, 3);
    gmon_sum_add(&sum, &f, &defaults, "a");
    gmon_sum_convert(&sum, &p, &said);
    gmon_assert_samples(
        &p, "3: 1 333333333 0\n7: 1 333333334 0\nb: 1 333333333 0\n");
    gmon_assert_types(
        &p, "samples/count cpu/nanoseconds calls/count default cpu period "
            "333333333 cpu/nanoseconds");
    prof_free(&p);
    /* The same addresses at another rate. */
    make_gnu(&f, 8, false, 1);
    make_hist(&f, 0, 16, 100, "seconds", four, 4);
    gmon_sum_add(&sum, &f, &defaults, "a");
    make_gnu(&f, 8, false, 1);
    make_hist(&f, 0, 16, 1000, "seconds", four, 4);
    gmon_sum_add(&sum, &f, &defaults, "b");
    gmon_sum_convert(&sum, &p, &said);
    gmon_assert_samples(&p, "7: 2 20000000 0\nf: 1 10000000 0\n"
                            "7: 2 2000000 0\nf: 1 1000000 0\n");
    assert_said(said.text, "warning: histograms have 100 and 1000 ticks per "
                           "unit; each is scaled by its own rate\n");
    gmon_assert_types(
        &p, "samples/count cpu/nanoseconds calls/count default cpu period "
            "10000000 cpu/nanoseconds");
    prof_free(&p);
}

static void test_unknown_rate(void **state)
{
    struct gmon_file f;
    struct gmon sum = {0};
    struct profile p;
    struct said said;
    (void)state;
    make_gnu(&f, 8, false, 1);
    make_hist(&f, 0, 16, 0, "seconds", four, 4);
    make_arc(&f, 0, 8, 7);
    gmon_sum_add(&sum, &f, &defaults, "a");
    gmon_sum_convert(&sum, &p, &said);
    gmon_assert_types(&p, "samples/count cpu/nanoseconds calls/count default "
                          "samples period 0 /");
    gmon_assert_samples(&p, "7: 2 0 0\nf: 1 0 0\n8<0: 0 0 7\n");
    assert_said(said.text, "warning: 1 of 1 histograms have sampling rate 0; "
                           "their samples have no time\n");
    prof_free(&p);
    /* With one that does: time of that alone. */
    make_gnu(&f, 8, false, 1);
    make_hist(&f, 0, 16, 0, "seconds", four, 4);
    make_hist(&f, 16, 32, 4000000000, "seconds", four, 4);
    gmon_sum_add(&sum, &f, &defaults, "a");
    gmon_sum_convert(&sum, &p, &said);
    gmon_assert_samples(&p, "7: 2 0 0\nf: 1 0 0\n17: 2 1 0\n1f: 1 0 0\n");
    assert_says(said.text,
                "implausible sampling rate: 4000000000 ticks per unit\n");
    prof_free(&p);
}

static void test_dimensions(void **state)
{
    static const struct {
        const char *dimension, *types;
        uint32_t rate;
        const char *samples;
    } cases[] = {
        {"milliseconds",
         "samples/count cpu/nanoseconds calls/count default cpu period 100000 "
         "cpu/nanoseconds",
         10, "3: 2 200000 0\n"},
        {"nanoseconds",
         "samples/count cpu/nanoseconds calls/count default cpu period 1 "
         "cpu/nanoseconds",
         1, "3: 2 2 0\n"},
        {"ms",
         "samples/count cpu/nanoseconds calls/count default cpu period 1000000 "
         "cpu/nanoseconds",
         1, "3: 2 2000000 0\n"},
        {"us",
         "samples/count cpu/nanoseconds calls/count default cpu period 1000 "
         "cpu/nanoseconds",
         1, "3: 2 2000 0\n"},
        {"i-cache misses!",
         "samples/count i-cache misses!/count calls/count default i-cache "
         "misses! period "
         "1 i-cache misses!/count",
         1, "3: 2 2 0\n"},
        {"cycles",
         "samples/count cycles//100 calls/count default cycles period 1 "
         "cycles//100",
         100, "3: 2 2 0\n"},
        {"",
         "samples/count cpu/nanoseconds calls/count default samples period 0 /",
         100, "3: 2 0 0\n"},
        {"calls",
         "samples/count cpu/nanoseconds calls/count default samples period 0 /",
         1, "3: 2 0 0\n"},
    };
    static const uint16_t two[] = {2};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gmon_file f;
        struct gmon sum = {0};
        struct profile p;
        struct said said;
        make_gnu(&f, 8, false, 1);
        make_hist(&f, 0, 4, cases[i].rate, cases[i].dimension, two, 1);
        gmon_sum_add(&sum, &f, &defaults, "a");
        gmon_sum_convert(&sum, &p, &said);
        gmon_assert_types(&p, cases[i].types);
        gmon_assert_samples(&p, cases[i].samples);
        prof_free(&p);
    }
}

static void test_parts_alone(void **state)
{
    struct gmon_file f;
    struct gmon sum = {0};
    struct profile p;
    struct said said;
    (void)state;
    make_gnu(&f, 8, false, 1);
    gmon_sum_add(&sum, &f, &defaults, "header");
    gmon_sum_convert(&sum, &p, &said);
    gmon_assert_types(
        &p, "samples/count cpu/nanoseconds calls/count default cpu period 0 /");
    assert_int_equal(p.n_samples, 0);
    prof_free(&p);

    make_gnu(&f, 8, false, 1);
    make_arc(&f, 0x10, 0x20, 7);
    gmon_sum_add(&sum, &f, &defaults, "arcs");
    gmon_sum_convert(&sum, &p, &said);
    gmon_assert_types(
        &p, "samples/count cpu/nanoseconds calls/count default  period "
            "0 /");
    gmon_assert_samples(&p, "20<10: 0 0 7\n");
    assert_int_equal(p.mappings[0].start, 0x10);
    assert_int_equal(p.mappings[0].limit, 0x21);
    prof_free(&p);

    make_gnu(&f, 4, false, 1);
    make_uint(&f, 2, 1);
    make_uint(&f, 1, 4);
    make_uint(&f, 0x10, 4);
    make_uint(&f, 9, 4);
    gmon_sum_add(&sum, &f, &defaults, "blocks");
    gmon_sum_convert(&sum, &p, &said);
    gmon_assert_types(&p, "samples/count cpu/nanoseconds calls/count "
                          "bb_executions/count default  period 0 /");
    gmon_assert_samples(&p, "10: 0 0 0 9\n");
    prof_free(&p);
}

static void test_many_records(void **state)
{
    struct gmon_file f;
    struct gmon sum = {0};
    struct profile p;
    struct said said;
    (void)state;
    /* OpenOCD: apart from each other, two bytes a bin. */
    make_gnu(&f, 4, false, 1);
    make_hist(&f, 0x20000000, 0x20000008, 50, "seconds", four, 4);
    make_hist(&f, 0x08000100, 0x08000108, 50, "seconds", four, 4);
    gmon_sum_add(&sum, &f, &defaults, "a");
    gmon_sum_convert(&sum, &p, &said);
    gmon_assert_samples(&p, "8000103: 2 40000000 0\n8000107: 1 20000000 0\n"
                            "20000003: 2 40000000 0\n20000007: 1 20000000 0\n");
    assert_int_equal(p.mappings[0].start, 0x08000100);
    assert_int_equal(p.mappings[0].limit, 0x20000008);
    assert_said(said.text, "");
    prof_free(&p);
    /* Overlapping: samples of their own, with a warning. */
    make_gnu(&f, 4, false, 1);
    make_hist(&f, 0x1000, 0x1008, 50, "seconds", four, 4);
    make_hist(&f, 0x1004, 0x100c, 50, "seconds", four, 4);
    gmon_sum_add(&sum, &f, &defaults, "a");
    gmon_sum_convert(&sum, &p, &said);
    gmon_assert_samples(&p, "1003: 2 40000000 0\n1007: 1 20000000 0\n"
                            "1007: 2 40000000 0\n100b: 1 20000000 0\n");
    assert_said(said.text,
                "warning: histograms 0x1000-0x1008 and 0x1004-0x100c overlap; "
                "do all files come from the same program?\n");
    prof_free(&p);
}

static void test_empty_range(void **state)
{
    struct gmon_file f;
    struct gmon sum = {0};
    struct profile p;
    struct said said;
    (void)state;
    make_gnu(&f, 8, false, 1);
    make_hist(&f, 0x1000, 0x1000, 100, "seconds", four, 4);
    gmon_sum_add(&sum, &f, &defaults, "a");
    gmon_sum_convert(&sum, &p, &said);
    assert_int_equal(p.n_samples, 0);
    assert_said(said.text, "warning: 2 bins skipped: their histogram "
                           "(0x1000-0x1000) covers no addresses\n");
    prof_free(&p);
}

static bool copy_bin(void *ctx, const struct gmon_bin *bin,
                     struct prof_err *err)
{
    struct gmon_bin *to = ctx;
    (void)err;
    *to = *bin;
    return true;
}

/* What bin i covers, if it is the only one with a count. */
static struct gmon_bin bin_of(struct gmon_hist h, uint32_t i)
{
    uint64_t *bins = calloc(h.n_bins, sizeof *bins);
    struct gmon g = {.hists = {&h, 1, 1}, .bins = {bins, h.n_bins, h.n_bins}};
    struct gmon_bin bin = {0};
    struct prof_err err;
    assert_non_null(bins);
    bins[i] = 1;
    assert_true(
        gmon_each_bin(&(struct gmon_writer){.g = &g}, copy_bin, &bin, &err));
    assert_int_equal(bin.index, i);
    free(bins);
    return bin;
}

/* Every pc is in the bin that profil() would count it in. */
static void check_inverse(uint64_t low, uint64_t range, uint32_t n_bins,
                          uint32_t s)
{
    const struct gmon_hist h = {low, low + range, n_bins, 0, 0};
    struct gmon_bin bin = {.index = UINT32_MAX};
    for (uint64_t at = 0; at < range; at++) {
        uint64_t i = at / 2 * s / 65536;
        if (i >= n_bins)
            continue; /* dropped when it is counted */
        if (i != bin.index)
            bin = bin_of(h, (uint32_t)i);
        assert_true(bin.start <= low + at && low + at < bin.end);
    }
    assert_true(bin.end <= low + range);
}

static void test_bins_of_profil(void **state)
{
    const struct gmon_hist h = {0, 0x14d8, 1336, 0, 0};
    (void)state;
    /* A position-independent program of glibc; s is 65536 * 2672 / 5336. */
    assert_int_equal(bin_of(h, 1169).start, 0x123e);
    assert_int_equal(bin_of(h, 1169).end, 0x1242);
    check_inverse(0, 0x14d8, 1336, 32817);
    check_inverse(0x400000, 0x1588, 0x1588 / 4, 32768);
    check_inverse(0x8000, 16, 8, 65536);
    check_inverse(0x8000, 4098, 1000, 31984); /* 65536 * 2000 / 4098 */
    check_inverse(1, 101, 50, 64887);         /* odd */
}

static void test_bins_divided_evenly(void **state)
{
    struct gmon_hist h = {0x1000, 0x1010, 16, 0, 0};
    (void)state;
    /* One byte a bin is more than profil() has. */
    for (uint32_t i = 0; i < 16; i++) {
        assert_int_equal(bin_of(h, i).start, 0x1000 + i);
        assert_int_equal(bin_of(h, i).end, 0x1001 + i);
    }
    /* Too wide for profil()'s 16 bits. */
    h = (struct gmon_hist){0, (uint64_t)1 << 63, 4, 0, 0};
    assert_int_equal(bin_of(h, 3).start, (uint64_t)3 << 61);
    h = (struct gmon_hist){1, UINT64_MAX, 4, 0, 0};
    assert_int_equal(bin_of(h, 2).start, (uint64_t)1 << 63);
    assert_int_equal(bin_of(h, 3).end, UINT64_MAX);
    /*
     * 8 bins over 100 bytes: s is 10485, and profil()'s last 2-byte unit, 49,
     * is in bin 7 (49 * 10485 / 65536 is 7.8), which begins at unit 44 (7 *
     * 65536 / 10485 is 43.8).  Over 0x30002 bytes, s is 5 and unit 0x18000 is
     * in bin 7 too (7.5); over 0x38002 it is 4, and profil() gets to unit
     * 0x1c000, bin 7 again (7.0), but to none with one unit less: a count there
     * means even division.
     */
    h = (struct gmon_hist){0, 100, 8, 0, 0};
    assert_int_equal(bin_of(h, 7).start, 2 * 44);
    h.high = 0x30002;
    assert_int_equal(bin_of(h, 7).start, 2 * 91751); /* 7 * 65536 / 5 */
    h.high = 0x38002;
    assert_int_equal(bin_of(h, 7).start, 2 * 0x1c000);
    h.high = 0x38000;
    assert_int_equal(bin_of(h, 7).start, 0x31000);
    assert_int_equal(bin_of(h, 6).start, 0x30000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mapping_to_profile),
        cmocka_unit_test(test_twins),
        cmocka_unit_test(test_sum_of_files),
        cmocka_unit_test(test_files_that_differ),
        cmocka_unit_test(test_overflow_of_sums),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_unknown_rate),
        cmocka_unit_test(test_dimensions),
        cmocka_unit_test(test_parts_alone),
        cmocka_unit_test(test_many_records),
        cmocka_unit_test(test_empty_range),
        cmocka_unit_test(test_bins_of_profil),
        cmocka_unit_test(test_bins_divided_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
