/*
 * Heap profiles of gperftools, tcmalloc and Go: texts, and what their numbers
 * stand for.  Numbers that are scaled up are those that google/pprof gives for
 * the same text; for kinds that it does not know, google-pprof.
 */
#include <stdio.h>
#include <string.h>

#include "said.h"
#include "text_file.h"
#include "unit.h"

#define HEADER "heap profile: 3: 280 [3: 280] @ "
#define MAPS                                                                   \
    "\nMAPPED_LIBRARIES:\n"                                                    \
    "00401000-00405000 r-xp 00001000 08:01 1  /bin/a\n"

static void assert_types(const char *text, const char *types)
{
    struct read_result r;
    read_text(NULL, text, NULL, &r);
    assert_true(r.ok);
    assert_string_equal(types_text(&r.p), types);
    free_result(&r);
}

static void test_types(void **state)
{
    static const char two[] = "objects/count space/bytes every 1 space/bytes";
    static const char four[] =
        "alloc_objects/count alloc_space/bytes inuse_objects/count "
        "inuse_space/bytes every 1 space/bytes";
    /* These count allocations, whatever was freed. */
    assert_types("heap profile: 3: 280 [3: 280] @ heapprofile\n", four);
    assert_types("heap profile: 3: 280 [0: 0] @ heapprofile\n", four);
    assert_types("heap profile: 3: 280 [4: 280] @ heapprofile\n", four);
    assert_types("heap profile: 3: 280 [3: 281] @ heapprofile\n", four);
    assert_types("heap profile: 3: 280 [0: 281] @ heapprofile\n", four);
    assert_types("heap profile: 0: 0 [4: 5] @ heapprofile/512\n", four);
    assert_types("heap profile: 3: 280 [3: 280] @ heap/2\n", four);
    assert_types("heap profile: 0: 0 [0: 0] @ heapprofile\n", four);
    /* These do not, unless the totals say so. */
    assert_types("heap profile: 3: 280 [3: 280] @ heap_v2/1\n", two);
    assert_types("heap profile: 3: 280 [0: 0] @ heap_v2/1\n", two);
    assert_types("heap profile: 3: 280 [3: 280] @ heapz_v2/1\n", two);
    assert_types("heap profile: 3: 280 [3: 280] @ own\n", two);
    assert_types("heap profile: 3: 280 [4: 280] @ heap_v2/1\n", four);
    assert_types("heap profile: 3: 280 [4: 280] @ heapz_v2/1\n", four);
    assert_types("heap profile: 3: 280 [4: 280] @ own\n", four);
    /* These have one kind of values whatever the totals are. */
    assert_types("heap profile: 3: 280 [3: 280] @ growth\n", two);
    assert_types("heap profile: 3: 280 [3: 280] @ fragmentation\n", two);
    assert_types("heap profile: 3: 280 [4: 281] @ growth\n", two);
    assert_types("heap profile: 3: 280 [4: 281] @ growthz\n", two);
    assert_types("heap profile: 3: 280 [4: 281] @ fragmentation\n", two);
    assert_types("heap profile: 3: 280 [4: 281] @ fragmentationz\n", two);
    static const char rate[] =
        "objects/count space/bytes every 524288 space/bytes";
    assert_types(HEADER "heap_v2/524288\n", rate);
    assert_types(HEADER "heapz_v2/524288\n", rate);
    static const char go_rate[] =
        "alloc_objects/count alloc_space/bytes inuse_objects/count "
        "inuse_space/bytes every 524288 space/bytes";
    assert_types(HEADER "heap/1048576\n", go_rate);
    assert_types(HEADER "heap/1048577\n", go_rate);
    assert_types(HEADER "heapz/1048576\n", rate);
    assert_types(HEADER "_heap_v2/524288\n", rate);
    assert_types(HEADER "heap_v2\n",
                 "objects/count space/bytes every 0 space/bytes");
    static const char interval[] =
        "objects/count space/bytes every 131072 space/bytes";
    assert_types(HEADER "heapz\n", interval);
    assert_types(HEADER "_heap_v2\n", interval);
    assert_types("heap profile: 3: 280 [3: 280]\n", interval);
    assert_types("heap profile: 3: 280 [3: 280] @\n", interval);
    assert_types("heap profile: 3: 280 [4: 280]\n", four);
}

static void test_drop_frames(void **state)
{
    struct read_result r;
    read_text(NULL, HEADER "growth\n", NULL, &r);
    assert_true(r.ok);
    assert_non_null(strstr(prof_cstr(&r.p, r.p.drop_frames), "tc_malloc|"));
    assert_string_equal(prof_cstr(&r.p, r.p.keep_frames),
                        "runtime\\.panic|runtime\\.reflectcall|"
                        "runtime\\.call[0-9]*");
    free_result(&r);
}

static void test_as_is(void **state)
{
    static const char *const kinds[] = {"growth", "growthz", "fragmentationz",
                                        "heap_v2", "heap_v2/1"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct buf b = {0};
        assert_true(buf_printf(&b, HEADER "%s\n", kinds[i]) &&
                    buf_puts(&b, "  2:  256 [  2:  256] @ 0x401136 0x40115f\n"
                                 "  1:   24 [  1:   24] @ 0x401188\n" MAPS) &&
                    buf_putc(&b, '\0'));
        assert_samples((char *)b.v, "2 256 @ 401135 40115e [bytes=128]\n"
                                    "1 24 @ 401187 [bytes=24]\n");
        buf_free(&b);
    }
    static const char *const counting[] = {"heapprofile", "heapprofile/512",
                                           "heap", "heap/3"};
    for (size_t i = 0; i < sizeof counting / sizeof *counting; i++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       HEADER "%s\n"
                              "  2:  256 [  2:  256] @ 0x401136 0x40115f\n"
                              "  1:   24 [  1:   24] @ 0x401188\n" MAPS,
                       counting[i]);
        assert_samples(text, "2 256 2 256 @ 401135 40115e [bytes=128]\n"
                             "1 24 1 24 @ 401187 [bytes=24]\n");
    }
}

static void test_sampled(void **state)
{
    assert_samples(HEADER "heap_v2/524288\n"
                          "1: 1000 [1: 1000] @ 0x401136\n"
                          "2: 2000 [2: 2000] @ 0x401136\n"
                          "0: 0 [0: 0] @ 0x401136\n"
                          "-1: -1000 [0: 0] @ 0x401136\n",
                   "524 524788 @ 401135 [bytes=1000]\n"
                   "1049 1049576 @ 401135 [bytes=1000]\n"
                   "0 0 @ 401135 [bytes=0]\n"
                   "-524 -524788 @ 401135 [bytes=1000]\n");
    /* Twice the rate, as Go writes it. */
    assert_samples(HEADER "heap/1048576\n1: 1000 [1: 1000] @ 0x401136\n",
                   "524 524788 524 524788 @ 401135 [bytes=1000]\n");
    /* Totals that are equal by chance: each pair by its own mean size. */
    assert_samples(HEADER "heap/1048576\n"
                          "1: 1000 [2: 2000] @ 0x401136\n"
                          "0: 0 [2: 2000] @ 0x401136\n",
                   "1049 1049576 524 524788 @ 401135 [bytes=1000]\n"
                   "1049 1049576 0 0 @ 401135 [bytes=1000]\n");
    assert_samples(HEADER "_heap_v2/524288\n1: 1000 [1: 1000] @ 0x401136\n",
                   "524 524788 @ 401135 [bytes=1000]\n");
    /* 1 in 65536, and 1 in 131072: each object stands for so many bytes. */
    assert_samples(HEADER "heapz/131072\n"
                          "2: 4096 [2: 4096] @ 0x401136\n"
                          "1: 65536 [1: 65536] @ 0x401136\n",
                   "64 131072 @ 401135 [bytes=2048]\n"
                   "1 65536 @ 401135 [bytes=65536]\n");
    assert_samples("heap profile: 3: 280 [3: 280]\n"
                   "2: 4096 [2: 4096] @ 0x401136\n",
                   "128 262144 @ 401135 [bytes=2048]\n");
    assert_samples("heap profile: 3: 280 [4: 280]\n"
                   "2: 4096 [3: 4096] @ 0x401136\n",
                   "3 4096 2 4096 @ 401135 [bytes=2048]\n");
}

static void test_allocated(void **state)
{
    assert_samples("heap profile: 3: 280 [9: 1280] @ heapprofile\n"
                   "2: 256 [5: 1256] @ 0x401136\n"
                   "0: 0 [4: 24] @ 0x401188\n"
                   "0: 0 [0: 0] @ 0x401188\n",
                   "5 1256 2 256 @ 401135 [bytes=128]\n"
                   "4 24 0 0 @ 401187 [bytes=6]\n"
                   "0 0 0 0 @ 401187 [bytes=0]\n");
    /* Totals that are not what the lines say. */
    assert_warned(HEADER "heap_v2\n2: 256 [5: 1256] @ 0x401136\n"
                         "2: 256 [2: 256] @ 0x401136\n" MAPS,
                  NULL,
                  "2 256 @ 401135 [bytes=128]\n"
                  "2 256 @ 401135 [bytes=128]\n",
                  "allocated values of 1 sample skipped: the header's totals "
                  "do not count them\n");
    /* A kind that always counts them has those of the lines. */
    assert_warned(HEADER "heapprofile\n2: 256 [5: 1256] @ 0x401136\n"
                         "0: 0 [4: 24] @ 0x401188\n" MAPS,
                  NULL,
                  "5 1256 2 256 @ 401135 [bytes=128]\n"
                  "4 24 0 0 @ 401187 [bytes=6]\n",
                  "");
    /* 2^32 - 3 in 32 bits. */
    assert_warned(
        "heap profile: 1: 10 [-3: 90] @ heapprofile\n"
        "1: 10 [-3: 90] @ 0x401136\n" MAPS,
        NULL, "4294967293 90 1 10 @ 401135 [bytes=10]\n",
        "1 negative count of allocated objects treated as 32-bit overflow\n");
}

static void test_lines(void **state)
{
    static const char *const same[] = {
        HEADER "heapprofile\n2: 256 [2: 256] @ 0x401136 0x401150\n" MAPS,
        HEADER "heapprofile\r\n2: 256 [2: 256] @ 0x401136 0x401150\r\n" MAPS,
        "\n# a comment\n%warn the heap is odd\n" HEADER "heapprofile\n\n"
        "#\tone more\n \t2:256[2:256]@0x401136\t0x401150 \n--- Memory map: ---"
        "\n401000-405000: /bin/a\n",
        "I0102 a.cc:12] " HEADER "heapprofile\n"
        "I0102 a.cc:13] 2: 256 [2: 256] @ 0x401136 0x401150\n" MAPS,
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_samples(same[i], "2 256 2 256 @ 401135 40114f [bytes=128]\n");
    assert_samples(HEADER "heapprofile\n"
                          "1: 2 [1: 2] @\n"
                          "1: 2 [1: 2] @ 0xABCDEF 0xffffffffffffffff\n"
                          "1: 2 [1: 2] @ 0x401136 0x0 0x401150\n",
                   "1 2 1 2 @ [bytes=2]\n"
                   "1 2 1 2 @ abcdee fffffffffffffffe [bytes=2]\n"
                   "1 2 1 2 @ 401135 40114f [bytes=2]\n");
}

static void test_warnings(void **state)
{
    static const struct {
        const char *text, *warnings;
    } cases[] = {
        {HEADER "heapprofile\n1: 2 [1: 2] @ 0x401136\n",
         "no list of mappings\n"},
        {HEADER "heapprofile\n1: 2 [1: 2] @ 0x401136\nMAPPED_LIBRARIES:\n",
         "no list of mappings\n"},
        /* Go writes none. */
        {HEADER "heap/1024\n1: 2 [1: 2] @ 0x401136\n", ""},
        {HEADER "heap/1024\n1: 2 [1: 2] @ 0x401136\n#\t0x401135\tmain.f+0x1",
         "line 3: unexpected end of file in a comment; names or labels may be "
         "truncated or missing\n"},
        {HEADER "heapprofile\n1: 2 [1: 2] @ 0x401136 0x0\n" MAPS,
         "1 caller at address 0 skipped\n"},
        {HEADER "heapprofile\n1: 2 [1: 2] @ 0x401136",
         "line 2: unexpected end of file; the last address may be "
         "truncated\nno list of mappings\n"},
        {HEADER "heapprofile\n1: 2 [1: 2] @ 0x401136\n1: 2 [1",
         "line 3: unexpected end of file; line skipped\nno list of mappings\n"},
        {"%warn too late\n" HEADER "heapprofile\n" MAPS,
         "line 1: message in the profile: too late\n"},
        {HEADER "stack\n" MAPS, "line 1: unknown kind of heap profile 'stack'; "
                                "its numbers are not scaled\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct read_result r;
        read_text(NULL, cases[i].text, NULL, &r);
        assert_true(r.ok);
        assert_said((char *)r.warnings.v, cases[i].warnings);
        free_result(&r);
    }
}

static void test_errors(void **state)
{
    assert_wrong("heap", "", "not a heap profile: no header in line 1");
    assert_wrong(
        "heap", "goroutine profile: total 3\n",
        "line 1: 'goroutine profile: total 3' is not a heap profile header");
    assert_wrong(NULL, "heap profile: many\n",
                 "line 1: 'heap profile: many' is not a heap profile header");
    assert_wrong("heap", "heap profile: 3: 280 [3: 280 @ heap\n",
                 "line 1: 'heap profile: 3: 280 [3: 280 @ heap' is not a heap "
                 "profile header");
    assert_wrong("heap", HEADER "heap_v2/12k\n",
                 "line 1: '" HEADER
                 "heap_v2/12k' has an invalid sampling rate");
    assert_wrong("heap", HEADER "heap_v2/9223372036854775808\n",
                 "line 1: '" HEADER
                 "heap_v2/9223372036854775808' has an invalid sampling rate");
    assert_wrong(
        "heap", HEADER "heap_v2/512 and more\n",
        "line 1: '" HEADER
        "heap_v2/512 and more' has text after the heap profile's header");
    static const struct {
        const char *line, *wrong;
    } cases[] = {
        {"0: 24 [0: 0] @ 0x401136", "has bytes but no objects"},
        {"what is this", "is not a heap profile sample"},
        {"1: 2 [1: 2] 0x401136", "is not a heap profile sample"},
        {"9223372036854775808: 2 [1: 2] @ 0x1", "is not a heap profile sample"},
        {"1: 2 [1: -2] @ 0x1", "has a negative number of allocations"},
        {"-1: -9223372036854775808 [1: 2] @ 0x1",
         "has an object size that exceeds 63 bits"},
        {"9223372036854775807: 1 [1: 2] @ 0x1",
         "exceeds 64 bits when scaled by the sampling rate"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf text = {0}, message = {0};
        assert_true(
            buf_printf(&text, HEADER "heap_v2/512\n\n%s\n", cases[i].line) &&
            buf_putc(&text, '\0'));
        assert_true(buf_printf(&message, "line 3: '%s' %s", cases[i].line,
                               cases[i].wrong) &&
                    buf_putc(&message, '\0'));
        assert_wrong(NULL, (char *)text.v, (char *)message.v);
        buf_free(&text);
        buf_free(&message);
    }
}

/* Stacks are long: it is the word that is quoted. */
static void test_words_in_stacks(void **state)
{
    static const char *const words[] = {
        "main", "401136", "0x401136,0x2", "0x10000000000000000", "0x", "x1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[256], message[256];
        (void)snprintf(text, sizeof text,
                       HEADER "heapprofile\n1: 2 [1: 2] @ 0x1 %s 0x2\n",
                       words[i]);
        (void)snprintf(message, sizeof message,
                       "line 2: invalid address '%s': expected 0x and a "
                       "hexadecimal number of 64 bits",
                       words[i]);
        assert_wrong(NULL, text, message);
    }
}

static void test_long_line(void **state)
{
    /* Quoted as far as a message bears. */
    assert_wrong(
        NULL,
        HEADER "heapprofile\n"
               "a line of very many words that goes on and on until "
               "nobody wants to read any more of it\n",
        "line 2: 'a line of very many words that goes on and on until nobody "
        "wants to read any mor...' is not a heap profile sample");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_drop_frames),
        cmocka_unit_test(test_as_is),
        cmocka_unit_test(test_sampled),
        cmocka_unit_test(test_allocated),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_words_in_stacks),
        cmocka_unit_test(test_long_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
