/* prof_label_units(): the first unit of a key, or what it is taken to be. */
#include <stdlib.h>
#include <string.h>

#include "profile/model/build.h"
#include "unit.h"

static uint32_t str(struct profile *p, const char *s)
{
    struct prof_err err;
    uint32_t id;
    assert_true(prof_str(p, s, &id, &err));
    return id;
}

static void add(struct profile *p, const char *key, const char *unit)
{
    struct prof_err err;
    int64_t value = 1;
    uint32_t set;
    struct prof_label l = {.num = 5, .key = str(p, key), .unit = str(p, unit)};
    assert_true(prof_labelset(p, &l, 1, &set, &err));
    assert_true(prof_add_sample(p, NULL, 0, &value, set, &err));
}

static void is_in(struct profile *p, const uint32_t *unit, const char *key,
                  const char *expected)
{
    assert_string_equal(prof_cstr(p, unit[str(p, key)]), expected);
}

static void count(void *ctx, enum prof_note_level level, const char *text)
{
    assert_int_equal(level, PROF_NOTE_WARN);
    assert_string_equal(text, "label delay: numbers with unit ms and s are "
                              "mixed; the first unit is used");
    ++*(int *)ctx;
}

static void test_units(void **state)
{
    struct profile p;
    struct prof_err err;
    uint32_t *unit;
    int told = 0;
    struct prof_notes notes = {.say = count, .ctx = &told};
    assert_true(prof_init(&p, &err));
    assert_true(prof_add_type(&p, "n", "count", &err));
    add(&p, "delay", "");
    add(&p, "delay", "ms");
    add(&p, "delay", "s");
    add(&p, "delay", "us");
    add(&p, "request", "");
    add(&p, "alignment", "");
    add(&p, "size", "");
    add(&p, "request", "kb");
    assert_true(prof_label_units(&p, &unit, &notes, &err));
    is_in(&p, unit, "delay", "ms");
    is_in(&p, unit, "request", "kb");
    is_in(&p, unit, "alignment", "bytes");
    is_in(&p, unit, "size", "size");
    is_in(&p, unit, "count", "");
    assert_int_equal(told, 1);
    free(unit);
    prof_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_units)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
