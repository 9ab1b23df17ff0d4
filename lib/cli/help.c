#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/private.h"
#include "io/gzip.h"

/* All of the text or an error: nobody should take half a help for it. */
static bool print(struct buf *text, bool ok, struct err *err)
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
static bool spell(const struct cli_option *o, struct buf *to)
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

/* One row of the table; the text begins in column `width`. */
static bool row(struct buf *to, const char *option, const char *help,
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
    return row(to, "-0 ... -9", help, width);
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
        ok = ok && spell(o, &option) && buf_putc(&option, 0) &&
             row(&text, (const char *)option.v, o->help, WIDTH);
    }
    if (priv->spec->shared & CLI_LEVEL)
        ok = ok && put_levels(&text, WIDTH);
    buf_free(&option);
    return print(&text, ok, err);
}

bool cli_version(const struct cli *cli, struct err *err)
{
    struct buf text = {0};
    bool ok = buf_printf(&text, "%s (profutils) %s\nwith %s, %s\n", cli->tool,
                         PROFUTILS_VERSION, gz_library(), input_library());
    return print(&text, ok, err);
}
