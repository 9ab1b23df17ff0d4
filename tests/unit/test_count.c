/*
 * Count profiles of Go.
 */
#include <stdio.h>
#include <string.h>

#include "said.h"
#include "text_file.h"
#include "unit.h"

static const char two[] = "threadcreate profile: total 3\n"
                          "1 @ 0x44cb3 0x45045\n"
                          "2 @ 0x44cb3\n";

static void test_samples(void **state)
{
    struct read_result r;
    read_text(NULL, two, NULL, &r);
    assert_true(r.ok);
    assert_string_equal(values_text(&r.p), "1 @ 44cb2 45044\n2 @ 44cb2\n");
    assert_string_equal(types_text(&r.p),
                        "threadcreate/count every 1 threadcreate/count");
    /* Go lists no mappings, pprof makes this one up. */
    assert_string_equal(mappings_text(&r.p), "0-ffffffffffffffff 0 \n");
    assert_said((char *)r.warnings.v, "");
    assert_string_equal(prof_cstr(&r.p, r.p.drop_frames),
                        "ProfileData::Add|ProfileData::prof_handler|"
                        "CpuProfiler::prof_handler|__pthread_sighandler|"
                        "__restore");
    free_result(&r);
}

static void test_lines(void **state)
{
    assert_samples("# one\n\nmy/own.profile profile: total 3\r\n"
                   "\r\n1 @ 0x10\r\n#\t0xf\tmain.f+0x1\ta.go:3\r\n"
                   "2\t@  0x20\r\n",
                   "1 @ f\n2 @ 1f\n");
    assert_samples("heap profile: total 3\n3 @ 0x10\n", "3 @ f\n");
    assert_samples("a  b profile profile: total 0\n3 @ 0x10\n", "3 @ f\n");
    /* A section ends the samples, mappings may follow. */
    struct read_result r;
    read_text(NULL,
              "x profile: total 1\n1 @ 0x10\n--- something ---\n2 @ 0x20\n"
              "--- Memory map: ---\n8-18 /bin/a\n",
              NULL, &r);
    assert_string_equal(values_text(&r.p), "1 @ f\n");
    assert_string_equal(mappings_text(&r.p), "8-18 0 /bin/a\n");
    assert_said(
        (char *)r.warnings.v,
        "line 3: 2 lines skipped from here: neither samples nor mappings\n");
    free_result(&r);
    read_text(NULL,
              "x profile: total 3\n1 @ 0x10\n# MAPPED_LIBRARIES:\n"
              "2 @ 0x11\nMAPPED_LIBRARIES:\n8-18 /bin/a\n",
              NULL, &r);
    assert_said(r.err.text, "");
    assert_string_equal(values_text(&r.p), "1 @ f\n2 @ 10\n");
    assert_string_equal(mappings_text(&r.p), "8-18 0 /bin/a\n");
    assert_said((char *)r.warnings.v, "");
    free_result(&r);
    /* Cut behind a line. */
    assert_warned("x profile: total 6\n1 @ 0x10\n2 @ 0x20\n", NULL,
                  "1 @ f\n2 @ 1f\n",
                  "the header's total is 6, but the samples add up to 3; the "
                  "file may be truncated\n");
    assert_warned("x profile: total 1\n1 @ 0x10\n3", NULL, "1 @ f\n",
                  "line 3: unexpected end of file; line skipped\n");
}

static void test_errors(void **state)
{
    assert_wrong("count", "", "not a count profile: no header in line 1");
    assert_wrong(
        "count", "goroutine profile: total x\n1 @ 0x10\n",
        "line 1: 'goroutine profile: total x' is not a count profile header");
    assert_wrong(NULL, "x profile: total 1\n-1 @ 0x10\n",
                 "line 2: '-1 @ 0x10' is not a count profile sample");
    assert_wrong(NULL, "x profile: total 1\n\n1 0x10\n",
                 "line 3: '1 0x10' is not a count profile sample");
    assert_wrong(
        NULL, "x profile: total 1\n9223372036854775808 @ 0x10\n",
        "line 2: '9223372036854775808 @ 0x10' is not a count profile sample");
    assert_wrong(NULL, "x profile: total 1\n1 @ 10\n",
                 "line 2: invalid address '10': expected 0x and a hexadecimal "
                 "number of 64 bits");
}

/* What Go writes below a stack; the offsets of functions are of no use. */
#define GO                                                                     \
    "goroutine profile: total 3\n"                                             \
    "1 @ 0x11 0x21 0x31 0x31 0x41\n"                                           \
    "# labels: {\"path\":\"/a \\\"b\\\"\", "                                   \
    "\"n\\u00e9\\t\":\"\\xe9\\U0001f600\"}\n"                                  \
    "#\t0x20\tmain.inl+0x10\t\t/a b/main.go:7\n"                               \
    "#\t0x20\tmain.f.func1+0x20\t/a b/main.go:17\n"                            \
    "#\t0x30\tmain.g[...]+0x30\t/g.go:27\n"                                    \
    "#\t0x30\tmain.g[...]+0x30\t/g.go:27\n"                                    \
    "\n"                                                                       \
    "2 @ 0x12 0x41\n"                                                          \
    "# labels: {}\n"

/* "FUNCTION FILE:LINE" of each line of each location, with "<" for inlined. */
static const char *names_text(const struct profile *p)
{
    static char text[1024];
    size_t n = 0;
    text[0] = '\0';
    for (size_t l = 0; l < p->n_locations; l++) {
        const struct prof_location *loc = &p->locations[l];
        for (uint32_t i = 0; i < loc->n_lines; i++) {
            const struct prof_line *line = &p->lines[loc->line_off + i];
            const struct prof_function *f = &p->functions[line->function];
            assert_int_equal(f->name, f->system_name);
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %s:%d",
                                  i ? " < " : "", prof_cstr(p, f->name),
                                  prof_cstr(p, f->filename), (int)line->line);
            assert_true(n < sizeof text);
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "\n");
    }
    return text;
}

static void test_comments(void **state)
{
    struct read_result r;
    read_text(NULL, GO, NULL, &r);
    assert_said(r.err.text, "");
    assert_string_equal(values_text(&r.p),
                        "1 @ 10 20 30 30 40 [path=/a \"b\"] "
                        "[n\303\251\t=\351\360\237\230\200]\n"
                        "2 @ 11 40\n");
    /* Of 0x10 and 0x11 nothing is known but that they are of the runtime. */
    assert_string_equal(
        names_text(&r.p),
        "\n"
        "main.inl /a b/main.go:7 < main.f.func1 /a b/main.go:17\n"
        "main.g[...] /g.go:27\n"
        "runtime.goexit :0\n"
        "\n");
    assert_true(
        r.p.mappings[0].has_functions && r.p.mappings[0].has_filenames &&
        r.p.mappings[0].has_line_numbers && r.p.mappings[0].has_inline_frames);
    free_result(&r);
    /* Labels are no symbols. */
    static const struct import_options opts = {.no_symbols = true};
    read_text(NULL, GO, &opts, &r);
    assert_non_null(strstr(values_text(&r.p), "[path=/a \"b\"]"));
    assert_string_equal(names_text(&r.p), "\n\n\n\n\n");
    assert_false(r.p.mappings[0].has_functions);
    free_result(&r);
}

/* What a log puts in front of lines is not taken out of their midst. */
static void test_comments_like_logs(void **state)
{
    struct read_result r;
    read_text(NULL,
              "goroutine profile: total 1\n"
              "1 @ 0x11\n"
              "# labels: {\"job\":\"queue:12] run\"}\n"
              "#\t0x10\tmain.f+0x10\t\t/a:1] b/main.go:7\n",
              NULL, &r);
    assert_said(r.err.text, "");
    assert_string_equal(values_text(&r.p), "1 @ 10 [job=queue:12] run]\n");
    assert_string_equal(names_text(&r.p), "main.f /a:1] b/main.go:7\n");
    free_result(&r);
}

static void test_empty_labels(void **state)
{
    struct read_result r;
    read_text(NULL,
              "goroutine profile: total 2\n"
              "1 @ 0x11\n"
              "# labels: {\"a\":\"\", \"b\":\"x\", \"c\":\"\"}\n"
              "1 @ 0x12\n"
              "# labels: {\"a\":\"\"}\n",
              NULL, &r);
    assert_true(r.ok);
    assert_string_equal(values_text(&r.p), "1 @ 10 [b=x]\n1 @ 11\n");
    assert_says((char *)r.warnings.v, "3 labels with an empty string dropped");
    free_result(&r);
}

static void test_other_comments(void **state)
{
    /* None of these is what Go writes for a frame. */
    struct read_result r;
    read_text(NULL,
              "x profile: total 1\n"
              "1 @ 0x11 0x21\n"
              "#\t0x10\n"
              "# 0x10 main.f+0x1 a.go:1\n"
              "#\t0x10x\tmain.f+0x1\ta.go:1\n"
              "#\t0x10\tmain.f\ta.go:1\n"
              "#\t0x10\tmain.f+0x1\ta.go\n"
              "#\t0x10\tmain.f+0x1\ta.go:x\n"
              "#\t0x10\t+0x1\ta.go:1\n"
              "#\tmain.f+0x1\ta.go:1\n"
              "#\t0x10\tmain.f+0x1\ta.go:99999999999999999999\n",
              NULL, &r);
    assert_said(r.err.text, "");
    assert_string_equal(names_text(&r.p), "\n\n");
    free_result(&r);
    static const char *const labels[] = {
        "{\"a\":\"b\"",
        "{\"a\":b}",
        "{\"a\"}",
        "{\"a\":\"b\",",
        "{\"a\":\"\\q\"}",
        "{\"a\":\"\\x1\"}",
        "{\"a\":\"\\x+1\"}",
        "{\"a\":\"b\"} c",
        "{\"a\":\"b\" \"c\":\"d\"}",
        "{\"a\":\"\\U00110000\"}",
        "{\"a\":\"b\\",
        "{\"a",
    };
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        char text[256], message[256];
        (void)snprintf(text, sizeof text,
                       "x profile: total 1\n1 @ 0x11\n# labels: %s\n",
                       labels[i]);
        (void)snprintf(message, sizeof message,
                       "line 3: '# labels: %s' has malformed labels: keys and "
                       "values must be quoted",
                       labels[i]);
        assert_wrong(NULL, text, message);
    }
}

/* What a file may end inside of, and what is kept of it. */
static void test_cut_comments(void **state)
{
    static const char *const ends[][2] = {
        {"# labels: {\"a\":\"b", "1 @ 10\n"},
        {"# labels: {\"a\":\"b\"}", "1 @ 10 [a=b]\n"},
        {"#\t0x10\tmain.f+0x1\ta.go:1", "1 @ 10\n"},
        {"#", "1 @ 10\n"},
    };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char text[128];
        struct read_result r;
        (void)snprintf(text, sizeof text, "x profile: total 1\n1 @ 0x11\n%s",
                       ends[i][0]);
        read_text(NULL, text, NULL, &r);
        assert_said(r.err.text, "");
        assert_string_equal(values_text(&r.p), ends[i][1]);
        assert_said((char *)r.warnings.v,
                    "line 3: unexpected end of file in a comment; names or "
                    "labels may be truncated or missing\n");
        free_result(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_comments),
        cmocka_unit_test(test_comments_like_logs),
        cmocka_unit_test(test_empty_labels),
        cmocka_unit_test(test_other_comments),
        cmocka_unit_test(test_cut_comments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
