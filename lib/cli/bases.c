/* bases.c - profiles that are subtracted: --base, --diff-base, --normalize */
#include "cli/bases.h"

#include <stdlib.h>
#include <string.h>

#include "profile/filter/filter.h"
#include "profile/labelset.h"
#include "profile/text.h"
#include "profile/values.h"

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
    ok = ok && (!read || merge_finish(m, 1, base, NULL, &err));
    if (!ok)
        cli_error(cli, NULL, &err);
    merge_free(m);
    return ok && read;
}

/* The main binary of *out becomes that of *p, which is among its mappings. */
static void keep_main(const struct profile *p, struct profile *out)
{
    const struct prof_mapping *main = p->mappings;
    uint32_t m = 0;
    while (
        m < out->n_mappings && p->n_mappings &&
        (!prof_same_text(out, out->mappings[m].filename, p, main->filename) ||
         !prof_same_text(out, out->mappings[m].build_id, p, main->build_id)))
        m++;
    if (!m || m == out->n_mappings)
        return;
    struct prof_mapping first = out->mappings[m];
    memmove(out->mappings + 1, out->mappings, m * sizeof first);
    out->mappings[0] = first;
    for (size_t i = 0; i < out->n_locations; i++) {
        uint32_t *at = &out->locations[i].mapping;
        if (*at == m)
            *at = 0;
        else if (*at < m)
            ++*at;
    }
}

bool cli_bases_subtract(const struct cli_bases *b, enum merge_types types,
                        unsigned threads, struct profile *p,
                        struct prof_layout *layout, struct profile *base,
                        struct err *err)
{
    struct profile out = {0};
    struct merger *m = merge_new(types, err);
    bool ok = m &&
              (!b->diff ||
               prof_set_label(base, PROF_BASE_KEY, PROF_BASE_VALUE, err)) &&
              (!b->normalize || prof_normalize(p, base, err)) &&
              merge_add(m, p, err) && merge_subtract(m, base, err) &&
              merge_finish(m, threads, &out, layout, err);
    merge_free(m);
    if (!ok) {
        prof_free(&out);
        return false;
    }
    if (!layout)
        keep_main(p, &out);
    prof_free(p);
    *p = out;
    return true;
}
