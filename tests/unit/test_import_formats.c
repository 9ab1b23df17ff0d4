/*
 * The table of formats: what an input is, by the first lines that its producers
 * write, and that manual and fuzz targets have all of them.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "formats/import_formats.h"
#include "formats/prof2pb.h"
#include "unit.h"

#define FORMAT(bytes) identify((const uint8_t *)(bytes), sizeof(bytes) - 1)
#define WORDS(bytes) FORMAT(bytes)->words

/* What the bytes are to a tool that reads nothing. */
static const struct import_format *identify(const uint8_t *data, size_t n)
{
    struct import_input in = {.data = data, .n = n};
    import_detect(&in, "none");
    assert_null(in.format);
    return in.foreign;
}

static void test_text(void **state)
{
    assert_string_equal(WORDS("heap profile:     1:  2 [ 3: 4] @ heapprofile"),
                        "a heap profile (text); use prof2pb");
    assert_string_equal(WORDS("heap_v2/524288\n  t*: 1: 2 [0: 0]\n"),
                        "a jemalloc heap profile (text); use prof2pb");
    assert_string_equal(WORDS("--- heapz 1 ---\nformat = java\n"),
                        "a Java profile (text); use prof2pb");
    assert_string_equal(WORDS("--- contentionz 1 ---\n"),
                        "a contention profile (text); use prof2pb");
    assert_string_equal(WORDS("--- contention:\n"),
                        "a contention profile (text); use prof2pb");
    assert_string_equal(WORDS("--- mutex:\n"),
                        "a contention profile (text); use prof2pb");
    assert_string_equal(WORDS("# comment\n\n--- threadz 1 ---\n"),
                        "a thread profile (text); use prof2pb");
    assert_string_equal(
        WORDS("--- Thread 7f (name: main/12) stack: ---\n  PC: 0x1\n"),
        "a thread profile (text); use prof2pb");
    assert_string_equal(WORDS("goroutine profile: total 5\n2 @ 0x1\n"),
                        "a Go count profile (text); use prof2pb");
    assert_string_equal(
        WORDS("goroutine 1 [running]:\nmain.main()\n"),
        "a Go goroutine dump (debug=2); use debug=1 to get a profile");
    assert_null(FORMAT("goroutine [running]:\n"));
    assert_null(FORMAT("goroutine 12\n"));
    assert_string_equal(WORDS("--- symbol\nbinary=/bin/a\n"),
                        "a symbolized profile (pprof --raw); use prof2pb");
}

static void test_folded(void **state)
{
    assert_ptr_equal(FORMAT("a;b 3\n"), &folded_format);
    assert_ptr_equal(FORMAT("a;b 3"), &folded_format);
    assert_ptr_equal(FORMAT("# a\n\nmain 4\r\n 3\na;b c\t-3 \n"),
                     &folded_format);
    assert_ptr_equal(FORMAT("a;b 12.5 3\nc;d 12.5\n"), &folded_format);
    /* Names that are how other files begin. */
    assert_ptr_equal(FORMAT("gmond;main 3\n"), &folded_format);
    assert_ptr_equal(FORMAT("x;h 0\n"), &folded_format);
    /* No semicolon; lines that are no stacks; what is no text. */
    assert_null(FORMAT("a 3\nb 4\n"));
    assert_null(FORMAT("x 8\n"));
    assert_null(FORMAT("a;b 3\nc;d\n"));
    assert_null(FORMAT("a;b3\n"));
    assert_null(FORMAT("a;b .\n"));
    assert_null(FORMAT("a;b 1.2.3\n"));
    assert_null(FORMAT("a;b -\n"));
    assert_null(FORMAT("a;\1b 3\n"));
    assert_null(FORMAT("int a; return 3;\n"));
    assert_string_equal(WORDS("\177ELF;a 3\n"), "a program or library (ELF)");
}

static void test_binary(void **state)
{
    static const char *const gmon = "a gmon.out file; use gmon2pb";
    assert_string_equal(WORDS("gmon\1\0\0\0"), gmon);
    /* 0xbeefbabe and 0xbeefbabf */
    assert_string_equal(WORDS("\xbe\xef\xba\xbe"), gmon);
    assert_string_equal(WORDS("\xbe\xba\xef\xbe"), gmon);
    assert_string_equal(WORDS("\xbe\xef\xba\xbf"), gmon);
    assert_string_equal(WORDS("\xbf\xba\xef\xbe"), gmon);
    /* 0x51879 after 12 bytes, and after 20 */
    assert_string_equal(WORDS("\0\x80\0\0\x10\x80\0\0\x28\0\0\0\x79\x18\5\0"),
                        gmon);
    assert_string_equal(WORDS("\0\0\0\0\0\0\x80\0\0\0\0\0\0\0\x80\x10\0\0\0\x28"
                              "\0\5\x18\x79"),
                        gmon);
    assert_string_equal(WORDS("\177ELF\2\1\1"), "a program or library (ELF)");
    assert_string_equal(WORDS("\037\213\010"), "gzip data inside gzip data");
    static const char *const cpu = "a gperftools CPU profile; use prof2pb";
    assert_string_equal(WORDS("\0\0\0\0\3\0\0\0\0"), cpu);
    assert_string_equal(WORDS("\0\0\0\0\0\0\0\3\0"), cpu);
    assert_string_equal(WORDS("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0"), cpu);
    assert_string_equal(WORDS("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\3"), cpu);
    assert_null(FORMAT("\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0"));
}

static void test_packed(void **state)
{
    assert_string_equal(WORDS("\2!L\30\7\0\0\0`a;b 1\n"),
                        "lz4 data in the legacy format");
    assert_string_equal(WORDS("\3757zXZ\0\0\4"), "xz data inside gzip data");
    assert_string_equal(WORDS("\037\235\220a"),
                        "data compressed with compress (.Z)");
    assert_string_equal(WORDS("]\0\0\200\0\377"), "data compressed with lzma");
    assert_string_equal(WORDS("LZIP\1\14"), "data compressed with lzip");
    assert_string_equal(WORDS("\211LZO\0\r\n"), "data compressed with lzop");
    assert_string_equal(WORDS("!<arch>\na;b/ 0 `\na;b 1\n"),
                        "an ar archive (.a, .deb)");
    assert_string_equal(WORDS("MSCF\0\0\0\0\1"), "a cabinet archive (.cab)");
    assert_string_equal(WORDS("\0\5\26\7\0\2\0\0Mac OS X"),
                        "an AppleDouble file (macOS metadata)");
    assert_string_equal(WORDS("\377\376a\0 \0001\0"), "text in UTF-16");
    assert_string_equal(WORDS("\376\377\0a"), "text in UTF-16");
    /* Names, and the first word of a gmon.out of BSD. */
    assert_null(FORMAT("LZIP 1\n"));
    assert_null(FORMAT("MSCF 1\n"));
    assert_ptr_equal(FORMAT("LZIP;MSCF 1\n"), &folded_format);
    assert_string_equal(
        WORDS("\37\235\220\0\x10\x80\0\0\x28\0\0\0\x79\x18\5\0"),
        "a gmon.out file; use gmon2pb");
}

static void test_profile(void **state)
{
    /* A sample type of string 1 in string 2. */
    assert_string_equal(FORMAT("\012\004\010\001\020\002")->name, "proto");
    /* A time first, as Go writes it, then a period type. */
    assert_string_equal(FORMAT("\110\201\002\132\004\010\001\020\002")->name,
                        "proto");
    /* Cut; a field that profiles do not have; a field of no such type. */
    assert_null(FORMAT("\012\004\010\001\020"));
    assert_null(FORMAT("\202\001\004\010\001\020\002"));
    assert_null(FORMAT("\011\004\010\001\020\002\004\004\004"));
}

static void test_unknown(void **state)
{
    assert_null(FORMAT(""));
    assert_null(FORMAT("\n\n"));
    assert_null(FORMAT("# only a comment"));
    assert_null(FORMAT("hello"));
    assert_null(FORMAT("gmo"));
    assert_null(FORMAT("\nheap profile"));
}

static void test_words(void **state)
{
#define NO_PROFILE(bytes)                                                      \
    import_describe((const uint8_t *)(bytes), sizeof(bytes) - 1)
    assert_string_equal(NO_PROFILE("gmon\1\0\0\0"),
                        "a gmon.out file; use gmon2pb");
    assert_string_equal(NO_PROFILE("hello\n"), "text");
    assert_null(NO_PROFILE("\012\004\010\001\020\002"));
    assert_null(NO_PROFILE("\0\0"));
}

/* Whether the file of the source tree has the text. */
static bool has_text(const char *path, const char *text)
{
    struct buf b = {0};
    int c;
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    while ((c = getc(f)) != EOF)
        assert_true(buf_putc(&b, (char)c));
    assert_int_equal(fclose(f), 0);
    bool found = b.n && memmem(b.v, b.n, text, strlen(text)) != NULL;
    buf_free(&b);
    return found;
}

/* Whether a line of the file has both texts. */
static bool has_line(const char *path, const char *some, const char *other)
{
    char line[1000];
    bool found = false;
    FILE *f = fopen(path, "r");
    while (f && !found && fgets(line, sizeof line, f))
        found = strstr(line, some) && strstr(line, other);
    if (f)
        assert_int_equal(fclose(f), 0);
    return found;
}

/* The pages name each format of prof2pb, and each program that writes it. */
static void test_named(void **state)
{
    static const char *const rows[][2] = {
        {"README.md", "[prof2pb](doc/prof2pb.1.md)"},
        {"man/profutils.7", "converts profiles of gperftools"},
        {"man/prof2pb.1", ".Nd convert profiles of"}};
    const struct import_format *format;
    for (size_t i = 0; (format = import_format_at(i)); i++) {
        for (size_t k = 0; k < 2 && format->writers[k]; k++)
            for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
                if (!has_line(rows[r][0], rows[r][1], format->writers[k]))
                    fail_msg("%s: no %s in the line of '%s'", rows[r][0],
                             format->writers[k], rows[r][1]);
        if (import_reader(format) &&
            !has_line("man/prof2pb.1", ".It Cm ", format->name))
            fail_msg("man/prof2pb.1: no entry for %s", format->name);
    }
}

/* The manual lists what prof2pb --type takes. */
static void test_documented(void **state)
{
    const struct import_format *format;
    struct buf list = {0};
    for (size_t i = 0; (format = import_format_at(i)); i++)
        if (import_reader(format))
            assert_true(buf_printf(&list, "%s.Cm %s", list.n ? " ,\n" : "",
                                   format->name));
    assert_true(buf_puts(&list, " .\n") && buf_putc(&list, 0));
    if (!has_text("man/prof2pb.1", (char *)list.v))
        fail_msg("man/prof2pb.1 lacks: %s", (char *)list.v);
    buf_free(&list);
}

static size_t count_entries(const char *path)
{
    size_t n = 0;
    DIR *dir = opendir(path);
    if (!dir)
        return 0;
    while (readdir(dir))
        n++;
    assert_int_equal(closedir(dir), 0);
    return n - 2; /* . and .. */
}

/* Each format has a fuzz target with seeds, called like it. */
static void test_fuzzed(void **state)
{
    const struct import_format *format;
    for (size_t i = 0; (format = import_format_at(i)); i++) {
        const char *name = format->name;
        char target[80], seeds[80], words[80];
        if (strcmp(name, "proto") == 0)
            name = "pb";
        (void)snprintf(target, sizeof target, "tests/fuzz/fuzz_%s.c", name);
        (void)snprintf(seeds, sizeof seeds, "tests/fuzz/seeds/%s", name);
        (void)snprintf(words, sizeof words, "tests/fuzz/%s.dict", name);
        if (!has_text(target, "LLVMFuzzerTestOneInput"))
            fail_msg("%s: no target %s", format->name, target);
        if (!has_text(words, "\""))
            fail_msg("%s: no dictionary %s", format->name, words);
        if (!count_entries(seeds))
            fail_msg("%s: no seeds in %s", format->name, seeds);
        if (!has_text("tests/slow/sweep/run", name))
            fail_msg("%s: not in tests/slow/sweep/run", format->name);
    }
}

/* What the table says of itself. */
static void test_rows(void **state)
{
    const struct import_format *format, *other;
    for (size_t i = 0; (format = import_format_at(i)); i++) {
        assert_true(*format->name && *format->tool && *format->what &&
                    *format->words && format->begins);
        /* prof2pb has a reader for each, other tools have a converter. */
        assert_true(!import_reader(format) ==
                    (strcmp(format->tool, "prof2pb") != 0));
        assert_ptr_equal(import_named(format->name),
                         import_reader(format) ? format : NULL);
        for (size_t j = 0; j < i && (other = import_format_at(j)); j++)
            assert_string_not_equal(format->name, other->name);
    }
    assert_null(import_named("nonesuch"));
}

/* The list for --type has each name. */
static void test_names(void **state)
{
    const struct import_format *format;
    struct buf expected = {0};
    char list[IMPORT_NAMES_MAX];
    for (size_t i = 0; (format = import_format_at(i)); i++)
        if (import_reader(format))
            assert_true(buf_printf(&expected, "%s%s", expected.n ? "|" : "",
                                   format->name));
    assert_true(buf_putc(&expected, 0));
    assert_string_equal(import_names(list), (char *)expected.v);
    buf_free(&expected);
}

/* What prof2pb says of bytes of no format has each writer once. */
static void test_writers(void **state)
{
    const struct prof2pb_options options = {0};
    const struct import_input in = {.data = (const uint8_t *)"?", .n = 1};
    struct prof_err err;
    struct prof2pb_sum *sum = prof2pb_sum_new(&options, NULL, &err);
    const struct import_format *format;
    assert_non_null(sum);
    assert_false(prof2pb_sum_add(sum, &in, &err));
    prof2pb_sum_free(sum);
    assert_memory_equal(err.text, "not a profile of ", 17);
    for (size_t i = 0; (format = import_format_at(i)); i++)
        for (size_t k = 0; k < 2 && format->writers[k]; k++) {
            const char *found = strstr(err.text, format->writers[k]);
            assert_non_null(found);
            assert_null(strstr(found + 1, format->writers[k]));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),    cmocka_unit_test(test_folded),
        cmocka_unit_test(test_binary),  cmocka_unit_test(test_packed),
        cmocka_unit_test(test_profile), cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_words),   cmocka_unit_test(test_named),
        cmocka_unit_test(test_rows),    cmocka_unit_test(test_documented),
        cmocka_unit_test(test_fuzzed),  cmocka_unit_test(test_names),
        cmocka_unit_test(test_writers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
