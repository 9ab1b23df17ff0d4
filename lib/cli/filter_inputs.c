/* filter_inputs.c - the work of pbfilter: inputs read, filtered and written */
#include <string.h>

#include "cli/filter_options.h"
#include "cli/inspect.h"
#include "profile/estimate/estimate.h"
#include "profile/merge/merge.h"
#include "profile/values.h"

struct filtering {
    struct cli *cli;
    const struct cli_filtering *opts;
};

/* The filtered profile, and the layout to write it by. */
struct result {
    struct profile p;
    struct prof_layout layout;
};

/* Chooses and divides values, then compacts; *p is used up. */
static bool finish(const struct filtering *t, struct profile *p,
                   struct result *out, struct err *err)
{
    size_t index = 0;
    if ((t->opts->sample_index || t->opts->mean) &&
        !prof_pick_type(p, t->opts->sample_index, &index, err))
        return false;
    if (t->opts->mean) {
        /* The mean is that of equal samples: first sum them up. */
        bool ok = prof_compact(p, t->cli->threads, &out->p, NULL, err) &&
                  prof_mean(&out->p, index, err);
        prof_free(p);
        *p = out->p;
        memset(&out->p, 0, sizeof out->p);
        if (!ok)
            return false;
    } else if (t->opts->sample_index) {
        prof_keep_type(p, index);
    }
    return (!t->opts->divide_by || prof_divide(p, t->opts->divide_by, err)) &&
           prof_compact(p, t->cli->threads, &out->p, &out->layout, err);
}

/* Replaces *p by a profile with estimated stacks. */
static bool estimate(const struct filtering *t, struct profile *p,
                     struct err *err)
{
    const struct prof_estimate_opts opts = {
        .max_stacks =
            t->opts->max_stacks ? t->opts->max_stacks : PROF_MAX_STACKS,
        .notes = &t->cli->notes};
    struct profile stacks;
    bool ok = prof_estimate_stacks(p, &opts, &stacks, err);
    prof_free(p);
    *p = stacks;
    return ok;
}

/* Filters need stacks, so the estimate comes first. */
static bool filter_profile(const struct filtering *t, struct filter *f,
                           struct profile *p, struct result *out,
                           struct err *err)
{
    const struct notes *notes = &t->cli->notes;
    if (t->opts->estimate && !estimate(t, p, err))
        return false;
    if (!filter_prepare(f, p, notes, err) || !filter_apply(f, p, notes, err) ||
        (t->opts->trim_path &&
         !prof_trim_paths(p, t->opts->trim_path, NULL, err)))
        return false;
    prof_aggregate(p, &t->opts->detail);
    if (!finish(t, p, out, err))
        return false;
    return !t->opts->fail_empty || out->layout.n_order ||
           err_set(err, ERR_ANSWER_NO, "no sample is left");
}

void cli_filter_inputs(struct cli *cli, const struct cli_filtering *opts)
{
    const struct filtering t = {.cli = cli, .opts = opts};
    struct filter_opts filter = opts->filter;
    struct filter *f;
    struct profile p;
    struct result out = {0};
    struct err err;
    filter.threads = cli->threads;
    filter.zero = true;
    if (!filter_new(&f, &filter, &err)) {
        cli_error(cli, NULL, &err);
        return;
    }
    if (opts->repair ? cli_read_repaired(cli, &p) : cli_read_profile(cli, &p)) {
        if (filter_profile(&t, f, &p, &out, &err))
            (void)cli_write_layout(cli, &out.p, &out.layout);
        else
            cli_error(cli, cli_only_input(cli), &err);
    }
    prof_free(&p);
    prof_free(&out.p);
    prof_layout_free(&out.layout);
    filter_free(f);
}
