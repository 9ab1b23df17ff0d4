#include <stdlib.h>
#include <string.h>

#include "cli/private.h"

bool cli_claim_stdin(struct cli *cli, struct err *err)
{
    if (cli->private->stdin_claimed)
        return err_set(err, ERR_USAGE, "standard input ('-') is named twice");
    return cli->private->stdin_claimed = true;
}

bool cli_add_input(struct cli *cli, const char *name, size_t n, struct err *err)
{
    struct cli_private *priv = cli->private;
    if (!n)
        return err_set(err, ERR_USAGE, "the name of an input is empty");
    if (n == 1 && name[0] == '-' && !cli_claim_stdin(cli, err))
        return false;
    char *copy = strndup(name, n);
    if (!copy || !vec_push(&priv->inputs, copy)) {
        free(copy);
        return err_nomem(err);
    }
    return true;
}

/* Names that each end with `end`; the last one need not. */
static bool add_names(struct cli *cli, const uint8_t *data, size_t n, char end,
                      struct err *err)
{
    const char *unit = end ? "line" : "name";
    for (size_t at = 0, i = 1; at < n; i++) {
        const char *name = (const char *)data + at;
        const char *stop = memchr(name, end, n - at);
        size_t len = stop ? (size_t)(stop - name) : n - at;
        at += len + (stop != NULL);
        if (end && !len)
            continue; /* an empty line */
        if (end && memchr(name, 0, len))
            return err_set(err, ERR_INPUT,
                           "%s %zu: a NUL in a name; --files0 takes names "
                           "ended by NULs",
                           unit, i);
        if (!cli_add_input(cli, name, len, err))
            return err_prefix(err, "%s %zu: ", unit, i);
    }
    return true;
}

bool cli_add_list(struct cli *cli, const char *path, char end, struct err *err)
{
    struct input_opts opts = {.no_archives = true, .join_members = true};
    struct input *in = NULL;
    struct input_part part;
    cli->private->lists = true;
    if (strcmp(path, "-") == 0 && !cli_claim_stdin(cli, err))
        return false;
    bool ok = input_open(&in, path, &opts, &cli->notes, err) &&
              input_next(in, &part, err) == 1 &&
              add_names(cli, part.data, part.n, end, err);
    input_close(in);
    return ok || err_prefix(err, "%s: ", path);
}
