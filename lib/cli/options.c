/* options.c - parses the command line: options, inputs, hints */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/slice.h"
#include "base/system.h"
#include "cli/cli.h"
#include "cli/private.h"
#include "cli/resources.h"

/* Options in the order of --help; those with `shared` 0 are for all tools. */
static const struct {
    unsigned shared;
    struct cli_option option;
} shared_options[] = {
    {0, CLI_HEADING("Input and output")},
    {CLI_OUTPUT,
     {"output", 'o' | CLI_COMMON, "FILE",
      "write to FILE (default: standard output)"}},
    {CLI_OUTPUT,
     {"if-changed", KEY_IF_CHANGED, NULL,
      "leave FILE untouched if its content would not change"}},
    {CLI_CONVERT,
     {"each", KEY_EACH, NULL,
      "write one profile per input: as tar, or to -o DIR/"}},
    {CLI_CONVERT,
     {"pass", KEY_PASS, NULL,
      "with --each, copy entries that are not converted"}},
    {CLI_INPUTS,
     {"files-from", KEY_FILES, "FILE",
      "read input file names from FILE, one per line"}},
    {CLI_INPUTS,
     {"files0-from", KEY_FILES0, "FILE",
      "read input file names from FILE, separated by NUL"}},
    {CLI_INPUTS, {"recursive", 'r', NULL, "read all files below directories"}},
    {CLI_INPUTS,
     {"entries", KEY_ENTRIES, "PATTERN",
      "read only entries of archives that match: '*.prof'"}},
    {CLI_INPUTS,
     {"max-size", KEY_MAX_SIZE, "SIZE",
      "limit decompressed size (default: memory/2, max 16G)"}},
    {0, CLI_HEADING("General")},
    {CLI_KEEP_GOING,
     {"keep-going", 'k', NULL,
      "report invalid inputs and continue with the others"}},
    {CLI_INPUTS,
     {"strict", KEY_STRICT, NULL,
      "fail if anything is lost, skipped or guessed"}},
    {CLI_THREADS,
     {"threads", 'T', "N", "use N threads (default: one for each processor)"}},
    {0,
     {"quiet", 'q' | CLI_COMMON, NULL,
      "suppress hints; report only errors and losses"}},
    {0,
     {"verbose", 'v' | CLI_COMMON, NULL,
      "report what was inferred or skipped"}},
    {0,
     {"help", KEY_HELP | CLI_COMMON, NULL,
      "print all options; -h: the common ones"}},
    {0, {"version", KEY_VERSION | CLI_COMMON, NULL, "print the version"}},
};

/* Adds an option, or a heading: a row without a name. */
static bool add_row(struct cli_private *priv, const struct cli_option *o)
{
    const struct cli_heading heading = {priv->options.n, o->help};
    struct cli_option option = *o;
    option.key &= ~CLI_COMMON;
    if (!o->name[0])
        return vec_push(&priv->headings, heading);
    return vec_push(&priv->options, option) &&
           vec_push(&priv->common, (o->key & CLI_COMMON) != 0);
}

/* Lists all options; one of the tool replaces a shared one of the same name. */
static bool list_options(struct cli *cli, struct prof_err *err)
{
    struct cli_private *priv = cli->private;
    const struct cli_spec *spec = priv->spec;
    struct cli_option more;
    bool ok = true;
    for (size_t i = 0; ok && spec->option_at && spec->option_at(i, &more); i++)
        ok = add_row(priv, &more);
    for (const struct cli_option *o = spec->options; ok && o && o->name; o++)
        ok = add_row(priv, o);
    priv->n_own = priv->options.n;

    const size_t n = sizeof shared_options / sizeof *shared_options;
    for (size_t i = 0; ok && i < n; i++) {
        const struct cli_option *o = &shared_options[i].option;
        const unsigned shared = shared_options[i].shared;
        size_t own = 0;
        while (own < priv->n_own &&
               strcmp(priv->options.v[own].name, o->name) != 0)
            own++;
        if ((shared & spec->shared) == shared && own == priv->n_own)
            ok = add_row(priv, o);
    }
    return ok || err_nomem(err);
}

/* --- names that are not options */

enum {
    NAME_MAX_BYTES = 40, /* longest name of an option */
    SHORT_NAME = 4,      /* bytes; longer names may have two typos */
};

#define OF_GPROF TEXT("see DIFFERENCES FROM GPROF in gmon2pb(1)")
#define OF_PERF TEXT("see PERF REPORT in perf2pb(1)")

/* Options that users may try, pprof's among them, and what to use instead. */
static const struct {
    const char *names; /* separated by blanks */
    const char *instead;
} other_options[] = {
    {"http", TEXT("use 'pbcat --flame -o FILE.html' for a page in a browser")},
    {"web", TEXT("use 'pbcat --svg -o FILE.svg' for a picture in a browser")},
    {"eog", TEXT("use 'pbcat --svg -o FILE.svg'")},
    {"evince", TEXT("use 'pbcat --pdf -o FILE.pdf'")},
    {"kcachegrind",
     TEXT("use 'pbcat --callgrind -o FILE' and open FILE in KCachegrind")},
    {"proto", TEXT("use 'pbfilter -o FILE' to write a profile")},
    {"interactive", TEXT("run one command for each report")},
    {"no-browser", TEXT("only --open opens a browser")},
    {"symbolize", TEXT("use pbsym to add symbols")},
    {"tools", TEXT("use --objdump=PROGRAM; no other programs are needed")},
    {"buildid", TEXT("use pbsym, which matches binaries by build ID")},
    {"add-comment", TEXT("use 'pbfilter --add-comment=TEXT'")},
    {"input", TEXT("name the inputs as operands")},
    {"seconds timeout",
     TEXT("profiles are read from files; use 'curl URL | pbcat'")},
    {"tls-cert tls-key tls-ca",
     TEXT("profiles are read from files; use 'curl URL | pbcat'")},
    {"collapsed", TEXT("use 'pbcat --folded'")},
    {"stacks", TEXT("use 'pbcat --traces'")},
    {"show-bytes", "use --unit=B"},
    {"maxdegree", TEXT("use --nodecount or --edgefraction to draw less")},
    {"lib-prefix add-lib", TEXT("use --path=DIR to find binaries")},
    {"no-strip-temp", "use --demangle=templates"},
    {"symbols", TEXT("use pbsym to add symbols")},
    {"heapcheck",
     TEXT("use --sample-index=inuse_objects --no-trim to find leaks")},
    {"base diff-base base-types normalize",
     TEXT("use 'pbcat --diff-base' or 'pbmerge --base' to subtract a profile")},
    {"label source-label replace-label", TEXT("use pbmerge to label samples")},
    {"weight equal", TEXT("use pbmerge to scale profiles")},
    {"focus ignore show hide show-from prune-from tagfocus tagignore tagshow "
     "taghide tagroot tagleaf sample-index mean divide-by inuse-space "
     "inuse-objects alloc-space alloc-objects contentions total-delay "
     "mean-delay functions filefunctions files binaries lines addresses "
     "granularity keep-types rename-type",
     TEXT("use pbfilter or pbcat to select and change data")},
    {"text top tree peek list disasm weblist tags traces comments strings raw "
     "svg pdf "
     "png ps gif gv dot flame heatmap folded csv tsv json jsonl callgrind "
     "speedscope firefox textproto topproto cum flat nodecount nodefraction "
     "edgefraction trim call-tree drop-negative compact-labels "
     "relative-percentages source-path intel-syntax by outliers markdown",
     TEXT("use pbcat to print a report")},
};

/* The same, of less help than a similar name of the tool's own options. */
static const struct {
    enum cli_peer peer; /* the row is only for tools with this peer; or none */
    const char *names;
    const char *instead;
} late_options[] = {
    {CLI_NO_PEER,
     "repair anonymize keep-names keep-mappings map restore estimate-stacks "
     "fail-empty drop-labels drop-comments strip-paths",
     TEXT("use pbfilter to write a changed profile")},
    {CLI_NO_PEER, "rename", TEXT("use 'pbdiff --count-as'")},
    {CLI_GPROF,
     "flat-profile graph annotated-source exec-counts line brief sum "
     "min-count no-flat-profile no-graph no-annotated-source no-exec-counts "
     "time no-time file-ordering function-ordering directory-path print-path "
     "static-call-graph no-static all-lines file-info display-unused-functions",
     OF_GPROF},
    {CLI_PERF,
     "sort children no-children call-graph stdio tui fields field-separator "
     "percent-limit percentage dsos symbol-filter parent group hierarchy "
     "show-nr-samples show-total-period hide-unresolved inverted gtk header "
     "kallsyms-file symfs itrace asm-raw ns reltime deltatime no-demangle",
     OF_PERF},
};

/* Options of gprof, and what to use instead. */
static const struct {
    char letter;
    const char *instead;
} gprof_letters[] = {
    {'p', TEXT("instead of gprof -p, use 'gmon2pb | pbcat --text=gprof'")},
    {'q', TEXT("instead of gprof -q, use 'gmon2pb | pbcat --tree=gprof'")},
    {'A', TEXT("instead of gprof -A, use 'gmon2pb | pbcat --list=.'")},
    {'z',
     TEXT("gprof -z has no equivalent: profiles contain only functions with "
          "time or calls")},
};

/* The options of gprof, except -h, -r, -v and others that all tools have. */
#define GPROF_LETTERS "abcdfiklmnpqstwxyzABCDEFIJLNPQRSTZ"

/* The options of perf report, with the same exceptions. */
#define PERF_LETTERS "cdgiknpstwxCFGIMSU"

static const char *instead_of_letter(enum cli_peer peer, char letter)
{
    if (peer == CLI_PERF)
        return strchr(PERF_LETTERS, letter) ? OF_PERF : NULL;
    if (peer != CLI_GPROF)
        return NULL;
    for (size_t i = 0; i < sizeof gprof_letters / sizeof *gprof_letters; i++)
        if (gprof_letters[i].letter == letter)
            return gprof_letters[i].instead;
    return strchr(GPROF_LETTERS, letter) ? OF_GPROF : NULL;
}

/* Returns whether the n bytes at `name` are `known`; '_' equals '-'. */
static bool is_name(const char *known, size_t length, const char *name,
                    size_t n)
{
    if (length != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((name[i] == '_' ? '-' : name[i]) != known[i])
            return false;
    return true;
}

static const struct cli_option *hint_find(const struct cli *cli,
                                          const char *name, size_t n)
{
    const struct cli_private *priv = cli->private;
    for (size_t i = 0; i < priv->options.n; i++)
        if (is_name(priv->options.v[i].name, strlen(priv->options.v[i].name),
                    name, n))
            return &priv->options.v[i];
    return NULL;
}

/* Returns whether a name is one of `names`, separated by blanks. */
static bool is_among(const char *names, const char *name, size_t n)
{
    for (size_t k; *names; names += k + (names[k] == ' ')) {
        k = strcspn(names, " ");
        if (is_name(names, k, name, n))
            return true;
    }
    return false;
}

/* Returns what to use instead of an option that the tool lacks, or null. */
static const char *find_instead(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof other_options / sizeof *other_options; i++)
        if (is_among(other_options[i].names, name, n))
            return other_options[i].instead;
    return NULL;
}

static const char *find_late(enum cli_peer peer, const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof late_options / sizeof *late_options; i++) {
        const enum cli_peer of = late_options[i].peer;
        if ((of == CLI_NO_PEER || of == peer) &&
            is_among(late_options[i].names, name, n))
            return late_options[i].instead;
    }
    return NULL;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Returns the edit distance of two names of at most NAME_MAX_BYTES bytes. */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t row[NAME_MAX_BYTES + 1];
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t before = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t other = before + (a[i - 1] != b[j - 1]);
            before = row[j];
            row[j] = least(other, 1 + least(row[j], row[j - 1]));
        }
    }
    return row[m];
}

/* Returns an option that the user may have meant, or null. */
static const char *find_like(const struct cli_private *priv, const char *name,
                             size_t n)
{
    if (n < 2 || n > NAME_MAX_BYTES)
        return NULL;
    /* First choice: the only option that begins with `name`. */
    const char *found = NULL;
    size_t begun = 0;
    for (size_t i = 0; i < priv->options.n; i++)
        if (strncmp(priv->options.v[i].name, name, n) == 0) {
            found = priv->options.v[i].name;
            begun++;
        }
    if (begun == 1)
        return found;
    /* Second choice: the first of those with the fewest typos. */
    size_t best = n > SHORT_NAME ? 3 : 2;
    found = NULL;
    for (size_t i = 0; i < priv->options.n; i++) {
        const char *known = priv->options.v[i].name;
        const size_t m = strlen(known);
        const size_t typos =
            m <= NAME_MAX_BYTES ? distance(name, n, known, m) : best;
        if (typos < best) {
            best = typos;
            found = known;
        }
    }
    return found;
}

static bool hint_is_long(const struct cli *cli, const char *word,
                         struct prof_err *err)
{
    const char *name = word + 1;
    size_t n = strcspn(name, "=");
    if (word[0] != '-' || word[1] == '-' || n < 2)
        return false;
    const struct cli_option *o = hint_find(cli, name, n);
    const char *instead = o ? NULL : find_instead(name, n);
    if (!o && !instead)
        instead = find_late(cli->private->spec->peer, name, n);
    if (o)
        (void)err_set(
            err, PROF_ERR_USAGE,
            "unknown option '-%.*s'; long options have two dashes: --%s%s",
            (int)n, name, o->name, name + n);
    else if (instead)
        (void)err_set(err, PROF_ERR_USAGE, "unknown option '-%.*s'; %s", (int)n,
                      name, instead);
    return o || instead;
}

static bool hint_unknown(const struct cli *cli, const char *word,
                         struct prof_err *err)
{
    const char *name = word + 2;
    size_t n = strcspn(name, "=");
    const char *instead = find_instead(name, n);
    const char *like = instead ? NULL : find_like(cli->private, name, n);
    if (!instead && !like)
        instead = find_late(cli->private->spec->peer, name, n);
    if (instead)
        return err_set(err, PROF_ERR_USAGE, "unknown option '--%.*s'; %s",
                       (int)n, name, instead);
    if (like)
        return err_set(err, PROF_ERR_USAGE,
                       "unknown option '--%.*s'; did you mean '--%s'?", (int)n,
                       name, like);
    return err_set(err, PROF_ERR_USAGE,
                   "unknown option '--%.*s'; try '%s --help'", (int)n, name,
                   cli->tool);
}

/* --- inputs --------------------------------------------------------------- */

bool cli_claim_stdin(struct cli *cli, struct prof_err *err)
{
    if (cli->private->stdin_claimed)
        return err_set(err, PROF_ERR_USAGE,
                       "standard input ('-') is given twice");
    return cli->private->stdin_claimed = true;
}

/* Adds an input.  Does not copy the name. */
static bool add_input(struct cli *cli, const char *name, struct prof_err *err)
{
    if (!*name)
        return err_set(err, PROF_ERR_USAGE, "empty file name");
    if (strcmp(name, "-") == 0 && !cli_claim_stdin(cli, err))
        return false;
    return cli_put_input(cli->private, name, cli->group) || err_nomem(err);
}

/*
 * Adds the names in data[0 .. n), each ending with `end`, which is replaced by
 * NUL; the last may lack it. data[n] must be 0.
 */
static bool add_names(struct cli *cli, char *data, size_t n, char end,
                      struct prof_err *err)
{
    const char *unit = end ? "line" : "name";
    for (size_t at = 0, i = 1; at < n; i++) {
        char *name = data + at, *stop = memchr(name, end, n - at);
        size_t len = stop ? (size_t)(stop - name) : n - at;
        at += len + (stop != NULL);
        if (end && !len)
            continue; /* an empty line */
        if (end && memchr(name, 0, len))
            return err_input(err,
                             "%s %zu: NUL in a file name; use --files0-from "
                             "for names separated by NULs",
                             unit, i);
        name[len] = 0;
        if (!add_input(cli, name, err))
            return err_prefix(err, "%s %zu: ", unit, i);
    }
    return true;
}

static bool add_list(struct cli *cli, const char *path, char end,
                     struct prof_err *err)
{
    struct input_opts opts = {.no_archives = true, .join_members = true};
    struct input *in = NULL;
    struct input_part part;
    struct buf names = {0};
    cli->private->lists = true;
    if (strcmp(path, "-") == 0 && !cli_claim_stdin(cli, err))
        return false;
    bool ok = input_open(&in, path, &opts, &cli->notes, err) &&
              input_next(in, &part, err) == 1;
    if (ok)
        input_take(in, &part, &names);
    input_close(in);
    ok = ok && ((buf_putc(&names, 0) && vec_push(&cli->private->names, names.v))
                    ? add_names(cli, (char *)names.v, names.n - 1, end, err)
                    : (buf_free(&names), err_nomem(err)));
    return ok || err_prefix(err, "%s: ", path);
}

/* --- the command line ----------------------------------------------------- */

/*
 * Makes the two tables for getopt.  The letters begin with "-:", so that getopt
 * reports operands in their place and distinguishes a missing argument from an
 * unknown option.
 */
static bool make_tables(const struct cli_private *priv, struct option **longs,
                        struct buf *letters)
{
    size_t n = priv->options.n;
    *longs = mem_zarray(n + 1, sizeof **longs);
    bool ok = *longs && buf_puts(letters, "-:");
    for (size_t i = 0; ok && i < n; i++) {
        const struct cli_option *o = &priv->options.v[i];
        int kind = !o->arg            ? no_argument
                   : o->arg[0] == '[' ? optional_argument
                                      : required_argument;
        (*longs)[i] = (struct option){o->name, kind, NULL, o->key};
        if (o->key < 256)
            ok = buf_putc(letters, (char)o->key) &&
                 buf_puts(letters, kind == no_argument         ? ""
                                   : kind == required_argument ? ":"
                                                               : "::");
    }
    if (ok && priv->spec->shared & CLI_LEVEL)
        ok = buf_puts(letters, "0123456789");
    return ok && buf_putc(letters, 0);
}

/* Handles a shared option; `value` is null if it has none. */
static bool take_shared(struct cli *cli, int key, const char *value,
                        struct prof_err *err)
{
    const struct cli_place places[] = {
        {'o', &cli->output, NULL},
        {KEY_ENTRIES, &cli->entries, NULL},
        {KEY_IF_CHANGED, NULL, &cli->if_changed},
        {'k', NULL, &cli->keep_going},
        {KEY_EACH, NULL, &cli->each},
        {KEY_PASS, NULL, &cli->pass},
        {KEY_STRICT, NULL, &cli->strict},
        {'r', NULL, &cli->recursive},
        {'q', NULL, &cli->quiet},
        {'v', NULL, &cli->verbose},
    };
    uint64_t n;
    if (cli_store(places, sizeof places / sizeof *places, key, value))
        return true;
    switch (key) {
    case 'T':
        if (!cli_parse_count(value, 1, CLI_MAX_THREADS, &n, err))
            return false;
        cli->threads = (unsigned)n;
        return true;
    case KEY_FILES:
        return add_list(cli, value, '\n', err);
    case KEY_FILES0:
        return add_list(cli, value, 0, err);
    case KEY_MAX_SIZE:
        cli->max_held = 0;
        return cli_parse_size(value, &cli->max_size, err);
    default:
        cli->level = key - '0';
        return true;
    }
}

static const struct cli_option *by_key(const struct cli_private *priv, int key)
{
    for (size_t i = 0; i < priv->options.n; i++)
        if (priv->options.v[i].key == key)
            return &priv->options.v[i];
    return NULL;
}

/* Handles an option, of the tool or shared; adds its name to an error. */
static bool take_option(struct cli *cli, int key, const char *value,
                        struct prof_err *err)
{
    const struct cli_private *priv = cli->private;
    const struct cli_spec *spec = priv->spec;
    const struct cli_option *o = by_key(priv, key);
    bool is_own = o && o < priv->options.v + priv->n_own;
    bool ok = is_own ? spec->take(spec->ctx, key, value, err)
                     : take_shared(cli, key, value, err);
    if (ok || !o)
        return ok;
    /* Errors about values lack the value and the option: add both. */
    if (value && err->about == PROF_ERR_ABOUT_VALUE)
        return err_prefix(err, "invalid value '%s' for --%s: ", value, o->name);
    return err->about != PROF_ERR_ABOUT_OPTIONS &&
           err_prefix(err, "--%s: ", o->name);
}

/*
 * Checks a word before getopt sees it, which would complete abbreviated long
 * options, and read those with one dash letter by letter.
 */
static bool check_word(const struct cli *cli, char *word, struct prof_err *err)
{
    if (strncmp(word, "--", 2) != 0)
        return !hint_is_long(cli, word, err);
    /* "--show_from=x_y" becomes "--show-from=x_y". */
    for (char *c = word + 2; *c && *c != '='; c++)
        if (*c == '_')
            *c = '-';
    return !word[2] || hint_find(cli, word + 2, strcspn(word + 2, "=")) ||
           hint_unknown(cli, word, err);
}

/* Sets *err for an option that getopt refused; optopt is its key, if known. */
static bool report_refused(const struct cli *cli, const char *arg, bool missing,
                           struct prof_err *err)
{
    const struct cli_option *o = by_key(cli->private, optopt);
    bool is_long = strncmp(arg, "--", 2) == 0;
    if (missing && o)
        return err_set(err, PROF_ERR_USAGE, "missing argument: --%s=%s",
                       o->name, o->arg);
    if (o && is_long)
        return err_set(err, PROF_ERR_USAGE, "--%s takes no argument", o->name);
    const char *instead =
        instead_of_letter(cli->private->spec->peer, (char)optopt);
    if (instead)
        return err_set(err, PROF_ERR_USAGE, "unknown option '-%c'; %s", optopt,
                       instead);
    return err_set(err, PROF_ERR_USAGE, "unknown option '-%c'; try '%s --help'",
                   optopt, cli->tool);
}

/* --- all of it ------------------------------------------------------------ */

/* Returns the key of --help, -h or --version if given, 0, or -1 with *err. */
static int parse_options(struct cli *cli, const char *letters,
                         const struct option *longs, int argc, char **argv,
                         struct prof_err *err)
{
    int seen = 0;
    optind = 0; /* resets glibc's getopt */
    opterr = 0;
    for (;;) {
        int at = optind ? optind : 1;
        if (at < argc && at != seen && !check_word(cli, argv[at], err))
            return -1;
        seen = at; /* several options can be letters of one word */
        int key = getopt_long(argc, argv, letters, longs, NULL);
        bool ok = true;
        if (key == -1)
            break;
        /* Options after --version are ignored, except -v. */
        for (char **rest = argv + optind; key == KEY_VERSION && *rest; rest++)
            cli->verbose |=
                strcmp(*rest, "-v") == 0 || strcmp(*rest, "--verbose") == 0;
        if (key == KEY_HELP && strncmp(argv[at], "--", 2) != 0)
            key = KEY_BRIEF_HELP;
        if (key == KEY_HELP || key == KEY_BRIEF_HELP || key == KEY_VERSION)
            return key;
        if (key == '?' || key == ':')
            ok = report_refused(cli, argv[at], key == ':', err);
        else if (key == 1)
            ok = add_input(cli, optarg, err);
        else
            ok = take_option(cli, key, optarg, err);
        if (!ok)
            return -1;
    }
    cli->n_before_dashes = cli->private->inputs.n;
    for (; optind < argc; optind++)
        if (!add_input(cli, argv[optind], err))
            return -1;
    return 0;
}

/* Sets the number of threads and the limit of memory if no option has. */
static void use_resources(struct cli *cli)
{
    unsigned n = cli->threads ? cli->threads : system_processors();
    struct resources limit = {0};
    if (cli->max_held || (!cli->threads && n > 1))
        limit = resources_in_cgroup("");
    if (!cli->threads && limit.processors && limit.processors < n)
        n = (unsigned)limit.processors;
    if (!cli->threads)
        cli->threads = n < CLI_MAX_THREADS ? n : CLI_MAX_THREADS;
    if (limit.memory && limit.memory / 2 < cli->max_held)
        cli->max_held = limit.memory / 2 + 1;
}

/* Warns of gprof's -k FROM/TO, which is read as -k and the file FROM/TO. */
static void explain_gprof_k(const struct cli *cli)
{
    const struct cli_private *priv = cli->private;
    for (size_t i = 0; i < priv->inputs.n; i++) {
        const char *name = priv->inputs.v[i];
        if (strchr(name, '/') && !strchr(name, '.') && access(name, F_OK) != 0)
            note_warn(&cli->notes,
                      "%s: gprof -k is 'gmon2pb --delete-arc=FROM/TO'", name);
    }
}

/* Sets defaults, and checks combinations of options. */
static bool settle(struct cli *cli, struct prof_err *err)
{
    struct cli_private *priv = cli->private;
    use_resources(cli);
    if (cli->output && strcmp(cli->output, "-") == 0)
        cli->output = NULL;
    if (cli->output && !cli->output[0])
        return err_set(err, PROF_ERR_USAGE, "--output: empty file name");
    if (cli->each && !cli->output && isatty(STDOUT_FILENO))
        return err_set(err, PROF_ERR_USAGE,
                       "--each writes no archive to a terminal; specify "
                       "--output=FILE.tar.gz or --output=DIR/");
    if (cli->pass && !cli->each)
        return err_set(err, PROF_ERR_USAGE, "--pass requires --each");
    cli->pass |= cli->each && !cli->output;
    if (cli->if_changed && !cli->output)
        return err_set(err, PROF_ERR_USAGE,
                       "--if-changed requires --output=FILE");
    if (cli->recursive && !cli_enter_directories(cli, err))
        return false;
    if (!priv->inputs.n && !priv->lists) {
        const struct cli_spec *spec = priv->spec;
        const bool terminal = isatty(STDIN_FILENO);
        const bool usual = terminal && spec->reads_usual &&
                           access(spec->usual_input, F_OK) == 0;
        if (terminal && !usual && spec->usual_input)
            return err_set(err, PROF_ERR_USAGE,
                           "no input; specify files (for example, '%s %s'), or "
                           "'-' to read from the terminal",
                           cli->tool, spec->usual_input);
        if (terminal && !usual)
            return err_set(
                err, PROF_ERR_USAGE,
                "no input; specify files, or '-' to read from the terminal");
        if (!add_input(cli, usual ? spec->usual_input : "-", err))
            return false;
    }
    if (cli->keep_going && priv->spec->peer == CLI_GPROF)
        explain_gprof_k(cli);
    cli->inputs = priv->inputs.v;
    cli->groups = priv->groups.v;
    cli->n_inputs = priv->inputs.n;
    return true;
}

int cli_parse(struct cli *cli, int argc, char **argv, struct prof_err *err)
{
    struct option *longs = NULL;
    struct buf letters = {0};
    int got = -1;
    if (!list_options(cli, err))
        return (int)err->kind;
    if (make_tables(cli->private, &longs, &letters))
        got =
            parse_options(cli, (const char *)letters.v, longs, argc, argv, err);
    else
        err_nomem(err);
    free(longs);
    buf_free(&letters);
    bool ok = got == KEY_HELP         ? cli_print_help(cli, false, err)
              : got == KEY_BRIEF_HELP ? cli_print_help(cli, true, err)
              : got == KEY_VERSION    ? cli_print_version(cli, err)
                                      : got == 0 && settle(cli, err);
    return !ok ? (int)err->kind : got ? 0 : -1;
}
