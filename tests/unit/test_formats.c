/*
 * test_formats.c - the table of output formats, the manual's of suffixes, and
 * what report_print() prepares for a format that asks for nothing
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/out.h"
#include "report/report.h"
#include "unit.h"

static void formats_are_complete(void **state)
{
    const struct report_format *f, *main = NULL;
    for (size_t i = 0; (f = report_format_at(i)); i++) {
        assert_true(!f->print != !f->print_bytes);
        assert_ptr_equal(report_find_format(f->name, f->variant), f);
        if (f->variant) {
            /* Behind the format whose option says that it is there. */
            assert_non_null(main);
            if (!main)
                return;
            assert_string_equal(f->name, main->name);
            assert_true(main->arg[0] == '[');
            assert_non_null(strstr(main->arg, f->variant));
            assert_null(f->help);
        } else {
            main = f;
            assert_non_null(f->help);
            assert_true(strlen(f->help) <= 52); /* columns of --help */
        }
    }
}

/* The format of a suffix in the manual: "" if it is not there. */
static void find_suffix(const char *suffix, char name[32])
{
    char line[256], word[64];
    FILE *man = fopen("man/pbcat.1", "r");
    assert_non_null(man);
    (void)snprintf(word, sizeof word, " .%s ", suffix);
    name[0] = 0;
    while (fgets(line, sizeof line, man)) {
        const char *of = strstr(line, "Ta Fl -");
        if (strncmp(line, ".It Pa .", 8) == 0 && strstr(line, word) && of)
            (void)sscanf(of, "Ta Fl -%31s", name);
    }
    (void)fclose(man);
}

/* Other suffixes are those of --text in any case. */
static void manual_lists_suffixes(void **state)
{
    const struct report_format *f;
    for (size_t i = 0; (f = report_format_at(i)); i++) {
        char list[64] = "", path[80], name[32], *rest = list;
        assert_true(!f->suffixes || strlen(f->suffixes) < sizeof list);
        if (f->suffixes && !f->needs_option)
            (void)snprintf(list, sizeof list, "%s", f->suffixes);
        for (char *s; (s = strtok_r(rest, " ", &rest));) {
            (void)snprintf(path, sizeof path, "a.%s", s);
            find_suffix(s, name);
            assert_string_equal(name, report_format_of_file(path)->name);
        }
    }
}

/* All that needs values, in a format that did not ask for them. */
static bool print_values(struct report *r, struct prof_err *err)
{
    struct graph g;
    struct graph_cut cut = {0};
    bool ok = report_make_graph(r, &g, &cut, err);
    if (ok)
        report_choose_unit(r, &g, &cut, false);
    for (size_t i = 0; ok && i < cut.n; i++)
        ok = buf_puts(r->out, report_value(r, g.value[cut.row[i].node].flat)) &&
             buf_putc(r->out, ';');
    graph_cut_free(&cut);
    graph_free(&g);
    return ok && (buf_puts(r->out, report_value(r, 7)) || err_nomem(err));
}

/* A sample of one frame, with a value of each of n types. */
static void make(struct profile *p, size_t n)
{
    const int64_t values[] = {5, 20000000};
    struct prof_location l = {.mapping = PROF_NONE, .address = 1};
    uint32_t at;
    struct prof_err err;
    assert_true(prof_init(p, &err));
    for (size_t i = 0; i < n; i++)
        assert_true(prof_add_type(p, i ? "cpu" : "samples",
                                  i ? "nanoseconds" : "count", &err));
    assert_true(prof_add_location(p, &l, NULL, 0, &at, &err) &&
                prof_add_sample(p, &at, 1, values, 0, &err));
}

/* The report on that profile, or the message. */
static void expect(unsigned needs, size_t n_types, const char *text)
{
    const struct report_format f = {.needs = needs, .print = print_values};
    const struct report_opts opts = REPORT_DEFAULTS;
    struct profile p;
    struct buf out = {0};
    struct buf_sink sink = buf_sink_of(&out);
    struct prof_err err;
    make(&p, n_types);
    bool ok = report_print(&f, &p, &opts, &sink.sink, &err);
    assert_true(buf_putc(&out, 0));
    assert_string_equal(ok ? (char *)out.v : err.text, text);
    buf_free(&out);
    prof_free(&p);
}

static void values_need_no_flag(void **state)
{
    expect(0, 2, "20ms;0");
    expect(REPORT_NO_VALUES, 2, "5;7");
    expect(0, 0, "the profile has no sample types");
    expect(REPORT_NO_VALUES, 0, "the profile has no sample types");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_are_complete),
        cmocka_unit_test(manual_lists_suffixes),
        cmocka_unit_test(values_need_no_flag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
