/* Times and durations.  The expected texts are what Go's time package gives. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/out.h"
#include "unit.h"

static void holds(struct buf *b, const char *expected)
{
    assert_true(buf_putc(b, 0));
    assert_string_equal((char *)b->v, expected);
    b->n = 0;
}

static void test_duration(void **state)
{
    static const struct {
        int64_t nanos;
        const char *whole, *four;
    } cases[] = {
        {1, "1ns", "1ns"},
        {999, "999ns", "999n"},
        {1000, "1\xc2\xb5s", "1\xc2\xb5s"},
        {1500, "1.5\xc2\xb5s", "1.5\xc2\xb5"},
        {1234567, "1.234567ms", "1.23"},
        {999999, "999.999\xc2\xb5s", "999."},
        {1000000, "1ms", "1ms"},
        {12345678, "12.345678ms", "12.3"},
        {999999999, "999.999999ms", "999."},
        {1000000000, "1s", "1s"},
        {1500000000, "1.5s", "1.5s"},
        {59999999999, "59.999999999s", "59.9"},
        {60000000000, "1m0s", "1m0s"},
        {61500000000, "1m1.5s", "1m1."},
        {3600000000000, "1h0m0s", "1h0m"},
        {3661000000001, "1h1m1.000000001s", "1h1m"},
        {-1500, "-1.5\xc2\xb5s", "-1.5"},
        {-90000000000, "-1m30s", "-1m3"},
        {INT64_MAX, "2562047h47m16.854775807s", "2562"},
        {INT64_MIN, "-2562047h47m16.854775808s", "-256"},
    };
    struct buf b = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(report_put_duration(&b, cases[i].nanos, 100));
        holds(&b, cases[i].whole);
        assert_true(report_put_duration(&b, cases[i].nanos, 4));
        holds(&b, cases[i].four);
    }
    buf_free(&b);
}

static void test_time(void **state)
{
    static const struct {
        int64_t nanos;
        const char *brief, *exact;
    } cases[] = {
        {1700000000123456000, "2023-11-14 22:13:20 UTC",
         "2023-11-14 22:13:20.123456 +0000 UTC"},
        {1, "1970-01-01 00:00:00 UTC",
         "1970-01-01 00:00:00.000000001 +0000 UTC"},
        {-1, "1969-12-31 23:59:59 UTC",
         "1969-12-31 23:59:59.999999999 +0000 UTC"},
        {-1500000000, "1969-12-31 23:59:58 UTC",
         "1969-12-31 23:59:58.5 +0000 UTC"},
        {1700000000000000000, "2023-11-14 22:13:20 UTC",
         "2023-11-14 22:13:20 +0000 UTC"},
        {INT64_MAX, "2262-04-11 23:47:16 UTC",
         "2262-04-11 23:47:16.854775807 +0000 UTC"},
        {INT64_MIN, "1677-09-21 00:12:43 UTC",
         "1677-09-21 00:12:43.145224192 +0000 UTC"},
    };
    assert_int_equal(setenv("TZ", "UTC", 1), 0);
    tzset();
    struct buf b = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(report_put_time(&b, cases[i].nanos, false));
        holds(&b, cases[i].brief);
        assert_true(report_put_time(&b, cases[i].nanos, true));
        holds(&b, cases[i].exact);
    }
    buf_free(&b);
}

static void test_right(void **state)
{
    struct buf b = {0};
    assert_true(report_put_right(&b, "1.5\xc2\xb5s", 6, 8));
    holds(&b, "   1.5\xc2\xb5s");
    assert_true(report_put_right(&b, "longer", 6, 3));
    holds(&b, "longer");
    buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_duration),
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
