/* pbdiff.c - tests whether functions got slower between two sets of runs */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "cli/cli.h"
#include "cli/difference.h"
#include "cli/filters.h"
#include "cli/isolate.h"
#include "compare/compare.h"

enum {
    OPT_BASE = 256,
    OPT_SAMPLE_INDEX,
    OPT_FLAT,
    OPT_CUM,
    OPT_ALPHA,
    OPT_MAX_GROWTH,
    OPT_MIN_SHARE,
    OPT_ASSUME_POISSON,
    OPT_REQUIRE_POWER,
    OPT_BY,
    OPT_COUNT_AS,
    OPT_EXACT_NAMES,
    OPT_MARKDOWN,
    OPT_JSON,
    OPT_JUNIT,
    OPT_HTML,
    OPT_OVERLAP,
};

/* Exit status if the runs could not have shown a regression. */
enum { INCONCLUSIVE = 6 };

static const struct cli_option options[] = {
    CLI_HEADING("Runs"),
    {"base", OPT_BASE | CLI_COMMON, "FILE",
     "runs before; operands are then runs after"},
    {"by", OPT_BY | CLI_COMMON, "KEY[=A,B]",
     "values of label KEY are runs, or A and B the sides"},
    CLI_HEADING("Functions"),
    {"sample-index", OPT_SAMPLE_INDEX | CLI_COMMON, "TYPE",
     "compare this sample type (name or index)"},
    {"granularity", CLI_GRANULARITY, CLI_GRANULARITIES,
     "choose what a row or frame is"},
    {"flat", OPT_FLAT, NULL, "compare only flat shares"},
    {"cum", OPT_CUM, NULL, "compare only cumulative shares"},
    {"count-as", OPT_COUNT_AS, "REGEX=NAME",
     "count functions that match REGEX as one, NAME"},
    {"exact-names", OPT_EXACT_NAMES, NULL,
     "do not match names that differ between builds"},
    CLI_HEADING("Verdicts"),
    {"max-growth", OPT_MAX_GROWTH | CLI_COMMON, "PERCENT",
     "allow functions to grow by this much (default: 0%)"},
    {"alpha", OPT_ALPHA, "P", "probability of a false alarm (default: 0.05)"},
    {"min-share", OPT_MIN_SHARE | CLI_COMMON, "PERCENT",
     "judge functions from this share on (default: 0.5%)"},
    {"assume-poisson", OPT_ASSUME_POISSON, NULL,
     "judge single runs: nothing but sampling varies"},
    {"require-power", OPT_REQUIRE_POWER | CLI_COMMON, NULL,
     "status 6 if growth could have stayed hidden"},
    CLI_HEADING("Output"),
    {"nodecount", 'n' | CLI_COMMON, "N", "show at most N nodes (0: all)"},
    {"markdown", OPT_MARKDOWN | CLI_COMMON, NULL,
     "print a comment for a pull request"},
    {"json", OPT_JSON | CLI_COMMON, NULL, "print all numbers as JSON"},
    {"junit", OPT_JUNIT, NULL, "print a test for each row as JUnit's XML"},
    {"html", OPT_HTML | CLI_COMMON, NULL,
     "write a flame graph of the difference, with verdicts"},
    {"overlap", OPT_OVERLAP, NULL, "print only the similarity, from 0 to 1"},
    {0},
};

struct pbdiff {
    struct cli cli;
    struct compare_opts opts;
    VEC(const char *) bases;
    VEC(struct compare_alias) aliases;
    VEC(char *) texts; /* owned: copied parts of options */
    int format;
    uint64_t most; /* rows to print; 0: all */
    bool require_power;
    struct compare *compare;
    struct cli_difference difference; /* for --html */
    enum compare_side side;           /* side of the inputs being read */
};

/* --- options -------------------------------------------------------------- */

/* Parses a percentage, with or without "%", and sets *share to a hundredth of
 * it. */
static bool take_percent(const char *value, double most, double *share,
                         struct prof_err *err)
{
    char *end;
    *share = strtod(value, &end) / 100;
    end += *end == '%';
    return (*value && !*end && *share >= 0 && *share <= most) ||
           err_value(err, "expected a percentage from 0%% to %g%%", most * 100);
}

/* Splits `value` at `at`: sets *a to a copy of what precedes it, which
 * pd->texts owns, and *b to what follows.  Both are empty if `at` is null. */
static bool take_pair(struct pbdiff *pd, const char *value, const char *at,
                      const char **a, const char **b, struct prof_err *err)
{
    char *left = strndup(value, at ? (size_t)(at - value) : 0);
    if (!left || !vec_push(&pd->texts, left)) {
        free(left);
        return err_nomem(err);
    }
    *a = left;
    *b = at ? at + 1 : "";
    return true;
}

static bool take_sides(struct pbdiff *pd, const char *value,
                       struct prof_err *err)
{
    const char *equals = strchr(value, '=');
    const char *comma = equals ? strchr(equals, ',') : NULL;
    const char *values;
    if (!comma || equals == value || strchr(comma + 1, ','))
        return err_value(err, "expected KEY, or KEY=BEFORE,AFTER");
    return take_pair(pd, value, equals, &pd->opts.side_key, &values, err) &&
           take_pair(pd, values, strchr(values, ','), &pd->opts.side_value[0],
                     &pd->opts.side_value[1], err);
}

static bool take_count_as(struct pbdiff *pd, const char *value,
                          struct prof_err *err)
{
    struct compare_alias alias;
    const char *equals = strrchr(value, '=');
    if (!equals || equals == value)
        return err_value(err, "expected REGEX=NAME");
    return take_pair(pd, value, equals, &alias.pattern, &alias.name, err) &&
           (vec_push(&pd->aliases, alias) || err_nomem(err));
}

static bool take_alpha(const char *value, double *alpha, struct prof_err *err)
{
    char *end;
    *alpha = strtod(value, &end);
    return (*value && !*end && *alpha >= 1e-9 && *alpha < 0.5) ||
           err_value(err, "expected a probability from 1e-9 to below 0.5");
}

static bool take(void *ctx, int key, const char *value, struct prof_err *err)
{
    struct pbdiff *pd = ctx;
    struct compare_opts *o = &pd->opts;
    struct prof_detail detail = {.granularity = o->granularity};
    bool ok = true;
    switch (key) {
    case OPT_BASE:
        return vec_push(&pd->bases, value) || err_nomem(err);
    case OPT_BY:
        if (strchr(value, '='))
            return take_sides(pd, value, err);
        o->run_key = value;
        return *value || err_value(err, "expected KEY, or KEY=BEFORE,AFTER");
    case OPT_SAMPLE_INDEX:
        return (o->sample_index = value);
    case OPT_FLAT:
    case OPT_CUM:
        o->measures[COMPARE_FLAT] = key == OPT_FLAT;
        o->measures[COMPARE_CUM] = key == OPT_CUM;
        return true;
    case OPT_COUNT_AS:
        return take_count_as(pd, value, err);
    case OPT_EXACT_NAMES:
        return o->exact_names = true;
    case OPT_MAX_GROWTH:
        return take_percent(value, 1000, &o->max_growth, err);
    case OPT_MIN_SHARE:
        return take_percent(value, 1, &o->min_share, err);
    case OPT_ALPHA:
        return take_alpha(value, &o->alpha, err);
    case OPT_ASSUME_POISSON:
        return o->assume_poisson = true;
    case OPT_REQUIRE_POWER:
        return pd->require_power = true;
    case 'n':
        return cli_parse_count(value, 0, SIZE_MAX, &pd->most, err);
    case CLI_GRANULARITY:
        (void)cli_take_detail(&detail, key, value, &ok, err);
        if (ok && detail.granularity == PROF_ADDRESSES)
            return err_value(err, "addresses differ between builds");
        o->granularity = detail.granularity;
        return ok;
    default:
        if (pd->format && pd->format != key)
            return err_options(err, "--markdown, --json, --junit and --overlap "
                                    "cannot be combined");
        pd->format = key;
        return true;
    }
}

/* --- work ----------------------------------------------------------------- */

static bool add_run(void *ctx, const char *name, struct profile *p,
                    const struct prof_notes *notes, struct prof_err *err)
{
    struct pbdiff *pd = ctx;
    return (pd->format != OPT_HTML ||
            cli_difference_add(&pd->difference, pd->side == COMPARE_BASE, p,
                               err)) &&
           compare_add(pd->compare, pd->side, name, p, notes, err);
}

static bool add_runs(struct pbdiff *pd, enum compare_side side,
                     const char **inputs, size_t n)
{
    struct cli *cli = &pd->cli;
    const char **all = cli->inputs;
    const size_t n_all = cli->n_inputs;
    cli->inputs = inputs;
    cli->n_inputs = n;
    pd->side = side;
    bool ok = cli_each_profile(cli, add_run, pd);
    cli->inputs = all;
    cli->n_inputs = n_all;
    return ok;
}

static bool add_all(struct pbdiff *pd, struct prof_err *err)
{
    struct cli *cli = &pd->cli;
    const size_t before = cli->n_before_dashes;
    const size_t after = cli->n_inputs - before;
    if (pd->opts.side_key)
        return add_runs(pd, COMPARE_BASE, cli->inputs, cli->n_inputs);
    if (pd->bases.n)
        return add_runs(pd, COMPARE_BASE, pd->bases.v, pd->bases.n) &&
               add_runs(pd, COMPARE_NEW, cli->inputs, cli->n_inputs);
    if (!before || !after)
        return err_set(err, PROF_ERR_USAGE,
                       "nothing to compare; specify 'pbdiff BASE... -- "
                       "NEW...', or --base=FILE for each run before");
    return add_runs(pd, COMPARE_BASE, cli->inputs, before) &&
           add_runs(pd, COMPARE_NEW, cli->inputs + before, after);
}

static bool print(struct pbdiff *pd, const struct compare_result *r,
                  struct buf *out, struct prof_err *err)
{
    const size_t most = (size_t)pd->most;
    bool ok = pd->format == OPT_MARKDOWN ? compare_print_markdown(r, most, out)
              : pd->format == OPT_JSON   ? compare_print_json(r, out)
              : pd->format == OPT_JUNIT  ? compare_print_junit(r, out)
                                         : compare_print_text(r, most, out);
    return ok || err_nomem(err);
}

static bool print_page(struct pbdiff *pd, const struct compare_result *r,
                       struct sink *sink, struct prof_err *err)
{
    struct report_opts opts = REPORT_DEFAULTS;
    char *names[] = {compare_names(r, COMPARE_BASE),
                     compare_names(r, COMPARE_NEW)};
    char *verdicts = compare_verdicts(r);
    opts.sample_index = r->type;
    opts.threads = pd->cli.threads;
    opts.notes = &pd->cli.notes;
    opts.base.name = names[COMPARE_BASE];
    opts.minuend.name = names[COMPARE_NEW];
    opts.verdicts = verdicts;
    bool ok = ((names[0] && names[1] && verdicts) || err_nomem(err)) &&
              cli_difference_print(&pd->difference, &opts, sink, err);
    free(names[0]);
    free(names[1]);
    free(verdicts);
    return ok;
}

/* Prints the result, and sets *status to the exit status for it. */
static bool answer(struct pbdiff *pd, struct cli_text *text, int *status,
                   struct prof_err *err)
{
    struct buf *out = &text->held;
    struct compare_result r = {0};
    double overlap;
    if (pd->format == OPT_OVERLAP)
        return compare_overlap(pd->compare, &overlap, err) &&
               (buf_printf(out, "%.6f\n", overlap) || err_nomem(err));
    bool ok = compare_judge(pd->compare, &r, err) &&
              (pd->format == OPT_HTML ? print_page(pd, &r, &text->sink, err)
                                      : print(pd, &r, out, err));
    *status = r.n_verdicts[COMPARE_SLOWER]     ? PROF_ERR_ANSWER_NO
              : pd->require_power && r.is_weak ? INCONCLUSIVE
                                               : 0;
    compare_result_free(&r);
    return ok;
}

static void pbdiff(struct pbdiff *pd)
{
    struct cli *cli = &pd->cli;
    struct cli_text text = cli_text_of(cli);
    struct prof_err err = {0};
    int status = 0;
    pd->opts.aliases = pd->aliases.v;
    pd->opts.n_aliases = pd->aliases.n;
    bool ok = pd->format != OPT_HTML || !pd->opts.side_key ||
              err_options(&err, "--html cannot be combined with --by=KEY=A,B: "
                                "it needs profiles of each side");
    if (ok)
        pd->compare = compare_new(&pd->opts, &err);
    if (pd->compare && add_all(pd, &err) && answer(pd, &text, &status, &err) &&
        cli_text_end(&text))
        cli->status = cli->status > status ? cli->status : status;
    else if (err.kind)
        cli_error(cli, NULL, &err);
    cli_text_free(&text);
    compare_free(pd->compare);
    cli_difference_free(&pd->difference);
}

int main(int argc, char **argv)
{
    struct pbdiff pd = {.opts = COMPARE_DEFAULTS, .most = 30};
    static const struct library_about *const libraries[] = {&cli_regex_library,
                                                            NULL};
    const struct cli_spec spec = {
        .tool = "pbdiff",
        .synopsis = "[option ...] base ... -- new ...",
        .summary = "Compares runs of a program before and after a change.\n"
                   "The status is 1 if a function got slower; that takes at "
                   "least 3 runs of each.",
        .examples = "pbdiff old.pb.gz -- new.pb.gz\n"
                    "pbdiff --max-growth=5% --base=old.pb.gz new.pb.gz",
        .options = options,
        .libraries = libraries,
        .shared = CLI_OUTPUT | CLI_THREADS | CLI_KEEP_GOING | CLI_INPUTS,
        .take = take,
        .ctx = &pd,
    };
    int status = cli_begin(&pd.cli, &spec, argc, argv);
    if (status < 0) {
        cli_isolate(&pd.cli, &(struct cli_needs){.files = pd.bases.v,
                                                 .n_files = pd.bases.n});
        pbdiff(&pd);
        status = cli_end(&pd.cli);
    }
    for (size_t i = 0; i < pd.texts.n; i++)
        free(pd.texts.v[i]);
    vec_free(&pd.texts);
    vec_free(&pd.bases);
    vec_free(&pd.aliases);
    return status;
}
