/*
 * Several gmon.out files in one, of each family: refused where the second one
 * begins, for what comes behind would be taken for arcs, or for nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gmon_try.h"
#include "said.h"

static const uint16_t four[] = {0, 2, 0, 1};

/* A histogram from `low` on and two arcs, in form i from 0 to 3. */
static void make(struct gmon_file *f, enum gmon_family family, int i,
                 uint64_t low)
{
    unsigned a = i & 1 ? 4 : 8;
    bool big = i & 2;
    uint64_t high = low + 16;
    switch (family) {
    case GMON_GNU:
        make_gnu(f, a, big, 1);
        make_hist(f, low, high, 100, "seconds", four, 4);
        make_arc(f, low, low + 8, 7);
        make_arc(f, low + 8, low, 1);
        return;
    case GMON_LD_PROFILE:
        make_ld_profile(f, a, big, low, high, 100, four, 4);
        make_ld_table(f, 2);
        make_ld_arc(f, 1, 8, 7);
        make_ld_arc(f, 8, 4, 1);
        make_uint(f, 0, 8); /* the rest of the table */
        return;
    case GMON_DARWIN:
        make_darwin(f, a, big);
        make_hist_chunk(f, low, high, 100, four, 4);
        make_chunk(f, 2, 2 * 3 * a);
        break;
    case GMON_BSD44:
        make_bsd44(f, a, big, low, high, 100, four, 4);
        break;
    default:
        make_old_bsd(f, a, big, false, low, high, four, 4);
    }
    make_bsd44_arc(f, low, low + 8, 7);
    make_bsd44_arc(f, low + 8, low, 1);
}

/* A file and another, that of a program at `low`. */
static void expect_first(enum gmon_family family, int i, uint64_t low)
{
    char text[256];
    struct gmon_file one, two;
    struct gmon g;
    struct said said;
    struct gmon_opts opts = {.family = family};
    make(&one, family, i, 0x8000);
    gmon_read_good(&g, &one, &opts, &said);
    assert_int_equal(g.arcs.n, 2);
    gmon_free(&g);
    (void)snprintf(
        text, sizeof text,
        "offset %zu: another gmon.out begins here; pass them as separate files",
        one.bytes.n);
    make(&two, family, i, low);
    assert_true(buf_put(&one.bytes, two.bytes.v, two.bytes.n));
    gmon_read_bad(one.bytes.v, one.bytes.n, &opts, text);
    opts.lenient = true;
    gmon_read_good(&g, &one, &opts, &said);
    assert_int_equal(g.hists.n, 1);
    assert_int_equal(g.arcs.n, 2);
    assert_says(said.text, text);
    gmon_free(&g);
    make_free(&one);
    make_free(&two);
}

static void test_two_in_one(void **state)
{
    static const enum gmon_family families[] = {
        GMON_GNU, GMON_LD_PROFILE, GMON_DARWIN, GMON_BSD44, GMON_OLD_BSD};
    (void)state;
    for (size_t k = 0; k < sizeof families / sizeof *families; k++)
        for (int i = 0; i < 4; i++)
            expect_first(families[k], i, 0x8000);
}

/* Old BSD's have nothing by which the other one could be told. */
static void test_of_two_programs(void **state)
{
    static const enum gmon_family families[] = {GMON_GNU, GMON_LD_PROFILE,
                                                GMON_DARWIN, GMON_BSD44};
    (void)state;
    for (size_t k = 0; k < sizeof families / sizeof *families; k++)
        for (int i = 0; i < 4; i++)
            expect_first(families[k], i, 0x400000);
}

/* A header of 4.4BSD that makes no sense is an arc, be it an odd one. */
static void test_no_header(void **state)
{
    struct gmon_file f;
    struct gmon g;
    struct said said;
    (void)state;
    make_bsd44(&f, 8, false, 0x8000, 0x8010, 100, four, 4);
    make_bsd44_arc(&f, 0x8008, 0x8000, 0x51879ULL << 32 | 100000);
    make_bsd44_arc(&f, 0x8000, 0x8008, 0x51879ULL << 32 | 39);
    gmon_read_good(&g, &f, &(struct gmon_opts){.count_bits = 64}, &said);
    assert_int_equal(g.arcs.n, 2);
    gmon_free(&g);
    make_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_in_one),
        cmocka_unit_test(test_of_two_programs),
        cmocka_unit_test(test_no_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
