/* options.c - the command line: the table of options, parsing, --help */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/hint.h"
#include "cli/private.h"
#include "io/gzip.h"

/* Shared options, in the order of --help; `shared` 0 is for every tool. */
static const struct {
    unsigned shared;
    struct cli_option option;
} shared_options[] = {
    {CLI_OUTPUT,
     {"output", 'o', "FILE", "write to FILE instead of standard output"}},
    {CLI_OUTPUT,
     {"if-changed", KEY_IF_CHANGED, NULL,
      "leave FILE untouched if it would stay the same"}},
    {CLI_THREADS,
     {"threads", 'T', "N", "use N threads (default: one for each processor)"}},
    {CLI_CONVERT,
     {"each", KEY_EACH, NULL,
      "write one profile per input: -o ARCHIVE or DIR/"}},
    {CLI_KEEP_GOING,
     {"keep-going", 'k', NULL, "report bad inputs and skip them"}},
    {CLI_INPUTS,
     {"files", KEY_FILES, "FILE",
      "read names of inputs from FILE, one per line"}},
    {CLI_INPUTS,
     {"files0", KEY_FILES0, "FILE", "the same, each name ended by a NUL"}},
    {CLI_INPUTS,
     {"max-size", KEY_MAX_SIZE, "SIZE",
      "most bytes an input may decompress to (16G)"}},
    {CLI_INPUTS,
     {"strict", KEY_STRICT, NULL,
      "fail if anything is lost, skipped or guessed"}},
    {0, {"quiet", 'q', NULL, "hide hints; show only errors and losses"}},
    {0, {"verbose", 'v', NULL, "say what was inferred or skipped"}},
    {0, {"help", KEY_HELP, NULL, "print this help"}},
    {0, {"version", KEY_VERSION, NULL, "print the version"}},
};

static bool is_own_name(const struct cli_private *priv, const char *name)
{
    size_t i = 0;
    while (i < priv->n_own && strcmp(priv->options.v[i].name, name) != 0)
        i++;
    return i < priv->n_own;
}

/* An option, or a heading. */
static bool add_row(struct cli_private *priv, const struct cli_option *o)
{
    const struct cli_heading heading = {priv->options.n, o->help};
    return o->name[0] ? vec_push(&priv->options, *o)
                      : vec_push(&priv->headings, heading);
}

static bool add_own(struct cli_private *priv)
{
    const struct cli_spec *spec = priv->spec;
    struct cli_option more;
    for (size_t i = 0; spec->option_at && spec->option_at(i, &more); i++)
        if (!add_row(priv, &more))
            return false;
    for (const struct cli_option *o = spec->options; o && o->name; o++)
        if (!add_row(priv, o))
            return false;
    priv->n_own = priv->options.n;
    return true;
}

/* A tool may have words of its own for a shared option. */
bool cli_all_options(struct cli *cli, struct err *err)
{
    struct cli_private *priv = cli->private;
    if (!add_own(priv))
        return err_nomem(err);
    for (size_t i = 0; i < sizeof shared_options / sizeof *shared_options; i++)
        if ((shared_options[i].shared & priv->spec->shared) ==
                shared_options[i].shared &&
            !is_own_name(priv, shared_options[i].option.name) &&
            !vec_push(&priv->options, shared_options[i].option))
            return err_nomem(err);
    return true;
}

static int arg_kind(const struct cli_option *o)
{
    if (!o->arg)
        return no_argument;
    return o->arg[0] == '[' ? optional_argument : required_argument;
}

/*
 * getopt's two tables.  The letters begin with "-:": operands are told in
 * their place, and a missing argument from an unknown option.
 */
static bool make_tables(const struct cli_private *priv, struct option **longs,
                        struct buf *letters)
{
    size_t n = priv->options.n;
    *longs = mem_zarray(n + 1, sizeof **longs);
    bool ok = *longs && buf_puts(letters, "-:");
    for (size_t i = 0; ok && i < n; i++) {
        const struct cli_option *o = &priv->options.v[i];
        int kind = arg_kind(o);
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

/* "--show_from=x_y" becomes "--show-from=x_y". */
static void change_underscores(char *arg)
{
    if (strncmp(arg, "--", 2) != 0)
        return;
    for (char *c = arg + 2; *c && *c != '='; c++)
        if (*c == '_')
            *c = '-';
}

/* Takes one of the shared options; `value` is as getopt gives it. */
static bool take_shared(struct cli *cli, int key, const char *value,
                        struct err *err)
{
    uint64_t n;
    switch (key) {
    case 'o':
        cli->output = value;
        return true;
    case KEY_IF_CHANGED:
        return cli->if_changed = true;
    case 'T':
        if (!cli_parse_count(value, 1, CLI_MAX_THREADS, &n, err))
            return false;
        cli->threads = (unsigned)n;
        return true;
    case 'k':
        return cli->keep_going = true;
    case KEY_EACH:
        return cli->each = true;
    case KEY_STRICT:
        return cli->strict = true;
    case KEY_FILES:
        return cli_add_list(cli, value, '\n', err);
    case KEY_FILES0:
        return cli_add_list(cli, value, 0, err);
    case KEY_MAX_SIZE:
        return cli_parse_size(value, &cli->max_size, err);
    case 'q':
        return cli->quiet = true;
    case 'v':
        return cli->verbose = true;
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

/* Hands an option to whose it is; an error gets the option's name. */
static bool take_option(struct cli *cli, int key, const char *value,
                        struct err *err)
{
    const struct cli_private *priv = cli->private;
    const struct cli_spec *spec = priv->spec;
    const struct cli_option *o = by_key(priv, key);
    bool is_own = o && o < priv->options.v + priv->n_own;
    bool ok = is_own ? spec->take(spec->ctx, key, value, err)
                     : take_shared(cli, key, value, err);
    return ok || (o && err_prefix(err, "--%s: ", o->name));
}

/*
 * Whether getopt may take_option the word: it would complete long options, and
 * take_option those with one dash letter by letter.
 */
static bool check_word(const struct cli *cli, char *word, struct err *err)
{
    change_underscores(word);
    if (strncmp(word, "--", 2) != 0)
        return !hint_is_long(cli, word, err);
    return !word[2] || hint_find(cli, word + 2, strcspn(word + 2, "=")) ||
           hint_unknown(cli, word, err);
}

/*
 * What getopt refused: it leaves the key in optopt where it knows the option.
 */
static bool report_refused(const struct cli *cli, const char *arg, bool missing,
                           struct err *err)
{
    const struct cli_option *o = by_key(cli->private, optopt);
    bool is_long = strncmp(arg, "--", 2) == 0;
    if (missing && o)
        return err_set(err, ERR_USAGE, "--%s needs an argument: %s", o->name,
                       o->arg);
    if (o && is_long)
        return err_set(err, ERR_USAGE, "--%s takes no argument", o->name);
    return err_set(err, ERR_USAGE, "unknown option '-%c'; try '%s --help'",
                   optopt, cli->tool);
}

static enum cli_parsed parse(struct cli *cli, const char *letters,
                             const struct option *longs, int argc, char **argv,
                             struct err *err)
{
    int seen = 0;
    optind = 0; /* glibc: start afresh */
    opterr = 0;
    for (;;) {
        int at = optind ? optind : 1;
        if (at < argc && at != seen && !check_word(cli, argv[at], err))
            return PARSED_BAD;
        seen = at; /* it may be several letters */
        int key = getopt_long(argc, argv, letters, longs, NULL);
        if (key == -1)
            break;
        bool ok = true;
        if (key == KEY_HELP)
            return PARSED_HELP;
        if (key == KEY_VERSION)
            return PARSED_VERSION;
        if (key == '?' || key == ':')
            ok = report_refused(cli, argv[at], key == ':', err);
        else if (key == 1)
            ok = cli_add_input(cli, optarg, strlen(optarg), err);
        else
            ok = take_option(cli, key, optarg, err);
        if (!ok)
            return PARSED_BAD;
    }
    for (; optind < argc; optind++)
        if (!cli_add_input(cli, argv[optind], strlen(argv[optind]), err))
            return PARSED_BAD;
    return PARSED_RUN;
}

enum cli_parsed cli_parse(struct cli *cli, int argc, char **argv,
                          struct err *err)
{
    struct option *longs = NULL;
    struct buf letters = {0};
    enum cli_parsed got = PARSED_BAD;
    if (make_tables(cli->private, &longs, &letters))
        got = parse(cli, (const char *)letters.v, longs, argc, argv, err);
    else
        err_nomem(err);
    free(longs);
    buf_free(&letters);
    return got;
}

/* --- --help and --version --- */

/* All of the text or an error: nobody should take half a help for it. */
static bool write_help(struct buf *text, bool ok, struct err *err)
{
    ok = ok || err_nomem(err);
    for (size_t at = 0; ok && at < text->n;) {
        ssize_t k = write(STDOUT_FILENO, text->v + at, text->n - at);
        if (k >= 0)
            at += (size_t)k;
        else if (errno != EINTR)
            ok = err_errno(err, errno, "cannot write to standard output");
    }
    buf_free(text);
    return ok;
}

/* "-o, --output=FILE", or "    --files=FILE". */
static bool put_option(const struct cli_option *o, struct buf *to)
{
    bool ok =
        o->key < 256 ? buf_printf(to, "-%c, ", o->key) : buf_puts(to, "    ");
    ok = ok && buf_printf(to, "--%s", o->name);
    if (o->arg && o->arg[0] == '[')
        ok = ok && buf_printf(to, "[=%s", o->arg + 1);
    else if (o->arg)
        ok = ok && buf_printf(to, "=%s", o->arg);
    return ok;
}

/* One put_help_row of the table; the text begins in column `width`. */
static bool put_help_row(struct buf *to, const char *option, const char *help,
                         size_t width)
{
    if (strlen(option) + 4 > width)
        return buf_printf(to, "  %s\n%*s%s\n", option, (int)width, "", help);
    return buf_printf(to, "  %-*s%s\n", (int)width - 2, option, help);
}

/* By the size of what is compressed. */
static bool put_levels(struct buf *to, size_t width)
{
    char help[80];
    (void)snprintf(help, sizeof help,
                   "compress less or more (-0: not); default: -%d or -%d",
                   GZ_LEVEL_FAST, gz_level_good);
    return put_help_row(to, "-0 ... -9", help, width);
}

bool cli_help(const struct cli *cli, struct err *err)
{
    enum { WIDTH = 28 };
    const struct cli_private *priv = cli->private;
    struct buf text = {0}, option = {0};
    bool ok = buf_printf(&text, "Usage: %s %s\n%s\n\n", cli->tool,
                         priv->spec->synopsis, priv->spec->summary);
    for (size_t i = 0, h = 0; ok && i < priv->options.n; i++) {
        const struct cli_option *o = &priv->options.v[i];
        if (h < priv->headings.n && priv->headings.v[h].before == i)
            ok = buf_printf(&text, "%s%s:\n", i ? "\n" : "",
                            priv->headings.v[h++].text);
        option.n = 0;
        ok = ok && put_option(o, &option) && buf_putc(&option, 0) &&
             put_help_row(&text, (const char *)option.v, o->help, WIDTH);
    }
    if (priv->spec->shared & CLI_LEVEL)
        ok = ok && put_levels(&text, WIDTH);
    buf_free(&option);
    return write_help(&text, ok, err);
}

bool cli_version(const struct cli *cli, struct err *err)
{
    struct buf text = {0};
    bool ok = buf_printf(&text, "%s (profutils) %s\nwith %s, %s\n", cli->tool,
                         PROFUTILS_VERSION, gz_library(), input_library());
    return write_help(&text, ok, err);
}
