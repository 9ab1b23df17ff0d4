/* pbmerge.c - merges profiles into one, in canonical form */
#include "cli/cli.h"
#include "cli/edits.h"
#include "cli/filters.h"
#include "cli/isolate.h"
#include "formats/snapshots.h"

enum {
    OPT_TYPES = 256,
    OPT_ONLY_TYPES,
    OPT_BASE,
    OPT_NORMALIZE,
    OPT_BASE_TYPES,
    OPT_SCALE,
    OPT_MEMORY
};

#define TYPES "same|union|intersect" /* ordered as enum prof_merge_types */

static const struct cli_option options[] = {
    CLI_HEADING("Merging"),
    {"base", OPT_BASE | CLI_COMMON, "FILE", "subtract FILE (may be repeated)"},
    {"normalize", OPT_NORMALIZE | CLI_COMMON, NULL,
     "scale to the total of the base before subtracting"},
    {"base-types", OPT_BASE_TYPES, "PATTERN",
     "subtract only sample types that match: 'alloc_*'"},
    {"scale", OPT_SCALE | CLI_COMMON, "N",
     "multiply values by N (a decimal number)"},
    {"types", OPT_TYPES | CLI_COMMON, TYPES,
     "set how sample types combine (default: same)"},
    {"only-types", OPT_ONLY_TYPES, "LIST",
     "merge only inputs with exactly these sample types"},
    {"memory", OPT_MEMORY | CLI_COMMON, "LIMIT",
     "use at most LIMIT memory, and temporary files"},

    CLI_HEADING("Labels and weights"),
    CLI_EDIT_OPTIONS,
    {0},
};

struct pbmerge {
    struct cli cli;
    struct cli_merging how;
    bool types; /* --types was given */
    struct cli_bases bases;
    struct prof_ratio scale;
};

static bool take(void *ctx, int key, const char *value, struct prof_err *err)
{
    struct pbmerge *pm = ctx;
    size_t i;
    switch (key) {
    case OPT_TYPES:
        if (!cli_parse_word(TYPES, value, &i, err))
            return false;
        pm->how.types = pm->bases.types = (enum prof_merge_types)i;
        return pm->types = true;
    case OPT_ONLY_TYPES:
        if (!cli_is_list(value))
            return err_value(err, "expected TYPE or TYPE/UNIT, several "
                                  "separated by commas");
        pm->how.only = value;
        return true;
    case OPT_BASE:
        return cli_bases_add(&pm->bases, value, false, err);
    case OPT_NORMALIZE:
        return pm->bases.normalize = true;
    case OPT_BASE_TYPES:
        pm->bases.only = cli_given(value);
        return true;
    case OPT_MEMORY:
        return cli_parse_size(value, &pm->how.memory, err) &&
               (pm->how.memory >> 20 >= CLI_LEAST_MEMORY ||
                err_value(err, "expected at least %dM", CLI_LEAST_MEMORY));
    case OPT_SCALE:
        return prof_ratio_parse(value, &pm->scale) ||
               err_value(err, "expected a decimal number");
    default:
        return cli_take_edit(&pm->cli, &pm->how.edits, key, value, err);
    }
}

/* Scales *sum, subtracts the bases.  Returns false after reporting an error. */
static bool change(struct pbmerge *pm, struct profile **sum)
{
    struct cli *cli = &pm->cli;
    struct cli_bases *bases = &pm->bases;
    struct profile *base = NULL;
    struct prof_err err = {0};
    const struct prof_result_opts result = {.threads = cli->threads,
                                            .to_write = true};
    bool scaled = pm->scale.num != pm->scale.den;
    bases->threads = cli->threads;
    bases->to_write = true;
    bool ok = !bases->paths.n || (base = cli_bases_sum(bases, cli));
    ok = ok && (!scaled || cli_scale(*sum, pm->scale, &cli->notes, &err)) &&
         (base ? cli_bases_subtract(bases, sum, base, &err)
               : prof_merge_one(*sum, &result, &err));
    if (err.kind)
        cli_error(cli, NULL, &err);
    prof_delete(base);
    return ok;
}

static void pbmerge(struct pbmerge *pm)
{
    /* Changing values after the merge requires the sum in memory. */
    bool changed = pm->bases.paths.n || pm->scale.num != pm->scale.den;
    pm->how.to_change = changed;
    struct profile *sum = cli_merge_inputs(&pm->cli, &pm->how);
    if (sum) {
        /* Warn of inputs that are snapshots of one process. */
        struct snapshots s = {0};
        struct prof_err err;
        bool ok = true;
        for (size_t i = 0; ok && i < pm->cli.n_inputs; i++)
            ok = snapshots_add(&s, pm->cli.inputs[i], &err);
        snapshots_end(&s, &pm->cli.notes); /* even if memory is exhausted */

        if (!changed || change(pm, &sum))
            (void)cli_write_profile(&pm->cli, sum);
    }
    prof_delete(sum);
}

static void free_options(struct pbmerge *pm)
{
    vec_free(&pm->bases.paths);
    cli_edits_free(pm->how.edits);
}

int main(int argc, char **argv)
{
    struct pbmerge pm = {.scale = {1, 1}};
    struct prof_err err = {0};
    static const struct library_about *const libraries[] = {&cli_regex_library,
                                                            NULL};
    struct cli_spec spec = {
        .tool = "pbmerge",
        .synopsis = "[option ...] [file ...]",
        .summary = "Merges profiles into one in canonical form.",
        .examples = "pbmerge -o all.pb.gz old.pb.gz new.pb.gz\n"
                    "pbmerge --base=old.pb.gz new.pb.gz | pbcat",
        .options = options,
        .libraries = libraries,
        .shared =
            CLI_OUTPUT | CLI_LEVEL | CLI_THREADS | CLI_KEEP_GOING | CLI_INPUTS,
        .take = take,
        .ctx = &pm,
    };
    int status = cli_begin(&pm.cli, &spec, argc, argv);
    if (status >= 0) {
        free_options(&pm);
        return status;
    }
    bool ok = pm.types && pm.how.only
                  ? err_options(&err, "--types cannot be combined with "
                                      "--only-types")
                  : cli_bases_check(&pm.bases, &err) &&
                        cli_edits_check(pm.how.edits, &pm.cli, &err);
    if (!ok) {
        cli_error(&pm.cli, NULL, &err);
    } else {
        cli_isolate(&pm.cli, &(struct cli_needs){.files = pm.bases.paths.v,
                                                 .n_files = pm.bases.paths.n});
        pbmerge(&pm);
    }
    free_options(&pm);
    return cli_end(&pm.cli);
}
