/* bundle.h: names of outputs; cli/diagnostics.c: notes that are shown once */
#include <stdlib.h>
#include <string.h>

#include "cli/private.h"
#include "io/bundle.h"
#include "unit.h"

static struct prof_err err;

static void entry(const char *name, const char *expected)
{
    struct buf b = {0};
    assert_true(buf_puts(&b, "before:"));
    bool ok = bundle_name_of_entry(&b, name, &err);
    assert_int_equal(ok, expected != NULL);
    if (expected) {
        assert_int_equal(b.n, 7 + strlen(expected));
        assert_memory_equal(b.v + 7, expected, strlen(expected));
    } else {
        assert_int_equal(err.kind, PROF_ERR_INPUT);
    }
    buf_free(&b);
}

static void path(const char *name, const char *expected, size_t stripped)
{
    struct buf b = {0};
    size_t n = 99;
    bool ok = bundle_name_of_path(&b, name, &n, &err);
    assert_int_equal(ok, expected != NULL);
    if (expected) {
        assert_int_equal(n, stripped);
        assert_true(buf_putc(&b, 0));
        assert_string_equal((char *)b.v, expected);
    }
    buf_free(&b);
}

static void test_entries(void **state)
{
    entry("a", "a");
    entry("a/b/c.prof", "a/b/c.prof");
    entry("./a//b/./c", "a/b/c");
    entry("a/", "a");
    entry("...", "...");
    entry("..a/b..", "..a/b..");
    entry("a b\n\377", "a b\n\377");
}

static void test_entries_refused(void **state)
{
    entry("", NULL);
    entry(".", NULL);
    entry("././/", NULL);
    entry("/", NULL);
    entry("/a", NULL);
    entry("//a", NULL);
    entry("..", NULL);
    entry("../a", NULL);
    entry("./../a", NULL);
    entry("a/..", NULL);
    entry("a/../b", NULL);
    entry("a/b/../../../c", NULL);
}

static void test_paths(void **state)
{
    path("a/b", "a/b", 0);
    path("./a", "a", 0);
    path("/a/b", "a/b", 1);
    path("///a", "a", 3);
    path("../a", "a", 3);
    path("../..//a/b", "a/b", 7);
    path("a/../b", "b", 5);
    path("/x/../../y/z", "y/z", 9);
    path("..a/b", "..a/b", 0);
    path("..", NULL, 0);
    path("a/..", NULL, 0);
    path("/", NULL, 0);
}

static void test_repeats(void **state)
{
    struct repeats repeats = {0}, *r = &repeats;
    assert_true(repeats_is_first(r, PROF_NOTE_WARN, "12 addresses of a"));
    assert_true(repeats_is_first(r, PROF_NOTE_WARN, "12 addresses of b"));
    assert_true(repeats_is_first(r, PROF_NOTE_WARN, "5 addresses of a"));
    r->profile++;
    assert_false(repeats_is_first(r, PROF_NOTE_WARN, "7 addresses of a"));
    r->profile++;
    assert_false(repeats_is_first(r, PROF_NOTE_WARN, "12345 addresses of a"));
    r->profile++;
    assert_false(repeats_is_first(r, PROF_NOTE_WARN, "1 address of a"));
    assert_true(repeats_is_first(r, PROF_NOTE_LOSS, "addresses of a"));
    assert_string_equal(r->list.v[0].text, "12 addresses of a");
    assert_int_equal(r->list.v[0].again, 3);
    assert_true(r->list.v[0].varies);
    assert_string_equal(r->list.v[1].text, "12 addresses of b");
    assert_int_equal(r->list.v[1].again, 0);
    assert_false(r->list.v[1].varies);
    assert_int_equal(r->list.v[1].level, PROF_NOTE_WARN);
    assert_int_equal(r->list.v[2].level, PROF_NOTE_LOSS);
    assert_int_equal(r->list.n, 3);
    repeats_free(r);
}

/* However many texts there are, only so many are kept. */
static void test_repeats_end(void **state)
{
    char text[32];
    struct repeats repeats = {0}, *r = &repeats;
    for (size_t i = 1; i <= 5000; i++) {
        memset(text, 0, sizeof text);
        for (size_t k = 0; k < 13; k++)
            text[k] = i >> k & 1 ? 'x' : 'o';
        assert_true(repeats_is_first(r, PROF_NOTE_WARN, text));
    }
    assert_int_equal(r->list.n, 1000);
    repeats_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries),
        cmocka_unit_test(test_entries_refused),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_repeats_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
