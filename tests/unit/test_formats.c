/* test_formats.c - the table of output formats, and the manual's of suffixes */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/report.h"

static void formats_are_complete(void **state)
{
    const struct report_format *f, *main = NULL;
    (void)state;
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
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_are_complete),
        cmocka_unit_test(manual_lists_suffixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
