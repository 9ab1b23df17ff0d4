/*
 * dcpicat's text.  Expected values are worked out:
 * events = samples * period * 10000 / fraction, halves away from zero.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "dcpi_try.h"

/* Item 14: one event, and two of which one counted half of the time. */
static void events(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    char types[256];
    try_text(&t, PROG "event 12 cycles:63488:10000\n"
                      "0x000120001004      10\n"
                      "0x000120001008       2\n");
    assert_true(try_run(&t));
    assert_int_equal(t.said.n, 0);
    assert_string_equal(try_types(&t, types), "samples/count cycles/count");
    assert_int_equal(try_value(&t, 0, 0x120001004, "cycles"), 634880);
    assert_int_equal(try_value(&t, 0, 0x120001008, "samples"), 2);
    assert_true(try_comment(&t, "# dcpi:event cycles:63488:10000"));
    /* 1999-01-03 12:00 UTC */
    assert_int_equal(t.p.time_nanos, 915364800 * INT64_C(1000000000));
    try_free(&t);

    try_text(&t, PROG "label run7\n"
                      "event 12 cycles:63488:10000\n"
                      "event 3 imiss:4096:5000\n"
                      "0x000120001004      10       3\n"
                      "\n"
                      "0x000120001008       2       0\n");
    assert_true(try_run(&t));
    assert_int_equal(t.said.n, 0);
    assert_string_equal(
        try_types(&t, types),
        "cycles_samples/count cycles/count imiss_samples/count imiss/count");
    assert_int_equal(t.p.n_samples, 2);
    assert_int_equal(try_value(&t, 0, 0x120001004, "imiss_samples"), 3);
    assert_int_equal(try_value(&t, 0, 0x120001004, "imiss"), 3 * 4096 * 2);
    assert_string_equal(prof_cstr(&t.p, t.p.default_sample_type), "cycles");
    assert_string_equal(prof_cstr(&t.p, t.p.mappings[0].filename),
                        "/usr/users/me/prog");
    const struct prof_label *l = &t.p.labels[t.p.labelset_off[1]];
    assert_int_equal(t.p.labelset_off[2] - t.p.labelset_off[1], 2);
    for (int i = 0; i < 2; i++) {
        bool label = strcmp(prof_cstr(&t.p, l[i].key), "dcpi_label") == 0;
        assert_string_equal(prof_cstr(&t.p, l[i].key),
                            label ? "dcpi_label" : "platform");
        assert_string_equal(prof_cstr(&t.p, l[i].str),
                            label ? "run7" : "hostA");
    }
    assert_true(try_comment(&t, "# dcpi:label run7"));
    try_free(&t);
}

#define SET "retired^!taken^notrap"

/* Item 14: names hold a colon; counters that sum latencies are in cycles. */
static void profileme(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    char types[256];
    try_text(&t, PROG "event 4 " SET ":m1count:65536:2500\n"
                      "event 90 " SET ":m1retdelay:65536:2500\n"
                      "0x120001004 4 90\n");
    assert_true(try_run(&t));
    assert_string_equal(try_types(&t, types), SET
                        ":m1count_samples/count " SET ":m1count/count " SET
                        ":m1retdelay_samples/cycles " SET ":m1retdelay/cycles");
    assert_int_equal(try_value(&t, 0, 0x120001004, SET ":m1count"),
                     4 * 65536 * 4);
    assert_int_equal(try_value(&t, 0, 0x120001004, SET ":m1retdelay"),
                     90 * 65536 * 4);
    assert_string_equal(prof_cstr(&t.p, t.p.default_sample_type),
                        SET ":m1count");
    try_free(&t);

    static const struct {
        const char *counter, *unit;
    } table[] = {
        {"m0count", "count"},    {"m0inflight", "cycles"},
        {"m0retires", "count"},  {"m1inflight", "cycles"},
        {"m2bcmisses", "count"}, {"m3inflight", "cycles"},
        {"m3replays", "count"},  {"m2retires", "count"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char line[128];
        (void)snprintf(line, sizeof line, "event 0 trap:%s:1:10000\n",
                       table[i].counter);
        try_text(&t, PROG);
        try_text(&t, line);
        assert_true(try_run(&t));
        assert_string_equal(prof_cstr(&t.p, t.p.types[1].unit), table[i].unit);
        try_free(&t);
    }
}

/* Item 14: nothing to scale by. */
static void fraction_zero(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    char types[256];
    try_text(&t, PROG "event 5 dmiss:4096:0\n0x120000000 5\n");
    assert_true(try_run(&t));
    assert_true(try_said(&t, "line 8: fraction of event 'dmiss' is 0"));
    assert_string_equal(try_types(&t, types), "samples/count");
    assert_int_equal(try_value(&t, 0, 0x120000000, "samples"), 5);
    try_free(&t);
}

/* Item 18: exact, or known not to fit. */
static void rounding(void **state)
{
    (void)state;
    static const struct {
        int64_t n, period, fraction;
        int64_t want; /* -1: too large */
    } table[] = {
        {1, 1, 3, 3333},
        {1, 1, 6, 1667},
        {1, 1, 4000, 3}, /* 2.5 */
        {3, 1, 4000, 8}, /* 7.5 */
        {2, 1, 7000, 3}, /* 2.86 */
        {INT64_MAX, 1, 10000, INT64_MAX},
        {1, INT64_MAX / 10000, 10000, INT64_MAX / 10000},
        {INT64_MAX, 1, 9999, -1},
        {INT64_MAX, INT64_MAX / 10000, 10000, -1},
        {INT64_MAX / 2 + 1, 2, 10000, -1}, /* 2^63 */
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dcpi_try t = {0};
        assert_true(
            buf_printf(&t.in,
                       PROG "event %lld a:%lld:%lld\n"
                            "0x120000000 %lld\n",
                       (long long)table[i].n, (long long)table[i].period,
                       (long long)table[i].fraction, (long long)table[i].n));
        if (table[i].want >= 0) {
            assert_true(try_run(&t));
            assert_int_equal(try_value(&t, 0, 0x120000000, "a"), table[i].want);
        } else {
            assert_false(try_run(&t));
            assert_true(try_failed(&t, "scale to more than 64 bits hold"));
        }
        try_free(&t);
    }
}

/* Item 15, and what else a line can have wrong. */
static void bad_lines(void **state)
{
    (void)state;
    static const struct {
        const char *input, *text;
    } table[] = {
        {PROG "event 1 cycles:1:10000\n0x120000000 1 2\n",
         "line 9: 2 counts for 1 events"},
        {PROG "event 1 a:1:10000\nevent 1 b:1:1\n0x120000000 1\n",
         "line 10: 1 counts for 2 events"},
        {PROG "event 1 a:1:10000\n0x120000000\n",
         "line 9: 0 counts for 1 events"},
        {PROG "event 1 a:1:10000\n0x120000000 -1\n",
         "line 9: invalid count '-1'"},
        {PROG "event 1 a:1:10000\n0x120000000 9223372036854775808\n",
         "line 9: 9223372036854775808 samples of a"},
        {PROG "event 1 a:3:10000\n0x120000000 4611686018427387904\n",
         "line 9: 4611686018427387904 samples of a"},
        {PROG "event 1 a:1:10000\n0x120000000 1\nEOF reached\n",
         "line 10: expected a PC with counts, or a header line"},
        {PROG "0x120000000 1\n", "the header has no event line"},
        {"0x120000000 1\n", "line 1: counts before any header"},
        {PROG "event 1 a:1\n", "line 8: invalid event '1 a:1': expected TOTAL"},
        {PROG "event a:1:1\n", "line 8: invalid event 'a:1:1': expected TOTAL"},
        {PROG "event 1 :1:1\n",
         "line 8: invalid event '1 :1:1': expected TOTAL"},
        {PROG "event 1 a:1:10001\n", "with a fraction up to 10000"},
        {PROG "event 1 a:99999999999999999999:1\n",
         "expected TOTAL NAME:PERIOD:FRACTION"},
        {PROG "text_start 0x0\n",
         "line 8: duplicate 'text_start' line (first in line 6)"},
        {PROG "event 1 samples:1:10000\n",
         "two events have the same value name 'samples'"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dcpi_try t = {0};
        try_text(&t, table[i].input);
        assert_false(try_run(&t));
        assert_true(try_failed(&t, table[i].text));
        try_free(&t);
    }
}

/* A column of a name that is there is told of once, however many are. */
static void same_events(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    try_text(&t, PROG "event 1 a:1:1\nevent 1 a:1:1\nevent 1 a:1:1\n"
                      "0x120000000 1 1 1\n");
    assert_true(try_run(&t));
    assert_true(buf_putc(&t.said, 0));
    assert_string_equal(
        (char *)t.said.v,
        "warn: line 9: event 'a' occurs twice; its columns are added\nwarn: "
        "line 10: event 'a' occurs twice; its columns are added\n");
    try_free(&t);
}

/* Odd, but read: a warning each, errors under strict. */
static void odd_lines(void **state)
{
    (void)state;
    static const struct {
        const char *input, *text;
    } table[] = {
        {PROG "event 4 a:1:10000\n0x120000000 3\n",
         "event 'a' has 4 samples in the header, but its column adds up to 3"},
        {PROG "event 3 a:1:10000\n0x120000004 1\n0x120000000 2\n",
         "line 10: PC 0x120000000 is not above that of line 9"},
        {PROG "event 3 a:1:10000\n0x120000004 1\n0x120000004 2\n",
         "line 10: PC 0x120000004 is not above that of line 9"},
        {PROG "event 3 a:1:10000\n0x120010000 3\n",
         "1 counts are at PCs outside the text of the image"},
        {PROG "event 3 a:1:10000\n0x11ffffffc 3\n",
         "1 counts are at PCs outside the text of the image"},
        {PROG "event 1 a:1:10000\nevent 2 a:1:10000\n0x120000000 1 2\n",
         "line 9: event 'a' occurs twice; its columns are added"},
        {"name prog\nevent 3 a:1:10000\n0x120000000 3\n",
         "the header has no text_start line"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dcpi_try t = {0};
        try_text(&t, table[i].input);
        assert_true(try_run(&t));
        assert_true(try_said(&t, table[i].text));
        int64_t sum = 0;
        for (size_t s = 0; s < t.p.n_samples; s++) {
            uint64_t pc = t.p.locations[prof_stack(&t.p, s)[0]].address;
            assert_true(pc >= t.p.mappings[0].start);
            assert_true(pc < t.p.mappings[0].limit);
            sum += t.p.values[s * t.p.n_types];
        }
        assert_int_equal(sum, 3);
        try_free(&t);
        t.strict = true;
        try_text(&t, table[i].input);
        assert_false(try_run(&t));
        if (i != 6)
            assert_true(try_failed(&t, table[i].text));
        try_free(&t);
    }
}

static void header_only(void **state)
{
    (void)state;
    struct dcpi_try t = {.opts = {.header_only = true}};
    try_text(&t, "name prog\nevent 1 a:1:1\n0x10 1\nname prog\n");
    assert_true(try_run(&t));
    assert_int_equal(t.p.n_comments, 3);
    assert_string_equal(prof_cstr(&t.p, t.p.comments[1]),
                        "# dcpi:event 1 a:1:1");
    assert_string_equal(prof_cstr(&t.p, t.p.comments[2]), "# dcpi:name prog");
    try_free(&t);
}

/* A header that would make a table of billions of values. */
static void too_many_events(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    char line[64];
    for (int i = 0; i < 257; i++) {
        (void)snprintf(line, sizeof line, "name n%d\nevent 0 e%d:1:1\n", i, i);
        try_text(&t, line);
    }
    assert_false(try_run(&t));
    assert_true(try_failed(&t, "too many events for one profile: 257; select"));
    try_free(&t);
    try_text(&t, "name n\n");
    for (int i = 0; i < 1001; i++) {
        (void)snprintf(line, sizeof line, "event 0 e%d:1:1\n", i);
        try_text(&t, line);
    }
    assert_false(try_run(&t));
    assert_true(try_failed(&t, "line 1002: more than 1000 events"));
    try_free(&t);
}

/* Files of other programs are called by their names. */
static void other_kinds(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    try_text(&t, "gmon\1");
    assert_false(try_run(&t));
    assert_true(try_failed(
        &t, "not a DCPI profile: this is a gmon.out file; use gmon2pb"));
    try_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events),          cmocka_unit_test(profileme),
        cmocka_unit_test(fraction_zero),   cmocka_unit_test(rounding),
        cmocka_unit_test(bad_lines),       cmocka_unit_test(same_events),
        cmocka_unit_test(odd_lines),       cmocka_unit_test(header_only),
        cmocka_unit_test(too_many_events), cmocka_unit_test(other_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
