/* prof_pick_type(): names, indices, the default. */
#include <string.h>

#include "profile/model/build.h"
#include "said.h"
#include "unit.h"

static void make(struct profile *p, const char *def)
{
    struct prof_err err;
    assert_true(prof_init(p, &err));
    assert_true(prof_add_type(p, "objects", "count", &err));
    assert_true(prof_add_type(p, "space", "bytes", &err));
    assert_true(prof_str(p, def, &p->default_sample_type, &err));
}

static void picks(const struct profile *p, const char *asked, size_t expected)
{
    struct prof_err err;
    size_t index;
    assert_true(prof_pick_type(p, asked, &index, &err));
    assert_int_equal(index, expected);
}

static void refuses(const struct profile *p, const char *asked,
                    const char *text)
{
    struct prof_err err;
    size_t index;
    assert_false(prof_pick_type(p, asked, &index, &err));
    assert_int_equal(err.kind, PROF_ERR_USAGE);
    assert_said(err.text, text);
}

static void test_default(void **state)
{
    struct profile p;
    make(&p, "");
    picks(&p, NULL, 1);
    picks(&p, "", 1);
    prof_free(&p);
    make(&p, "objects");
    picks(&p, NULL, 0);
    prof_free(&p);
    make(&p, "absent");
    picks(&p, NULL, 1);
    prof_free(&p);
}

static void test_asked(void **state)
{
    struct profile p;
    make(&p, "");
    picks(&p, "0", 0);
    picks(&p, "+1", 1);
    picks(&p, "objects", 0);
    picks(&p, "inuse_objects", 0);
    refuses(&p, "2", "no sample type '2': expected 0 to 1");
    refuses(&p, "-1", "no sample type '-1': expected 0 to 1");
    refuses(&p, "alloc_space",
            "no sample type 'alloc_space': expected one of: "
            "objects space");
    refuses(&p, " 1",
            "no sample type ' 1': expected one of: objects "
            "space");
    prof_free(&p);
}

static void test_no_types(void **state)
{
    struct profile p;
    struct prof_err err;
    size_t index;
    assert_true(prof_init(&p, &err));
    assert_false(prof_pick_type(&p, NULL, &index, &err));
    assert_int_equal(err.kind, PROF_ERR_INPUT);
    prof_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default),
        cmocka_unit_test(test_asked),
        cmocka_unit_test(test_no_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
