#include "cli/bases.h"

#include <stdlib.h>

#include "profile/labelfilter.h"
#include "profile/scale.h"

bool cli_bases_add(struct cli_bases *b, const char *path, bool diff,
                   struct err *err)
{
    if (b->paths.n && b->diff != diff)
        return err_set(err, ERR_USAGE, "both --base and --diff-base");
    b->diff = diff;
    return vec_push(&b->paths, path) || err_nomem(err);
}

void cli_bases_free(struct cli_bases *b)
{
    vec_free(&b->paths);
}

bool cli_bases_check(const struct cli_bases *b, struct err *err)
{
    return !b->normalize || b->paths.n ||
           err_set(err, ERR_USAGE, "--normalize needs a --base");
}

bool cli_bases_sum(const struct cli_bases *b, struct cli *cli,
                   enum merge_types types, struct profile *base)
{
    struct err err = {0};
    struct merger *m = merge_new(types, &err);
    bool ok = m != NULL, read = true;
    for (size_t i = 0; ok && read && i < b->paths.n; i++) {
        struct profile p = {0};
        read = cli_read_file(cli, b->paths.v[i], &p);
        ok = !read || merge_add(m, &p, &err);
        if (!ok)
            err_prefix(&err, "%s: ", b->paths.v[i]);
        prof_free(&p);
    }
    ok = ok && (!read || merge_finish(m, base, &err));
    if (!ok)
        cli_error(cli, NULL, &err);
    merge_free(m);
    return ok && read;
}

bool cli_bases_subtract(const struct cli_bases *b, enum merge_types types,
                        unsigned threads, struct profile *p, uint32_t **order,
                        struct profile *base, struct err *err)
{
    struct prof_ratio minus = {-1, 1};
    struct profile out = {0};
    if (order) {
        free(*order);
        *order = NULL;
    }
    struct merger *m = merge_new(types, err);
    bool ok = m &&
              (!b->diff || prof_set_label(base, "pprof::base", "true", err)) &&
              (!b->normalize || prof_normalize(p, base, err)) &&
              prof_scale(base, minus, err) && merge_add(m, p, err) &&
              merge_add(m, base, err) &&
              (order ? merge_finish_order(m, threads, &out, order, err)
                     : merge_finish(m, &out, err));
    merge_free(m);
    if (!ok) {
        prof_free(&out);
        return false;
    }
    prof_free(p);
    *p = out;
    return true;
}
