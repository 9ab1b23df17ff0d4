/* pb2pgo.c - converts profiles to formats that optimizing compilers read */
#include <time.h>

#include "cli/cli.h"
#include "cli/isolate.h"
#include "cli/symbol_options.h"
#include "pgo/pgo.h"

enum {
    GO = 256,
    PREPROFILE,
    LLVM,
    GCC,
    AUTOFDO,
    BOLT,
    CHECK,
    OVERLAP,
    AGAINST,
    MIN_FRESH,
    CDF,
    NO_INLINE,
    RENAME
};

static const struct cli_option options[] = {
    CLI_HEADING("Output"),
    {"go", GO, NULL, "write call edges for the Go compiler (default)"},
    {"preprofile", PREPROFILE, NULL,
     "write them as text, as 'go tool preprofile' does"},
    {"llvm", LLVM, NULL, "write samples by line for clang, as text"},
    {"gcc", GCC, "[2|3]", "write them for gcc: 2 for gcc 12 to 15, 3 for 16"},
    {"autofdo", AUTOFDO, NULL, "write samples by address for AutoFDO, as text"},
    {"bolt", BOLT, NULL, "write them for BOLT"},

    CLI_HEADING("Checks"),
    {"check", CHECK, NULL,
     "print how much of the profile the compiler can use"},
    {"overlap", OVERLAP, "FILE", "--check, and how similar this profile is"},
    {"against", AGAINST, "PATH", "--check, and how much still exists in PATH"},
    {"min-fresh", MIN_FRESH, "PERCENT",
     "exit with status 1 if less still exists (--against)"},

    CLI_HEADING("Symbols"),
    CLI_BINARY_OPTION("read FILE as the binary that was profiled"),
    CLI_BINARY_PATH,

    CLI_HEADING("Edges"),
    {"cdf", CDF, "PERCENT",
     "keep only the hottest edges with this share of calls"},
    {"no-inline", NO_INLINE, "REGEX",
     "do not let calls of these functions inline them"},

    CLI_HEADING("Functions"),
    {"rename", RENAME, "REGEX=TEXT",
     "replace what REGEX matches in names of functions"},
    {0},
};

/* With a smaller share, the profile is probably of another program. */
#define LEAST_PERCENT 5.0

struct job {
    struct cli cli;
    struct cli_symbols symbols;
    struct sym_opts binaries; /* for reading binaries */
    struct profile *sum;      /* the sum of all inputs */
    struct sym_discriminators discriminators;
    struct pgo_edges edges; /* calls in `sum`, for Go */
    struct pgo_check figures;
    int output;                   /* the option that chose the format, or 0 */
    int gcc;                      /* version of the format; 0: ask gcc */
    struct pgo_edges_opts choice; /* options for edges */
    struct pgo_renames renames;
    bool check;                    /* print figures, and write no profile */
    const char *overlap, *against; /* null: not given */
    double min_fresh;              /* percent; below 0: not given */
};

static bool take(void *ctx, int key, const char *value, struct prof_err *err)
{
    struct job *job = ctx;
    size_t word;
    bool ok;
    if (cli_take_symbols(&job->symbols, key, value, &ok, err))
        return ok;
    switch (key) {
    case CDF:
        return cli_parse_divisor(value, &job->choice.percent, err) &&
               (job->choice.percent < 100 ||
                err_value(err, "expected a number below 100"));
    case CHECK:
        return job->check = true;
    case OVERLAP:
        job->overlap = value;
        job->check = true;
        return *value || err_value(err, "expected a profile");
    case AGAINST:
        job->against = value;
        job->check = true;
        return *value || err_value(err, "expected a binary or a directory");
    case MIN_FRESH:
        return (cli_parse_divisor(value, &job->min_fresh, err) &&
                job->min_fresh <= 100) ||
               err_value(err,
                         "expected a number greater than 0 and at most 100");
    case NO_INLINE:
        job->choice.no_inline = value;
        return cli_check_regex(value, err);
    case RENAME:
        return pgo_add_rename(&job->renames, value, err);
    case GCC:
        if (value && !cli_parse_word("2|3", value, &word, err))
            return false;
        job->gcc = value ? (int)word + 2 : 0;
        break;
    default:
        break;
    }
    job->output = key;
    return true;
}

static bool put_text(void *ctx, struct sink *to, struct prof_err *err)
{
    struct job *job = ctx;
    const struct pgo_binary addresses = {job->sum, &job->binaries,
                                         &job->cli.notes};
    const struct pgo_source from = {job->sum, &job->discriminators,
                                    &job->cli.notes};
    switch (job->output) {
    case LLVM:
        return pgo_llvm_text(&from, to, err);
    case GCC:
        return pgo_gcc_file(&from, job->gcc, to, err);
    case AUTOFDO:
        return pgo_addresses_text(&addresses, PGO_AUTOFDO, to, err);
    case BOLT:
        return pgo_addresses_text(&addresses, PGO_BOLT, to, err);
    default:
        return pgo_edges_text(&job->edges, to, err);
    }
}

static bool by_line(const struct job *job)
{
    return job->output == LLVM || job->output == GCC;
}

static bool by_address(const struct job *job)
{
    return job->output == AUTOFDO || job->output == BOLT;
}

static bool fail(struct job *job, const struct prof_err *err)
{
    cli_error(&job->cli, cli_only_input(&job->cli), err);
    return false;
}

/* Adds symbols from binaries that the output needs and the profile lacks. */
static bool symbolize(struct job *job)
{
    struct cli *cli = &job->cli;
    struct prof_err err;
    struct sym_opts opts = {.binary = job->symbols.binary};
    if (by_address(job) || (!job->symbols.binary && !job->symbols.path))
        return true;
    if (!cli_symbols_begin(cli, &job->symbols, false, &opts))
        return false;
    opts.discriminators = by_line(job) ? &job->discriminators : NULL;
    const bool ok = pgo_symbolize(job->sum, &opts, &cli->notes, &err);
    cli_symbols_end(&opts);
    return ok || fail(job, &err);
}

static bool put_figures(void *ctx, struct sink *to, struct prof_err *err)
{
    struct job *job = ctx;
    return pgo_check_text(&job->figures, to, err);
}

/* Returns the figures of a profile, or null if an error was reported. */
static struct pgo_figures *
read_figures(struct job *job, const struct profile *p, const char *subject)
{
    struct prof_err err;
    const enum pgo_compiler compiler = job->output == LLVM  ? PGO_LLVM
                                       : job->output == GCC ? PGO_GCC
                                                            : PGO_GO;
    struct pgo_figures *f = pgo_figures_new(p, compiler, &err);
    if (!f)
        cli_error(&job->cli, subject, &err);
    return f;
}

/* Sets *fresh to how much of the sum still exists in --against=PATH. */
static bool compare_build(struct job *job, struct pgo_fresh *fresh)
{
    struct cli *cli = &job->cli;
    struct prof_err err;
    if (!cli_symbols_begin(cli, &job->symbols, false, &job->binaries))
        return false;
    const bool ok = pgo_fresh_read(fresh, job->figures.now, job->against,
                                   &job->binaries, &err);
    cli_symbols_end(&job->binaries);
    if (!ok) {
        err_prefix(&err, "--against: ");
        cli_error(cli, NULL, &err);
        return false;
    }
    if (fresh->of_target || !fresh->all)
        return true;
    err_input(
        &err,
        "%s has none of the profile's functions; is it of the same program?",
        job->against);
    return fail(job, &err);
}

/* Fails if the compiler has no use for the profile, or if too little of it
 * still exists. */
static void answer(struct job *job, const struct pgo_fresh *fresh)
{
    struct prof_err err;
    const double percent =
        fresh->of_target ? (double)fresh->fresh / (double)fresh->of_target * 100
                         : 100;
    if (!pgo_figures_fit(job->figures.now, &err)) {
        err.kind = PROF_ERR_ANSWER_NO;
        (void)fail(job, &err);
    } else if (percent < job->min_fresh) {
        err_set(&err, PROF_ERR_ANSWER_NO,
                "%s still has %.2f%% of the profile, less than "
                "--min-fresh=%g: record a new one",
                job->against, percent, job->min_fresh);
        (void)fail(job, &err);
    } else if (percent < LEAST_PERCENT) {
        note_warn(&job->cli.notes,
                  "%s has next to nothing of the profile (%.2f%%); is it of "
                  "the same program?",
                  job->against, percent);
    }
}

static void check_sum(struct job *job)
{
    struct cli *cli = &job->cli;
    struct pgo_check *figures = &job->figures;
    struct pgo_fresh fresh = {0};
    struct profile *before = NULL;
    *figures =
        (struct pgo_check){.discriminators = &job->discriminators,
                           .fresh = job->against ? &fresh : NULL,
                           .gcc = job->gcc,
                           .now_nanos = (int64_t)time(NULL) * 1000000000};
    bool ok = (figures->now = read_figures(job, job->sum, cli_only_input(cli)));
    if (ok && job->overlap)
        ok = (before = cli_read_file(cli, job->overlap)) &&
             (figures->before = read_figures(job, before, job->overlap));
    ok = ok && (!job->against || compare_build(job, &fresh));
    if (ok && cli_write_text(cli, false, put_figures, job))
        answer(job, &fresh);
    pgo_fresh_free(&fresh);
    pgo_figures_free(figures->now);
    pgo_figures_free(figures->before);
    prof_delete(before);
}

static void write_edges(struct job *job)
{
    struct cli *cli = &job->cli;
    struct pgo_edges *edges = &job->edges;
    struct prof_err err;
    struct profile *p = NULL;
    const bool text = job->output == PREPROFILE;
    if (!pgo_edges_read(job->sum, edges, &err) ||
        !pgo_edges_prepare(job->sum, edges, &job->choice, &cli->notes, &err) ||
        !(text || (p = pgo_edges_profile(edges, &err))))
        (void)fail(job, &err);
    else if (text)
        (void)cli_write_text(cli, false, put_text, job);
    else
        (void)cli_write_profile(cli, p);
    prof_delete(p);
    pgo_edges_free(edges);
}

/* Writes the sum in the requested format, or prints figures about it. */
static void write_sum(struct job *job)
{
    struct cli *cli = &job->cli;
    if (job->check)
        check_sum(job);
    else if (by_address(job)) {
        job->binaries.binary = job->symbols.binary;
        if (cli_symbols_begin(cli, &job->symbols, false, &job->binaries))
            (void)cli_write_text(cli, false, put_text, job);
        cli_symbols_end(&job->binaries);
    } else if (by_line(job))
        (void)cli_write_text(cli, job->output == GCC, put_text, job);
    else
        write_edges(job);
}

static void convert(struct job *job)
{
    struct cli *cli = &job->cli;
    struct prof_err err;

    /*
     * Merge all inputs.  Types that only some have are dropped, as only one is
     * read: a profile that pb2pgo wrote can be added to those of a program.
     */
    const struct cli_merging how = {.types = PROF_TYPES_INTERSECT,
                                    .to_change = true};
    if (!(job->sum = cli_merge_inputs(cli, &how)))
        return;

    /* Symbolize first, as --rename applies to the names of functions. */
    if (symbolize(job) &&
        (pgo_rename(job->sum, &job->renames, &cli->notes, &err) ||
         fail(job, &err)))
        write_sum(job);
    vec_free(&job->discriminators.v);
    prof_delete(job->sum);
}

/* Checks combinations of options, and sets the version for gcc. */
static bool check_options(struct job *job, struct prof_err *err)
{
    const bool is_go = !job->check && job->output < LLVM;
    if (job->choice.percent > 0 && !is_go)
        return err_options(err, "--cdf applies only to --go and --preprofile");
    if (job->choice.no_inline && !is_go)
        return err_options(err,
                           "--no-inline applies only to --go and --preprofile");
    if (job->min_fresh > 0 && !job->against)
        return err_options(err, "--min-fresh needs --against");
    if (job->check && (job->output == PREPROFILE || by_address(job)))
        return err_options(err, "--check, --overlap and --against write no "
                                "profile: they go with --go, --llvm or --gcc "
                                "only, for which they print figures");
    if (job->renames.v.n && by_address(job))
        return err_options(err, "--rename has no effect on --autofdo and "
                                "--bolt: they have no names of functions");
    if (!cli_keeps_file(&job->cli, "--overlap", job->overlap, err) ||
        !cli_keeps_file(&job->cli, "--against", job->against, err))
        return false;
    return job->output != GCC || job->gcc ||
           pgo_ask_gcc(&job->gcc, &job->cli.notes, err);
}

int main(int argc, char **argv)
{
    struct job job = {0};
    struct prof_err err = {0};
    static const struct library_about *const libraries[] = {&sym_library, NULL};
    const struct cli_spec spec = {
        .tool = "pb2pgo",
        .synopsis = "[option ...] [file ...]",
        .summary = "Writes what a compiler reads of profiles, to optimize with "
                   "them.\n"
                   "Without an option for the format, the output is for Go.",
        .examples = "pb2pgo -o default.pgo server.pb.gz\n"
                    "pb2pgo --check server.pb.gz",
        .options = options,
        .libraries = libraries,
        .shared =
            CLI_OUTPUT | CLI_LEVEL | CLI_THREADS | CLI_KEEP_GOING | CLI_INPUTS,
        .take = take,
        .ctx = &job,
    };
    int status = cli_begin(&job.cli, &spec, argc, argv);
    if (status >= 0) {
        pgo_renames_free(&job.renames);
        return status;
    }
    if (!check_options(&job, &err)) {
        cli_error(&job.cli, NULL, &err);
    } else {
        const struct cli_needs needs = {
            .any_file = job.symbols.binary || job.symbols.path || job.against ||
                        by_address(&job),
            .files = &job.overlap,
            .n_files = !!job.overlap,
        };
        cli_isolate(&job.cli, &needs);
        convert(&job);
    }
    pgo_renames_free(&job.renames);
    return cli_end(&job.cli);
}
