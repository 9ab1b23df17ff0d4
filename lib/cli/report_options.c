/* report_options.c - parses the options of pbcat */
#include "cli/report_options.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "cli/filters.h"
#include "cli/private.h"
#include "cli/symbol_options.h"

enum {
    CUM = 256,
    FLAT,
    SAMPLE_INDEX,
    RATIO,
    BY,
    OUTLIERS,
    UNIT,
    NODEFRACTION,
    EDGEFRACTION,
    TRIM,
    NO_TRIM,
    CALL_TREE,
    DROP_NEGATIVE,
    ALL_FRAMES,
    SOURCE_PATH,
    TRIM_PATH,
    PATH,
    OBJDUMP,
    INTEL_SYNTAX,
    WITH,
    RELATIVE_PERCENTAGES,
    COMPACT_LABELS,
    MAPPINGS,
    ROWS_AS,
    BASE,
    DIFF_BASE,
    NORMALIZE,
    BASE_TYPES,
    COLOR,
    DIGEST,
    OPEN,
    CHECK,
    FIRST_FORMAT = 0x4000, /* key of format 0; each format has two keys */
};

#define TRUTH "true|false"
#define WITH_WORDS "source|source,asm"
/* The values of --format, in the order of enum report_rows, from 1. */
#define ROWS_WORDS "csv|tsv|json|jsonl|markdown"

const struct cli_option cli_report_options[] = {
    CLI_HEADING("Instead of a report"),
    {"check", CHECK, "[all]",
     "validate each profile (--json: machine-readable)"},
    {"digest", DIGEST, NULL, "print a checksum of each profile's content"},

    CLI_HEADING("Where it is shown"),
    {"open", OPEN, NULL, "show the page or picture in a browser"},

    CLI_HEADING("Values"),
    {"sample-index", SAMPLE_INDEX | CLI_COMMON, "TYPE",
     "show this sample type (name or index)"},
    {"ratio", RATIO, "TYPE", "show TYPE, too, and its ratio (may be repeated)"},
    {"by", BY, "KEY", "show the functions of each value of this label"},
    {"outliers", OUTLIERS, NULL,
     "show where a value of --by differs from the others"},
    {"unit", UNIT, "UNIT",
     "show values in UNIT: ms, MB ... (default: minimum)"},
    CLI_VALUE_OPTIONS,

    CLI_HEADING("Rows and nodes"),
    {"cum", CUM | CLI_COMMON, NULL,
     "sort by cum: a function with all that it calls"},
    {"flat", FLAT, NULL, "sort by flat: a function by itself (default)"},
    {"nodecount", 'n' | CLI_COMMON, "N", "show at most N nodes (0: all)"},
    {"nodefraction", NODEFRACTION, "F", "hide nodes below F of the total"},
    {"edgefraction", EDGEFRACTION, "F", "hide calls below F of the total"},
    {"trim", TRIM, "[" TRUTH "]", "apply the three options above (default)"},
    {"no-trim", NO_TRIM, NULL, "show all nodes and calls"},
    {"call-tree", CALL_TREE, NULL, "split nodes by call path"},
    {"drop-negative", DROP_NEGATIVE, NULL, "hide nodes with negative values"},
    {"color", COLOR, TERMINAL_COLORS, "color tables (default: auto)"},
    {"compact-labels", COMPACT_LABELS, NULL, "omit the header lines"},
    {"format", ROWS_AS, ROWS_WORDS, "write the rows of a table as data"},

    CLI_HEADING("Filters"),
    CLI_FILTER_OPTIONS,
    {"all-frames", ALL_FRAMES, NULL, "ignore the profile's drop_frames"},
    {"relative-percentages", RELATIVE_PERCENTAGES, NULL,
     "show percentages of the total after filtering"},
    CLI_FAIL_EMPTY_OPTION,

    CLI_HEADING("Level of detail"),
    CLI_DETAIL_OPTIONS,
    {"mappings", MAPPINGS, NULL, "show which binary each function belongs to"},

    CLI_HEADING("Differences"),
    {"base", BASE, "FILE", "subtract FILE (may be repeated)"},
    {"diff-base", DIFF_BASE | CLI_COMMON, "FILE",
     "subtract FILE; percentages refer to FILE"},
    {"normalize", NORMALIZE, NULL,
     "scale to the total of the base before subtracting"},
    {"base-types", BASE_TYPES, "PATTERN",
     "subtract only sample types that match: 'alloc_*'"},

    CLI_HEADING("Sources and binaries"),
    {"with", WITH, WITH_WORDS, "embed what --flame shows of heavy functions"},
    {"source-path", SOURCE_PATH, "DIRS", "search DIRS for source files"},
    {"trim-path", TRIM_PATH, "DIRS",
     "remove these directories from file names"},
    {"executable", 'e' | CLI_COMMON, "FILE",
     "read the program's symbols from FILE"},
    {"binary", 'e', "FILE", NULL},
    {"path", PATH, "DIRS", "search DIRS for binaries before PPROF_BINARY_PATH"},
    {"objdump", OBJDUMP, "COMMAND", "disassemble with this program"},
    {"intel-syntax", INTEL_SYNTAX, NULL, "show instructions in Intel syntax"},
    CLI_PPROF_OPTIONS,
    {0},
};

/* Rows are headings, formats, and aliases, whose key is the format's + 1. */
bool cli_format_option_at(size_t i, struct cli_option *o)
{
    const struct report_format *f;
    for (size_t k = 0; (f = report_format_at(k)); k++) {
        int key = FIRST_FORMAT + 2 * (int)k;
        const char *heading = report_format_heading(k);
        if (heading && i-- == 0) {
            *o = (struct cli_option)CLI_HEADING(heading);
            return true;
        }
        if (!f->variant && i-- == 0) {
            *o = (struct cli_option){
                f->name, key | (f->common ? CLI_COMMON : 0), f->arg, f->help};
            return true;
        }
        if (f->alias && i-- == 0) {
            *o = (struct cli_option){f->alias, key + 1, NULL, "same as --text"};
            return true;
        }
    }
    return false;
}

const char *report_option(const struct report_format *f,
                          char text[REPORT_OPTION_TEXT])
{
    (void)snprintf(text, REPORT_OPTION_TEXT, "--%s%s%s", f->name,
                   f->variant ? "=" : "", f->variant ? f->variant : "");
    return text;
}

/*
 * The same for the option that asks for a report, or for what replaces it: one
 * of them is set.  --check and --digest come first, because their format only
 * says whether they print JSON.
 */
static const char *report_subject(const struct cli_report *asked,
                                  char text[REPORT_OPTION_TEXT])
{
    if (asked->check)
        return "--check";
    if (asked->digest)
        return "--digest";
    assert(asked->format);
    return report_option(asked->format, text);
}

static bool take_format(struct cli_report *asked, int key, const char *value,
                        struct prof_err *err)
{
    const struct report_format *f =
        report_format_at((size_t)(key - FIRST_FORMAT) / 2);
    const char *arg = f->arg;
    bool has_variants = arg && arg[0] == '[' && ascii_is_lower(arg[1]);
    size_t i;
    if (has_variants && value && !cli_parse_word(arg, value, &i, err))
        return false;
    f = report_find_format(f->name, has_variants ? value : NULL);
    const struct report_format *g = asked->format;
    if (g && g != f)
        return err_options(err, "%s cannot be combined with %s",
                           report_option(g, (char[REPORT_OPTION_TEXT]){0}),
                           report_option(f, (char[REPORT_OPTION_TEXT]){0}));
    asked->format = f;
    if (f == report_find_format("markdown", NULL)) {
        uint64_t bytes = asked->opts.budget;
        if (value && !cli_parse_size(value, &bytes, err))
            return false;
        if (value && (bytes < REPORT_LEAST_BUDGET || bytes > INT32_MAX))
            return err_value(err, "expected at least %d bytes and less than 2G",
                             REPORT_LEAST_BUDGET);
        asked->opts.budget = (size_t)bytes;
        return true;
    }
    if (!has_variants)
        asked->opts.pattern = value;
    return true;
}

static bool parse_fraction(const char *text, double *x, struct prof_err *err)
{
    char *end;
    double v = strtod(text, &end);
    if (end == text || *end || !(v >= 0 && v <= 1))
        return err_value(err, "expected a number from 0 to 1");
    *x = v;
    return true;
}

static bool parse_node_count(const char *text, size_t *n, struct prof_err *err)
{
    char *end;
    errno = 0;
    long v = strtol(text, &end, 10);
    if (end == text || *end || errno || v < -1)
        return err_value(err, "expected a non-negative integer");
    /* -1 is how pprof spells its default. */
    *n = v < 0 ? REPORT_USUAL_COUNT : (size_t)v;
    return true;
}

/* Parses true or false, also spelled as pprof allows; null is true. */
static bool parse_truth(const char *text, bool *yes, struct prof_err *err)
{
    size_t i = 0;
    if (text && strcmp(text, "f") != 0 && strcmp(text, "0") != 0) {
        if (strcmp(text, "t") != 0 && strcmp(text, "1") != 0 &&
            !cli_parse_word(TRUTH, text, &i, err))
            return false;
        *yes = i == 0;
        return true;
    }
    *yes = !text;
    return true;
}

/* Stores a value as it is, or sets a flag; false for other options. */
static bool take_plain(struct cli_report *asked, int key, const char *value)
{
    struct report_opts *o = &asked->opts;
    const struct cli_place places[] = {
        {SAMPLE_INDEX, &o->sample_index, NULL},
        {BY, &o->by, NULL},
        {UNIT, &o->unit, NULL},
        {SOURCE_PATH, &o->source_path, NULL},
        {TRIM_PATH, &o->trim_path, NULL},
        {'e', &o->binary, NULL},
        {PATH, &asked->path, NULL},
        {OBJDUMP, &o->objdump, NULL},
        {OUTLIERS, NULL, &o->outliers},
        {CALL_TREE, NULL, &o->call_tree},
        {DROP_NEGATIVE, NULL, &o->limits.drop_negative},
        {DIGEST, NULL, &asked->digest},
        {OPEN, NULL, &asked->open},
        {NORMALIZE, NULL, &asked->bases.normalize},
        {RELATIVE_PERCENTAGES, NULL, &o->relative_percentages},
        {MAPPINGS, NULL, &o->mappings},
        {COMPACT_LABELS, NULL, &o->compact_labels},
        {ALL_FRAMES, NULL, &o->all_frames},
        {INTEL_SYNTAX, NULL, &o->intel_syntax},
    };
    return cli_store(places, sizeof places / sizeof *places, key, value);
}

bool cli_take_report(void *ctx, int key, const char *value,
                     struct prof_err *err)
{
    struct cli_report *asked = ctx;
    struct report_opts *o = &asked->opts;
    const struct cli_pprof pprof = {&o->sample_index, &o->mean, &o->fail_empty,
                                    &o->divide_by};
    size_t word = 0;
    bool ok;
    if (key >= FIRST_FORMAT && key < CLI_FOCUS)
        return take_format(asked, key, value, err);
    if (key >= CLI_GRANULARITY && key <= CLI_BINARIES)
        asked->granularity = key;
    if (cli_take_detail(&o->detail, key, value, &ok, err) ||
        cli_take_pprof(&pprof, key, value, &ok, err))
        return ok;
    if (cli_take_filter(&asked->filter, key, value))
        return asked->filters = true;
    if (take_plain(asked, key, value))
        return true;
    switch (key) {
    case CUM:
    case FLAT:
        o->limits.cum_sort = key == CUM;
        return true;
    case RATIO:
        return vec_push(&asked->ratios, value) || err_nomem(err);
    case 'n':
        return parse_node_count(value, &o->limits.node_count, err);
    case NODEFRACTION:
        return parse_fraction(value, &o->limits.node_fraction, err);
    case EDGEFRACTION:
        return parse_fraction(value, &o->limits.edge_fraction, err);
    case TRIM:
        return parse_truth(value, &o->trim, err);
    case NO_TRIM:
        o->trim = false;
        return true;
    case BASE:
    case DIFF_BASE:
        return cli_bases_add(&asked->bases, value, key == DIFF_BASE, err);
    case BASE_TYPES:
        asked->bases.only = cli_given(value);
        return true;
    case COLOR:
        ok = cli_parse_word(TERMINAL_COLORS, value, &word, err);
        asked->color = (enum terminal_color)word;
        return ok;
    case CHECK:
        asked->check = true;
        asked->check_all = value;
        return !value || cli_parse_word("[all]", value, &word, err);
    case ROWS_AS:
        ok = cli_parse_word(ROWS_WORDS, value, &word, err);
        o->rows = (enum report_rows)(word + 1);
        return ok;
    case WITH:
        ok = cli_parse_word(WITH_WORDS, value, &word, err);
        o->with_source = true;
        o->with_code = word;
        return ok;
    default:
        return err_value(err, "this option is not implemented");
    }
}

/* --- the command that a report names --- */

/* Appends a blank and a word of a command line, quoted for a shell. */
static bool put_word(struct buf *to, const char *word)
{
    static const char plain[] = "%+,-./:=@^_";
    const char *s = word;
    while (*s && (ascii_is_alnum(*s) || strchr(plain, *s)))
        s++;
    if (*word && !*s)
        return buf_putc(to, ' ') && buf_puts(to, word);
    bool ok = buf_puts(to, " '");
    for (s = word; ok && *s; s++)
        ok = *s == '\'' ? buf_puts(to, "'\\''") : buf_putc(to, *s);
    return ok && buf_putc(to, '\'');
}

/* Number of words of an option that chooses the format or output, or 0. */
static size_t own_words(struct prof_slice word)
{
    if (slice_is(word, "-o") || slice_is(word, "--output"))
        return 2;
    return slice_begins_with(word, "--markdown") ||
           slice_begins_with(word, "--output=") ||
           slice_begins_with(word, "-o");
}

/* Sets asked->command to the command line without the words of own_words(). */
static bool make_command(struct cli_report *asked, struct prof_err *err)
{
    struct buf command = {0};
    bool ok = true;
    for (char **word = asked->argv + 1; ok && *word;) {
        size_t skip = own_words(slice_of(*word));
        if (!skip)
            ok = put_word(&command, *word++);
        for (; skip && *word; skip--)
            word++;
    }
    if (!ok || !buf_putc(&command, 0)) {
        buf_free(&command);
        return err_nomem(err);
    }
    asked->command = (char *)command.v;
    asked->opts.command = asked->command;
    return true;
}

/* --- all options together --- */

/* Returns "a.pb.gz" or "a.pb.gz and 2 more", or null if memory is out. */
static char *name_files(const char *const *path, size_t n)
{
    const char *first = n ? cli_input_name(path[0]) : cli_input_name("-");
    return n > 1 ? str_printf("%s and %zu more", first, n - 1) : strdup(first);
}

static bool name_sides(struct cli_report *asked, const struct cli *cli,
                       const struct profile *p, const struct profile *base)
{
    const struct cli_private *priv = cli->private;
    const char *const *inputs = (const char *const *)priv->inputs.v;
    asked->base_name = name_files(asked->bases.paths.v, asked->bases.paths.n);
    asked->minuend_name = name_files(inputs, priv->inputs.n);
    asked->opts.base = (struct report_side){
        asked->base_name, prof_get_header(base).duration_nanos};
    asked->opts.minuend = (struct report_side){
        asked->minuend_name, prof_get_header(p).duration_nanos};
    return asked->base_name && asked->minuend_name;
}

struct profile *report_read(struct cli_report *asked, struct cli *cli)
{
    struct prof_err err;
    /* A base would make all stacks be stored whole. */
    cli->shares_stacks =
        !cli_filter_unshares(&asked->filter) && !asked->bases.paths.n;
    struct profile *p = cli_read_profile(cli);
    if (!p || !asked->bases.paths.n)
        return p;
    size_t n = prof_count(p).types;
    asked->bases.types = PROF_TYPES_INTERSECT;
    asked->bases.threads = cli->threads;
    struct profile *base = cli_bases_sum(&asked->bases, cli);
    bool ok = base && (name_sides(asked, cli, p, base) || err_nomem(&err)) &&
              cli_bases_subtract(&asked->bases, &p, base, &err);
    if (base && !ok)
        cli_error(cli, NULL, &err);
    prof_delete(base);
    if (!ok) {
        prof_delete(p);
        return NULL;
    }
    size_t left = prof_count(p).types;
    if (left < n)
        note_loss(&cli->notes,
                  "%zu of %zu sample types dropped: not in all profiles",
                  n - left, n);
    return p;
}

/* Returns the option that set the level of detail, or null. */
static const char *granularity_option(const struct cli_report *asked)
{
    static const char *const name[] = {
        [0] = "--granularity",
        [CLI_ADDRESSES - CLI_GRANULARITY] = "--addresses",
        [CLI_LINES - CLI_GRANULARITY] = "--lines",
        [CLI_FUNCTIONS - CLI_GRANULARITY] = "--functions",
        [CLI_FILEFUNCTIONS - CLI_GRANULARITY] = "--filefunctions",
        [CLI_FILES - CLI_GRANULARITY] = "--files",
        [CLI_BINARIES - CLI_GRANULARITY] = "--binaries",
    };
    return asked->granularity ? name[asked->granularity - CLI_GRANULARITY]
                              : NULL;
}

static void warn_ignored(const struct cli_report *asked,
                         const struct prof_notes *notes)
{
    const struct report_format *f = asked->format;
    const struct report_opts *o = &asked->opts;
    const struct graph_limits *limits = &o->limits;
    const struct prof_filter_opts *by = &asked->filter;
    char text[REPORT_OPTION_TEXT];
    bool alone = asked->check || asked->digest;
    unsigned ignores = alone ? REPORT_IGNORES_ALL : report_ignores(f);
    if (!alone && f->embeds_code && !o->with_code)
        ignores |= REPORT_NO_BINARY;
    if (!alone && o->outliers)
        ignores |= REPORT_NO_MEAN | REPORT_NO_DIVISION | REPORT_NO_OTHERS;
    const char *of =
        !alone && o->outliers ? "--outliers" : report_subject(asked, text);
    /* Formats with a fixed level of detail have lines or addresses. */
    enum prof_granularity fixed =
        f && (f->needs & REPORT_LINES) ? PROF_LINES : PROF_ADDRESSES;
    bool detail = asked->granularity && o->detail.granularity != fixed;
    /* --unit and label options apply to labels that become frames. */
    bool as_frames = by->tagroot || by->tagleaf;
    const struct {
        unsigned bit;
        bool given;
        const char *name;
    } option[] = {
        {REPORT_NO_TYPE, o->sample_index, "--sample-index"},
        {REPORT_NO_OTHERS, asked->ratios.n, "--ratio"},
        {REPORT_NO_MEAN, o->mean, "--mean"},
        {REPORT_NO_DIVISION, o->divide_by != 1, "--divide-by"},
        {REPORT_NO_UNIT, strcmp(o->unit, "minimum") != 0 && !as_frames,
         "--unit"},
        {REPORT_NO_COUNT, limits->node_count != REPORT_USUAL_COUNT,
         "--nodecount"},
        {REPORT_NO_FRACTION, limits->node_fraction != REPORT_USUAL_FRACTION,
         "--nodefraction"},
        {REPORT_NO_EDGES, limits->edge_fraction != REPORT_USUAL_EDGES,
         "--edgefraction"},
        {REPORT_NO_ORDER, limits->cum_sort, "--cum"},
        {REPORT_NO_SIGN, limits->drop_negative, "--drop-negative"},
        {REPORT_NO_PATHS, o->call_tree, "--call-tree"},
        {REPORT_NO_PERCENT, o->relative_percentages, "--relative-percentages"},
        {REPORT_NO_DETAIL, detail, granularity_option(asked)},
        {REPORT_NO_DETAIL, o->detail.show_columns, "--showcolumns"},
        {REPORT_NO_MAPPINGS, o->mappings, "--mappings"},
        {REPORT_NO_INLINING, o->detail.no_inlines, "--no-inlines"},
        {REPORT_NO_LABELS, by->tagshow && !as_frames, "--tagshow"},
        {REPORT_NO_LABELS, by->taghide && !as_frames, "--taghide"},
        {REPORT_NO_FILES, o->trim_path, "--trim-path"},
        {REPORT_NO_FILES, o->source_path, "--source-path"},
        {REPORT_NO_BINARY, o->binary, "--executable"},
        {REPORT_NO_BINARY, asked->path, "--path"},
        {REPORT_NO_BINARY, o->objdump, "--objdump"},
        {REPORT_NO_BINARY, o->intel_syntax, "--intel-syntax"},
        {REPORT_NO_EMBEDDING, o->with_source, "--with"},
        {REPORT_NO_FILTER, asked->filters, "a filter"},
    };
    for (size_t i = 0; i < sizeof option / sizeof *option; i++)
        if (option[i].given && (ignores & option[i].bit))
            note_warn(notes, "%s has no effect on %s", option[i].name, of);
    if (o->detail.show_columns && !(ignores & REPORT_NO_DETAIL) &&
        o->detail.granularity != PROF_LINES &&
        o->detail.granularity != PROF_ADDRESSES)
        note_warn(notes, "--showcolumns has no effect without --lines or "
                         "--addresses");
}

/* Fails if a filter or base would change the profile that `option` reads. */
static bool is_unchanged(const struct cli_report *asked, const char *option,
                         struct prof_err *err)
{
    if (!asked->filters && !asked->bases.paths.n && !asked->opts.fail_empty)
        return true;
    return err_set(err, PROF_ERR_USAGE,
                   "--%s cannot be combined with filters, --base or "
                   "--fail-empty",
                   option);
}

/* Fails if the other options exclude `option`, which replaces the report. */
static bool stands_alone(const struct cli_report *asked, const char *option,
                         struct prof_err *err)
{
    char text[REPORT_OPTION_TEXT];
    const struct report_format *f = asked->format;
    if (f && f != report_find_format("json", NULL))
        return err_set(err, PROF_ERR_USAGE, "--%s cannot be combined with %s",
                       option, report_option(f, text));
    return is_unchanged(asked, option, err);
}

/* Warns of a report whose name says that it is compressed. */
static void warn_uncompressed(const struct cli_report *asked,
                              const struct cli *cli)
{
    static const char *const suffixes[] = {".gz",  ".zst", ".xz",
                                           ".bz2", ".lz4", ".svgz"};
    const struct report_format *f = asked->format;
    char is[REPORT_OPTION_TEXT];
    if (!cli->output || asked->check || asked->digest ||
        (f && report_has_suffix(f, cli->output)))
        return;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (slice_ends_with(slice_of(cli->output), suffixes[i]))
            note_warn(&cli->notes,
                      "%s: %s chooses neither a format nor compression; this "
                      "is %s, uncompressed",
                      cli->output, suffixes[i],
                      f ? report_option(f, is) : "--text");
}

/*
 * Sets asked->format to the requested format, else that of the output's name,
 * or null. --check and --digest have two formats: text (null) and JSON.
 */
static bool settle_format(struct cli_report *asked, const struct cli *cli,
                          struct prof_err *err)
{
    const struct report_format *json = report_find_format("json", NULL), *f;
    char is[REPORT_OPTION_TEXT], other[REPORT_OPTION_TEXT];
    f = cli->output ? report_format_of_file(cli->output) : NULL;
    /* With --format and --by, the suffix selects the format of rows, not the
     * report. */
    if ((asked->opts.rows || asked->opts.by) && !asked->check && !asked->digest)
        return true;
    if (asked->format) {
        /* The suffix selects a variant: --flame=svg of --flame. */
        if (f)
            asked->format = report_variant_of_file(asked->format, cli->output);
        /* The option takes precedence over the suffix; warn if they differ. */
        if (f && !asked->format->opens_viewer &&
            !report_has_suffix(asked->format, cli->output))
            note_warn(&cli->notes,
                      "%s: the suffix suggests %s, but the format is %s",
                      cli->output, report_option(f, other),
                      report_option(asked->format, is));
    } else if (asked->check || asked->digest)
        asked->format = f == json ? json : NULL;
    else if (f && f->needs_option)
        return err_set(err, PROF_ERR_USAGE,
                       "%s: pbcat writes reports; use pbmerge to write a "
                       "profile, or specify --%s",
                       cli->output, f->name);
    else
        asked->format = f;
    warn_uncompressed(asked, cli);
    return true;
}

/* Fails if the format or an option excludes --by or --outliers. */
static bool is_split_text(const struct cli_report *asked, struct prof_err *err)
{
    char text[REPORT_OPTION_TEXT];
    const struct report_format *f = asked->format;
    if (asked->opts.outliers && !asked->opts.by)
        return err_set(err, PROF_ERR_USAGE, "--outliers requires --by");
    if (asked->opts.outliers && asked->bases.paths.n)
        return err_set(err, PROF_ERR_USAGE,
                       "--outliers cannot be combined with --base");
    if (!asked->opts.by || f == report_find_format("text", NULL))
        return true;
    return err_set(err, PROF_ERR_USAGE,
                   "--by cannot be combined with %s: it applies only to --text",
                   report_subject(asked, text));
}

bool report_settle(struct cli_report *asked, const struct cli *cli,
                   struct prof_err *err)
{
    char text[REPORT_OPTION_TEXT];
    asked->opts.threads = cli->threads;
    asked->opts.notes = &cli->notes;
    asked->opts.others = asked->ratios.v;
    asked->opts.n_others = asked->ratios.n;
    if (asked->check && asked->digest)
        return err_set(err, PROF_ERR_USAGE,
                       "--check cannot be combined with --digest");
    if (!settle_format(asked, cli, err))
        return false;
    if ((asked->digest && !stands_alone(asked, "digest", err)) ||
        (asked->check && !stands_alone(asked, "check", err)))
        return false;
    if (!asked->format && !asked->check && !asked->digest)
        asked->format = report_find_format("text", NULL);
    if (asked->opts.rows && !(asked->format && asked->format->has_rows))
        return err_set(err, PROF_ERR_USAGE,
                       "--format cannot be combined with %s: it applies only "
                       "to --text, --tree, --peek and --tags",
                       report_subject(asked, text));
    if (!is_split_text(asked, err) || !cli_bases_check(&asked->bases, err))
        return false;
    if (asked->check || asked->digest) {
        warn_ignored(asked, &cli->notes);
        return true;
    }
    if (asked->format->print_bytes &&
        !is_unchanged(asked, asked->format->name, err))
        return false;
    if (!cli_binary_path(asked->path, &asked->binary_path, err))
        return false;
    asked->opts.binary_path = asked->binary_path;
    if (asked->format == report_find_format("markdown", NULL) && asked->argv &&
        !make_command(asked, err))
        return false;
    warn_ignored(asked, &cli->notes);
    if (!asked->filters)
        return true;
    asked->filter.unit = asked->opts.unit;
    asked->filter.threads = asked->opts.threads;
    asked->opts.filter = prof_filter_new(&asked->filter, err);
    return asked->opts.filter != NULL;
}

void cli_report_free(struct cli_report *asked)
{
    prof_filter_free(asked->opts.filter);
    free(asked->binary_path);
    free(asked->command);
    free(asked->base_name);
    free(asked->minuend_name);
    vec_free(&asked->bases.paths);
    vec_free(&asked->ratios);
}
