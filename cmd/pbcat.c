/* pbcat.c - prints a profile as a report */
#include <string.h>

#include "cli/cli.h"
#include "cli/inspect.h"
#include "cli/isolate.h"
#include "cli/report_options.h"
#include "cli/terminal.h"

struct pbcat {
    struct cli_report asked;
    struct terminal screen;
    size_t n_parts; /* read so far, for formats that take one only */
    struct buf out; /* what has not gone to `text` */
    struct cli_text text;
    struct cli_show show; /* in place of text */
};

/* The only message of the inputs, as it is. */
static bool take_part(void *ctx, const char *name,
                      const struct input_part *part, struct err *err)
{
    (void)name;
    struct pbcat *pc = ctx;
    if (pc->n_parts++)
        return err_set(err, ERR_USAGE,
                       "--%s shows one message, and this is another; pbmerge "
                       "makes one of them",
                       pc->asked.format->name);
    return pc->asked.format->print_bytes(part->data, part->n, &pc->out, err);
}

/* Whether it is for people: then all of it comes first. */
static bool is_shown(const struct pbcat *pc)
{
    return terminal_changes(&pc->screen, pc->asked.format->name_offset);
}

static void isolate(const struct pbcat *pc, struct cli *cli)
{
    const struct report_format *f = pc->asked.format;
    cli_isolate(cli, &(struct cli_needs){.any_file = f->reads_files,
                                         .programs = f->runs_programs,
                                         .files = pc->asked.bases.paths.v,
                                         .n_files = pc->asked.bases.paths.n});
}

/* Finds mistakes before anything is read. */
static bool begin(struct pbcat *pc, struct cli *cli)
{
    struct err err;
    pc->text = cli_text_of(cli);
    pc->screen = terminal_of(cli, pc->asked.color);
    pc->asked.opts.threads = cli->threads;
    bool ok = cli_report_begin(&pc->asked, cli, &err);
    if (ok && pc->asked.check) {
        cli_isolate(cli, &(struct cli_needs){0});
        return true;
    }
    if (ok && pc->asked.format->opens_viewer && cli->output)
        ok = err_set(&err, ERR_USAGE, "--%s writes no output; --ps -o does",
                     pc->asked.format->name);
    if (ok && pc->asked.format->binary && pc->screen.is_terminal)
        ok = err_set(&err, ERR_USAGE,
                     "--%s is not written to a terminal; redirect it or use -o",
                     pc->asked.format->name);
    if (!ok)
        cli_error(cli, NULL, &err);
    ok = ok &&
         (!pc->asked.format->opens_viewer || cli_show_begin(&pc->show, cli));
    if (ok)
        isolate(pc, cli);
    return ok;
}

static bool print_profile(struct pbcat *pc, struct cli *cli)
{
    struct profile p;
    struct err err;
    if (!cli_report_read(&pc->asked, cli, &p)) {
        prof_free(&p);
        return false;
    }
    cli->subject = cli_only_input(cli);
    bool held = is_shown(pc) || pc->asked.format->opens_viewer;
    pc->asked.opts.notes = &cli->notes;
    pc->asked.opts.sink = held ? NULL : &pc->text.sink;
    bool ok =
        report_print(pc->asked.format, &p, &pc->asked.opts, &pc->out, &err);
    cli->subject = NULL;
    prof_free(&p);
    if (ok)
        return true;
    cli_text_abort(&pc->text);
    if (!pc->text.failed)
        cli_error(cli, cli_only_input(cli), &err);
    return false;
}

static bool write_report(struct pbcat *pc, struct cli *cli)
{
    if (pc->asked.format->opens_viewer)
        return cli_show(&pc->show, pc->out.v, pc->out.n);
    if (!is_shown(pc))
        return cli_text_end(&pc->text, pc->out.v, pc->out.n);
    struct buf shown = {0};
    struct err err;
    bool ok = terminal_put(&pc->screen, pc->out.v, pc->out.n,
                           pc->asked.format->name_offset, &shown);
    if (ok)
        ok = cli_write_text(cli, shown.v, shown.n);
    else
        cli_error(cli, NULL, (err_nomem(&err), &err));
    buf_free(&shown);
    return ok;
}

static bool make_report(struct pbcat *pc, struct cli *cli)
{
    return pc->asked.format->print_bytes
               ? cli_each_part(cli, NULL, take_part, pc)
               : print_profile(pc, cli);
}

static void print_digests(struct pbcat *pc, struct cli *cli)
{
    bool json = strcmp(pc->asked.format->name, "json") == 0;
    if (cli_digest(cli, json, &pc->out))
        (void)cli_write_text(cli, pc->out.v, pc->out.n);
}

int main(int argc, char **argv)
{
    struct pbcat pc = {.asked = CLI_REPORT_DEFAULTS};
    const struct cli_spec spec = {
        .tool = "pbcat",
        .synopsis = "[option ...] [profile ...]",
        .summary = "Prints a profile, or the sum of several, as a report.\n"
                   "The suffix of -o FILE chooses the format if no option "
                   "does: .html, .svg ...",
        .option_at = cli_format_option_at,
        .options = cli_report_options,
        .shared = CLI_OUTPUT | CLI_THREADS | CLI_KEEP_GOING | CLI_INPUTS,
        .take = cli_take_report,
        .ctx = &pc.asked,
    };
    struct cli cli;
    int status = cli_begin(&cli, &spec, argc, argv);
    if (status < 0) {
        bool ok = begin(&pc, &cli);
        if (ok && pc.asked.digest)
            print_digests(&pc, &cli);
        else if (ok && pc.asked.check)
            cli_check(&cli, pc.asked.format, pc.asked.check_all);
        else if (ok && make_report(&pc, &cli))
            (void)write_report(&pc, &cli);
        cli_show_end(&pc.show);
        status = cli_end(&cli);
    }
    buf_free(&pc.out);
    cli_report_end(&pc.asked);
    return status;
}
