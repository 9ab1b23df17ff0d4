#include "cli/digest.h"

#include "report/data/digests.h"

static bool add_digest(void *ctx, const char *name, struct profile *p,
                       const struct notes *notes, struct err *err)
{
    return digests_add(ctx, name, p, notes, err);
}

bool cli_digest(struct cli *cli, bool json, struct buf *out)
{
    struct digests d = {.json = json, .threads = cli->threads, .out = *out};
    struct err err;
    bool ok = cli_each_profile(cli, add_digest, &d);
    if (ok && !digests_end(&d, &err)) {
        cli_error(cli, NULL, &err);
        ok = false;
    }
    *out = d.out;
    return ok;
}
