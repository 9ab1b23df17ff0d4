/* check_profile(): each kind of reference broken once. */
#include <string.h>

#include "check_profile.h"
#include "said.h"
#include "stacks.h"
#include "unit.h"

/* One of everything, each referring to the next. */
static void build(struct profile *p)
{
    struct prof_err err;
    uint32_t name, set, location;
    int64_t value = 1;
    assert_true(prof_init(p, &err));
    assert_true(prof_add_type(p, "samples", "count", &err));
    assert_true(prof_str(p, "name", &name, &err));
    struct prof_mapping m = {.filename = name, .build_id = name};
    struct prof_function f = {.name = name, .filename = name};
    struct prof_line line = {1, 2, 0};
    struct prof_location l = {.address = 1};
    struct prof_label labels[] = {{.key = name, .str = name},
                                  {.key = name, .num = 1, .unit = name}};
    assert_true(prof_add_mapping(p, &m, NULL, &err));
    assert_true(prof_add_function(p, &f, NULL, &err));
    assert_true(prof_add_location(p, &l, &line, 1, &location, &err));
    assert_true(prof_labelset(p, labels, 2, &set, &err));
    assert_true(prof_add_sample(p, &location, 1, &value, set, &err));
    assert_true(prof_add_comment(p, "comment", &err));
}

/* With a second sample, all of whose frames are those of the first. */
static void build_shared(struct profile *p)
{
    struct prof_err err;
    const uint32_t location = 0;
    build(p);
    assert_true(prof_add_sample(p, &location, 1, NULL, 0, &err));
    stacks_share(p, true);
}

#define BREAK(field, broken, said) BREAK_OF(build, field, broken, said)

#define BREAK_OF(make, field, broken, said)                                    \
    do {                                                                       \
        struct profile p;                                                      \
        struct prof_err err = {0};                                             \
        make(&p);                                                              \
        assert_true(check_profile(&p, &err));                                  \
        p.field = (broken);                                                    \
        assert_false(check_profile(&p, &err));                                 \
        assert_int_equal(err.kind, PROF_ERR_INPUT);                            \
        assert_said(err.text, said);                                           \
        prof_free(&p);                                                         \
    } while (0)

/* Strings: "", samples, count, name, comment. */
static void broken_strings_of_header(void **state)
{
    BREAK(types[0].type, 5, "value type 0 refers to string 5 of 5");
    BREAK(types[0].unit, 9, "unit of value type 0 refers to string 9 of 5");
    BREAK(comments[0], 5, "comment 0 refers to string 5 of 5");
    BREAK(period_type.type, 5, "header 0 refers to string 5 of 5");
    BREAK(period_type.unit, 5, "header 1 refers to string 5 of 5");
    BREAK(drop_frames, 5, "header 2 refers to string 5 of 5");
    BREAK(keep_frames, 5, "header 3 refers to string 5 of 5");
    BREAK(doc_url, 5, "header 4 refers to string 5 of 5");
    BREAK(default_sample_type, 5, "header 5 refers to string 5 of 5");
}

static void broken_strings_of_entities(void **state)
{
    BREAK(mappings[0].filename, 5, "mapping 0 refers to string 5 of 5");
    BREAK(mappings[0].build_id, 5, "mapping 0 refers to string 5 of 5");
    BREAK(functions[0].name, 5, "function 0 refers to string 5 of 5");
    BREAK(functions[0].system_name, 5, "function 0 refers to string 5 of 5");
    BREAK(functions[0].filename, 5, "function 0 refers to string 5 of 5");
    BREAK(labels[0].key, 5, "label 0 refers to string 5 of 5");
    BREAK(labels[0].str, 5, "label 0 refers to string 5 of 5");
    BREAK(labels[1].unit, 5, "label 1 refers to string 5 of 5");
    BREAK(strings.len[0], 1, "string 0 is not the empty one");
}

static void broken_references(void **state)
{
    BREAK(locations[0].mapping, 1, "location 0 refers to mapping 1 of 1");
    BREAK(locations[0].line_off, 1, "location 0 has lines 1 + 1 of 1");
    BREAK(locations[0].n_lines, 2, "location 0 has lines 0 + 2 of 1");
    BREAK(lines[0].function, 1, "line 0 refers to function 1 of 1");
    BREAK(frames[0], 1, "sample 0 refers to location 1 of 1");
    BREAK(labelset[0], 2, "sample 0 refers to label set 2 of 2");
}

static void broken_shapes(void **state)
{
    BREAK(n_types, 0, "1 samples, but no value type");
    BREAK(frame_off[0], 1, "samples divide 1 .. 1 of 1");
    BREAK(frame_off[1], 2, "samples divide 0 .. 2 of 1");
    BREAK(labelset_off[2], 1, "label sets divide 0 .. 1 of 2");
    BREAK(labelset_off[1], 1, "label set 0 is not the empty one");
    BREAK(labels[0].key, 4, "label set 1 is not in order");
}

static void broken_sharing(void **state)
{
    BREAK_OF(build_shared, shared[0], 1, "sample 0 shares 1 frames of 0");
    BREAK_OF(build_shared, shared[1], 2, "sample 1 shares 2 frames of 1");
    BREAK_OF(build_shared, deepest, 0, "sample 0 has 1 frames, the deepest 0");
    BREAK_OF(build_shared, cap_shared, 1,
             "room for what 1 samples share, of 2");
}

/* What refers to nothing may say so. */
static void none(void **state)
{
    struct profile p;
    struct prof_err err = {0};
    build(&p);
    p.locations[0].mapping = PROF_NONE;
    p.lines[0].function = PROF_NONE;
    assert_true(check_profile(&p, &err));
    prof_free(&p);
    assert_true(prof_init(&p, &err));
    assert_true(check_profile(&p, &err));
    prof_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_strings_of_header),
        cmocka_unit_test(broken_strings_of_entities),
        cmocka_unit_test(broken_references),
        cmocka_unit_test(broken_shapes),
        cmocka_unit_test(broken_sharing),
        cmocka_unit_test(none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
