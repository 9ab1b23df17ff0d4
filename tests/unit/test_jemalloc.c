/*
 * Heap profiles of jemalloc: texts as it writes them.  The numbers follow the
 * rule of heap_v2, whose values test_unsample.c checks.
 */
#include <string.h>

#include "said.h"
#include "text_file.h"
#include "unit.h"

#define MAPS                                                                   \
    "\nMAPPED_LIBRARIES:\n"                                                    \
    "00401000-00405000 r-xp 00001000 08:01 1  /bin/a\n"
#define TOTALS "heap_v2/524288\n  t*: 3: 3000 [0: 0]\n"
#define STACKS                                                                 \
    "@ 0x401136 0x401150\n"                                                    \
    "  t*: 3: 3000 [0: 0]\n"                                                   \
    "  t0: 1: 1000 [0: 0]\n"                                                   \
    "  t7: 2: 2000 [0: 0]\n"                                                   \
    "@ 0x401188\n"                                                             \
    "  t*: 1: 1048576 [0: 0]\n"                                                \
    "  t9: 1: 1048576 [0: 0]\n"

/* 1/(1 - e^-2) is 1.1565. */
static const char all[] = "1574 1574364 @ 401135 40114f\n"
                          "1 1212696 @ 401187\n";

static void test_totals(void **state)
{
    struct read_result r;
    read_text(NULL, TOTALS STACKS MAPS, NULL, &r);
    assert_true(r.ok);
    assert_string_equal(values_text(&r.p), all);
    assert_string_equal(types_text(&r.p),
                        "objects/count space/bytes every 524288 space/bytes");
    assert_string_equal(mappings_text(&r.p), "400000-405000 0 /bin/a\n");
    assert_said((char *)r.warnings.v, "");
    assert_non_null(strstr(prof_cstr(&r.p, r.p.drop_frames), "malloc|"));
    free_result(&r);
}

static void test_threads(void **state)
{
    static const struct import_options opts = {.threads = true};
    struct read_result r;
    read_text(NULL,
              TOTALS "  t9: 1: 1048576 [0: 0]\n"
                     "  t7: 2: 2000 [0: 0] my worker 1\n"
                     "  t0: 1: 1000 [0: 0]\n" STACKS MAPS,
              &opts, &r);
    assert_true(r.ok);
    assert_string_equal(
        values_text(&r.p),
        "524 524788 @ 401135 40114f [thread_id=0]\n"
        "1049 1049576 @ 401135 40114f [thread=my worker 1] [thread_id=7]\n"
        "1 1212696 @ 401187 [thread_id=9]\n");
    free_result(&r);
    /* Not listed at the beginning: without a name. */
    read_text(NULL, TOTALS STACKS MAPS, &opts, &r);
    assert_non_null(strstr(values_text(&r.p),
                           "1049 1049576 @ 401135 40114f [thread_id=7]\n"));
    free_result(&r);
    /* A stack that tells of none keeps the row of all. */
    read_text(NULL,
              "heap_v2/1\n@ 0x401011\n t*: 3: 30 [0: 0]\n\n@ 0x401021\n"
              " t*: 3: 30 [0: 0]\n t1: 3: 30 [0: 0]\n"
              "@ 0x401031\n t*: 4: 40 [0: 0]\n" MAPS,
              &opts, &r);
    assert_string_equal(values_text(&r.p), "3 30 @ 401010\n"
                                           "3 30 @ 401020 [thread_id=1]\n"
                                           "4 40 @ 401030\n");
    assert_said((char *)r.warnings.v, "");
    free_result(&r);
}

static void test_accumulated(void **state)
{
    struct read_result r;
    read_text(NULL,
              "heap_v2/524288\n  t*: 1: 1000 [3: 3000]\n"
              "@ 0x401136\n  t*: 1: 1000 [2: 2000]\n"
              "@ 0x401188\n  t*: 0: 0 [1: 1000]\n" MAPS,
              NULL, &r);
    assert_string_equal(types_text(&r.p),
                        "alloc_objects/count alloc_space/bytes "
                        "inuse_objects/count inuse_space/bytes every 524288 "
                        "space/bytes");
    assert_string_equal(values_text(&r.p), "1049 1049576 524 524788 @ 401135\n"
                                           "524 524788 0 0 @ 401187\n");
    free_result(&r);
}

static void test_lines(void **state)
{
    assert_samples("# comment\r\nheap_v2/1\r\n\r\n@ 0x401136\r\n"
                   "t*:1:10[0:0]\r\n\r\n",
                   "1 10 @ 401135\n");
    assert_samples("heap_v2/1\n", "");
    assert_samples("heap_v2/1\n@\n t*: 1: 10 [0: 0]\n", "1 10 @\n");
}

static void test_warnings(void **state)
{
    static const struct {
        const char *text, *samples, *warnings;
    } cases[] = {
        {TOTALS STACKS, all, "no list of mappings\n"},
        {TOTALS STACKS "@ 0x401199\n" MAPS, all,
         "1 stack without a count skipped\n"},
        {TOTALS "@ 0x401199\n  t1: 1: 2 [0: 0]\n" STACKS MAPS, all,
         "1 stack without a count skipped\n"},
        {TOTALS STACKS "@ 0x4011", all,
         "1 stack without a count skipped\nno list of mappings\nthe file does "
         "not "
         "end with a newline; it may be truncated\n"},
        {TOTALS STACKS "@ 0x401199\n  t*: 1: 2 [0", all,
         "line 11: unexpected end of file; line skipped\n1 stack without a "
         "count skipped\nno list of mappings\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_warned(cases[i].text, NULL, cases[i].samples, cases[i].warnings);
    }
}

static void test_errors(void **state)
{
    assert_wrong("jemalloc", "",
                 "not a jemalloc heap profile: no header in line 1");
    assert_wrong("jemalloc", "heap_v2/\n",
                 "line 1: 'heap_v2/' is not a jemalloc heap profile header");
    assert_wrong("jemalloc", "heap_v2/9223372036854775808\n",
                 "line 1: 'heap_v2/9223372036854775808' is not a jemalloc heap "
                 "profile header");
    static const struct {
        const char *line, *wrong;
    } cases[] = {
        {"  t*: 0: 24 [0: 0]", "'t*: 0: 24 [0: 0]' has bytes but no objects"},
        {"  t*: 1: 2 [0: 0] x",
         "'t*: 1: 2 [0: 0] x' has text after the numbers"},
        {"  t: 1: 2 [0: 0]",
         "'t: 1: 2 [0: 0]' is not a line of a jemalloc heap profile"},
        {"t", "'t' is not a line of a jemalloc heap profile"},
        {"what", "'what' is not a line of a jemalloc heap profile"},
        {"@ main", "invalid address 'main': expected 0x and a "
                   "hexadecimal number of 64 bits"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf text = {0}, message = {0};
        assert_true(
            buf_printf(&text, TOTALS "@ 0x401136\n%s\n", cases[i].line) &&
            buf_putc(&text, '\0'));
        assert_true(buf_printf(&message, "line 4: %s", cases[i].wrong) &&
                    buf_putc(&message, '\0'));
        assert_wrong(NULL, (char *)text.v, (char *)message.v);
        buf_free(&text);
        buf_free(&message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_totals),      cmocka_unit_test(test_threads),
        cmocka_unit_test(test_accumulated), cmocka_unit_test(test_lines),
        cmocka_unit_test(test_warnings),    cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
