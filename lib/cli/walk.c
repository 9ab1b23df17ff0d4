#include <string.h>

#include "cli/private.h"
#include "io/output.h"

const char *cli_input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "(standard input)" : path;
}

const char *cli_only_input(const struct cli *cli)
{
    return cli->n_inputs == 1 ? cli_input_name(cli->inputs[0]) : NULL;
}

bool cli_walk_name(struct cli_walk *w, const char *entry, size_t member,
                   struct err *err)
{
    struct buf *b = &w->name;
    b->n = 0;
    bool ok = buf_puts(b, w->path);
    if (entry && member)
        ok = ok && buf_printf(b, "(%s, member %zu)", entry, member);
    else if (entry)
        ok = ok && buf_printf(b, "(%s)", entry);
    else if (member)
        ok = ok && buf_printf(b, "(member %zu)", member);
    if (ok && buf_putc(b, 0))
        return true;
    b->n = 0; /* no name rather than half of one */
    return err_nomem(err);
}

bool cli_walk_open(struct cli_walk *w, struct cli *cli, const char *path,
                   unsigned flags)
{
    struct err err;
    bool all = flags & CLI_WALK_ALL;
    struct input_opts opts = {.max_size = cli->max_size,
                              .all_entries = all,
                              .salvage = flags & CLI_WALK_SALVAGE,
                              .threads = cli->threads};
    *w =
        (struct cli_walk){.cli = cli, .path = cli_input_name(path), .all = all};
    cli_notes_init(&w->notes, cli, w->path);
    if (cli_walk_name(w, NULL, 0, &err) &&
        input_open(&w->in, path, &opts, &w->notes.notes, &err))
        return true;
    (void)cli_walk_failed(w, &err);
    cli_walk_close(w);
    return false;
}

/*
 * As input_next(), but what was lost on the way to a part, or to the end, and
 * is an error, comes before that.
 */
static int next(struct cli_walk *w, struct input_part *part, struct err *err)
{
    if (w->held) {
        w->held = false;
        *part = w->part;
        return w->got;
    }
    int got = input_next(w->in, part, err);
    struct err lost;
    if (notes_lossless(&w->notes.notes, &lost) || got < 0)
        return got;
    w->held = true;
    w->got = got;
    w->part = *part;
    memset(part, 0, sizeof *part);
    *err = lost;
    return -1;
}

int cli_walk_next(struct cli_walk *w, struct input_part *part, struct err *err)
{
    int got = next(w, part, err);
    if (got == 0)
        return 0;
    struct err naming;
    if (!cli_walk_name(w, part->entry, part->member, &naming)) {
        *err = naming;
        return -1;
    }
    if (got == 1 && part->nested && !(w->all && part->entry)) {
        err_set(err, ERR_INPUT,
                "an archive inside an archive, which is not opened");
        return -1;
    }
    return got;
}

bool cli_walk_failed(struct cli_walk *w, const struct err *err)
{
    const char *name = w->name.n ? (const char *)w->name.v : w->path;
    if (!output_is_epipe(err))
        return cli_input_error(w->cli, name, err);
    cli_set_status(w->cli, err->kind);
    return w->cli->keep_going;
}

void cli_walk_close(struct cli_walk *w)
{
    input_close(w->in);
    w->in = NULL;
    buf_free(&w->name);
}
