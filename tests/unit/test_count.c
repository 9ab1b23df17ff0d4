/*
 * Count profiles of Go.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "text_file.h"

static const char two[] = "threadcreate profile: total 3\n"
                          "1 @ 0x44cb3 0x45045\n"
                          "2 @ 0x44cb3\n";

static void test_samples(void **state)
{
    (void)state;
    struct read_result r;
    read_text(NULL, two, NULL, &r);
    assert_true(r.ok);
    assert_string_equal(values_text(&r.p), "1 @ 44cb2 45044\n2 @ 44cb2\n");
    assert_string_equal(types_text(&r.p),
                        "threadcreate/count every 1 threadcreate/count");
    /* Go lists no mappings, pprof makes this one up. */
    assert_string_equal(mappings_text(&r.p), "0-ffffffffffffffff 0 \n");
    assert_string_equal(r.warnings.v, (uint8_t *)"");
    assert_string_equal(prof_cstr(&r.p, r.p.drop_frames),
                        "ProfileData::Add|ProfileData::prof_handler|"
                        "CpuProfiler::prof_handler|__pthread_sighandler|"
                        "__restore");
    free_result(&r);
}

static void test_lines(void **state)
{
    (void)state;
    assert_samples("# one\n\nmy/own.profile profile: total 3\r\n"
                   "\r\n1 @ 0x10\r\n#\t0xf\tmain.f+0x1\ta.go:3\r\n"
                   "2\t@  0x20\r\n",
                   "1 @ f\n2 @ 1f\n");
    /* A section ends the samples, mappings may follow. */
    struct read_result r;
    read_text(NULL,
              "x profile: total 1\n1 @ 0x10\n--- something ---\n2 @ 0x20\n"
              "--- Memory map: ---\n8-18 /bin/a\n",
              NULL, &r);
    assert_string_equal(values_text(&r.p), "1 @ f\n");
    assert_string_equal(mappings_text(&r.p), "8-18 0 /bin/a\n");
    assert_string_equal(r.warnings.v,
                        (uint8_t *)"line 3: from here 2 lines are neither "
                                   "samples nor mappings, and are left out\n");
    free_result(&r);
    read_text(NULL, "x profile: total 1\n1 @ 0x10\n3", NULL, &r);
    assert_string_equal(values_text(&r.p), "1 @ f\n");
    assert_string_equal(r.warnings.v,
                        (uint8_t *)"line 3: the file ends inside of this "
                                   "line, which is left out\n");
    free_result(&r);
}

static void test_errors(void **state)
{
    (void)state;
    assert_wrong("count", "", "line 1: no header of a count profile");
    assert_wrong("count", "goroutine profile: total x\n1 @ 0x10\n",
                 "line 1: 'goroutine profile: total x' is no header of a "
                 "count profile");
    assert_wrong(NULL, "x profile: total 1\n-1 @ 0x10\n",
                 "line 2: '-1 @ 0x10' is no sample of a count profile");
    assert_wrong(NULL, "x profile: total 1\n\n1 0x10\n",
                 "line 3: '1 0x10' is no sample of a count profile");
    assert_wrong(NULL, "x profile: total 1\n9223372036854775808 @ 0x10\n",
                 "line 2: '9223372036854775808 @ 0x10' is no sample of a "
                 "count profile");
    assert_wrong(NULL, "x profile: total 1\n1 @ 10\n",
                 "line 2: '1 @ 10' has words for addresses");
}

static void test_broken(void **state)
{
    (void)state;
    assert_prefixes("count", two);
    assert_mutations("count", two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
