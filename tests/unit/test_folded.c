/*
 * Folded stacks: lines, values, stacks, frames and what annotates them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_profile.h"
#include "formats/folded/folded.h"
#include "formats/import_formats.h"
#include "gperf_file.h"
#include "random_profile.h"
#include "said.h"
#include "unit.h"

#define SIZED(s) (s), sizeof(s) - 1

static void keep(void *ctx, enum prof_note_level level, const char *text)
{
    assert_true(buf_printf(ctx, "%s%s\n",
                           level == PROF_NOTE_INFO ? "note: " : "", text));
}

/* Reads n bytes; what is read behind them is found by a sanitizer. */
static void read_n(const char *text, size_t n, const struct folded_opts *opts,
                   struct read_result *r)
{
    static const struct folded_opts none;
    uint8_t *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    if (n)
        memcpy(copy, text, n);
    memset(r, 0, sizeof *r);
    struct prof_notes notes = {.say = keep, .ctx = &r->warnings};
    struct import_input in = {.data = copy, .n = n, .notes = &notes};
    import_detect(&in, "folded2pb");
    r->ok = take_profile(&r->p, folded_read(&in, opts ? opts : &none, &r->err));
    assert_true(buf_putc(&r->warnings, '\0'));
    free(copy);
    if (r->ok) {
        struct prof_err err = {0};
        assert_string_equal(check_profile(&r->p, &err) ? "" : err.text, "");
    } else {
        assert_int_equal(r->err.kind, PROF_ERR_INPUT);
        assert_true(strlen(r->err.text) >= strlen("empty file"));
    }
}

static void put_function(struct buf *b, const struct profile *p,
                         uint32_t function)
{
    uint32_t name = function == PROF_NONE ? 0 : p->functions[function].name;
    assert_true(buf_putc(b, '<') &&
                buf_put(b, strtab_str(&p->strings, name),
                        strtab_len(&p->strings, name)) &&
                buf_putc(b, '>'));
}

/* "<outer+inlined>": a location, with its mapping where it has one. */
static void put_location(struct buf *b, const struct profile *p, uint32_t i)
{
    const struct prof_location *l = &p->locations[i];
    assert_int_equal(l->address, 0);
    for (uint32_t k = l->n_lines; k--;) {
        const struct prof_line *line = &p->lines[l->line_off + k];
        assert_int_equal(line->line, 0);
        put_function(b, p, line->function);
        if (k)
            assert_true(buf_putc(b, '+'));
    }
    if (!l->n_lines)
        assert_true(buf_puts(b, "?"));
    if (l->mapping != PROF_NONE)
        assert_true(buf_printf(b, "%s",
                               prof_cstr(p, p->mappings[l->mapping].filename)));
}

/* Locations from the root on, values, labels; a static buffer. */
static const char *stacks_text(const struct profile *p)
{
    static char text[4096];
    struct buf b = {0};
    for (size_t s = 0; s < p->n_samples; s++) {
        for (size_t i = prof_depth(p, s); i--;)
            put_location(&b, p, prof_stack(p, s)[i]);
        for (size_t i = 0; i < p->n_types; i++)
            assert_true(
                buf_printf(&b, " %" PRId64, p->values[s * p->n_types + i]));
        uint32_t set = p->labelset[s];
        for (uint64_t i = p->labelset_off[set]; i < p->labelset_off[set + 1];
             i++)
            assert_true(buf_printf(&b, " [%s=%s]",
                                   prof_cstr(p, p->labels[i].key),
                                   prof_cstr(p, p->labels[i].str)));
        assert_true(buf_putc(&b, '\n'));
    }
    assert_true(b.n < sizeof text);
    if (b.n)
        memcpy(text, b.v, b.n);
    text[b.n] = '\0';
    buf_free(&b);
    return text;
}

static void assert_reads(const struct folded_opts *opts, const char *text,
                         size_t n, const char *stacks, const char *notes)
{
    struct read_result r;
    read_n(text, n, opts, &r);
    assert_said(r.ok ? "" : r.err.text, "");
    assert_string_equal(stacks_text(&r.p), stacks);
    assert_said((char *)r.warnings.v, notes);
    free_result(&r);
}

static void assert_stacks(const char *text, const char *stacks)
{
    assert_reads(NULL, text, strlen(text), stacks, "");
}

static void assert_refused(const struct folded_opts *opts, const char *text,
                           const char *message)
{
    struct read_result r;
    read_n(text, strlen(text), opts, &r);
    assert_false(r.ok);
    assert_said(r.err.text, message);
    free_result(&r);
}

static void test_lines(void **state)
{
    assert_stacks("a;b 3\n", "<a><b> 3\n");
    assert_stacks("a;b 3\nc 4\na;b 5\n", "<a><b> 3\n<c> 4\n<a><b> 5\n");
    assert_stacks("\n \t\na 3\r\n\r\nb 4 \t\n", "<a> 3\n<b> 4\n");
    assert_stacks("java;Foo.bar (Foo.java:12);operator new(unsigned long) 42\n",
                  "<java><Foo.bar (Foo.java:12)><operator new(unsigned long)>"
                  " 42\n");
    assert_stacks("a\t3\n", "<a> 3\n");
    assert_stacks("a 9223372036854775807\nb -9223372036854775808\nc 007\n",
                  "<a> 9223372036854775807\n<b> -9223372036854775808\n"
                  "<c> 7\n");
    assert_stacks("a 0\n", "<a> 0\n");
    assert_stacks("a-3 3\nx 3\n", "<a-3> 3\n<x> 3\n");
}

static void test_stacks(void **state)
{
    assert_stacks(" 12\na 1\n<no stack> 3\na;b 1\n",
                  " 12\n<a> 1\n 3\n<a><b> 1\n");
    /* Blanks before the one that parts are of the name. */
    assert_reads(NULL, SIZED("x 1\na;b  12\n  1\n a  ;b 2\n"),
                 "<x> 1\n<a><b > 12\n< > 1\n< a  ><b> 2\n",
                 "note: line 2: extra spaces before the number are part of the "
                 "last frame's name\n");
    assert_reads(NULL, SIZED("x 1\n;a;;b; 3\n; 4\n"),
                 "<x> 1\n?<a>?<b>? 3\n?? 4\n",
                 "note: line 2: frame without a name\n");
    /* Any bytes are a name. */
    assert_reads(NULL, SIZED("\0a;\377\200;\1\r 3\nx 1\n"),
                 "<\0a><\377\200><\1\r> 3\n<x> 1\n", "");
    struct read_result r;
    read_n(SIZED("\0a;b\0;b 3\n"), NULL, &r);
    assert_int_equal(strtab_len(&r.p.strings, r.p.functions[0].name), 2);
    assert_int_equal(strtab_len(&r.p.strings, r.p.functions[1].name), 2);
    assert_int_equal(r.p.n_functions, 3);
    free_result(&r);
}

/* Stacks that share frames, and some that look as if they did. */
static void test_neighbours(void **state)
{
    assert_reads(NULL,
                 SIZED("aa;bb;cc 1\naa;bb;cc 2\naa;bb 3\naa;b 4\naa;bb;c 5\n"
                       "aa;bb;cc;dd 6\na 7\naa 8\naa;;b 9\naa; 1\naa;x 2\n"
                       "aaaaaaaaaaaaaaaa;b 3\naaaaaaaaaaaaaaaa;c 4\n"
                       "aaaaaaaaaaaaaaab 5\n"),
                 "<aa><bb><cc> 1\n<aa><bb><cc> 2\n<aa><bb> 3\n<aa><b> 4\n"
                 "<aa><bb><c> 5\n<aa><bb><cc><dd> 6\n<a> 7\n<aa> 8\n"
                 "<aa>?<b> 9\n<aa>? 1\n<aa><x> 2\n"
                 "<aaaaaaaaaaaaaaaa><b> 3\n<aaaaaaaaaaaaaaaa><c> 4\n"
                 "<aaaaaaaaaaaaaaab> 5\n",
                 "note: line 9: frame without a name\n");
}

static void test_entities(void **state)
{
    struct read_result r;
    read_n(SIZED("samples;count;a 3\na;a 4\nb;samples 1\n"), NULL, &r);
    assert_true(r.ok);
    /* One of each for each name, even where a name is that of a type. */
    assert_int_equal(r.p.n_functions, 4);
    assert_int_equal(r.p.n_locations, 4);
    assert_int_equal(r.p.n_mappings, 0);
    assert_string_equal(prof_cstr(&r.p, r.p.types[0].type), "samples");
    assert_string_equal(prof_cstr(&r.p, r.p.types[0].unit), "count");
    assert_int_equal(r.p.n_types, 1);
    for (size_t i = 0; i < r.p.n_functions; i++)
        assert_int_equal(r.p.functions[i].name, r.p.functions[i].system_name);
    assert_int_equal(r.p.period, 0);
    assert_int_equal(r.p.time_nanos, 0);
    free_result(&r);
}

static void test_comments(void **state)
{
    struct read_result r;
    read_n(SIZED("# mode: wall 3\n#\n#  two \r\na 1\n#x 3\n# x;y 4\n"), NULL,
           &r);
    assert_true(r.ok);
    assert_string_equal(stacks_text(&r.p), "<a> 1\n<#x> 3\n<# x><y> 4\n");
    assert_int_equal(r.p.n_comments, 2);
    assert_string_equal(prof_cstr(&r.p, r.p.comments[0]), "mode: wall 3");
    assert_string_equal(prof_cstr(&r.p, r.p.comments[1]), "two");
    free_result(&r);
}

static void test_wrong_values(void **state)
{
    assert_refused(NULL, "a 1\n\na;b\n",
                   "line 3: 'a;b' does not end in a space and a number (if no "
                   "line does, use --no-counts)");
    assert_refused(NULL, "12\n",
                   "line 1: '12' does not end in a space and a number (if no "
                   "line does, use --no-counts)");
    assert_refused(NULL, "a +3\n",
                   "line 1: 'a +3' does not end in a space and a number (if no "
                   "line does, use --no-counts)");
    assert_refused(NULL, "a -\n",
                   "line 1: 'a -' does not end in a space and a number (if no "
                   "line does, use --no-counts)");
    assert_refused(NULL, "a;b 12.5\n",
                   "line 1: '12.5': values must be integers");
    assert_refused(NULL, "a;b -3.\n", "line 1: '-3.': values must be integers");
    assert_refused(NULL, "a 9223372036854775808\n",
                   "line 1: number out of range: 9223372036854775808");
    assert_refused(NULL, "a -9223372036854775809\n",
                   "line 1: number out of range: -9223372036854775809");
    assert_refused(NULL, "", "empty file");
    assert_refused(NULL, "# a\n\n", "no stacks found");
    assert_refused(
        NULL, "heap profile: 1: 2 [3: 4] @ heapprofile\n",
        "not folded stacks: found a heap profile (text); use prof2pb");
}

static void test_long_line(void **state)
{
    char *line = malloc(1000003), message[200] = "line 1: '";
    assert_non_null(line);
    memset(line, 'x', 1000000);
    memcpy(line + 1000000, "\n", 2);
    memset(message + 9, 'x', 80);
    (void)snprintf(message + 89, sizeof message - 89,
                   "...' does not end in a space and a number (if no "
                   "line does, use --no-counts)");
    assert_refused(NULL, line, message);
    memcpy(line + 1000000, " 3", 3);
    for (size_t i = 1; i < 1000000; i += 2)
        line[i] = ';';
    struct read_result r;
    read_n(line, 1000002, NULL, &r);
    assert_true(r.ok);
    assert_int_equal(prof_depth(&r.p, 0), 500001);
    assert_int_equal(r.p.n_locations, 2);
    free_result(&r);
    free(line);
}

static void test_cut(void **state)
{
    assert_reads(NULL, SIZED("a 1\nb 2"), "<a> 1\n<b> 2\n",
                 "line 2: unexpected end of file; the line may be truncated\n");
    assert_reads(NULL, SIZED("a 1\nb"), "<a> 1\n",
                 "line 2: unexpected end of file; line skipped\n");
    /* The comment, or a stack that begins like one. */
    assert_reads(NULL, SIZED("a 1\n# b"), "<a> 1\n",
                 "line 2: unexpected end of file; the line may be truncated\n");
    assert_reads(NULL, SIZED("a 1\n  "), "<a> 1\n", "");
    assert_refused(NULL, "b;c", "no stacks found");
}

static const struct folded_type types[] = {{{"before", 6}, {"count", 5}},
                                           {{"after", 5}, {"bytes", 5}}};

static void test_columns(void **state)
{
    static const struct folded_opts two = {.types = types, .n_types = 2};
    assert_reads(&two, SIZED("a;b 1 -2\nc \t 3\t\t4 \n 5 6\n"),
                 "<a><b> 1 -2\n<c \t> 3 4\n 5 6\n",
                 "note: line 2: extra spaces before the number are part of the "
                 "last frame's name\n");
    struct read_result r;
    read_n(SIZED("a 1 2\n"), &two, &r);
    assert_int_equal(r.p.n_types, 2);
    assert_string_equal(prof_cstr(&r.p, r.p.types[1].type), "after");
    assert_string_equal(prof_cstr(&r.p, r.p.types[1].unit), "bytes");
    free_result(&r);
    assert_refused(
        &two, "a 1\n",
        "line 1: 'a 1' does not end in 2 numbers separated by spaces");
    assert_refused(&two, "a 1.5 1\n", "line 1: '1.5': values must be integers");
    /* Told of when it is so all the time. */
    static const char more[] =
        "every line has one more number than --sample-types has names; it "
        "was read as part of the last frame (add a name to --sample-types)\n";
    assert_reads(NULL, SIZED("a 1 2\nb 3 4\n"), "<a 1> 2\n<b 3> 4\n", more);
    assert_reads(NULL, SIZED("a 1 2\n"), "<a 1> 2\n", "");
    assert_reads(NULL, SIZED("a 1 2\nb 4\nb 1 2\n"),
                 "<a 1> 2\n<b> 4\n<b 1> 2\n", "");
    static const struct folded_opts no_counts = {.no_counts = true};
    assert_reads(&no_counts, SIZED("a 1\nb 2\n"), "<a 1> 1\n<b 2> 1\n", more);
    assert_reads(&no_counts, SIZED("a;b \r\n# c\n\na;b \n"),
                 "<a><b > 1\n<a><b > 1\n", "");
}

static void test_annotations(void **state)
{
    static const struct folded_opts opts = {.annotations = true};
    assert_reads(&opts,
                 SIZED("a;b_[j];c_[i];d_[i];e_[k] 1\na;b_[j];c_[i] 2\n"
                       "a;b;c_[i] 3\na;b_[j];c_[i];d_[i];f_[0];g_[1] 4\n"),
                 "<a><b>+<c>+<d>[jit]<e>[kernel] 1\n<a><b>+<c>[jit] 2\n"
                 "<a><b>+<c> 3\n"
                 "<a><b>+<c>+<d>[jit]<f>[interpreter]<g>[jit] 4\n",
                 "");
    /* Nothing to be inlined into; no name; no such annotation. */
    assert_reads(&opts, SIZED("a_[i];b_[i];c 1\n_[k];;x_[i] 2\na_[w] 3\n"),
                 "<a>+<b><c> 1\n?[kernel]<>+<x> 2\n<a_[w]> 3\n",
                 "note: line 2: frame without a name\n");
    assert_stacks("a;b_[j];c_[i] 1\n", "<a><b_[j]><c_[i]> 1\n");
    /* A location for each run that there is, not for its beginnings. */
    struct read_result r;
    read_n(SIZED("a;b_[i];c_[i];d_[i] 1\na;b_[i];c_[i];d_[i] 1\n"), &opts, &r);
    assert_true(r.ok);
    assert_int_equal(r.p.n_locations, 5);
    assert_int_equal(prof_stack(&r.p, 0)[0], prof_stack(&r.p, 1)[0]);
    assert_int_equal(r.p.n_lines, 8);
    free_result(&r);
}

static void test_root_label(void **state)
{
    static const struct folded_opts opts = {.root_label = "comm",
                                            .annotations = true};
    assert_reads(&opts,
                 SIZED("java;a 1\njava;a;b 2\nperl;a 3\nperl 4\n 5\n<no stack> "
                       "1\nperl;b_[i] 1\n"),
                 "<a> 1 [comm=java]\n<a><b> 2 [comm=java]\n<a> 3 [comm=perl]\n"
                 " 4 [comm=perl]\n 5\n 1\n<b> 1 [comm=perl]\n",
                 "");
    assert_reads(&opts, SIZED("x;a 1\n;a 2\n"), "<a> 1 [comm=x]\n<a> 2\n",
                 "note: line 2: frame without a name\n");
}

static bool begins(const char *text, const struct folded_opts *opts)
{
    struct import_input in = {.data = (const uint8_t *)text, .n = strlen(text)};
    import_detect(&in, "folded2pb");
    return folded_may_begin(&in, opts);
}

static void test_begins(void **state)
{
    static const struct folded_opts none, no_counts = {.no_counts = true};
    assert_true(begins("a;b 3\n", &none));
    assert_true(begins("a;b 3\n", &no_counts));
    assert_false(begins("a;b\n", &none));
    assert_true(begins("a;b\n", &no_counts));
    assert_false(begins("a\nb;c\n", &no_counts));
    assert_false(begins("\1;b\n", &no_counts));
    assert_false(begins("a 1\n", &none));
}

/* prof_namemap_get(): a location per name and mapping, NUL and "" included. */
static void test_names(void **state)
{
    static const struct prof_slice names[] = {
        {SIZED("a")}, {SIZED("a\0b")}, {SIZED("")}, {SIZED("b")}};
    struct prof_namemap map = {0};
    struct profile p;
    struct prof_err err;
    uint32_t location;
    assert_true(prof_init(&p, &err));
    for (uint32_t i = 0; i < 8; i++) {
        assert_true(prof_namemap_get(&map, &p, PROF_NONE, names[i % 4],
                                     &location, &err));
        assert_int_equal(location, i % 4);
        assert_int_equal(p.locations[location].mapping, PROF_NONE);
        assert_int_equal(p.locations[location].n_lines, i % 4 != 2);
    }
    assert_int_equal(p.n_locations, 4);
    assert_int_equal(p.n_functions, 3);
    const struct prof_location *l = &p.locations[1];
    const struct prof_function *f = &p.functions[p.lines[l->line_off].function];
    assert_int_equal(strtab_len(&p.strings, f->name), 3);
    assert_int_equal(f->name, f->system_name);
    prof_namemap_free(&map);
    prof_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_stacks),       cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_entities),     cmocka_unit_test(test_comments),
        cmocka_unit_test(test_wrong_values), cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_cut),          cmocka_unit_test(test_columns),
        cmocka_unit_test(test_annotations),  cmocka_unit_test(test_root_label),
        cmocka_unit_test(test_begins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
