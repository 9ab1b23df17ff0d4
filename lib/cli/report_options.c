#include "cli/report_options.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "cli/filter_options.h"

/* Formats first. */
enum {
    TEXT = 256,
    TOP,
    TREE,
    PEEK,
    DOT,
    SVG,
    PDF,
    PS,
    PNG,
    GIF,
    GV,
    CALLGRIND,
    TRACES,
    RAW,
    COMMENTS,
    FOLDED,
    FLAME,
    TEXTPROTO,
    JSON,
    JSONL,
    CSV,
    TSV,
    SPEEDSCOPE,
    FIREFOX,
    LIST,
    DISASM,
    WEBLIST,
    TAGS,
    TOPPROTO,
    END_OF_FORMATS,
    CUM,
    FLAT,
    SAMPLE_INDEX,
    UNIT,
    NODEFRACTION,
    EDGEFRACTION,
    TRIM,
    NO_TRIM,
    CALL_TREE,
    MEAN,
    DIVIDE_BY,
    DROP_NEGATIVE,
    ALL_FRAMES,
    SOURCE_PATH,
    TRIM_PATH,
    PATH,
    OBJDUMP,
    INTEL_SYNTAX,
    RELATIVE_PERCENTAGES,
    COMPACT_LABELS,
    BASE,
    DIFF_BASE,
    NORMALIZE,
    COLOR,
    DIGEST,
    CHECK,
    FAIL_EMPTY,
};

const struct cli_option cli_report_options[] = {
    /* Formats. */
    {"text", TEXT, "[classic]", "a table of the heaviest nodes (default)"},
    {"top", TOP, NULL, "the same"},
    {"tree", TREE, NULL, "the same with callers and callees of each node"},
    {"peek", PEEK, "REGEX", "that of the nodes that match REGEX"},
    {"dot", DOT, NULL, "a graph of calls, for Graphviz"},
    {"svg", SVG, NULL, "the same drawn by Graphviz, as SVG"},
    {"pdf", PDF, NULL, "as PDF"},
    {"ps", PS, NULL, "as PostScript"},
    {"png", PNG, NULL, "as PNG"},
    {"gif", GIF, NULL, "as GIF"},
    {"gv", GV, NULL, "shown by gv"},
    {"callgrind", CALLGRIND, NULL, "calls between functions, for KCachegrind"},
    {"traces", TRACES, NULL, "every sample with its stack"},
    {"raw", RAW, NULL, "everything, entity by entity"},
    {"comments", COMMENTS, NULL, "the comments"},
    {"folded", FOLDED, NULL, "stacks in one line each, for flamegraph.pl"},
    {"flame", FLAME, "[svg]", "a flame graph: a page, or a picture"},
    {"textproto", TEXTPROTO, NULL, "the message in protobuf's text format"},
    {"json", JSON, NULL, "everything, for other programs"},
    {"jsonl", JSONL, NULL, "a line of JSON for each sample"},
    {"csv", CSV, NULL, "a table of samples, with commas"},
    {"tsv", TSV, NULL, "the same, with tabs"},
    {"speedscope", SPEEDSCOPE, NULL, "for speedscope.app"},
    {"firefox", FIREFOX, NULL, "for profiler.firefox.com"},
    {"list", LIST, "REGEX", "sources of the functions that match REGEX"},
    {"disasm", DISASM, "REGEX", "instructions of functions that match REGEX"},
    {"weblist", WEBLIST, "REGEX", "a page of sources and instructions"},
    {"tags", TAGS, NULL, "what the values of labels account for"},
    {"topproto", TOPPROTO, NULL, "the heaviest nodes, as a profile"},
    /* In place of a report. */
    {"digest", DIGEST, NULL, "a checksum of the content of each profile"},
    /* Options. */
    {"cum", CUM, NULL, "sort by cumulative value"},
    {"flat", FLAT, NULL, "sort by flat value (default)"},
    {"sample-index", SAMPLE_INDEX, "TYPE", "the value to show, or its index"},
    {"unit", UNIT, "UNIT", "show values in UNIT, minimum (default) or auto"},
    {"nodecount", 'n', "N", "show at most N nodes; 0 is all"},
    {"nodefraction", NODEFRACTION, "F", "hide nodes below F of the total"},
    {"edgefraction", EDGEFRACTION, "F", "hide calls below F of the total"},
    {"trim", TRIM, "[BOOL]", "honour the three above (default)"},
    {"no-trim", NO_TRIM, NULL, "show all nodes and calls"},
    {"call-tree", CALL_TREE, NULL, "a node for each way that leads to it"},
    {"mean", MEAN, NULL, "divide values by those of the first type"},
    {"divide-by", DIVIDE_BY, "X", "divide values by X"},
    {"drop-negative", DROP_NEGATIVE, NULL, "hide nodes below 0"},
    CLI_DETAIL_OPTIONS,
    {"all-frames", ALL_FRAMES, NULL, "do not apply drop_frames"},
    {"source-path", SOURCE_PATH, "DIRS", "look for sources here"},
    {"trim-path", TRIM_PATH, "DIRS", "take directories off file names"},
    {"binary", 'e', "FILE", "the binary of the main mapping"},
    {"path", PATH, "DIRS", "look for binaries before PPROF_BINARY_PATH"},
    {"objdump", OBJDUMP, "PROGRAM", "disassemble with this program"},
    {"intel-syntax", INTEL_SYNTAX, NULL, "show instructions as Intel does"},
    CLI_FILTER_OPTIONS,
    {"base", BASE, "FILE", "subtract this profile; may be repeated"},
    {"diff-base", DIFF_BASE, "FILE", "the same, and percentages are of it"},
    {"normalize", NORMALIZE, NULL, "scale to the totals of the base first"},
    {"relative-percentages", RELATIVE_PERCENTAGES, NULL,
     "percentages are of what filters leave"},
    {"color", COLOR, "WHEN", "colours: auto (default), always or never"},
    {"compact-labels", COMPACT_LABELS, NULL, "leave out the first lines"},
    {"fail-empty", FAIL_EMPTY, NULL, "status 1 when no sample is left"},
    {"check", CHECK, "[all]", "what is wrong with each profile, with --json"},
    {0},
};

static const struct cli_option *option_of(int key)
{
    const struct cli_option *o = cli_report_options;
    while (o->key != key)
        o++;
    return o;
}

static bool take_format(struct cli_report *asked, int key, const char *value,
                        struct err *err)
{
    const struct cli_option *o = option_of(key);
    bool has_variants = o->arg && o->arg[0] == '[';
    const char *name = key == TOP ? "text" : o->name;
    const struct report_format *f =
        report_find_format(name, has_variants ? value : NULL);
    if (!f)
        return err_set(err, ERR_USAGE, "'%s' is not %s", value, o->arg);
    const struct report_format *g = asked->format;
    if (g && g != f)
        return err_set(err, ERR_USAGE, "both %s and %s",
                       cli_format_option(g, (char[CLI_FORMAT_OPTION]){0}),
                       cli_format_option(f, (char[CLI_FORMAT_OPTION]){0}));
    asked->format = f;
    if (!has_variants)
        asked->opts.pattern = value;
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
    if (end == text || *end || errno || v < -1)
        return err_set(err, ERR_USAGE, "'%s' is not a number of nodes", text);
    /* -1 is how pprof spells its default. */
    *n = v < 0 ? REPORT_USUAL_COUNT : (size_t)v;
    return true;
}

/* true and false in the spellings that pprof takes; null is true. */
static bool take_bool(const char *text, bool *yes, struct err *err)
{
    static const char *const word[] = {"false", "f", "0", "true", "t", "1"};
    size_t i = 3, n = sizeof word / sizeof *word;
    if (text)
        for (i = 0; i < n && strcmp(text, word[i]) != 0;)
            i++;
    if (i == n)
        return err_set(err, ERR_USAGE, "'%s' is neither true nor false", text);
    *yes = i >= 3;
    return true;
}

static bool take_check(struct cli_report *asked, const char *value,
                       struct err *err)
{
    if (value && strcmp(value, "all") != 0)
        return err_set(err, ERR_USAGE, "'%s' is not [all]", value);
    asked->check_all = value;
    return asked->check = true;
}

/* Options on sources and binaries; false for others. */
static bool take_code(struct cli_report *asked, int key, const char *value)
{
    struct report_opts *o = &asked->opts;
    switch (key) {
    case SOURCE_PATH:
        o->source_path = value;
        return true;
    case TRIM_PATH:
        o->trim_path = value;
        return true;
    case 'e':
        o->binary = value;
        return true;
    case PATH:
        asked->path = value;
        return true;
    case OBJDUMP:
        o->objdump = value;
        return true;
    case INTEL_SYNTAX:
        return o->intel_syntax = true;
    default:
        return false;
    }
}

bool cli_take_report(void *ctx, int key, const char *value, struct err *err)
{
    struct cli_report *asked = ctx;
    struct report_opts *o = &asked->opts;
    bool ok;
    if (key >= TEXT && key < END_OF_FORMATS)
        return take_format(asked, key, value, err);
    if (cli_take_detail(&o->detail, key, value, &ok, err))
        return ok;
    if (cli_take_filter(&asked->filter, key, value))
        return asked->filters = true;
    if (take_code(asked, key, value))
        return true;
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
        return take_bool(value, &o->trim, err);
    case NO_TRIM:
        o->trim = false;
        return true;
    case CALL_TREE:
        return o->call_tree = true;
    case MEAN:
        return o->mean = true;
    case DIVIDE_BY:
        return take_double(value, DBL_MIN, DBL_MAX, "above 0", &o->divide_by,
                           err);
    case DROP_NEGATIVE:
        return o->limits.drop_negative = true;
    case BASE:
    case DIFF_BASE:
        return cli_bases_add(&asked->bases, value, key == DIFF_BASE, err);
    case COLOR:
        return terminal_parse_color(value, &asked->color, err);
    case DIGEST:
        return asked->digest = true;
    case CHECK:
        return take_check(asked, value, err);
    case NORMALIZE:
        return asked->bases.normalize = true;
    case RELATIVE_PERCENTAGES:
        return o->relative_percentages = true;
    case FAIL_EMPTY:
        return o->fail_empty = true;
    case COMPACT_LABELS:
        return o->compact_labels = true;
    default:
        return o->all_frames = true;
    }
}
