/*
 * CPU profiles of gperftools: every case is a file made word by word, and
 * what it must give follows from the published format.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gperf_file.h"
#include "said.h"

static const char map_a[] = "400000-500000 r-xp 00000000 00:00 1 /a\n";

static const char no_end[] = "no end marker and no map list: the program was "
                             "killed or is still running\n";

static void assert_read(struct gperf_file *f, const char *samples,
                        const char *warnings)
{
    struct read_result r;
    read_file(f, NULL, &r);
    assert_said(r.ok ? "" : r.err.text, "");
    assert_string_equal(samples_text(&r.p), samples);
    assert_said((char *)r.warnings.v, warnings);
    free_result(&r);
}

static void assert_refused(struct gperf_file *f, const char *message)
{
    struct read_result r;
    read_file(f, NULL, &r);
    assert_false(r.ok);
    assert_int_equal(r.err.kind, PROF_ERR_INPUT);
    assert_said(r.err.text, message);
    free_result(&r);
}

static void test_sizes_and_orders(void **state)
{
    (void)state;
    for (size_t size = 4; size <= 8; size += 4) {
        for (int big = 0; big < 2; big++) {
            struct gperf_file f = {.size = size, .big_endian = big};
            put_header(&f, 10000);
            PUT(&f, 3, 2, 0x401000, 0x402000, 7, 1, 0x403000);
            put_end(&f);
            put_text(&f, map_a);
            assert_true(cpu_format.begins(f.bytes.v, f.bytes.n));
            assert_read(&f,
                        "3 30000000 401000@1 401fff@1\n"
                        "7 70000000 403000@1\n",
                        "");
        }
    }
}

static void test_types(void **state)
{
    (void)state;
    struct gperf_file f = {.size = 8};
    struct read_result r;
    put_header(&f, 250);
    PUT(&f, 1, 1, 0x401000);
    put_end(&f);
    put_text(&f, map_a);
    read_file(&f, NULL, &r);
    assert_true(r.ok);
    assert_int_equal(r.p.n_types, 2);
    assert_int_equal(prof_find_type(&r.p, "samples"), 0);
    assert_int_equal(prof_find_type(&r.p, "cpu"), 1);
    assert_string_equal(prof_cstr(&r.p, r.p.types[0].unit), "count");
    assert_string_equal(prof_cstr(&r.p, r.p.types[1].unit), "nanoseconds");
    assert_string_equal(prof_cstr(&r.p, r.p.period_type.type), "cpu");
    assert_string_equal(prof_cstr(&r.p, r.p.period_type.unit), "nanoseconds");
    assert_int_equal(r.p.period, 250000);
    assert_string_equal(prof_cstr(&r.p, r.p.drop_frames),
                        "ProfileData::Add|ProfileData::prof_handler|"
                        "CpuProfiler::prof_handler|__pthread_sighandler|"
                        "__restore");
    assert_string_equal(prof_cstr(&r.p, r.p.keep_frames), "");
    free_result(&r);
}

static void test_longer_header(void **state)
{
    (void)state;
    struct gperf_file f = {.size = 4};
    PUT(&f, 0, 4, 0, 10000, 0, 77, 2, 1, 0x401000);
    put_end(&f);
    put_text(&f, map_a);
    assert_read(&f, "2 20000000 401000@1\n", "");
}

static void test_bad_headers(void **state)
{
    (void)state;
    struct gperf_file f = {.size = 8};
    assert_false(cpu_format.begins((const uint8_t *)"", 0));
    assert_false(cpu_format.begins((const uint8_t *)"heap profile: 1: 2", 18));
    assert_false(cpu_format.begins((const uint8_t[32]){0}, 32));

    PUT(&f, 0, 2, 0, 10000, 0, 0, 1, 0);
    assert_refused(&f, "offset 8: invalid CPU profile header: 2 more words "
                       "(expected 3 to 1024)");
    PUT(&f, 0, 1025, 0, 10000, 0, 0, 1, 0);
    assert_refused(&f, "offset 8: invalid CPU profile header: 1025 more words "
                       "(expected 3 to 1024)");
    PUT(&f, 0, 6, 0, 10000, 0, 0, 1);
    assert_refused(&f, "offset 56: unexpected end of file in the header");
    PUT(&f, 0, 3, 0, 10000);
    assert_refused(&f, "offset 32: unexpected end of file in the header");
    PUT(&f, 0, 3, 2, 10000, 0, 0, 1, 0);
    assert_refused(
        &f, "offset 16: unsupported version 2 (0: native code, 1: Java)");
    put_header(&f, 0);
    put_end(&f);
    assert_refused(&f, "offset 24: invalid sampling period: 0 microseconds");
    put_header(&f, UINT64_C(9223372036854776));
    put_end(&f);
    assert_refused(
        &f,
        "offset 24: invalid sampling period: 9223372036854776 microseconds");
}

static void test_endings(void **state)
{
    (void)state;
    struct gperf_file f = {.size = 8};
    put_header(&f, 10000);
    assert_read(&f, "", no_end);

    put_header(&f, 10000);
    PUT(&f, 1, 1, 0x401000);
    assert_read(&f, "1 10000000 401000@1\n", no_end);

    put_header(&f, 10000);
    PUT(&f, 1, 1, 0x401000);
    put_end(&f);
    assert_read(&f, "1 10000000 401000@1\n", "no map list\n");
}

/* Cut anywhere behind its first byte, a record is gone, and said to be. */
static void test_cut_record(void **state)
{
    (void)state;
    for (size_t left = 1; left < 32; left++) {
        struct gperf_file f = {.size = 8};
        char warnings[256];
        put_header(&f, 10000);
        PUT(&f, 5, 1, 0x401000, 2, 2, 0x402000, 0x403000);
        f.bytes.n -= 32 - left;
        (void)snprintf(warnings, sizeof warnings,
                       "offset %zu: unexpected end of file in a record; its "
                       "%zu bytes are skipped\n%s",
                       64 + left, left, no_end);
        assert_read(&f, "5 50000000 401000@1\n", warnings);
    }
}

static void test_huge_depth(void **state)
{
    (void)state;
    struct gperf_file f = {.size = 4};
    put_header(&f, 10000);
    PUT(&f, 1, UINT64_C(1) << 31, 0x401000);
    assert_refused(
        &f, "offset 24: invalid record: a stack cannot have 2147483648 frames");
    f.size = 8;
    put_header(&f, 10000);
    PUT(&f, 1, UINT64_MAX, 0x401000);
    assert_refused(&f, "offset 48: invalid record: a stack cannot have "
                       "18446744073709551615 frames");
}

static void test_null_addresses(void **state)
{
    (void)state;
    struct gperf_file f = {.size = 8};
    put_header(&f, 10000);
    PUT(&f, 3, 1, 0, 4, 2, 0, 0x401000);
    PUT(&f, 5, 3, 0x402000, 0, 0x401000);
    put_end(&f);
    put_text(&f, map_a);
    assert_read(&f,
                "3 30000000 0@0\n"
                "4 40000000 0@0 400fff@1\n"
                "5 50000000 402000@1 400fff@1\n",
                "1 callers at address 0 skipped\n");
}

/* Only 0, 1, 0 is the end: records of no sample or no frame are records. */
static void test_odd_records(void **state)
{
    (void)state;
    struct gperf_file f = {.size = 8};
    put_header(&f, 10000);
    PUT(&f, 0, 1, 0x401000, 2, 0, 6, 1, 0x402000);
    put_end(&f);
    put_text(&f, map_a);
    assert_read(&f,
                "0 0 401000@1\n"
                "2 20000000\n"
                "6 60000000 402000@1\n",
                "1 records have no stack\n");
}

/* Whatever the header says, and though it says nothing. */
static void test_period_asked(void **state)
{
    (void)state;
    struct import_options opts = {.period = 7};
    static const uint64_t periods[] = {0, 10000, UINT64_MAX};
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
        struct gperf_file f = {.size = 8};
        struct read_result r;
        put_header(&f, periods[i]);
        PUT(&f, 3, 1, 0x401000);
        put_end(&f);
        put_text(&f, map_a);
        read_file(&f, &opts, &r);
        assert_true(r.ok);
        assert_int_equal(r.p.period, 7);
        assert_string_equal(samples_text(&r.p), "3 21 401000@1\n");
        free_result(&r);
    }
}

/* Any leaf of 0 is the end if asked for; what follows is no other part. */
static void test_zero_ends(void **state)
{
    (void)state;
    struct import_options opts = {.zero_ends = true};
    for (size_t i = 0; i < 3; i++) {
        struct gperf_file f = {.size = 8};
        struct read_result r;
        put_header(&f, 10000);
        PUT(&f, 3, 1, 0x401000);
        if (i == 0)
            put_end(&f);
        else if (i == 1)
            PUT(&f, 1, 1, 0);
        else
            PUT(&f, 0, 3, 0, 0x402000, 0x403000);
        put_text(&f, map_a);
        read_file(&f, &opts, &r);
        assert_true(r.ok);
        assert_string_equal(samples_text(&r.p), "3 30000000 401000@1\n");
        assert_said((char *)r.warnings.v, "");
        free_result(&r);
    }
}

static void test_overflow(void **state)
{
    (void)state;
    struct gperf_file f = {.size = 8};
    put_header(&f, 1000000);
    PUT(&f, UINT64_C(9223372036), 1, 0x401000);
    assert_read(&f, "9223372036 9223372036000000000 401000@1\n", no_end);
    put_header(&f, 1000000);
    PUT(&f, UINT64_C(9223372037), 1, 0x401000);
    assert_refused(
        &f,
        "offset 40: 9223372037 samples of 1000000000 ns each overflow 64 bits");
    put_header(&f, 1);
    PUT(&f, UINT64_C(1) << 63, 1, 0x401000);
    assert_refused(&f, "offset 40: 9223372036854775808 samples of 1000 ns each "
                       "overflow 64 bits");
}

static void test_repeated_leaf(void **state)
{
    (void)state;
    struct gperf_file f = {.size = 8};
    put_header(&f, 10000);
    PUT(&f, 1, 3, 0x401000, 0x401000, 0x402000);
    PUT(&f, 2, 3, 0x401000, 0x403000, 0x403000);
    put_end(&f);
    put_text(&f, map_a);
    assert_read(&f,
                "1 10000000 401000@1 401fff@1\n"
                "2 20000000 401000@1 402fff@1 402fff@1\n",
                "");
}

/*
 * Reads n records of four frames.  All have 0x402000 second, but for
 * `others` that have 0x404000, and 0x403000 third.  Gives how many frames
 * there are then.
 */
static size_t frames_left(size_t n, size_t others, bool strip)
{
    struct gperf_file f = {.size = 8};
    struct import_options opts = {.strip_signal_frames = strip};
    struct read_result r;
    put_header(&f, 10000);
    for (size_t i = 0; i < n; i++)
        PUT(&f, 1, 4, 0x401000 + i, i < others ? 0x404000 : 0x402000, 0x403000,
            0x405000 + i % 2);
    read_file(&f, &opts, &r);
    assert_true(r.ok);
    assert_int_equal(r.p.n_samples, n);
    size_t left = r.p.n_frames;
    free_result(&r);
    return left;
}

/* pprof takes a second frame that N - N/32 of N records have, two times. */
static void test_strip_signal_frames(void **state)
{
    (void)state;
    assert_int_equal(frames_left(40, 0, false), 160);
    assert_int_equal(frames_left(40, 0, true), 80);
    /* One of 40 may differ; its second frame stays, so its third does. */
    assert_int_equal(frames_left(40, 1, true), 160 - 39 - 39);
    assert_int_equal(frames_left(40, 2, true), 160);
    assert_int_equal(frames_left(31, 1, true), 124);
    assert_int_equal(frames_left(1, 0, true), 2);
    assert_int_equal(frames_left(0, 0, true), 0);
}

/* A profile of two stacks, by their counts. */
static void put_part(struct gperf_file *f, uint64_t count1, uint64_t count2)
{
    put_header(f, 10000);
    PUT(f, count1, 1, 0x401000, count2, 1, 0x402000);
    put_end(f);
    put_text(f, map_a);
}

static void put_glued(struct gperf_file *f)
{
    put_header(f, 10000);
    PUT(f, 6, 1, 0x401000);
    put_end(f);
    put_text(f, map_a);
    put_part(f, 4, 5);
}

static const char added_up[] = "the file contains 2 profiles, as written by "
                               "forked processes, which are added\n";

static void test_glued(void **state)
{
    (void)state;
    for (size_t size = 4; size <= 8; size += 4) {
        for (int big = 0; big < 2; big++) {
            struct gperf_file f = {.size = size, .big_endian = big};
            put_glued(&f);
            assert_read(&f,
                        "10 100000000 401000@1\n"
                        "5 50000000 402000@1\n",
                        added_up);
        }
    }
}

static void test_glued_four(void **state)
{
    (void)state;
    struct gperf_file f = {.size = 8};
    struct read_result r;
    put_glued(&f);
    put_glued(&f);
    read_file(&f, NULL, &r);
    assert_true(r.ok);
    assert_string_equal(samples_text(&r.p), "20 200000000 401000@1\n"
                                            "10 100000000 402000@1\n");
    assert_string_equal(mappings_text(&r.p), "400000-500000 0 /a\n");
    free_result(&r);
}

/* What a fork copied: all samples of the child are the parent's too. */
static void test_inherited(void **state)
{
    (void)state;
    struct import_options opts = {.no_inherited = true};
    struct gperf_file f = {.size = 8};
    struct read_result r;
    char warnings[512];
    put_part(&f, 4, 5);
    put_part(&f, 4, 6);
    (void)snprintf(warnings, sizeof warnings,
                   "%s1 of them only repeat samples of another profile "
                   "(inherited by a forked child), which are counted twice; "
                   "use --no-inherited to skip them\n",
                   added_up);
    assert_read(&f, "8 80000000 401000@1\n11 110000000 402000@1\n", warnings);

    put_part(&f, 4, 5);
    put_part(&f, 4, 6);
    read_file(&f, &opts, &r);
    assert_true(r.ok);
    assert_string_equal(samples_text(&r.p), "4 40000000 401000@1\n"
                                            "6 60000000 402000@1\n");
    assert_said((char *)r.warnings.v, "");
    free_result(&r);

    /* One sample that the larger has not: it stays. */
    put_part(&f, 4, 9);
    put_part(&f, 5, 1);
    read_file(&f, &opts, &r);
    assert_true(r.ok);
    assert_string_equal(samples_text(&r.p), "9 90000000 401000@1\n"
                                            "10 100000000 402000@1\n");
    free_result(&r);
}

/*
 * A parent that had written its header before the fork, and that its child
 * outran: its rest has no header.
 */
static void test_rest_without_header(void **state)
{
    (void)state;
    for (size_t size = 4; size <= 8; size += 4) {
        for (int big = 0; big < 2; big++) {
            struct gperf_file f = {.size = size, .big_endian = big};
            put_part(&f, 4, 5);
            PUT(&f, 7, 1, 0x402000, 8, 2, 0x403000, 0x402001);
            put_end(&f);
            put_text(&f, map_a);
            assert_read(&f,
                        "4 40000000 401000@1\n"
                        "12 120000000 402000@1\n"
                        "8 80000000 403000@1 402000@1\n",
                        added_up);
        }
    }
}

static void test_first_only(void **state)
{
    (void)state;
    struct gperf_file f = {.size = 8};
    struct import_options opts = {.first_only = true};
    struct read_result r;
    put_glued(&f);
    read_file(&f, &opts, &r);
    assert_true(r.ok);
    assert_string_equal(samples_text(&r.p), "6 60000000 401000@1\n");
    assert_said((char *)r.warnings.v, "");
    free_result(&r);
}

static void test_second_part_bad(void **state)
{
    (void)state;
    struct gperf_file f = {.size = 8};
    put_header(&f, 10000);
    put_end(&f);
    put_text(&f, map_a);
    PUT(&f, 0, 3, 9, 10000, 0);
    assert_refused(
        &f, "offset 119: unsupported version 9 (0: native code, 1: Java)");
}

/* Of a header that the end of the file cuts nothing is known. */
static void test_second_header_cut(void **state)
{
    (void)state;
    for (size_t words = 2; words < 5; words++) {
        char warning[128];
        struct gperf_file f = {.size = 8};
        static const uint64_t header[] = {0, 3, 0, 10000};
        put_header(&f, 10000);
        PUT(&f, 1, 1, 0x401000);
        put_end(&f);
        put_text(&f, map_a);
        for (size_t i = 0; i < words; i++)
            PUT(&f, header[i]);
        (void)snprintf(warning, sizeof warning,
                       "offset 127: %zu bytes skipped from here: neither text "
                       "nor a profile\n",
                       8 * words);
        assert_read(&f, "1 10000000 401000@1\n", warning);
    }
}

static void test_bytes_behind(void **state)
{
    (void)state;
    struct gperf_file f = {.size = 8};
    put_header(&f, 10000);
    PUT(&f, 1, 1, 0x401000);
    put_end(&f);
    put_text(&f, map_a);
    PUT(&f, 7, 1, 0x402000);
    assert_read(
        &f, "1 10000000 401000@1\n",
        "offset 127: 24 bytes skipped from here: neither text nor a profile\n");
}

static void test_binary(void **state)
{
    (void)state;
    struct import_options opts = {.binary = "./prog"};
    struct gperf_file f = {.size = 8};
    struct read_result r;
    put_header(&f, 10000);
    PUT(&f, 1, 1, 0x701000);
    put_end(&f);
    put_text(&f, "600000-601000 r-xp 00000000 00:00 2 /lib/l.so.1\n"
                 "700000-800000 r-xp 00000000 00:00 1 /bin/b\n");
    read_file(&f, &opts, &r);
    assert_true(r.ok);
    assert_string_equal(mappings_text(&r.p), "700000-800000 0 ./prog\n"
                                             "600000-601000 0 /lib/l.so.1\n");
    assert_string_equal(samples_text(&r.p), "1 10000000 701000@1\n");
    free_result(&r);
}

static void test_java(void **state)
{
    (void)state;
    struct gperf_file f = {.size = 4, .big_endian = true};
    struct read_result r;
    PUT(&f, 0, 3, 1, 10000, 0);
    PUT(&f, 2, 3, 0x10, 0x20, 0x30, 1, 2, 0x40, 0x60, 1, 1, 0x50);
    put_end(&f);
    put_text(&f, "  0x10 a.B.c (B.java:42)\n"
                 "0x20 memcpy (/lib/x/libc.so.6)\n"
                 "0x30 generated stub/JIT\r\n"
                 "0x99 not.Used (Used.java:1)\n"
                 "0x60 a.B.c (Other.java:007)\n"
                 "0x40 d.E$1.f (Native Method:-2)");
    read_file(&f, NULL, &r);
    assert_true(r.ok);
    assert_string_equal(samples_text(&r.p), "2 20000000 0@0 0@0 0@0\n"
                                            "1 10000000 0@0 0@0\n"
                                            "1 10000000 50@0\n");
    static const char *const names[][2] = {{"a.B.c", "B.java"},
                                           {"memcpy", "libc.so.6"},
                                           {"STUB", ""},
                                           {"d.E$1.f", "Native Method"},
                                           {"a.B.c", "Other.java"}};
    static const int64_t lines[] = {42, 0, 0, 0, 7};
    for (size_t i = 0; i < 5; i++) {
        const struct prof_location *l = &r.p.locations[i];
        assert_int_equal(l->n_lines, 1);
        const struct prof_line *line = &r.p.lines[l->line_off];
        const struct prof_function *fn = &r.p.functions[line->function];
        assert_string_equal(prof_cstr(&r.p, fn->name), names[i][0]);
        assert_string_equal(prof_cstr(&r.p, fn->filename), names[i][1]);
        assert_int_equal(line->line, lines[i]);
    }
    assert_int_equal(r.p.locations[5].n_lines, 0);
    assert_said((char *)r.warnings.v,
                "1 of 6 frames have no name in the file\nunexpected end of "
                "file in the last line; its name may be truncated\n");
    free_result(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_and_orders),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_longer_header),
        cmocka_unit_test(test_bad_headers),
        cmocka_unit_test(test_endings),
        cmocka_unit_test(test_cut_record),
        cmocka_unit_test(test_huge_depth),
        cmocka_unit_test(test_null_addresses),
        cmocka_unit_test(test_odd_records),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_period_asked),
        cmocka_unit_test(test_zero_ends),
        cmocka_unit_test(test_repeated_leaf),
        cmocka_unit_test(test_strip_signal_frames),
        cmocka_unit_test(test_glued),
        cmocka_unit_test(test_glued_four),
        cmocka_unit_test(test_inherited),
        cmocka_unit_test(test_rest_without_header),
        cmocka_unit_test(test_first_only),
        cmocka_unit_test(test_second_part_bad),
        cmocka_unit_test(test_second_header_cut),
        cmocka_unit_test(test_bytes_behind),
        cmocka_unit_test(test_binary),
        cmocka_unit_test(test_java),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
