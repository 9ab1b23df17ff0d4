/*
 * Heap and contention profiles of Java agents.
 */
#include <inttypes.h>
#include <string.h>

#include "said.h"
#include "text_file.h"
#include "unit.h"

static const char heap[] =
    "--- heapz 1 ---\n"
    "format = java\n"
    "resolution = bytes\n"
    "   7048     1 @ 0x00000003 0x00000004\n"
    "   4752     9 @ 0x0000002b\n"
    "\n"
    " 0x00000003 com.example.Cache.put (Cache.java:103)\n"
    " 0x00000004 com.example.Main.main (Main.java:7)\n"
    " 0x0000002b GC\n";

static const char contention[] = "--- contentionz 1 ---\n"
                                 "format = java\n"
                                 "resolution = microseconds\n"
                                 "sampling period = 100\n"
                                 "ms since reset = 6019923\n"
                                 "   14     2 @ 0x00000003 0x00000004\n"
                                 " 0x3 java.lang.Object.wait (Object.java:-2)\n"
                                 " 0x4 (native) (/usr/lib/libjvm.so)\n";

/* FUNCTION FILE:LINE of each location that has one, in a static buffer. */
static const char *names_text(const struct profile *p)
{
    static char text[1024];
    struct buf b = {0};
    for (size_t l = 0; l < p->n_locations; l++) {
        const struct prof_location *loc = &p->locations[l];
        for (uint32_t i = 0; i < loc->n_lines; i++) {
            const struct prof_line *line = &p->lines[loc->line_off + i];
            const struct prof_function *f = &p->functions[line->function];
            assert_true(buf_printf(&b, "%s %s:%" PRId64 "\n",
                                   prof_cstr(p, f->name),
                                   prof_cstr(p, f->filename), line->line));
        }
    }
    assert_true(b.n < sizeof text);
    if (b.n)
        memcpy(text, b.v, b.n);
    text[b.n] = '\0';
    buf_free(&b);
    return text;
}

static void assert_names(const char *lines, const char *names)
{
    struct buf text = {0};
    struct read_result r;
    assert_true(buf_printf(&text,
                           "--- heapz 1 ---\nresolution = bytes\n"
                           "1 1 @ 0x3 0x4\n%s",
                           lines));
    assert_true(buf_putc(&text, '\0'));
    read_text(NULL, (const char *)text.v, NULL, &r);
    assert_true(r.ok);
    assert_string_equal(names_text(&r.p), names);
    free_result(&r);
    buf_free(&text);
}

static void test_heap(void **state)
{
    struct read_result r;
    read_text(NULL, heap, NULL, &r);
    assert_true(r.ok);
    /* s/(1 - exp(-s/524288)), s = 7048 and 528; 9 times for the second. */
    assert_string_equal(values_text(&r.p), "74 527819 @ 0 0 [bytes=7048]\n"
                                           "8941 4720968 @ 0 [bytes=528]\n");
    assert_string_equal(types_text(&r.p),
                        "inuse_objects/count inuse_space/bytes every 0 /");
    assert_string_equal(names_text(&r.p),
                        "com.example.Cache.put Cache.java:103\n"
                        "com.example.Main.main Main.java:7\n"
                        "GC :0\n");
    assert_string_equal(mappings_text(&r.p), "");
    assert_said((char *)r.warnings.v, "");
    assert_non_null(strstr(prof_cstr(&r.p, r.p.drop_frames), "malloc|"));
    free_result(&r);
}

static void test_contention(void **state)
{
    struct read_result r;
    read_text(NULL, contention, NULL, &r);
    assert_true(r.ok);
    assert_string_equal(values_text(&r.p), "200 1400 @ 0 0\n");
    assert_string_equal(types_text(&r.p),
                        "contentions/count delay/microseconds every 100 "
                        "contentions/count");
    assert_int_equal(r.p.duration_nanos, INT64_C(6019923000000));
    assert_string_equal(names_text(&r.p),
                        "java.lang.Object.wait Object.java:0\n"
                        "(native) libjvm.so:0\n");
    assert_said((char *)r.warnings.v, "");
    assert_non_null(
        strstr(prof_cstr(&r.p, r.p.drop_frames), "RecordLockProfileData|"));
    free_result(&r);
    /* Java's by its resolution alone; without a period values are whole. */
    assert_samples("--- contentionz 1 ---\nresolution = microseconds\n"
                   "14 2 @ 0x3\n0x3 f\n",
                   "2 14 @ 0\n");
}

static void test_names(void **state)
{
    assert_names("0x3 generated stub/JIT\n0x4 Compile (C2) thread\n",
                 "STUB :0\nCompile (C2) thread :0\n");
    assert_names("0x3 memcpy (/lib/libc.so.6)\n0x4 f ()\n",
                 "memcpy libc.so.6:0\nf :0\n");
    assert_names("0x3 f (A.java:9223372036854775807)\n"
                 "0x4 g (B.java:9223372036854775808)\n",
                 "f A.java:9223372036854775807\ng B.java:0\n");
    /* Blanks, carriage returns, a second line for a number, others' lines. */
    assert_names("\t0x0003\tf\t(A.java:1)\r\nxyz\n0x5 h\n0x4 old\n0x4 new\n",
                 "f A.java:1\nnew :0\n");
}

static void test_warnings(void **state)
{
    struct read_result r;
    read_text(NULL,
              "--- heapz 1 ---\nformat = java\ncolour = blue\n"
              "resolution = bytes\n7048 1 @ 0x3 0x4\nhello\n7048 2 @ 0x4\n"
              "0x3 f\n",
              NULL, &r);
    assert_true(r.ok);
    assert_said((char *)r.warnings.v,
                "line 3: 'colour = blue' skipped: unknown attribute\n1 line "
                "skipped, starting at line 6: neither samples nor frame "
                "names\nno name in the file for 1 of 2 frames\n");
    free_result(&r);
}

static void test_errors(void **state)
{
    assert_wrong("java", "", "not a Java profile: no header in line 1");
    assert_wrong("java", "--- mutex:\n",
                 "line 1: '--- mutex:' is not a Java profile header");
    assert_wrong("java", "--- contentionz 1 ---\ncycles/second = 1\n1 1 @ 0x1",
                 "line 3: no 'resolution = ...' line before the samples");
    assert_wrong(NULL, "--- heapz 1 ---\nformat = c++\n",
                 "line 2: 'format = c++' is not a Java profile format");
    assert_wrong(NULL, "--- heapz 1 ---\nresolution = bytes\n7048 0 @ 0x1\n",
                 "line 3: '7048 0 @ 0x1' has bytes but no objects");
    assert_wrong(NULL, "--- heapz 1 ---\nresolution = bytes\n-7048 1 @ 0x1\n",
                 "line 3: '-7048 1 @ 0x1' is not a Java profile sample");
    assert_wrong(NULL, "--- heapz 1 ---\nresolution = bytes\n7048 1 @ Main\n",
                 "line 3: invalid address 'Main': expected 0x and a "
                 "hexadecimal number of 64 bits");
    assert_wrong(NULL,
                 "--- heapz 1 ---\nresolution = bytes\n"
                 "9223372036854775807 9223372036854775807 @ 0x1\n",
                 "line 3: '9223372036854775807 9223372036854775807 @ 0x1' "
                 "exceeds 64 bits when scaled by the sampling rate");
    assert_wrong(NULL,
                 "--- contentionz 1 ---\nresolution = us\nsampling period = "
                 "2\n4611686018427387904 1 @ 0x1\n",
                 "line 4: '4611686018427387904 1 @ 0x1' exceeds 64 bits when "
                 "scaled by the sampling rate");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heap),   cmocka_unit_test(test_contention),
        cmocka_unit_test(test_names),  cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
