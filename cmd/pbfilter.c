/* pbfilter - a part of a profile; see pbfilter(1) */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/filter_options.h"
#include "cli/inspect.h"
#include "cli/isolate.h"
#include "profile/detail.h"
#include "profile/estimate/estimate.h"
#include "profile/merge/merge.h"
#include "profile/values.h"

enum {
    PRUNE = 256,
    DROP_LABELS,
    SAMPLE_INDEX,
    MEAN,
    DIVIDE_BY,
    UNIT,
    TRIM_PATH,
    FAIL_EMPTY,
    REPAIR,
    ESTIMATE_STACKS,
    MAX_STACKS,
};

static const struct cli_option options[] = {
    {"estimate-stacks", ESTIMATE_STACKS, NULL,
     "first estimate call stacks from gmon2pb --flat data"},
    {"max-stacks", MAX_STACKS, "N",
     "estimate at most N call stacks (default: 100000)"},
    CLI_FILTER_OPTIONS,
    {"prune", PRUNE, NULL, "drop and keep frames as the profile says"},
    {"drop-labels", DROP_LABELS, NULL, "take all labels off"},
    {"unit", UNIT, "UNIT", "unit of numbers in frames of --tagroot"},
    CLI_DETAIL_OPTIONS,
    {"trim-path", TRIM_PATH, "DIRS", "take directories off file names"},
    {"sample-index", SAMPLE_INDEX, "TYPE", "keep one value, or its index"},
    {"mean", MEAN, NULL, "divide it by the first value, the count"},
    {"divide-by", DIVIDE_BY, "X", "divide all values by X"},
    {"repair", REPAIR, NULL, "repair broken profiles, and say how"},
    {"fail-empty", FAIL_EMPTY, NULL, "status 1 when no sample is left"},
    {0},
};

struct pbfilter {
    struct cli cli;
    struct filter_opts filter;
    struct prof_detail detail;
    const char *sample_index, *trim_path; /* null: not given */
    double divide_by;                     /* 0: not given */
    bool mean, repair, fail_empty;
    bool estimate;
    uint64_t max_stacks; /* 0: not given */
};

static bool take_divisor(const char *text, double *x, struct err *err)
{
    char *end;
    *x = strtod(text, &end);
    if (end == text || *end || !isfinite(*x) || !(*x > 0))
        return err_set(err, ERR_USAGE, "'%s' is no number above 0", text);
    return true;
}

/* An empty value is none. */
static const char *given(const char *value)
{
    return *value ? value : NULL;
}

static bool take(void *ctx, int key, const char *value, struct err *err)
{
    struct pbfilter *t = ctx;
    bool ok;
    if (cli_take_filter(&t->filter, key, value))
        return true;
    if (cli_take_detail(&t->detail, key, value, &ok, err))
        return ok;
    switch (key) {
    case PRUNE:
        return t->filter.prune = true;
    case DROP_LABELS:
        return t->filter.drop_labels = true;
    case UNIT:
        t->filter.unit = given(value);
        return true;
    case SAMPLE_INDEX:
        t->sample_index = given(value);
        return true;
    case MEAN:
        return t->mean = true;
    case DIVIDE_BY:
        return take_divisor(value, &t->divide_by, err);
    case TRIM_PATH:
        t->trim_path = given(value);
        return true;
    case REPAIR:
        return t->repair = true;
    case ESTIMATE_STACKS:
        return t->estimate = true;
    case MAX_STACKS:
        return cli_parse_count(value, 1, UINT32_MAX, &t->max_stacks, err);
    default:
        return t->fail_empty = true;
    }
}

/* What comes of a profile, and how it is to be written. */
struct result {
    struct profile p;
    struct prof_layout layout;
};

/* Values, then the sum by prof_compact(); *p is used up. */
static bool finish(const struct pbfilter *t, struct profile *p,
                   struct result *out, struct err *err)
{
    size_t index = 0;
    if ((t->sample_index || t->mean) &&
        !prof_pick_type(p, t->sample_index, &index, err))
        return false;
    if (t->mean) {
        /* The mean is that of equal samples: first sum them up. */
        bool ok = prof_compact(p, t->cli.threads, &out->p, NULL, err) &&
                  prof_mean(&out->p, index, err);
        prof_free(p);
        *p = out->p;
        memset(&out->p, 0, sizeof out->p);
        if (!ok)
            return false;
    } else if (t->sample_index) {
        prof_keep_type(p, index);
    }
    return (!t->divide_by || prof_divide(p, t->divide_by, err)) &&
           prof_compact(p, t->cli.threads, &out->p, &out->layout, err);
}

/* In place. */
static bool estimate(const struct pbfilter *t, struct profile *p,
                     struct err *err)
{
    const struct prof_estimate_opts opts = {
        .max_stacks = t->max_stacks ? t->max_stacks : PROF_MAX_STACKS,
        .notes = &t->cli.notes};
    struct profile stacks;
    bool ok = prof_estimate_stacks(p, &opts, &stacks, err);
    prof_free(p);
    *p = stacks;
    return ok;
}

/* Filters need stacks, so these come first. */
static bool run(struct pbfilter *t, struct filter *f, struct profile *p,
                struct result *out, struct err *err)
{
    const struct notes *notes = &t->cli.notes;
    if (t->estimate && !estimate(t, p, err))
        return false;
    if (!filter_prepare(f, p, notes, err) || !filter_apply(f, p, notes, err) ||
        (t->trim_path && !prof_trim_paths(p, t->trim_path, NULL, err)))
        return false;
    prof_aggregate(p, &t->detail);
    if (!finish(t, p, out, err))
        return false;
    return !t->fail_empty || out->layout.n_order ||
           err_set(err, ERR_ANSWER_NO, "no sample is left");
}

static void filter_inputs(struct pbfilter *t)
{
    struct cli *cli = &t->cli;
    struct filter *f;
    struct profile p;
    struct result out = {0};
    struct err err;
    t->filter.threads = cli->threads;
    t->filter.zero = true;
    if (!filter_new(&f, &t->filter, &err)) {
        cli_error(cli, NULL, &err);
        return;
    }
    if (t->repair ? cli_read_repaired(cli, &p) : cli_read_profile(cli, &p)) {
        if (run(t, f, &p, &out, &err))
            (void)cli_write_layout(cli, &out.p, &out.layout);
        else
            cli_error(cli, cli_only_input(cli), &err);
    }
    prof_free(&p);
    prof_free(&out.p);
    prof_layout_free(&out.layout);
    filter_free(f);
}

int main(int argc, char **argv)
{
    struct pbfilter t = {0};
    const struct cli_spec spec = {
        .tool = "pbfilter",
        .synopsis = "[option ...] [profile ...]",
        .summary = "Keeps the samples, frames, labels and detail of a profile "
                   "that are asked for.",
        .options = options,
        .shared =
            CLI_OUTPUT | CLI_LEVEL | CLI_THREADS | CLI_KEEP_GOING | CLI_INPUTS,
        .take = take,
        .ctx = &t,
    };
    int status = cli_begin(&t.cli, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (t.max_stacks && !t.estimate) {
        struct err err;
        err_set(&err, ERR_USAGE, "--max-stacks requires --estimate-stacks");
        cli_error(&t.cli, NULL, &err);
        return cli_end(&t.cli);
    }
    cli_isolate(&t.cli, &(struct cli_needs){0});
    filter_inputs(&t);
    return cli_end(&t.cli);
}
