/* pbmerge.c - merges profiles into one, in canonical form */
#include <string.h>

#include "cli/cli.h"
#include "cli/filters.h"
#include "cli/isolate.h"
#include "cli/limits.h"
#include "import/snapshots.h"
#include "profile/merge/merge.h"
#include "profile/values.h"

enum { OPT_TYPES = 256, OPT_BASE, OPT_NORMALIZE, OPT_SCALE, OPT_MEMORY };

#define TYPES "same|union|intersect" /* as enum merge_types */

static const struct cli_option options[] = {
    {"types", OPT_TYPES, TYPES, "how sample types combine (default: same)"},
    {"base", OPT_BASE, "FILE", "subtract this profile; may be repeated"},
    {"normalize", OPT_NORMALIZE, NULL,
     "scale the sum to the totals of the base first"},
    {"scale", OPT_SCALE, "N", "multiply the values of the sum by N"},
    {"memory", OPT_MEMORY, "LIMIT", "use no more memory than this"},
    {0},
};

struct pbmerge {
    struct cli cli;
    enum merge_types types;
    struct cli_bases bases;
    struct prof_ratio scale;
    uint64_t limit; /* of memory, 0: none */
    struct memory memory;
};

static bool take_types(struct pbmerge *pm, const char *how, struct err *err)
{
    size_t i;
    if (!cli_parse_word(TYPES, how, &i, err))
        return false;
    pm->types = (enum merge_types)i;
    return true;
}

static bool take(void *ctx, int key, const char *value, struct err *err)
{
    struct pbmerge *pm = ctx;
    switch (key) {
    case OPT_TYPES:
        return take_types(pm, value, err);
    case OPT_BASE:
        return cli_bases_add(&pm->bases, value, false, err);
    case OPT_NORMALIZE:
        return pm->bases.normalize = true;
    case OPT_MEMORY:
        return cli_parse_size(value, &pm->limit, err);
    default:
        return prof_ratio_parse(value, &pm->scale) ||
               err_set(err, ERR_USAGE, "a decimal number is needed, not \"%s\"",
                       value);
    }
}

/* Values are changed after the merge, which needs the sum in memory. */
static bool is_changed(const struct pbmerge *pm)
{
    return pm->bases.paths.n || pm->scale.num != pm->scale.den;
}

static void warn_of_snapshots(const struct cli *cli)
{
    struct snapshots s = {0};
    struct err err;
    bool ok = true;
    for (size_t i = 0; ok && i < cli->n_inputs; i++)
        ok = snapshots_add(&s, cli->inputs[i], &err);
    snapshots_end(&s, &cli->notes); /* as far as memory went */
}

/* The sum of all inputs.  False: a failure was reported. */
static bool sum_inputs(struct pbmerge *pm, struct profile *sum,
                       struct prof_layout *layout)
{
    struct cli *cli = &pm->cli;
    struct err err = {0};
    struct merger *m = merge_new(pm->types, &err);
    bool read = m && cli_merge_inputs(cli, m, &pm->memory);
    bool ok = read && (merge_inputs(m) ||
                       err_set(&err, ERR_INPUT, "no profile to merge"));
    if (ok) {
        cli_warn_of_estimates(cli, merge_estimated(m));
        warn_of_snapshots(cli);
        ok = merge_finish(m, cli->threads, sum, layout, &err);
    }
    if (err.kind)
        cli_error(cli, NULL, &err);
    if (m)
        memory_tell(&pm->memory, m);
    merge_free(m);
    return ok;
}

/* *sum scaled, less that of the bases.  False: a failure was reported. */
static bool change(struct pbmerge *pm, struct profile *sum,
                   struct prof_layout *layout)
{
    struct cli *cli = &pm->cli;
    struct profile base = {0}, out = {0};
    struct err err = {0};
    bool scaled = pm->scale.num != pm->scale.den;
    bool ok =
        !pm->bases.paths.n || cli_bases_sum(&pm->bases, cli, pm->types, &base);
    ok = ok && (!scaled || prof_scale(sum, pm->scale, &err));
    if (ok && pm->bases.paths.n) {
        ok = cli_bases_subtract(&pm->bases, pm->types, cli->threads, sum,
                                layout, &base, &err);
    } else if (ok) {
        ok = prof_canonical(sum, cli->threads, &out, layout, &err);
        prof_free(sum);
        *sum = out;
    }
    if (err.kind)
        cli_error(cli, NULL, &err);
    prof_free(&base);
    return ok;
}

static void pbmerge(struct pbmerge *pm)
{
    struct profile sum = {0};
    struct prof_layout layout = {0};
    bool changed = is_changed(pm);
    if (sum_inputs(pm, &sum, changed ? NULL : &layout) &&
        (!changed || change(pm, &sum, &layout)))
        (void)cli_write_layout(&pm->cli, &sum, &layout);
    prof_free(&sum);
    prof_layout_free(&layout);
}

int main(int argc, char **argv)
{
    struct pbmerge pm = {.scale = {1, 1}};
    struct err err = {0};
    struct cli_spec spec = {
        .tool = "pbmerge",
        .synopsis = "[option ...] [file ...]",
        .summary = "Merge profiles into one, in canonical form.",
        .options = options,
        .shared =
            CLI_OUTPUT | CLI_LEVEL | CLI_THREADS | CLI_KEEP_GOING | CLI_INPUTS,
        .take = take,
        .ctx = &pm,
    };
    int status = cli_begin(&pm.cli, &spec, argc, argv);
    if (status >= 0) {
        cli_bases_free(&pm.bases);
        return status;
    }
    if (!cli_bases_check(&pm.bases, &err)) {
        cli_error(&pm.cli, NULL, &err);
    } else if (pm.limit && !memory_limit(&pm.memory, &pm.cli, pm.limit, &err)) {
        cli_error(&pm.cli, NULL, &err);
    } else {
        pm.memory.stays = is_changed(&pm);
        cli_isolate(&pm.cli, &(struct cli_needs){.files = pm.bases.paths.v,
                                                 .n_files = pm.bases.paths.n});
        pbmerge(&pm);
    }
    cli_bases_free(&pm.bases);
    return cli_end(&pm.cli);
}
