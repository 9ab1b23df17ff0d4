/* write.c - writes profiles and reports to the output */

#include "cli/private.h"
#include "cli/signals.h"
#include "io/gzip.h"
#include "io/output.h"

bool cli_output_failed(struct cli *cli, const struct prof_err *err)
{
    if (output_is_epipe(err))
        cli_set_status(cli, err->kind);
    else
        cli_error(cli, cli->output ? cli->output : "(standard output)", err);
    return false;
}

/*
 * Opens the output.  With `whole`, all of it is kept in memory until it is
 * complete, unless memory is short, so that samples were moved to disk.
 */
static bool open_out(struct cli *cli, bool binary, bool whole,
                     struct output **out, struct prof_err *err)
{
    struct output_opts opts = {.path = cli->output,
                               .binary = binary,
                               .whole = whole && !cli->private->spilled,
                               .if_changed = cli->if_changed,
                               .on_temp = signals_temp};
    *out = cli->private->opened;
    cli->private->opened = NULL;
    return *out || output_open(out, &opts, err);
}

static bool commit(struct cli *cli, struct output *out)
{
    struct prof_err err;
    if (!output_commit(out, &err))
        return cli_output_failed(cli, &err);
    return cli->private->written = true;
}

/* Where the pieces of an encoded profile go. */
struct destination {
    struct output *out; /* null: they are appended to *bytes */
    struct buf *bytes;
    bool not_written; /* the failure is one of writing, not of encoding */
};

static bool take_bytes(void *ctx, struct buf *bytes, struct prof_err *err)
{
    struct destination *to = ctx;
    if (!to->out)
        return buf_put(to->bytes, bytes->v, bytes->n) || err_nomem(err);
    to->not_written = !output_write_owned(to->out, bytes, err);
    return !to->not_written;
}

static bool pack(struct pack *packer, struct destination *to,
                 const struct profile *p, int level, struct prof_err *err)
{
    const struct pack_job how = {
        .level = level, .take = take_bytes, .take_ctx = to};
    return pack_profile(packer, p, &how, err);
}

bool cli_pack(struct pack *packer, const struct profile *p, int level,
              struct buf *to, struct prof_err *err)
{
    struct destination bytes = {.bytes = to};
    to->n = 0;
    return pack(packer, &bytes, p, level, err);
}

bool cli_write_profile(struct cli *cli, const struct profile *p)
{
    struct destination to = {0};
    struct prof_err err;
    if (!cli_check_losses(cli))
        return false;
    if (!open_out(cli, true, true, &to.out, &err))
        return cli_output_failed(cli, &err);
    struct pack *packer = pack_new(cli->threads);
    bool ok = packer ? pack(packer, &to, p, cli->level, &err) : err_nomem(&err);
    if (ok) {
        ok = commit(cli, to.out);
    } else {
        output_abort(to.out);
        if (to.not_written)
            cli_output_failed(cli, &err);
        else
            cli_error(cli, NULL, &err);
    }
    pack_free(packer);
    return ok;
}

/* Writes the held bytes, and then n more. */
static bool write_text(struct cli_text *t, const void *bytes, size_t n,
                       struct prof_err *err)
{
    bool ok = (t->out || open_out(t->cli, t->binary, false, &t->out, err)) &&
              sink_write(output_sink(t->out), t->held.v, t->held.n, err) &&
              sink_write(output_sink(t->out), bytes, n, err);
    buf_free(&t->held);
    t->failed = !ok;
    return ok || cli_output_failed(t->cli, err);
}

static bool take_text(struct sink *self, const void *bytes, size_t n,
                      struct prof_err *err)
{
    struct cli_text *t = (struct cli_text *)self;
    if (t->out || n > t->hold || t->held.n > t->hold - n)
        return write_text(t, bytes, n, err);
    return buf_put(&t->held, bytes, n) || err_nomem(err);
}

struct cli_text cli_text_of(struct cli *cli)
{
    return (struct cli_text){
        .sink = {take_text}, .cli = cli, .hold = CLI_TEXT_HOLD};
}

bool cli_text_end(struct cli_text *t)
{
    struct prof_err err;
    struct output *out;
    if (!cli_check_losses(t->cli) || !write_text(t, "", 0, &err))
        return false;
    out = t->out;
    t->out = NULL;
    return commit(t->cli, out);
}

void cli_text_free(struct cli_text *t)
{
    if (t->out)
        output_abort(t->out);
    t->out = NULL;
    buf_free(&t->held);
}

bool cli_keeps_input(const char *output, const char *input,
                     struct prof_err *err)
{
    struct stat out, in;
    if (stat(output, &out) != 0 || !S_ISREG(out.st_mode) ||
        cli_stat(input, &in) != 0 || out.st_dev != in.st_dev ||
        out.st_ino != in.st_ino)
        return true;
    return err_set(err, PROF_ERR_USAGE,
                   "the output is also an input; write to another file");
}

bool cli_keeps_file(const struct cli *cli, const char *option, const char *file,
                    struct prof_err *err)
{
    return !cli->output || !file || cli_keeps_input(cli->output, file, err) ||
           err_prefix(err, "%s: ", option);
}

bool cli_write_text(struct cli *cli, bool binary,
                    bool (*put)(void *ctx, struct sink *to,
                                struct prof_err *err),
                    void *ctx)
{
    struct prof_err err;
    struct cli_text text = cli_text_of(cli);
    text.binary = binary;
    bool ok = put(ctx, &text.sink, &err);
    if (!ok && !text.failed)
        cli_error(cli, cli_only_input(cli), &err);
    ok = ok && cli_text_end(&text);
    cli_text_free(&text);
    return ok;
}
