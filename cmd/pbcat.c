/* pbcat - print a profile */
#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/cli.h"
#include "report/report.h"

enum {
    TEXT = 256,
    TOP,
    TRACES,
    RAW,
    COMMENTS,
    FOLDED,
    TEXTPROTO,
    JSON,
    CUM,
    FLAT,
    SAMPLE_INDEX,
    UNIT,
    NODEFRACTION,
    EDGEFRACTION,
    TRIM,
    NO_TRIM,
    MEAN,
    DIVIDE_BY,
    DROP_NEGATIVE,
    GRANULARITY,
    ADDRESSES,
    LINES,
    FUNCTIONS,
    FILEFUNCTIONS,
    NOINLINES,
    SHOWCOLUMNS,
    ALL_FRAMES,
};

static const struct cli_option options[] = {
    {"text", TEXT, NULL, "a table of the heaviest nodes (default)"},
    {"top", TOP, NULL, "the same"},
    {"traces", TRACES, NULL, "every sample with its stack"},
    {"raw", RAW, NULL, "everything, entity by entity"},
    {"comments", COMMENTS, NULL, "the comments"},
    {"folded", FOLDED, NULL, "stacks in one line each, for flamegraph.pl"},
    {"textproto", TEXTPROTO, NULL, "the message in protobuf's text format"},
    {"json", JSON, NULL, "everything, for other programs"},
    {"cum", CUM, NULL, "sort by cumulative value"},
    {"flat", FLAT, NULL, "sort by flat value (default)"},
    {"sample-index", SAMPLE_INDEX, "TYPE", "the value to show, or its index"},
    {"unit", UNIT, "UNIT", "show values in UNIT, minimum (default) or auto"},
    {"nodecount", 'n', "N", "show at most N nodes; 0 is all (default)"},
    {"nodefraction", NODEFRACTION, "F", "hide nodes below F of the total"},
    {"edgefraction", EDGEFRACTION, "F", "hide calls below F of the total"},
    {"trim", TRIM, "[BOOL]", "honour the three above (default)"},
    {"no-trim", NO_TRIM, NULL, "show all nodes and calls"},
    {"mean", MEAN, NULL, "divide values by those of the first type"},
    {"divide-by", DIVIDE_BY, "X", "divide values by X"},
    {"drop-negative", DROP_NEGATIVE, NULL, "hide nodes below 0"},
    {"granularity", GRANULARITY, "G",
     "tell nodes apart by G: files, or one of"},
    {"addresses", ADDRESSES, NULL, "addresses"},
    {"lines", LINES, NULL, "source lines"},
    {"functions", FUNCTIONS, NULL, "functions (default)"},
    {"filefunctions", FILEFUNCTIONS, NULL, "functions and their files"},
    {"noinlines", NOINLINES, NULL, "charge inlined frames to their caller"},
    {"showcolumns", SHOWCOLUMNS, NULL, "lines have their columns"},
    {"all-frames", ALL_FRAMES, NULL, "do not apply drop_frames"},
    {0},
};

struct pbcat {
    const struct report_format *format; /* null: none was asked for */
    struct report_opts opts;
    bool no_trim;
    size_t n_parts; /* read so far, for formats that take one only */
    struct buf out; /* what has not gone to `text` */
    struct cli_text text;
};

static bool take_format(struct pbcat *pc, const char *name, struct err *err)
{
    const struct report_format *f = report_find_format(name);
    if (pc->format && pc->format != f)
        return err_set(err, ERR_USAGE, "both --%s and --%s", pc->format->name,
                       f->name);
    pc->format = f;
    return true;
}

static bool take_double(const char *text, double min, double max,
                        const char *what, double *x, struct err *err)
{
    char *end;
    double v = strtod(text, &end);
    if (end == text || *end || !(v >= min && v <= max))
        return err_set(err, ERR_USAGE, "'%s' is not a number %s", text, what);
    *x = v;
    return true;
}

static bool take_count(const char *text, size_t *n, struct err *err)
{
    char *end;
    errno = 0;
    long v = strtol(text, &end, 10);
    /* -1 is how pprof spells its default. */
    if (end == text || *end || errno || v < -1)
        return err_set(err, ERR_USAGE, "'%s' is not a number of nodes", text);
    *n = v < 0 ? 0 : (size_t)v;
    return true;
}

static bool take_trim(struct pbcat *pc, const char *text, struct err *err)
{
    static const char *const word[] = {"false", "f", "0", "true", "t", "1"};
    size_t i = 3, n = sizeof word / sizeof *word;
    if (text)
        for (i = 0; i < n && strcmp(text, word[i]) != 0;)
            i++;
    if (i == n)
        return err_set(err, ERR_USAGE, "'%s' is neither true nor false", text);
    pc->no_trim = i < 3;
    return true;
}

static bool take_granularity(struct pbcat *pc, const char *name,
                             struct err *err)
{
    return prof_granularity_parse(name, &pc->opts.detail.granularity) ||
           err_set(err, ERR_USAGE,
                   "'%s' is none of addresses, lines, functions, "
                   "filefunctions and files",
                   name);
}

/* Options that stand for a choice by their name. */
static const char *name_of(int key)
{
    size_t i = 0;
    while (options[i].key != key)
        i++;
    return options[i].name;
}

static bool take(void *ctx, int key, const char *value, struct err *err)
{
    struct pbcat *pc = ctx;
    struct report_opts *o = &pc->opts;
    switch (key) {
    case CUM:
    case FLAT:
        o->limits.cum_sort = key == CUM;
        return true;
    case SAMPLE_INDEX:
        o->sample_index = value;
        return true;
    case UNIT:
        o->unit = value;
        return true;
    case 'n':
        return take_count(value, &o->limits.node_count, err);
    case NODEFRACTION:
        return take_double(value, 0, 1, "from 0 to 1", &o->limits.node_fraction,
                           err);
    case EDGEFRACTION:
        return take_double(value, 0, 1, "from 0 to 1", &o->limits.edge_fraction,
                           err);
    case TRIM:
        return take_trim(pc, value, err);
    case NO_TRIM:
        return take_trim(pc, "false", err);
    case MEAN:
        o->mean = true;
        return true;
    case DIVIDE_BY:
        return take_double(value, DBL_MIN, DBL_MAX, "above 0", &o->divide_by,
                           err);
    case DROP_NEGATIVE:
        o->limits.drop_negative = true;
        return true;
    case GRANULARITY:
        return take_granularity(pc, value, err);
    case ADDRESSES:
    case LINES:
    case FUNCTIONS:
    case FILEFUNCTIONS:
        return take_granularity(pc, name_of(key), err);
    case NOINLINES:
        o->detail.no_inlines = true;
        return true;
    case SHOWCOLUMNS:
        o->detail.show_columns = true;
        return true;
    case ALL_FRAMES:
        o->all_frames = true;
        return true;
    default:
        return take_format(pc, key == TOP ? "text" : name_of(key), err);
    }
}

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
                       pc->format->name);
    return pc->format->print_bytes(part->data, part->n, &pc->out, err);
}

/* Standard output as people see it, where names could do things. */
static bool is_terminal(const struct cli *cli)
{
    bool named = cli->output && strcmp(cli->output, "-") != 0;
    return !named && isatty(STDOUT_FILENO);
}

static bool print_profile(struct pbcat *pc, struct cli *cli)
{
    struct profile p;
    struct err err;
    if (!cli_read_profile(cli, &p))
        return false;
    const char *subject = cli->n_inputs == 1 ? cli->inputs[0] : NULL;
    if (subject && !strcmp(subject, "-"))
        subject = "(standard input)";
    cli->subject = subject;
    struct sink *to = is_terminal(cli) ? NULL : &pc->text.sink;
    bool ok = report_print(pc->format, &p, &pc->opts, &cli->notes, &pc->out, to,
                           &err);
    cli->subject = NULL;
    prof_free(&p);
    if (ok)
        return true;
    cli_text_abort(&pc->text);
    if (!pc->text.failed)
        cli_error(cli, subject, &err);
    return false;
}

/* On a terminal, what names could do to it is shown instead. */
static bool write_report(struct pbcat *pc, struct cli *cli)
{
    if (!is_terminal(cli))
        return cli_text_end(&pc->text, pc->out.v, pc->out.n);
    struct buf visible = {0};
    struct err err;
    bool ok = utf8_put_visible(&visible, pc->out.v, pc->out.n);
    if (ok)
        ok = cli_write_text(cli, visible.v, visible.n);
    else
        cli_error(cli, NULL, (err_nomem(&err), &err));
    buf_free(&visible);
    return ok;
}

int main(int argc, char **argv)
{
    struct pbcat pc = {.opts = REPORT_DEFAULTS};
    const struct cli_spec spec = {
        .tool = "pbcat",
        .synopsis = "[option ...] [profile ...]",
        .summary = "Prints a profile, or the sum of several, as a report.",
        .options = options,
        .shared = CLI_OUTPUT | CLI_THREADS | CLI_KEEP_GOING | CLI_INPUTS,
        .take = take,
        .ctx = &pc,
    };
    struct cli cli;
    int status = cli_begin(&cli, &spec, argc, argv);
    if (status >= 0)
        return status;
    pc.text = cli_text_of(&cli);
    pc.opts.threads = cli.threads;
    if (!pc.format)
        pc.format = report_find_format("text");
    if (pc.no_trim) {
        pc.opts.limits.node_count = 0;
        pc.opts.limits.node_fraction = pc.opts.limits.edge_fraction = 0;
    }
    bool ok = pc.format->print_bytes ? cli_each_part(&cli, NULL, take_part, &pc)
                                     : print_profile(&pc, &cli);
    if (ok)
        (void)write_report(&pc, &cli);
    buf_free(&pc.out);
    return cli_end(&cli);
}
