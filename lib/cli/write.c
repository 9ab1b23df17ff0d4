#include "cli/private.h"
#include "cli/signals.h"
#include "io/gz.h"
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

static bool write_out(struct cli *cli, const void *data, size_t n, bool binary)
{
    struct output_opts opts = {.path = cli->output,
                               .binary = binary,
                               .if_changed = cli->if_changed,
                               .on_temp = signals_temp};
    struct output *out;
    struct err err;
    if (!output_open(&out, &opts, &err))
        return failed(cli, &err);
    if (!sink_write(output_sink(out), data, n, &err)) {
        output_abort(out);
        return failed(cli, &err);
    }
    return output_commit(out, &err) || failed(cli, &err);
}

static bool deflate(const struct buf *raw, int level, struct buf *packed,
                    struct err *err)
{
    struct gz *gz = gz_new();
    bool ok = gz ? gz_deflate(gz, raw->v, raw->n, level, packed, err)
                 : err_nomem(err);
    gz_free(gz);
    return ok;
}

bool cli_write_profile(struct cli *cli, const struct profile *p)
{
    struct buf raw = {0}, packed = {0};
    struct buf_sink to = buf_sink_of(&raw);
    struct err err;
    bool ok = pb_encode(p, &to.sink, &err);
    int level = cli->level < 0 ? gz_default_level(raw.n) : cli->level;
    ok = ok && (!level || deflate(&raw, level, &packed, &err));
    if (!ok)
        cli_error(cli, NULL, &err);
    else if (level)
        ok = write_out(cli, packed.v, packed.n, true);
    else
        ok = write_out(cli, raw.v, raw.n, true);
    buf_free(&raw);
    buf_free(&packed);
    return ok;
}

bool cli_write_text(struct cli *cli, const void *text, size_t n)
{
    return write_out(cli, text, n, false);
}
