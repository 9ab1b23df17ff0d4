/* help.c - prints --help and --version */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/private.h"
#include "io/gzip.h"

const struct library_about cli_regex_library = {.name = "PCRE2",
                                                .version = prof_regex_version,
                                                .on_demand = LIBRARY_ON_DEMAND};

/* Writes the text and frees it.  Fails if not all of it can be written. */
static bool write_help(struct buf *text, bool ok, struct prof_err *err)
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

/* Appends "a|b|c", broken into lines if it is long. */
static bool put_words(struct buf *to, const char *words)
{
    enum { LINE = 76, INDENT = 12 };
    size_t column = to->n;
    bool ok = true;
    for (size_t n; ok && *words; words += n) {
        n = strcspn(words, "|");
        n += words[n] == '|';
        if (column + n > LINE) {
            ok = buf_printf(to, "\n%*s", INDENT, "");
            column = INDENT;
        }
        ok = ok && buf_put(to, words, n);
        column += n;
    }
    return ok;
}

/* Appends an option as "-o, --output=FILE" or "    --files-from=FILE". */
static bool put_option(const struct cli_option *o, struct buf *to)
{
    bool ok =
        o->key < 256 ? buf_printf(to, "-%c, ", o->key) : buf_puts(to, "    ");
    ok = ok && buf_printf(to, "--%s", o->name);
    if (o->arg && o->arg[0] == '[')
        ok = ok && buf_printf(to, "[=%s", o->arg + 1);
    else if (o->arg)
        ok = ok && buf_puts(to, "=") && put_words(to, o->arg);
    return ok;
}

/* Appends a row of the table, whose text begins in column `width`. */
static bool put_help_row(struct buf *to, const char *option, const char *help,
                         size_t width)
{
    if (strlen(option) + 4 > width)
        return buf_printf(to, "  %s\n%*s%s\n", option, (int)width, "", help);
    return buf_printf(to, "  %-*s%s\n", (int)width - 2, option, help);
}

/* Appends the options; with `brief`, common ones only, to fit on a screen. */
static bool put_options(const struct cli_private *priv, bool brief,
                        struct buf *to)
{
    enum { WIDTH = 28 };
    struct buf option = {0};
    /* Heading to write above the next option, or null. */
    const char *heading = brief ? "Common options" : NULL;
    bool ok = true;
    for (size_t i = 0, h = 0; ok && i < priv->options.n; i++) {
        const struct cli_option *o = &priv->options.v[i];
        for (;
             !brief && h < priv->headings.n && priv->headings.v[h].before == i;
             h++)
            heading = priv->headings.v[h].text;
        if (!o->help || (brief && !priv->common.v[i]))
            continue;
        ok = !heading || buf_printf(to, "\n%s:\n", heading);
        heading = NULL;
        option.n = 0;
        ok = ok && put_option(o, &option) && buf_putc(&option, 0) &&
             put_help_row(to, (const char *)option.v, o->help, WIDTH);
        if (o->key == 'o' && !brief && priv->spec->shared & CLI_LEVEL) {
            /* The default depends on the size of the data. */
            char levels[80];
            (void)snprintf(
                levels, sizeof levels,
                "set the compression level (0: none; default: %d or %d)",
                GZ_LEVEL_FAST, gz_level_good);
            ok = ok && put_help_row(to, "-0 ... -9", levels, WIDTH);
        }
    }
    buf_free(&option);
    return ok;
}

/* Appends what the tool reads without operands, and the name of its manual. */
static bool put_end(const struct cli *cli, bool brief, struct buf *to)
{
    const struct cli_spec *spec = cli->private->spec;
    /* Operands may be omitted: "[file ...]". */
    bool reads_stdin = spec->synopsis[strlen(spec->synopsis) - 1] == ']';
    bool ok = buf_putc(to, '\n');
    if (spec->reads_usual)
        ok = ok &&
             buf_printf(to,
                        "Without operands, standard input is read; if it is a "
                        "terminal, %s.\n",
                        spec->usual_input);
    else if (reads_stdin)
        ok = ok &&
             buf_puts(to, "Without operands, or where one is '-', standard "
                          "input is read.\n");
    return ok &&
           (!brief || buf_printf(to, "All options: %s --help\n", cli->tool)) &&
           buf_printf(to, "Manual: %s(1). Recipes: profutils-cookbook(7).\n",
                      cli->tool);
}

bool cli_print_help(const struct cli *cli, bool brief, struct prof_err *err)
{
    const struct cli_private *priv = cli->private;
    const struct cli_spec *spec = priv->spec;
    struct buf text = {0};
    bool marked = false;
    for (size_t i = 0; i < priv->n_own; i++)
        marked |= priv->common.v[i];
    brief = brief && marked;
    bool ok = buf_printf(&text, "Usage: %s %s\n%s\n", cli->tool, spec->synopsis,
                         spec->summary) &&
              put_options(priv, brief, &text);
    if (spec->examples)
        ok = ok && buf_puts(&text, "\nExamples:\n");
    const char *lines = spec->examples ? spec->examples : "";
    for (size_t n; ok && *lines; lines += n + (lines[n] == '\n')) {
        n = strcspn(lines, "\n");
        ok = buf_printf(&text, "  %.*s\n", (int)n, lines);
    }
    ok = ok && put_end(cli, brief, &text);
    return write_help(&text, ok, err);
}

/* Appends NAME VERSION; for one loaded on demand only NAME, unless `load`. */
static bool put_library(struct buf *to, const struct library_about *about,
                        bool load)
{
    char version[LIBRARY_VERSION_MAX];
    struct prof_err why;
    if (about->on_demand && !load)
        return buf_puts(to, about->name);
    if (!about->version(version, &why))
        return buf_puts(to, why.text);
    return buf_printf(to, "%s %s", about->name, version);
}

/* Returns the i-th library of the tool besides zlib, or null. */
static const struct library_about *library_at(const struct cli *cli, size_t i)
{
    enum { SHARED = 2 };
    static const struct library_about *const shared[SHARED] = {&input_library,
                                                               &gz_isal};
    const struct library_about *const *own = cli->private->spec->libraries;
    return i < SHARED ? shared[i] : own ? own[i - SHARED] : NULL;
}

/* Appends ", NAME VERSION" for each linked library or, with on_demand, a line
 * of those that are loaded when needed. */
static bool put_libraries(struct buf *to, const struct cli *cli, bool on_demand)
{
    const struct library_about *l;
    const char *before = on_demand ? "\nloaded when needed: " : ", ";
    bool ok = true;
    for (size_t i = 0; ok && (l = library_at(cli, i)); i++)
        if (!l->lacking && l->on_demand == on_demand) {
            ok = buf_puts(to, before) && put_library(to, l, cli->verbose);
            before = ", ";
        }
    return ok;
}

bool cli_print_version(const struct cli *cli, struct prof_err *err)
{
    struct buf text = {0};
    /* libdeflate has no function that returns its version. */
    bool ok = buf_printf(&text, "%s (profutils) %s\nwith ", cli->tool,
                         PROFUTILS_VERSION) &&
              (!gz_library() || buf_printf(&text, "%s, ", gz_library())) &&
              put_library(&text, &gz_zlib, false) &&
              put_libraries(&text, cli, false) &&
              put_libraries(&text, cli, true) && buf_putc(&text, '\n');
    /* List features that are missing because a library was not there. */
    const struct library_about *const *own = cli->private->spec->libraries;
    for (; ok && own && *own; own++)
        if ((*own)->lacking)
            ok = buf_printf(&text, "without %s\n", (*own)->lacking);
    return write_help(&text, ok, err);
}
