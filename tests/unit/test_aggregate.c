/* Granularity: which details are blanked, and which stay. */
#include "profile/model/build.h"
#include "unit.h"

/* One location, inner() inlined into outer(), with every detail there is. */
static int build(void **state)
{
    static struct profile p;
    struct prof_err err;
    uint32_t inner, outer, in_file, out_file, m, in_fn, out_fn;
    if (!prof_init(&p, &err) || !prof_str(&p, "inner", &inner, &err) ||
        !prof_str(&p, "outer", &outer, &err) ||
        !prof_str(&p, "in.c", &in_file, &err) ||
        !prof_str(&p, "out.c", &out_file, &err))
        return -1;
    struct prof_mapping map = {.start = 0x1000,
                               .limit = 0x2000,
                               .has_functions = true,
                               .has_filenames = true,
                               .has_line_numbers = true,
                               .has_inline_frames = true};
    struct prof_function fi = {0, 10, inner, inner, in_file};
    struct prof_function fo = {0, 20, outer, outer, out_file};
    if (!prof_add_mapping(&p, &map, &m, &err) ||
        !prof_add_function(&p, &fi, &in_fn, &err) ||
        !prof_add_function(&p, &fo, &out_fn, &err))
        return -1;
    struct prof_location l = {.address = 0x1234, .mapping = m};
    struct prof_line lines[] = {{11, 3, in_fn}, {22, 7, out_fn}};
    if (!prof_add_location(&p, &l, lines, 2, NULL, &err))
        return -1;
    *state = &p;
    return 0;
}

static int drop(void **state)
{
    prof_free(*state);
    return 0;
}

static void aggregate(struct profile *p, enum prof_granularity g)
{
    struct prof_detail d = {.granularity = g};
    assert_true(prof_aggregate(p, &d, NULL));
}

#define NAME(p, f) prof_cstr(p, (p)->functions[f].name)
#define FILENAME(p, f) prof_cstr(p, (p)->functions[f].filename)

static void addresses_keep_all(void **state)
{
    struct profile *p = *state;
    aggregate(p, PROF_ADDRESSES);
    assert_int_equal(p->locations[0].address, 0x1234);
    assert_int_equal(p->locations[0].n_lines, 2);
    assert_int_equal(p->lines[0].column, 3);
    assert_int_equal(p->functions[1].start_line, 20);
    assert_true(p->mappings[0].has_inline_frames);
}

static void addresses_without_inlines(void **state)
{
    struct profile *p = *state;
    struct prof_detail d = {.no_inlines = true};
    assert_true(prof_aggregate(p, &d, NULL));
    const struct prof_location *l = &p->locations[0];
    assert_int_equal(l->address, 0x1234);
    assert_int_equal(l->n_lines, 1);
    assert_string_equal(NAME(p, p->lines[l->line_off].function), "outer");
    assert_int_equal(p->lines[l->line_off].line, 22);
    assert_int_equal(p->lines[l->line_off].column, 0);
    assert_false(p->mappings[0].has_inline_frames);
    assert_true(p->mappings[0].has_line_numbers);
}

static void lines_lose_address_and_column(void **state)
{
    struct profile *p = *state;
    aggregate(p, PROF_LINES);
    assert_int_equal(p->locations[0].address, 0);
    assert_int_equal(p->lines[0].line, 11);
    assert_int_equal(p->lines[0].column, 0);
    assert_int_equal(p->functions[0].start_line, 10);
    assert_string_equal(FILENAME(p, 0), "in.c");
}

static void columns_are_shown_on_demand(void **state)
{
    struct profile *p = *state;
    struct prof_detail d = {.granularity = PROF_LINES, .show_columns = true};
    assert_true(prof_aggregate(p, &d, NULL));
    assert_int_equal(p->lines[0].column, 3);
    d.granularity = PROF_FUNCTIONS;
    assert_true(prof_aggregate(p, &d, NULL));
    assert_int_equal(p->lines[0].column, 0);
}

static void filefunctions_lose_lines(void **state)
{
    struct profile *p = *state;
    aggregate(p, PROF_FILEFUNCTIONS);
    assert_int_equal(p->lines[1].line, 0);
    assert_int_equal(p->functions[1].start_line, 0);
    assert_string_equal(NAME(p, 1), "outer");
    assert_string_equal(FILENAME(p, 1), "out.c");
    assert_true(p->mappings[0].has_filenames);
    assert_false(p->mappings[0].has_line_numbers);
}

static void functions_lose_files(void **state)
{
    struct profile *p = *state;
    aggregate(p, PROF_FUNCTIONS);
    assert_string_equal(NAME(p, 1), "outer");
    assert_string_equal(FILENAME(p, 1), "");
    assert_false(p->mappings[0].has_filenames);
    assert_int_equal(p->locations[0].n_lines, 2);
}

static void files_lose_functions(void **state)
{
    struct profile *p = *state;
    aggregate(p, PROF_FILES);
    assert_string_equal(NAME(p, 0), "");
    assert_string_equal(prof_cstr(p, p->functions[0].system_name), "");
    assert_string_equal(FILENAME(p, 0), "in.c");
    assert_int_equal(p->functions[0].start_line, 0);
    assert_false(p->mappings[0].has_functions);
    assert_true(p->mappings[0].has_inline_frames);
}

static void start_lines_stay_on_demand(void **state)
{
    struct profile *p = *state;
    struct prof_detail d = {.granularity = PROF_FILES,
                            .keep_start_lines = true};
    assert_true(prof_aggregate(p, &d, NULL));
    assert_int_equal(p->functions[0].start_line, 10);
}

static void binaries_become_functions(void **state)
{
    struct profile *p = *state;
    struct prof_err err;
    const struct prof_location nowhere = {.address = 5, .mapping = PROF_NONE};
    const struct prof_line line = {.line = 7, .function = 0};
    uint32_t l;
    assert_true(prof_str(p, "/usr/bin/prog", &p->mappings[0].filename, &err));
    assert_true(prof_add_location(p, &nowhere, &line, 1, &l, &err));
    aggregate(p, PROF_BINARIES);
    assert_int_equal(p->n_functions, 1);
    assert_string_equal(NAME(p, 0), "prog");
    assert_string_equal(FILENAME(p, 0), "");
    assert_int_equal(p->locations[0].address, 0);
    assert_int_equal(p->locations[0].n_lines, 1);
    assert_int_equal(p->lines[p->locations[0].line_off].function, 0);
    assert_int_equal(p->lines[p->locations[0].line_off].line, 0);
    assert_int_equal(p->locations[l].n_lines, 0);
    assert_true(p->mappings[0].has_functions);
    assert_false(p->mappings[0].has_inline_frames);
}

#define WITH_PROFILE(f) cmocka_unit_test_setup_teardown(f, build, drop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_PROFILE(addresses_keep_all),
        WITH_PROFILE(addresses_without_inlines),
        WITH_PROFILE(lines_lose_address_and_column),
        WITH_PROFILE(columns_are_shown_on_demand),
        WITH_PROFILE(filefunctions_lose_lines),
        WITH_PROFILE(functions_lose_files),
        WITH_PROFILE(files_lose_functions),
        WITH_PROFILE(start_lines_stay_on_demand),
        WITH_PROFILE(binaries_become_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
