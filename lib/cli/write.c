#include "cli/private.h"
#include "cli/signals.h"
#include "io/output.h"
#include "pb/pb.h"

static bool failed(struct cli *cli, const struct err *err)
{
    if (output_is_epipe(err))
        cli_set_status(cli, err->kind);
    else
        cli_error(cli, cli->output ? cli->output : "(standard output)", err);
    return false;
}

static bool open_out(struct cli *cli, bool binary, struct output **out,
                     struct err *err)
{
    struct output_opts opts = {.path = cli->output,
                               .binary = binary,
                               .if_changed = cli->if_changed,
                               .on_temp = signals_temp};
    return output_open(out, &opts, err);
}

static bool write_out(struct cli *cli, const void *data, size_t n, bool binary)
{
    struct output *out;
    struct err err;
    if (!open_out(cli, binary, &out, &err))
        return failed(cli, &err);
    if (!sink_write(output_sink(out), data, n, &err)) {
        output_abort(out);
        return failed(cli, &err);
    }
    return output_commit(out, &err) || failed(cli, &err);
}

bool cli_pack(struct cli_packer *packer, const struct profile *p,
              const uint32_t *order, int level, const struct buf **bytes,
              struct err *err)
{
    struct buf_sink to = buf_sink_of(&packer->raw);
    packer->raw.n = packer->packed.n = 0;
    if (!pb_encode_order(p, order, &to.sink, err))
        return false;
    if (level < 0)
        level = gz_default_level(packer->raw.n);
    *bytes = level ? &packer->packed : &packer->raw;
    if (!level)
        return true;
    if (!packer->gz)
        packer->gz = gz_new();
    return packer->gz ? gz_deflate(packer->gz, packer->raw.v, packer->raw.n,
                                   level, &packer->packed, err)
                      : err_nomem(err);
}

void cli_packer_free(struct cli_packer *packer)
{
    gz_free(packer->gz);
    buf_free(&packer->raw);
    buf_free(&packer->packed);
}

bool cli_write_profile(struct cli *cli, const struct profile *p)
{
    return cli_write_order(cli, p, NULL);
}

bool cli_write_order(struct cli *cli, const struct profile *p,
                     const uint32_t *order)
{
    struct cli_packer packer = {0};
    const struct buf *bytes;
    struct err err;
    bool ok = cli_pack(&packer, p, order, cli->level, &bytes, &err);
    if (!ok)
        cli_error(cli, NULL, &err);
    ok = ok && write_out(cli, bytes->v, bytes->n, true);
    cli_packer_free(&packer);
    return ok;
}

static bool take_piece(struct sink *self, const void *bytes, size_t n,
                       struct err *err)
{
    struct cli_text *t = (struct cli_text *)self;
    if ((t->out || open_out(t->cli, false, &t->out, err)) &&
        sink_write(output_sink(t->out), bytes, n, err))
        return true;
    t->failed = true;
    return failed(t->cli, err);
}

struct cli_text cli_text_of(struct cli *cli)
{
    return (struct cli_text){.sink = {take_piece}, .cli = cli};
}

bool cli_text_end(struct cli_text *t, const void *rest, size_t n)
{
    struct err err;
    if (!take_piece(&t->sink, rest, n, &err)) {
        cli_text_abort(t);
        return false;
    }
    return output_commit(t->out, &err) || failed(t->cli, &err);
}

void cli_text_abort(struct cli_text *t)
{
    if (t->out)
        output_abort(t->out);
    t->out = NULL;
}

bool cli_write_text(struct cli *cli, const void *text, size_t n)
{
    return write_out(cli, text, n, false);
}
