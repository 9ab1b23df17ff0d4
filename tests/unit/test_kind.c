/*
 * What an input is, by the first lines that its producers write.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "io/kind.h"
#include "said.h"

#define KIND(bytes) kind_of((const uint8_t *)(bytes), sizeof(bytes) - 1)
#define WORDS(bytes) KIND(bytes)->words

static void test_text(void **state)
{
    (void)state;
    assert_string_equal(WORDS("heap profile:     1:  2 [ 3: 4] @ heapprofile"),
                        "a heap profile (text), which prof2pb reads");
    assert_string_equal(WORDS("heap_v2/524288\n  t*: 1: 2 [0: 0]\n"),
                        "a heap profile of jemalloc (text), which prof2pb "
                        "reads");
    assert_string_equal(WORDS("--- heapz 1 ---\nformat = java\n"),
                        "a heap profile of Java (text), which prof2pb reads");
    assert_string_equal(WORDS("--- contentionz 1 ---\n"),
                        "a contention profile (text), which prof2pb reads");
    assert_string_equal(WORDS("--- contention:\n"),
                        "a contention profile (text), which prof2pb reads");
    assert_string_equal(WORDS("--- mutex:\n"),
                        "a contention profile (text), which prof2pb reads");
    assert_string_equal(WORDS("# comment\n\n--- threadz 1 ---\n"),
                        "a thread profile (text), which prof2pb reads");
    assert_string_equal(
        WORDS("--- Thread 7f (name: main/12) stack: ---\n  PC: 0x1\n"),
        "a thread profile (text), which prof2pb reads");
    assert_string_equal(WORDS("goroutine profile: total 5\n2 @ 0x1\n"),
                        "a count profile of Go (text), which prof2pb reads");
    assert_string_equal(WORDS("goroutine 1 [running]:\nmain.main()\n"),
                        "a dump of Go's goroutines (debug=2), and no profile, "
                        "which debug=1 gives");
    assert_null(KIND("goroutine [running]:\n"));
    assert_null(KIND("goroutine 12\n"));
    assert_string_equal(
        WORDS("--- symbol\nbinary=/bin/a\n"),
        "a symbolized profile (pprof --raw), which prof2pb reads");
}

static void test_folded(void **state)
{
    (void)state;
    assert_ptr_equal(KIND("a;b 3\n"), &kind_folded);
    assert_ptr_equal(KIND("a;b 3"), &kind_folded);
    assert_ptr_equal(KIND("# a\n\nmain 4\r\n 3\na;b c\t-3 \n"), &kind_folded);
    assert_ptr_equal(KIND("a;b 12.5 3\nc;d 12.5\n"), &kind_folded);
    /* Names that are how other files begin. */
    assert_ptr_equal(KIND("gmond;main 3\n"), &kind_folded);
    assert_ptr_equal(KIND("x;h 0\n"), &kind_folded);
    /* No semicolon; lines that are no stacks; what is no text. */
    assert_null(KIND("a 3\nb 4\n"));
    assert_null(KIND("x 8\n"));
    assert_null(KIND("a;b 3\nc;d\n"));
    assert_null(KIND("a;b3\n"));
    assert_null(KIND("a;b .\n"));
    assert_null(KIND("a;b 1.2.3\n"));
    assert_null(KIND("a;b -\n"));
    assert_null(KIND("a;\1b 3\n"));
    assert_null(KIND("int a; return 3;\n"));
    assert_string_equal(WORDS("\177ELF;a 3\n"), "a program or library (ELF)");
}

static void test_binary(void **state)
{
    (void)state;
    static const char *const gmon = "a gmon.out file, which gmon2pb reads";
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
    assert_string_equal(WORDS("\037\213\010"), "gzip data inside of gzip data");
    static const char *const cpu =
        "a CPU profile of gperftools, which prof2pb reads";
    assert_string_equal(WORDS("\0\0\0\0\3\0\0\0\0"), cpu);
    assert_string_equal(WORDS("\0\0\0\0\0\0\0\3\0"), cpu);
    assert_string_equal(WORDS("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0"), cpu);
    assert_string_equal(WORDS("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\3"), cpu);
    assert_null(KIND("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\4"));
}

static void test_packed(void **state)
{
    (void)state;
    assert_string_equal(WORDS("\2!L\30\7\0\0\0`a;b 1\n"),
                        "lz4 data of the legacy format");
    assert_string_equal(WORDS("\3757zXZ\0\0\4"), "xz data inside of gzip data");
    assert_string_equal(WORDS("\037\235\220a"),
                        "data compressed with compress (.Z)");
    assert_string_equal(WORDS("]\0\0\200\0\377"), "data compressed with lzma");
    assert_string_equal(WORDS("LZIP\1\14"), "data compressed with lzip");
    assert_string_equal(WORDS("\211LZO\0\r\n"), "data compressed with lzop");
    assert_string_equal(WORDS("!<arch>\na;b/ 0 `\na;b 1\n"),
                        "an archive of ar (.a, .deb)");
    assert_string_equal(WORDS("MSCF\0\0\0\0\1"), "a cabinet archive (.cab)");
    assert_string_equal(WORDS("\0\5\26\7\0\2\0\0Mac OS X"),
                        "what macOS keeps of a file beside it (AppleDouble)");
    assert_string_equal(WORDS("\377\376a\0 \0001\0"), "text in UTF-16");
    assert_string_equal(WORDS("\376\377\0a"), "text in UTF-16");
    /* Names, and the first word of a gmon.out of BSD. */
    assert_null(KIND("LZIP 1\n"));
    assert_null(KIND("MSCF 1\n"));
    assert_ptr_equal(KIND("LZIP;MSCF 1\n"), &kind_folded);
    assert_string_equal(
        WORDS("\37\235\220\0\x10\x80\0\0\x28\0\0\0\x79\x18\5\0"),
        "a gmon.out file, which gmon2pb reads");
}

static void test_profile(void **state)
{
    (void)state;
    /* A sample type of string 1 in string 2. */
    assert_ptr_equal(KIND("\012\004\010\001\020\002"), &kind_profile);
    /* A time first, as Go writes it, then a period type. */
    assert_ptr_equal(KIND("\110\201\002\132\004\010\001\020\002"),
                     &kind_profile);
    /* Cut; a field that profiles do not have; a field of no such type. */
    assert_null(KIND("\012\004\010\001\020"));
    assert_null(KIND("\202\001\004\010\001\020\002"));
    assert_null(KIND("\011\004\010\001\020\002\004\004\004"));
}

static void test_is_text(void **state)
{
    (void)state;
#define TEXT(bytes) kind_is_text((const uint8_t *)(bytes), sizeof(bytes) - 1)
    assert_true(TEXT("hello\n\tworld\r\n"));
    assert_false(TEXT(""));
    assert_false(TEXT("hello\0"));
    assert_false(TEXT("\012\004\010\001\020\002"));
}

static void test_unknown(void **state)
{
    (void)state;
    assert_null(KIND(""));
    assert_null(KIND("\n\n"));
    assert_null(KIND("# only a comment"));
    assert_null(KIND("hello"));
    assert_null(KIND("gmo"));
    assert_null(KIND("\nheap profile"));
}

static void test_read_by(void **state)
{
    (void)state;
    struct err err;
    const struct kind *cpu = KIND("\0\0\0\0\3\0\0\0\0");
    assert_string_equal(cpu->reader, "prof2pb");
    assert_true(kind_is_read_by(cpu, "prof2pb"));
    assert_false(kind_is_read_by(cpu, "prof2"));
    assert_false(kind_is_read_by(cpu, "gmon2pb"));
    assert_false(kind_is_read_by(KIND("\177ELF\2\1\1"), "prof2pb"));
    assert_false(kind_is_read_by(NULL, "prof2pb"));
    assert_false(kind_refuse_broken(cpu, &err));
    assert_said(err.text, "begins like a CPU profile of gperftools, "
                          "but its header is broken");
}

static void test_words(void **state)
{
    (void)state;
#define NO_PROFILE(bytes)                                                      \
    kind_words((const uint8_t *)(bytes), sizeof(bytes) - 1)
    assert_string_equal(NO_PROFILE("gmon\1\0\0\0"),
                        "a gmon.out file, which gmon2pb reads");
    assert_string_equal(NO_PROFILE("hello\n"), "text");
    assert_null(NO_PROFILE("\012\004\010\001\020\002"));
    assert_null(NO_PROFILE("\0\0"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),    cmocka_unit_test(test_folded),
        cmocka_unit_test(test_binary),  cmocka_unit_test(test_packed),
        cmocka_unit_test(test_profile), cmocka_unit_test(test_is_text),
        cmocka_unit_test(test_unknown), cmocka_unit_test(test_read_by),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
