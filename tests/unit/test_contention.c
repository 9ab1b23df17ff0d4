/*
 * Contention and mutex profiles of C++ and Go.
 */
#include <string.h>

#include "said.h"
#include "text_file.h"
#include "unit.h"

static const char server[] = "--- contentionz 1 ---\n"
                             "cycles/second = 2000000000\n"
                             "sampling period = 100\n"
                             "ms since reset = 16502830\n"
                             "discarded samples = 0\n"
                             "  4000       2 @ 0x401000 0x402000\n"
                             "   768       1 @ 0x401000\n"
                             "--- Memory map: ---\n"
                             "  00400000-00500000: /bin/server\n";

static const char no_cycles[] = "no cycles/second line: delays are not "
                                "converted and may not be in nanoseconds\n";

static void test_server(void **state)
{
    struct read_result r;
    read_text(NULL, server, NULL, &r);
    assert_true(r.ok);
    /* 4000 cycles of half a nanosecond, each one of 100. */
    assert_string_equal(values_text(&r.p),
                        "200 200000 @ 400fff 401fff\n100 38400 @ 400fff\n");
    assert_string_equal(types_text(&r.p), "contentions/count delay/nanoseconds "
                                          "every 100 contentions/count");
    assert_int_equal(r.p.duration_nanos, INT64_C(16502830000000));
    assert_string_equal(mappings_text(&r.p), "400000-500000 0 /bin/server\n");
    assert_said((char *)r.warnings.v, "");
    const char *drop = prof_cstr(&r.p, r.p.drop_frames);
    assert_non_null(strstr(drop, "RecordLockProfileData|"));
    assert_string_equal(prof_cstr(&r.p, r.p.keep_frames), "");
    free_result(&r);
}

static void test_go(void **state)
{
    struct read_result r;
    read_text(NULL,
              "--- mutex:\n"
              "cycles/second=2300017126\n"
              "sampling period=5\n"
              "414124850 159 @ 0x4b419f 0x4b4186\n"
              "#\t0x4b419e\tsync.(*Mutex).Unlock+0xbe\tmutex.go:223\n"
              "\n",
              NULL, &r);
    /* 414124850 * 5 / 2.300017126 = 900264709.6 */
    assert_string_equal(values_text(&r.p), "795 900264709 @ 4b419e 4b4185\n");
    assert_string_equal(types_text(&r.p), "contentions/count delay/nanoseconds "
                                          "every 5 contentions/count");
    assert_int_equal(r.p.duration_nanos, 0);
    assert_said((char *)r.warnings.v, "");
    free_result(&r);
    assert_samples("--- contention:\ncycles/second=1000000000\n7 3 @ 0x10\n",
                   "3 7 @ f\n");
}

static void test_warnings(void **state)
{
    assert_warned("--- mutex:\nsampling period=100\n4000 2 @ 0x10\n", NULL,
                  "200 4000 @ f\n", no_cycles);
    assert_warned("--- mutex:\ncycles/second=0\n4000 2 @ 0x10\n", NULL,
                  "2 4000 @ f\n", no_cycles);
    assert_warned("--- mutex:\ncycles/second=2000000000\nsampling period=0\n"
                  "4000 2 @ 0x10\n",
                  NULL, "2 2000 @ f\n", "sampling period 0 is read as 1\n");
    assert_warned("--- mutex:\ncycles/second=1000000000\ncolour = blue\n"
                  "discarded samples = 12\n7 3 @ 0x10 0x0 0x20\n",
                  NULL, "3 7 @ f 1f\n",
                  "line 3: 'colour = blue' skipped: unknown attribute\nline 4: "
                  "the program "
                  "discarded 12 samples\n1 caller at address 0 skipped\n");
    assert_warned("--- contentionz 1 ---\ncycles/second=1000000000\n"
                  "7 3 @ 0x10",
                  NULL, "3 7 @ f\n",
                  "line 3: unexpected end of file; the last address may be "
                  "truncated\nno list of mappings\n");
    assert_warned(
        "--- contentionz 1 ---\ncycles/second=1000000000\n"
        "7 3 @ 0x10\n12",
        NULL, "3 7 @ f\n",
        "line 4: unexpected end of file; line skipped\nno list of mappings\n");
    assert_warned(
        "--- contentionz 1 ---\ncycles/second=1000000000\n"
        "sampling period = 10",
        NULL, "",
        "line 3: unexpected end of file; line skipped\nno list of mappings\n");
    assert_warned(
        "--- mutex:\ncycles/second=1000000000\n7 3 @ 0x10\n"
        "#\t0xf\tmain.f+0x1\ta.go:1",
        NULL, "3 7 @ f\n",
        "line 4: unexpected end of file in a comment; names or labels "
        "may be truncated or missing\n");
}

/* As google-pprof's first versions had it: one number, no count. */
static void test_oldest(void **state)
{
    assert_warned(
        "--- Stacks:\n"
        "  4000 @ 0x20 0x10\n"
        "slow release thread 17  @ 0x10\n"
        "  7 @ 0x30\n"
        "MAPPED_LIBRARIES:\n"
        "8-18 /bin/a\n10-40 /lib/b.so\n",
        NULL, "1 4000 @ 1f f\n1 7 @ 2f\n",
        "no cycles/second line: delays are not converted and may not be in "
        "nanoseconds\n1 line of slow releases skipped: no delay in it\n");
}

static void test_errors(void **state)
{
    assert_wrong("contention", "",
                 "not a contention profile: no header in line 1");
    assert_wrong("contention", "heap profile: 1: 2 [3: 4] @ heap\n",
                 "line 1: 'heap profile: 1: 2 [3: 4] @ heap' is not a "
                 "contention profile header");
    assert_wrong(NULL, "--- mutex:\ncycles/second=fast\n",
                 "line 2: 'cycles/second=fast' has an invalid number");
    assert_wrong(NULL, "--- mutex:\nsampling period=-1\n",
                 "line 2: 'sampling period=-1' has an invalid number");
    assert_wrong(NULL, "--- mutex:\nms since reset=9223372036855\n",
                 "line 2: 'ms since reset=9223372036855' exceeds 64 bits in "
                 "nanoseconds");
    assert_wrong(
        "contention", "--- contentionz 1 ---\nformat = java\n",
        "line 2: 'format = java' belongs to a Java profile; use --type=java");
    assert_wrong(NULL, "--- mutex:\n\n4000 2 0x10\n",
                 "line 3: '4000 2 0x10' is not a contention profile sample");
    assert_wrong(NULL, "--- mutex:\n40002 @ 0x10\n",
                 "line 2: '40002 @ 0x10' is not a contention profile sample");
    assert_wrong(NULL, "--- mutex:\n4000 -2 @ 0x10\n",
                 "line 2: '4000 -2 @ 0x10' is not a contention profile sample");
    assert_wrong(
        NULL, "--- mutex:\n1 1 @ 0x10\nsampling period = 5\n",
        "line 3: 'sampling period = 5' is not a contention profile sample");
    assert_wrong(NULL, "--- mutex:\n4000 2 @ 10\n",
                 "line 2: invalid address '10': expected 0x and a hexadecimal "
                 "number of 64 bits");
    /* 2^62 by 2; 10^18 cycles of a second each. */
    assert_wrong(NULL,
                 "--- mutex:\nsampling period=2\n0 4611686018427387904 @ 0x1\n",
                 "line 3: '0 4611686018427387904 @ 0x1' exceeds 64 bits when "
                 "scaled by period and cycles");
    assert_wrong(NULL,
                 "--- mutex:\ncycles/second=1\n1000000000000000000 1 @ 0x1\n",
                 "line 3: '1000000000000000000 1 @ 0x1' exceeds 64 bits when "
                 "scaled by period and cycles");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_server),   cmocka_unit_test(test_go),
        cmocka_unit_test(test_warnings), cmocka_unit_test(test_oldest),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
