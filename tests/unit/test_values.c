/* Value types kept, means, divisions; file names trimmed. */
#include <string.h>

#include "profile/model/build.h"
#include "said.h"
#include "unit.h"

/* Three samples of count, space and time. */
static int build(void **state)
{
    static struct profile p;
    static const int64_t values[3][3] = {{2, 101, -7}, {0, 50, 3}, {-1, 9, 1}};
    struct prof_err err;
    if (!prof_init(&p, &err) || !prof_add_type(&p, "count", "count", &err) ||
        !prof_add_type(&p, "space", "bytes", &err) ||
        !prof_add_type(&p, "time", "ns", &err) ||
        !prof_str(&p, "space", &p.default_sample_type, &err))
        return -1;
    for (size_t i = 0; i < 3; i++)
        if (!prof_add_sample(&p, NULL, 0, values[i], 0, &err))
            return -1;
    *state = &p;
    return 0;
}

static int drop(void **state)
{
    prof_free(*state);
    return 0;
}

static void assert_values(const struct profile *p, int64_t a, int64_t b,
                          int64_t c)
{
    assert_int_equal(p->n_types, 1);
    assert_int_equal(p->values[0], a);
    assert_int_equal(p->values[1], b);
    assert_int_equal(p->values[2], c);
}

static void one_type_is_kept(void **state)
{
    struct profile *p = *state;
    prof_keep_type(p, 2);
    assert_values(p, -7, 3, 1);
    assert_string_equal(prof_cstr(p, p->types[0].type), "time");
    assert_int_equal(p->default_sample_type, 0);
}

static void the_only_type_is_no_default(void **state)
{
    struct profile *p = *state;
    prof_keep_type(p, 1);
    assert_values(p, 101, 50, 9);
    assert_int_equal(p->default_sample_type, 0);
}

static void some_types_are_kept(void **state)
{
    struct profile *p = *state;
    static const bool keep[] = {true, true, false};
    prof_keep_types(p, keep);
    static const int64_t wanted[] = {2, 101, 0, 50, -1, 9};
    assert_int_equal(p->n_types, 2);
    assert_memory_equal(p->values, wanted, sizeof wanted);
    assert_int_equal(p->default_sample_type, p->types[1].type);
    static const bool first[] = {true, false};
    prof_keep_types(p, first);
    assert_values(p, 2, 0, -1);
    assert_int_equal(p->default_sample_type, 0);
}

static void mean_rounds_to_zero(void **state)
{
    struct profile *p = *state;
    struct prof_err err;
    p->values[2] = -7;
    assert_true(prof_mean(p, 2, &err));
    assert_values(p, -3, 3, -1);
    assert_string_equal(prof_cstr(p, p->types[0].type), "mean_time");
    assert_string_equal(prof_cstr(p, p->types[0].unit), "ns");
}

static void mean_that_overflows(void **state)
{
    struct profile *p = *state;
    struct prof_err err;
    p->values[2 * 3 + 1] = INT64_MIN;
    assert_false(prof_mean(p, 1, &err));
    assert_int_equal(err.kind, PROF_ERR_INPUT);
    assert_said(err.text, "the mean of sample 2 exceeds 64 bits");
}

static void division_rounds_to_zero(void **state)
{
    struct profile *p = *state;
    struct prof_err err;
    assert_true(prof_divide(p, 2, &err));
    static const int64_t wanted[] = {1, 50, -3, 0, 25, 1, 0, 4, 0};
    assert_memory_equal(p->values, wanted, sizeof wanted);
    assert_true(prof_divide(p, 0.5, &err));
    assert_int_equal(p->values[1], 100);
}

static void division_that_overflows(void **state)
{
    struct profile *p = *state;
    struct prof_err err;
    p->values[4] = INT64_MAX;
    assert_false(prof_divide(p, 0.5, &err));
    assert_int_equal(err.kind, PROF_ERR_INPUT);
    assert_said(err.text,
                "a value of sample 1 exceeds 64 bits when divided by 0.5");
}

static void division_by_one_is_exact(void **state)
{
    struct profile *p = *state;
    struct prof_err err;
    p->values[0] = INT64_MAX - 1;
    assert_true(prof_divide(p, 1, &err));
    assert_int_equal(p->values[0], INT64_MAX - 1);
}

struct trim_case {
    const char *dirs, *name, *trimmed, *search;
};

static const struct trim_case trims[] = {
    {"/src", "/src/a/b.c", "a/b.c", NULL},
    {"/src/", "/src/a/b.c", "a/b.c", NULL},
    {"/src", "/srcs/b.c", "/srcs/b.c", NULL},
    {"/src", "/src", "/src", NULL},
    {"/x:/src:/src/a", "/src/a/b.c", "a/b.c", NULL},
    {"/src/a:/src", "/src/a/b.c", "b.c", NULL},
    {"/src", "/proc/self/cwd/b.c", "b.c", NULL},
    {"/src", "/proc/self/cwd/./b.c", "b.c", NULL},
    {"/", "/b.c", "b.c", NULL},
    {"src", "src/b.c", "b.c", NULL},
    {"/src", "", "", NULL},
    {"/src//", "/src/b.c", "/src/b.c", NULL},
    {"/x:", "/src/b.c", "src/b.c", NULL},
    /* Without directories to take off, those of the search path help. */
    {"", "/build/proj/lib/a.c", "lib/a.c", "/home/me/proj"},
    {NULL, "/build/proj/lib/a.c", "a.c", "/home/lib:/home/me/proj/"},
    {"", "/build/proj/x/proj/a.c", "x/proj/a.c", "/y:proj"},
    {"", "/proj", "/proj", "/home/me/proj"},
    {"", "/projs/a.c", "/projs/a.c", "/home/me/proj"},
    {"", "/a.c", "/a.c", ""},
    {"", "/build/./a.c", "a.c", "::"},
    {"", "/proc/self/cwd/a.c", "a.c", "/home/me/proj"},
    {"/build", "/build/proj/a.c", "proj/a.c", "/home/me/proj"},
    {"/other", "/build/proj/a.c", "/build/proj/a.c", "/home/me/proj"},
};

static void directories_are_trimmed(void **state)
{
    struct profile *p = *state;
    for (size_t i = 0; i < sizeof trims / sizeof *trims; i++) {
        struct prof_function f = {0};
        struct prof_err err;
        p->n_functions = 0;
        assert_true(prof_str(p, trims[i].name, &f.filename, &err));
        assert_true(prof_add_function(p, &f, NULL, &err));
        assert_true(prof_add_function(p, &f, NULL, &err));
        assert_true(prof_trim_paths(p, trims[i].dirs, trims[i].search, &err));
        for (size_t k = 0; k < 2; k++)
            assert_string_equal(prof_cstr(p, p->functions[k].filename),
                                trims[i].trimmed);
    }
}

#define WITH_VALUES(f) cmocka_unit_test_setup_teardown(f, build, drop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_VALUES(one_type_is_kept),
        WITH_VALUES(the_only_type_is_no_default),
        WITH_VALUES(some_types_are_kept),
        WITH_VALUES(mean_rounds_to_zero),
        WITH_VALUES(mean_that_overflows),
        WITH_VALUES(division_rounds_to_zero),
        WITH_VALUES(division_that_overflows),
        WITH_VALUES(division_by_one_is_exact),
        WITH_VALUES(directories_are_trimmed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
