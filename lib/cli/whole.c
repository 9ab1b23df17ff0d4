#include "cli/whole.h"

#include <string.h>

bool whole_add(struct whole *w, struct profile *p, struct err *err)
{
    if (!w->n++) {
        w->only = *p;
        memset(p, 0, sizeof *p);
        return true;
    }
    if (!w->all) {
        w->all = merge_new(MERGE_TYPES_SAME, err);
        if (!w->all || !merge_add(w->all, &w->only, err))
            return false;
        prof_free(&w->only);
    }
    return merge_add(w->all, p, err);
}

bool whole_is_missing(struct cli *cli, const char *subject)
{
    struct err err;
    err_set(&err, ERR_INPUT, "there is no profile in the input");
    cli_error(cli, subject, &err);
    return false;
}

void cli_warn_of_estimates(const struct cli *cli, size_t n)
{
    if (n > 1)
        note_warn(&cli->notes,
                  "%zu inputs have call stacks that were estimated separately: "
                  "to estimate those of the sum, merge profiles of gmon2pb "
                  "--flat and use pbfilter --estimate-stacks",
                  n);
}

bool whole_finish(struct whole *w, struct cli *cli, bool ok,
                  const char *subject, struct profile *p)
{
    struct err err;
    size_t estimated = w->all ? merge_estimated(w->all) : 0;
    if (ok && !w->n) {
        ok = whole_is_missing(cli, subject);
    } else if (ok && w->all && !merge_finish(w->all, p, &err)) {
        cli_error(cli, subject, &err);
        ok = false;
    } else if (ok && w->all) {
        cli_warn_of_estimates(cli, estimated);
    } else if (ok) {
        *p = w->only;
        memset(&w->only, 0, sizeof w->only);
    }
    merge_free(w->all);
    prof_free(&w->only);
    return ok;
}
