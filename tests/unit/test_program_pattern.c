/* find_program.h: names that patterns make, and entries that may be such */
#include <string.h>

#include "cli/find_program.h"
#include "said.h"
#include "unit.h"

static void checks(void **state)
{
    static const char *const good[] = {
        "prog",          "{dir}/prog", "/usr/bin/{stem}", "{stem}",
        "../bin/{name}", "{parent}",   "{dir}/a}b",       "{dir}.exe"};
    static const struct {
        const char *pattern, *why;
    } bad[] = {
        {"", "'' names a directory, not a file"},
        {"{dir}", "'{dir}' names a directory, not a file"},
        {"{dir}/", "'{dir}/' names a directory, not a file"},
        {"{dir}/..", "'{dir}/..' names a directory, not a file"},
        {"bin/.", "'bin/.' names a directory, not a file"},
        {"{dir}/{prog}", "expected {dir}, {parent}, {name} or {stem}"},
        {"a{", "expected {dir}, {parent}, {name} or {stem}"},
    };
    struct prof_err err;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(program_pattern_check(good[i], &err));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(program_pattern_check(bad[i].pattern, &err));
        assert_int_equal(err.kind, PROF_ERR_USAGE);
        assert_said(err.text, bad[i].why);
    }
}

static const struct {
    const char *pattern, *path, *file, *entry; /* null: says nothing */
} made[] = {
    {"{dir}/prog", "t/gmon.out", "t/prog", "t/prog"},
    {"prog", "t/gmon.out", "t/prog", "t/prog"},
    {"{dir}/prog", "gmon.out", "prog", "prog"},
    {"prog", "./gmon.out", "prog", "prog"},
    {"prog", "./t//x/gmon.out", "t//x/prog", "t/x/prog"},
    {"{dir}/prog", "/a/t/gmon.out", "/a/t/prog", "a/t/prog"},
    {"/usr/bin/prog", "t/gmon.out", "/usr/bin/prog", "usr/bin/prog"},
    {"../bin/prog", "a/t/gmon.out", "a/t/../bin/prog", "a/bin/prog"},
    {"../../prog", "a/gmon.out", "a/../../prog", NULL},
    {"bin/{stem}", "t/prog.1234", "t/bin/prog", "t/bin/prog"},
    {"{stem}", "t/prog.1234.gz", "t/prog", "t/prog"},
    {"{stem}", "t/libx.so.1.profile.zst", "t/libx.so.1", "t/libx.so.1"},
    {"{stem}", "t/.gmon", "t/.gmon", "t/.gmon"},
    {"{stem}", "t/prog", "t/prog", "t/prog"},
    {"{stem}", ".gz", ".gz", ".gz"},
    {"{name}.exe", "t/gmon.out", "t/gmon.out.exe", "t/gmon.out.exe"},
    {"/bin/{parent}", "a/t1/gmon.out", "/bin/t1", "bin/t1"},
    {"../{parent}.bin", "t1/gmon.out", "t1/../t1.bin", "t1.bin"},
    {"{parent}", "gmon.out", NULL, NULL},
    {"{parent}", "/gmon.out", NULL, NULL},
    {"{dir}x/prog", "t/gmon.out", "tx/prog", "tx/prog"},
    {"{parent}", NULL, NULL, NULL},
    {"{name}", NULL, NULL, NULL},
    {"{stem}", NULL, NULL, NULL},
    {"bin/prog", NULL, "bin/prog", "bin/prog"},
};

static void assert_made(const char *pattern, const char *path, bool is_entry,
                        const char *want)
{
    struct buf b = {0};
    const char *why;
    int got = program_pattern_expand(pattern, path, is_entry, &b, &why);
    assert_int_equal(got, want != NULL);
    assert_string_equal(want ? (const char *)b.v : why,
                        want    ? want
                        : !path ? "standard input has no file name"
                        : strncmp(pattern, "../..", 5) == 0
                            ? "leads outside the archive"
                            : "its name has no such part");
    buf_free(&b);
}

static void expands(void **state)
{
    struct buf entry = {0};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        const char *pattern = made[i].pattern, *path = made[i].path;
        assert_made(pattern, path, false, made[i].file);
        assert_true(program_entry_name(path ? path : "", &entry));
        path = path ? (const char *)entry.v : NULL;
        assert_made(pattern, path, true, made[i].entry);
        /* What comes of a pattern is not passed over on its way. */
        if (made[i].entry)
            assert_true(program_pattern_matches(pattern, made[i].entry));
    }
    buf_free(&entry);
}

static void may_be(void **state)
{
    static const struct {
        const char *pattern, *entry;
        bool yes;
    } table[] = {
        {"{dir}/prog", "x/y/prog", true},
        {"{dir}/prog", "prog", true},
        {"{dir}/prog", "prog/x", false},
        {"{dir}/prog", "x/prog2", false},
        {"{dir}/{stem}", "anything", true},
        {"{stem}.exe", "a/b.exe", true},
        {"{stem}.exe", "a/b.exe.gz", false},
        {"a*c", "abc", false},
        {"a*c", "a*c", true},
        {"[x]\\?", "[x]\\?", true},
        {"[x]", "x", false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(
            program_pattern_matches(table[i].pattern, table[i].entry),
            table[i].yes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks),
        cmocka_unit_test(expands),
        cmocka_unit_test(may_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
