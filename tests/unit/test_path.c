/* path_clean() and path_base(): the cases of Go's documentation. */
#include <string.h>

#include "base/file.h"
#include "unit.h"

static void cleans(const char *path, const char *expected)
{
    struct buf b = {0};
    assert_true(buf_putc(&b, '.')); /* what was there stays */
    assert_true(path_clean(&b, path, strlen(path)));
    assert_true(buf_putc(&b, 0));
    assert_string_equal((char *)b.v + 1, expected);
    buf_free(&b);
}

static void has_base(const char *path, const char *expected)
{
    size_t n;
    const char *base = path_base(path, strlen(path), &n);
    assert_int_equal(n, strlen(expected));
    assert_memory_equal(base, expected, n);
}

static void test_clean(void **state)
{
    cleans("", ".");
    cleans("a/b", "a/b");
    cleans("a//b/", "a/b");
    cleans("a/./b/.", "a/b");
    cleans("a/b/..", "a");
    cleans("a/..", ".");
    cleans("a/../..", "..");
    cleans("../../a/..", "../..");
    cleans("/", "/");
    cleans("//", "/");
    cleans("/..", "/");
    cleans("/../../a", "/a");
    cleans("/a/../b", "/b");
    cleans("..a/b", "..a/b");
}

static void test_base(void **state)
{
    has_base("", ".");
    has_base("/", "/");
    has_base("///", "/");
    has_base("a", "a");
    has_base("/usr/bin/ls", "ls");
    has_base("/usr/bin//", "bin");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clean),
        cmocka_unit_test(test_base),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
