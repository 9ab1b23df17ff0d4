/*
 * Files of the formats besides GNU and 4.4BSD added up and as profiles, and
 * amounts that are no time.
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

static void make_library(struct gmon_file *f, uint64_t high)
{
    make_ld_profile(f, 8, false, 0x1000, high, 100, four, 4);
    make_ld_table(f, 2);
    make_ld_arc(f, 0, 0x8, 21);
    make_ld_arc(f, 0xb, 0x4, 20);
}

static void assert_mapping(const struct profile *p, size_t i, uint64_t start,
                           uint64_t limit, const char *path)
{
    assert_true(i < p->n_mappings);
    assert_int_equal(p->mappings[i].start, start);
    assert_int_equal(p->mappings[i].limit, limit);
    assert_int_equal(p->mappings[i].offset, 0);
    assert_string_equal(prof_cstr(p, p->mappings[i].filename), path);
}

static void test_library(void **state)
{
    struct gmon_file f;
    struct gmon sum = {0};
    struct profile p;
    struct said said;
    (void)state;
    for (int i = 0; i < 2; i++) {
        make_library(&f, 0x1010);
        gmon_sum_add(&sum, &f, &defaults, "a.profile");
    }
    gmon_sum_convert(&sum, &p, &said);
    gmon_assert_types(&p,
                      "samples/count cpu/nanoseconds calls/count default cpu "
                      "period 10000000 cpu/nanoseconds");
    gmon_assert_samples(&p, "1007: 4 40000000 0\n"
                            "100f: 2 20000000 0\n"
                            "1004<100b: 0 0 40\n"
                            "1008: 0 0 42\n");
    /* The code begins there, the library at 0. */
    assert_int_equal(p.n_mappings, 1);
    assert_mapping(&p, 0, 0, 0x1010, "");
    assert_int_equal(p.n_comments, 3);
    assert_string_equal(prof_cstr(&p, p.comments[0]),
                        "# gmon.out: LD_PROFILE format, 64-bit");
    assert_string_equal(prof_cstr(&p, p.comments[2]),
                        "# contains only this shared library");
    assert_said(said.text, "");
    prof_free(&p);
}

static void test_calls_from_outside_alone(void **state)
{
    struct gmon_file f;
    struct gmon sum = {0};
    struct profile p;
    struct said said;
    (void)state;
    make_ld_profile(&f, 4, true, 0x1000, 0x1000, 100, NULL, 0);
    make_ld_table(&f, 0);
    gmon_sum_add(&sum, &f, &defaults, "a.profile");
    make_ld_profile(&f, 4, true, 0x1000, 0x1000, 100, NULL, 0);
    make_ld_table(&f, 1);
    make_ld_arc(&f, 0, 0, 7);
    struct gmon g;
    struct prof_err err;
    /* Nothing can be in a library of no bytes. */
    assert_false(
        gmon_read(&g, &(struct import_input){.data = f.bytes.v, .n = f.bytes.n},
                  &defaults, &err));
    gmon_free(&g);
    make_free(&f);
    gmon_free(&sum);

    make_ld_profile(&f, 4, true, 0x1000, 0x1010, 100, four, 0);
    make_ld_table(&f, 1);
    make_ld_arc(&f, 0, 0, 7);
    gmon_sum_add(&sum, &f, &defaults, "a.profile");
    gmon_sum_convert(&sum, &p, &said);
    gmon_assert_samples(&p, "1000: 0 0 7\n");
    prof_free(&p);
}

static void test_libraries_that_differ(void **state)
{
    struct gmon_file f;
    struct gmon sum = {0};
    (void)state;
    make_library(&f, 0x1010);
    gmon_sum_add(&sum, &f, &defaults, "first.profile");
    make_library(&f, 0x1020);
    gmon_sum_add_fails(&sum, &f, &defaults,
                       "profile of a library at 0x1000-0x1020, but "
                       "first.profile is of one at 0x1000-0x1010");
    make_gnu(&f, 8, false, 1);
    make_hist(&f, 0x1000, 0x1010, 100, "seconds", four, 4);
    gmon_sum_add_fails(&sum, &f, &defaults,
                       "a program, but first.profile is of a shared library");
    gmon_free(&sum);
    make_gnu(&f, 8, false, 1);
    make_hist(&f, 0x1000, 0x1010, 100, "seconds", four, 4);
    gmon_sum_add(&sum, &f, &defaults, "gmon.out");
    make_library(&f, 0x1010);
    gmon_sum_add_fails(&sum, &f, &defaults,
                       "a shared library, but gmon.out is of a program");
    assert_int_equal(sum.entries.n, 0);
    gmon_free(&sum);
}

/* A program at 0x1000, a library at `library`, and one of no samples. */
static void make_images(struct gmon_file *f, uint64_t library)
{
    make_darwin(f, 4, true);
    make_hist_chunk(f, 0x1000, 0x1010, 100, four, 4);
    make_hist_chunk(f, library + 0x100, library + 0x110, 100, four, 4);
    make_chunk(f, 2, 12);
    make_bsd44_arc(f, 0x1000, library + 0x104, 7);
    make_chunk(f, 5, 4 + 3 * 4 + 5 + 4 + 9);
    make_uint(f, 3, 4);
    make_image(f, 0x1000, "/bin");
    make_image(f, 0xfff00000, "/dy");
    make_image(f, library, "/usr/lib");
}

static void test_images(void **state)
{
    struct gmon_file f;
    struct gmon sum = {0};
    struct profile p;
    struct said said;
    (void)state;
    for (int i = 0; i < 2; i++) {
        make_images(&f, 0x8000);
        gmon_sum_add(&sum, &f, &defaults, "first");
    }
    make_images(&f, 0x9000);
    gmon_sum_add_fails(&sum, &f, &defaults,
                       "images differ from those of first in name or address, "
                       "so that addresses mean other functions");
    gmon_sum_convert(&sum, &p, &said);
    gmon_assert_samples(&p, "1007: 4 40000000 0\n100f: 2 20000000 0\n"
                            "8107: 4 40000000 0\n810f: 2 20000000 0\n"
                            "8104<1000: 0 0 14\n");
    assert_mapping(&p, 0, 0x1000, 0x8000, "/bin");
    assert_mapping(&p, 1, 0x8000, 0xfff00000, "/usr/lib");
    for (size_t i = 0; i < p.n_locations; i++)
        assert_int_equal(p.locations[i].mapping,
                         p.locations[i].address >= 0x8000);
    assert_int_equal(p.n_comments, 2);
    assert_said(said.text, "");
    prof_free(&p);
}

/* An address before all images is in none; the program need not be least. */
static void test_images_elsewhere(void **state)
{
    struct gmon_file f;
    struct gmon sum = {0};
    struct profile p;
    struct said said;
    (void)state;
    make_darwin(&f, 8, false);
    make_hist_chunk(&f, 0x1000, 0x1010, 100, four, 4);
    make_chunk(&f, 5, 4 + 8 + 2 + 8 + 2);
    make_uint(&f, 2, 4);
    make_image(&f, 0x100c, "p");
    make_image(&f, 0x1008, "l");
    gmon_sum_add(&sum, &f, &defaults, "a");
    gmon_sum_convert(&sum, &p, &said);
    gmon_assert_samples(&p, "1007: 2 20000000 0\n100f: 1 10000000 0\n");
    assert_int_equal(p.locations[0].mapping, PROF_NONE);
    assert_int_equal(p.locations[1].mapping, 0);
    assert_mapping(&p, 0, 0x100c, 0x1010, "p");
    assert_mapping(&p, 1, 0x1008, 0x100c, "l");
    prof_free(&p);
}

static void test_slides(void **state)
{
    struct gmon_file f;
    struct gmon sum = {0};
    struct profile p;
    struct said said;
    (void)state;
    make_darwin(&f, 4, false);
    make_hist_chunk(&f, 0x1000, 0x1010, 100, four, 4);
    make_chunk(&f, 4, 4 + 4 + 5 + 4 + 9);
    make_uint(&f, 2, 4);
    make_image(&f, 0, "/bin");
    make_image(&f, 0x2000, "/usr/lib");
    gmon_sum_add(&sum, &f, &defaults, "a");
    gmon_sum_convert(&sum, &p, &said);
    assert_int_equal(p.n_mappings, 1);
    assert_mapping(&p, 0, 0x1000, 0x1010, "");
    assert_int_equal(p.n_comments, 4);
    assert_string_equal(prof_cstr(&p, p.comments[2]), "# image: /bin");
    assert_string_equal(prof_cstr(&p, p.comments[3]),
                        "# image: /usr/lib moved by 0x2000");
    prof_free(&p);
}

/* In parts of a whole, which all rates divide. */
static void test_quantities(void **state)
{
    static const uint16_t one[] = {1};
    static const struct {
        uint32_t rates[2];
        const char *types, *samples;
    } cases[] = {
        {{1, 1},
         "samples/count cycles/count calls/count default cycles period 1 "
         "cycles/count",
         "3: 1 1 0\n7: 1 1 0\n"},
        {{6, 4},
         "samples/count cycles//12 calls/count default cycles period 3 "
         "cycles//12",
         "3: 1 2 0\n7: 1 3 0\n"},
        {{1000000, 1000000},
         "samples/count cycles//1000000 calls/count default cycles period 1 "
         "cycles//1000000",
         "3: 1 1 0\n7: 1 1 0\n"},
        {{0, 10},
         "samples/count cycles//10 calls/count default cycles period 1 "
         "cycles//10",
         "3: 1 0 0\n7: 1 1 0\n"},
        {{0xffffffff, 0xfffffffe},
         "samples/count cpu/nanoseconds calls/count default samples period 0 /",
         "3: 1 0 0\n7: 1 0 0\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gmon_file f;
        struct gmon sum = {0};
        struct profile p;
        struct said said;
        make_gnu(&f, 8, false, 1);
        make_hist(&f, 0, 4, cases[i].rates[0], "cycles", one, 1);
        make_hist(&f, 4, 8, cases[i].rates[1], "cycles", one, 1);
        gmon_sum_add(&sum, &f, &defaults, "a");
        gmon_sum_convert(&sum, &p, &said);
        gmon_assert_types(&p, cases[i].types);
        gmon_assert_samples(&p, cases[i].samples);
        assert_int_equal(!strstr(said.text, "only samples are written"),
                         prof_find_type(&p, "cpu") < 0);
        prof_free(&p);
    }
}

/* Bins of one range but of another number are kept side by side. */
static void test_same_range_other_bins(void **state)
{
    static const uint16_t two[] = {5, 7};
    struct gmon_file f;
    struct gmon sum = {0};
    struct profile p;
    struct said said;
    (void)state;
    make_gnu(&f, 8, false, 1);
    make_hist(&f, 0, 16, 100, "seconds", four, 4);
    gmon_sum_add(&sum, &f, &defaults, "a");
    make_gnu(&f, 8, false, 1);
    make_hist(&f, 0, 16, 100, "seconds", two, 2);
    gmon_sum_add(&sum, &f, &defaults, "b");
    gmon_sum_convert(&sum, &p, &said);
    gmon_assert_samples(&p, "7: 5 50000000 0\nf: 7 70000000 0\n"
                            "7: 2 20000000 0\nf: 1 10000000 0\n");
    assert_said(said.text, "warning: histograms 0x0-0x10 and 0x0-0x10 overlap; "
                           "do all files come from the same program?\n");
    prof_free(&p);
}

static void take(struct gmon *sum, struct gmon *g, const char *name)
{
    struct gmon_file f;
    struct prof_err err = {0};
    make_gnu(&f, 8, false, 1);
    make_hist(&f, 0, 16, 100, "seconds", four, 4);
    make_arc(&f, 9, 8, 1);
    make_arc(&f, 0x8000000000000004, 4, 2);
    make_arc(&f, 5, 8, 4);
    make_arc(&f, 9, 8, 8);
    make_arc(&f, 0x104, 4, 16);
    assert_true(
        gmon_read(g, &(struct import_input){.data = f.bytes.v, .n = f.bytes.n},
                  &defaults, &err));
    assert_true(gmon_add(sum, g, name, &err));
    make_free(&f);
}

static void test_first_is_taken(void **state)
{
    struct gmon sum = {0}, g;
    const uint64_t once[] = {0, 2, 0, 1}, twice[] = {0, 4, 0, 2};
    (void)state;
    take(&sum, &g, "first");
    assert_string_equal(sum.name, "first");
    assert_null(g.bins.v);
    assert_null(g.arcs.v);
    gmon_free(&g);
    gmon_assert_hist(&sum, 0, 0, 16, 100, 4, once);
    take(&sum, &g, "second");
    gmon_free(&g);
    assert_string_equal(sum.name, "first");
    assert_int_equal(sum.hists.n, 1);
    gmon_assert_hist(&sum, 0, 0, 16, 100, 4, twice);
    assert_int_equal(sum.arcs.n, 4);
    gmon_assert_arc(&sum, 0, 0x104, 4, 32);
    gmon_assert_arc(&sum, 1, 0x8000000000000004, 4, 4);
    gmon_assert_arc(&sum, 2, 5, 8, 8);
    gmon_assert_arc(&sum, 3, 9, 8, 18);
    gmon_free(&sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_library),
        cmocka_unit_test(test_calls_from_outside_alone),
        cmocka_unit_test(test_libraries_that_differ),
        cmocka_unit_test(test_images),
        cmocka_unit_test(test_images_elsewhere),
        cmocka_unit_test(test_slides),
        cmocka_unit_test(test_quantities),
        cmocka_unit_test(test_same_range_other_bins),
        cmocka_unit_test(test_first_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
