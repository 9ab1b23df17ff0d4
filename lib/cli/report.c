/* report.c - runs pbcat: prints a report, or shows it in a viewer */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cli/inspect.h"
#include "cli/isolate.h"
#include "cli/private.h"
#include "cli/report_options.h"
#include "cli/source.h"

enum { SUFFIX_TEXT = 24 }; /* room for a suffix, such as "speedscope.json" */

struct printing {
    struct cli *cli;
    struct cli_report *asked;
    struct terminal screen;
    struct cli_show show; /* to show the report instead of printing it */
    char suffix[SUFFIX_TEXT];
    struct cli_text text;
};

/* Returns the column of names in the report; 0: it is not a table. */
static size_t name_offset(const struct printing *g)
{
    const struct report_format *f = g->asked->format;
    size_t others = f->shows_others ? g->asked->opts.n_others : 0;
    return g->asked->opts.rows || g->asked->opts.outliers
               ? 0
               : f->name_offset + REPORT_OTHER_WIDTH * others;
}

/* Whether the report is adapted to a terminal, which requires all of it. */
static bool is_shown(const struct printing *g)
{
    return terminal_changes(&g->screen, name_offset(g));
}

/* Copies the first file suffix of a format to `text` and returns it. */
static const char *first_suffix(const struct report_format *f,
                                char text[SUFFIX_TEXT])
{
    const char *s = f->suffixes ? f->suffixes : "";
    size_t n = strcspn(s, " ");
    (void)snprintf(text, SUFFIX_TEXT, "%.*s", (int)n, s);
    return text;
}

/* Returns false with *err if --open cannot show the report in a browser. */
static bool can_open(const struct cli_report *asked, const struct cli *cli,
                     struct prof_err *err)
{
    static const char *const shown[] = {"html", "svg", "pdf", "png", "gif"};
    char text[REPORT_OPTION_TEXT], suffix[SUFFIX_TEXT];
    if (cli->output)
        return err_options(err, "--open cannot be combined with --output");
    for (size_t i = 0; asked->format && i < sizeof shown / sizeof *shown; i++)
        if (!strcmp(first_suffix(asked->format, suffix), shown[i]))
            return true;
    return err_options(err, "--open cannot be combined with %s",
                       asked->format  ? report_option(asked->format, text)
                       : asked->check ? "--check"
                                      : "--digest");
}

/* Prepares the report, reports errors in options (false), and drops rights. */
static bool begin(struct printing *g)
{
    struct cli_report *asked = g->asked;
    struct prof_err err;
    struct cli_needs needs = {0};
    const char *viewed = NULL; /* the suffix of the file that is shown */
    const struct report_format *page = report_find_format("flame", NULL);
    if (asked->open && !asked->format && !asked->check && !asked->digest)
        asked->format = page;
    /* On a terminal, print the flame graph as text. */
    if (asked->format == page && g->screen.is_terminal && !asked->open)
        asked->format = report_find_format("flame", "text");
    bool ok = (!asked->opts.with_source ||
               asked->format != report_find_format("flame", "text") ||
               err_options(&err, "--with requires a page: specify "
                                 "--output=FILE.html or --open")) &&
              report_settle(asked, g->cli, &err) &&
              (!asked->open || can_open(asked, g->cli, &err));
    if (ok && !asked->check && !asked->digest) {
        const struct report_format *f = asked->format;
        viewed = asked->open       ? first_suffix(f, g->suffix)
                 : f->opens_viewer ? "ps"
                                   : NULL;
        if (f->opens_viewer && g->cli->output)
            ok =
                err_set(&err, PROF_ERR_USAGE,
                        "--%s opens a viewer; use --ps -o FILE to write a file",
                        f->name);
        else if (f->binary && g->screen.is_terminal && !viewed)
            ok = err_set(&err, PROF_ERR_USAGE,
                         "--%s output is not written to a terminal; redirect "
                         "it or use -o FILE",
                         f->name);
        if (viewed || is_shown(g))
            g->text.hold = SIZE_MAX;
        const struct report_opts *o = &asked->opts;
        bool embeds = f->embeds_code && o->with_source;
        needs = (struct cli_needs){.any_file = f->reads_files || embeds,
                                   .programs = f->runs_programs ||
                                               (embeds && o->with_code),
                                   .files = asked->bases.paths.v,
                                   .n_files = asked->bases.paths.n};
    }
    if (!ok)
        cli_error(g->cli, NULL, &err);
    ok = ok && (!viewed || cli_show_begin(&g->show, g->cli, viewed));
    if (ok)
        cli_isolate(g->cli, &needs);
    return ok;
}

static bool print_profile(struct printing *g)
{
    struct cli *cli = g->cli;
    struct prof_err err;
    struct profile *p = report_read(g->asked, cli);
    bool ok = p != NULL;
    if (ok) {
        cli->subject = cli_only_input(cli);
        ok = report_print(g->asked->format, p, &g->asked->opts, &g->text.sink,
                          &err);
        cli->subject = NULL;
        if (!ok && !g->text.failed)
            cli_error(cli, cli_only_input(cli), &err);
    }
    prof_delete(p);
    return ok;
}

/* Prints the only message of the inputs, without decoding it into a profile. */
static bool print_message(struct printing *g)
{
    const struct report_format *f = g->asked->format;
    const struct source_opts opts = {0};
    struct source s =
        source_of(g->cli, g->cli->inputs, g->cli->n_inputs, &opts);
    struct input_part part;
    struct prof_err err;
    bool on = true;
    size_t n = 0;
    for (int got; on && (got = source_next(&s, &part, &err)) != 0;) {
        bool ok = got > 0;
        if (ok && n++)
            ok = err_set(
                &err, PROF_ERR_USAGE,
                "--%s shows a single profile; use pbmerge to combine several",
                f->name);
        ok = ok && f->print_bytes(&g->text.held, part.data, part.n, &err);
        on = ok || source_failed(&s, &err);
    }
    source_end(&s);
    return on;
}

static bool make_visible(struct printing *g)
{
    struct buf *text = &g->text.held, shown = {0};
    struct prof_err err;
    bool ok =
        terminal_put(&g->screen, text->v, text->n, name_offset(g), &shown);
    if (!ok)
        cli_error(g->cli, NULL, (err_nomem(&err), &err));
    buf_free(text);
    *text = shown;
    return ok;
}

void cli_report(struct cli *cli, struct cli_report *asked)
{
    struct printing g = {.cli = cli,
                         .asked = asked,
                         .screen = terminal_of(cli, asked->color),
                         .text = cli_text_of(cli)};
    if (!begin(&g))
        return;
    const struct report_format *f = asked->format;
    bool json = f && !strcmp(f->name, "json");
    if (asked->digest) {
        cli_digest(cli, json);
    } else if (asked->check) {
        cli_check(cli, json, asked->check_all);
    } else if (f) {
        bool ok = f->print_bytes ? print_message(&g) : print_profile(&g);
        if (ok && (f->opens_viewer || asked->open))
            (void)cli_show(&g.show, g.text.held.v, g.text.held.n);
        else if (ok && (!is_shown(&g) || make_visible(&g)))
            (void)cli_text_end(&g.text);
        cli_text_free(&g.text);
        cli_show_end(&g.show);
    }
}
