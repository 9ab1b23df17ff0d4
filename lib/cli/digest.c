#include "cli/digest.h"

#include <stdlib.h>

#include "profile/merge/merge.h"
#include "report/data/digests.h"

struct digesting {
    struct digests list;
    unsigned threads;
};

static bool take_profile(void *ctx, const char *name, struct profile *p,
                         const struct notes *notes, struct err *err)
{
    struct digesting *d = ctx;
    struct profile canonical = {0};
    uint32_t *order = NULL;
    bool ok = prof_canonical_order(p, d->threads, &canonical, &order, err) &&
              digests_add(&d->list, name, &canonical, order, notes, err);
    prof_free(&canonical);
    free(order);
    return ok;
}

bool cli_digest(struct cli *cli, bool json, struct buf *out)
{
    struct digesting d = {.list = {.json = json, .out = *out},
                          .threads = cli->threads};
    struct err err;
    bool ok = cli_each_profile(cli, take_profile, &d);
    if (ok && !digests_end(&d.list, &err)) {
        cli_error(cli, NULL, &err);
        ok = false;
    }
    *out = d.list.out;
    return ok;
}
