/*
 * Units and labels.  The expected texts are what pprof's measurement package
 * gives for the same arguments.
 */
#include <stdio.h>
#include <string.h>

#include "profile/columns.h"
#include "unit.h"

struct label_case {
    int64_t value;
    const char *from, *to, *text;
};

static const struct label_case labels[] = {
    /* auto: the largest unit of which there is at least one */
    {0, "bytes", "auto", "0"},
    {1023, "bytes", "auto", "1023B"},
    {1024, "bytes", "auto", "1kB"},
    {1536, "bytes", "auto", "1.50kB"},
    {1048575, "bytes", "auto", "1024kB"},
    {1048576, "bytes", "auto", "1MB"},
    {5368709120, "bytes", "minimum", "5GB"},
    {1, "tb", "auto", "1TB"},
    {2048, "PB", "auto", "2048PB"},
    {999, "nanoseconds", "auto", "999ns"},
    {1000, "nanoseconds", "auto", "1us"},
    {10000000, "nanoseconds", "auto", "10ms"},
    {1234567890, "nanoseconds", "auto", "1.23s"},
    {3599, "seconds", "auto", "3599s"},
    {3600, "seconds", "auto", "1hrs"},
    {90, "hours", "auto", "90hrs"},
    {1500, "milliGCU", "auto", "1.50GCU"},
    {0, "nanoseconds", "auto", "0"},
    /* negative values scale as positive ones, but for the very least */
    {-1536, "bytes", "auto", "-1.50kB"},
    {-10000000, "nanoseconds", "minimum", "-10ms"},
    {INT64_MIN, "bytes", "auto", "-9223372036854775808B"},
    {INT64_MAX, "bytes", "auto", "8192PB"},
    /* a given unit, in any case, singular or plural */
    {1536, "bytes", "KB", "1.50kB"},
    {1536, "Byte", "kilobytes", "1.50kB"},
    {1, "bytes", "mb", "0"},
    {10486, "bytes", "mb", "0.01MB"},
    {90, "s", "ms", "90000ms"},
    {5400, "secs", "hour", "1.50hrs"},
    {-1, "bytes", "gb", "0"},
    /* a unit of another family gives the base unit */
    {2, "kb", "seconds", "2048B"},
    {1500, "ms", "", "1.50s"},
    {3, "gcu", "bytes", "3GCU"},
    /* units that do not scale */
    {7, "count", "auto", "7"},
    {7, "objects", "count", "7"},
    {7, "objects", "apples", "7apples"},
    {7, "", "", "7"},
    {0, "objects", "apples", "0"},
    {-7, "objects", "apples", "-7apples"},
    {4, "day", "hours", "4hours"},
    /* with its s removed, pprof does not find its own alias */
    {4, "\u03bcs", "ns", "4ns"},
};

static void label_texts(void **state)
{
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        const struct label_case *c = &labels[i];
        char text[MEASURE_TEXT];
        assert_string_equal(
            measure_label(text, sizeof text, c->value, c->from, c->to),
            c->text);
    }
}

static void scaled_values(void **state)
{
    const char *unit;
    assert_true(measure_scale(3, "mb", "kb", &unit) == 3072);
    assert_string_equal(unit, "kB");
    assert_true(measure_scale(-90, "minutes", "auto", &unit) == -90);
    assert_string_equal(unit, "");
    assert_true(measure_scale(90, "widgets", "gadgets", &unit) == 90);
    assert_string_equal(unit, "gadgets");
    assert_true(measure_scale(250, "ms", "s", &unit) == 0.25);
    assert_string_equal(unit, "s");
}

/* "%.2f" of the scaled value, without ".00", and the unit. */
static void has_number(int64_t value, const char *from, const char *to)
{
    char number[64], expected[128], text[128];
    const char *unit;
    double v = measure_scale(value, from, to, &unit);
    int n = snprintf(number, sizeof number, "%.2f", v);
    if (!strcmp(number + n - 3, ".00"))
        number[n - 3] = 0;
    bool zero = !strcmp(number, "0") || !strcmp(number, "-0");
    snprintf(expected, sizeof expected, "%s%s", zero ? "0" : number,
             zero ? "" : unit);
    assert_string_equal(measure_label(text, sizeof text, value, from, to),
                        expected);
}

static void numbers_are_those_of_printf(void **state)
{
    static const char *const units[] = {"b",  "kb", "gb",   "pb",   "ns",
                                        "us", "s",  "hour", "ngcu", "gcu"};
    uint64_t x = 1;
    /* All ties between two hundredths of a kilobyte, and their neighbours. */
    for (int64_t i = 0; i < 4096; i++)
        has_number(i, "b", "kb");
    for (int i = 0; i < 200000; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        int64_t value = (int64_t)x >> (x >> 8 & 63);
        const char *from = units[(x >> 16) % 10], *to = units[(x >> 24) % 10];
        has_number(value, from, to);
    }
}

static void a_label_is_cut_to_its_room(void **state)
{
    char text[5];
    assert_string_equal(measure_label(text, sizeof text, 1536, "b", "kb"),
                        "1.50");
}

struct percent_case {
    int64_t value, total;
    const char *text;
};

static const struct percent_case percents[] = {
    {0, 0, "    0%"},        {5, 0, "    0%"},
    {0, 100, "    0%"},      {1, 1, "  100%"},
    {9995, 10000, "  100%"}, {9994, 10000, "99.94%"},
    {1005, 1000, "100.50%"}, {10005, 10000, "  100%"},
    {1, 100, " 1.00%"},      {12345, 100000, "12.35%"},
    {5, 1000, "  0.5%"},     {123, 100000, " 0.12%"},
    {996, 100000, "    1%"}, {1, 10000000, "1e-05%"},
    {-1, 4, "25.00%"},       {1, -4, "25.00%"},
    {20, 10, "200.00%"},
};

static void percent_texts(void **state)
{
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
        const struct percent_case *c = &percents[i];
        char text[MEASURE_TEXT];
        assert_string_equal(
            measure_percent(text, sizeof text, c->value, c->total), c->text);
    }
}

static void compatible_units(void **state)
{
    assert_true(measure_compatible("bytes", "MB"));
    assert_true(measure_compatible("ns", "hours"));
    assert_true(measure_compatible("gcu", "milligcus"));
    assert_true(measure_compatible("apples", "apples"));
    assert_false(measure_compatible("apples", "Apples"));
    assert_false(measure_compatible("bytes", "ns"));
    assert_false(measure_compatible("bytes", "count"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(label_texts),
        cmocka_unit_test(scaled_values),
        cmocka_unit_test(numbers_are_those_of_printf),
        cmocka_unit_test(a_label_is_cut_to_its_room),
        cmocka_unit_test(percent_texts),
        cmocka_unit_test(compatible_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
