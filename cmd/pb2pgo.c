/* pb2pgo.c - profiles back into compilers, as what those read */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/isolate.h"
#include "cli/symbol_options.h"
#include "io/process.h"
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
    {"gcc", GCC, "[2|3]", "write them for gcc, in this version of its format"},
    {"autofdo", AUTOFDO, NULL, "write samples by address for AutoFDO, as text"},
    {"bolt", BOLT, NULL, "write them for BOLT"},
    {"check", CHECK, NULL, "print how much the Go compiler can use"},
    {"overlap", OVERLAP, "FILE",
     "print that, and how close they are to this profile"},

    CLI_HEADING("Symbols"),
    CLI_MAIN_BINARY,
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

#define WARN_SHARE 0.01

struct job {
    struct cli cli;
    struct cli_symbols symbols;
    struct sym_opts binaries; /* of these */
    struct profile *sum;      /* of all inputs */
    struct sym_discriminators discriminators;
    struct pgo_edges edges; /* its calls, for Go */
    struct pgo_check figures;
    int output;            /* the option that chose it, or 0 */
    int gcc;               /* version of the format; 0: what gcc takes */
    double percent;        /* 0: all edges */
    const char *no_inline; /* null: not given */
    VEC(struct pgo_rename) renames;
    VEC(char *) texts;   /* of malloc(): the expressions of `renames` */
    const char *overlap; /* null: not given */
};

static bool choose(struct job *job, int output, struct prof_err *err)
{
    if (job->output && (job->output == CHECK) != (output == CHECK))
        return err_options(err, "--check and --overlap write no profile: omit "
                                "--go, --preprofile, --llvm, --gcc, --autofdo "
                                "and --bolt");
    job->output = output;
    return true;
}

/* A mistake in an expression is found before anything is read. */
static bool check_regex(const char *regex, struct prof_err *err)
{
    struct prof_slice part;
    return prof_regex_group(regex, (struct prof_slice){"", 0}, &part, err) >= 0;
}

static bool take_rename(struct job *job, const char *value,
                        struct prof_err *err)
{
    const char *equals = strrchr(value, '=');
    if (!equals || equals == value)
        return err_value(err, "expected REGEX=TEXT");
    char *regex = strndup(value, (size_t)(equals - value));
    if (!regex || !vec_push(&job->texts, regex)) {
        free(regex);
        return err_nomem(err);
    }
    const struct pgo_rename rule = {regex, equals + 1};
    return check_regex(regex, err) &&
           (vec_push(&job->renames, rule) || err_nomem(err));
}

static bool take(void *ctx, int key, const char *value, struct prof_err *err)
{
    struct job *job = ctx;
    size_t word;
    bool ok;
    if (cli_take_symbols(&job->symbols, key, value, &ok, err))
        return ok;
    switch (key) {
    case CDF:
        return cli_parse_divisor(value, &job->percent, err) &&
               (job->percent < 100 ||
                err_value(err, "expected a number below 100"));
    case OVERLAP:
        job->overlap = value;
        return choose(job, CHECK, err);
    case NO_INLINE:
        job->no_inline = value;
        return check_regex(value, err);
    case RENAME:
        return take_rename(job, value, err);
    case GCC:
        if (value && !cli_parse_word("2|3", value, &word, err))
            return false;
        job->gcc = value ? (int)word + 2 : 0;
        return choose(job, GCC, err);
    default:
        return choose(job, key, err);
    }
}

static bool put_text(void *ctx, struct sink *to, struct prof_err *err)
{
    struct job *job = ctx;
    const struct pgo_binary addresses = {job->sum, &job->binaries,
                                         &job->cli.notes};
    const struct pgo_source from = {job->sum, &job->discriminators,
                                    &job->cli.notes};
    switch (job->output) {
    case CHECK:
        return pgo_check_text(&job->figures, to, err);
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

/* Reads from binaries what the output needs and the profile does not have. */
static bool symbolize(struct job *job)
{
    struct cli *cli = &job->cli;
    struct prof_err err;
    struct sym_opts opts = {.binary = job->symbols.binary};
    if (by_address(job) || (!job->symbols.binary && !job->symbols.path))
        return true;
    if (!cli_symbols_begin(cli, &job->symbols, false, &opts))
        return false;
    bool *only = by_line(job) ? pgo_leaf_locations(job->sum, &err)
                              : pgo_unstarted_locations(job->sum, &err);
    opts.only = only;
    opts.discriminators = by_line(job) ? &job->discriminators : NULL;
    const bool ok = only && sym_profile(job->sum, &opts, &cli->notes, &err);
    if (!ok)
        cli_error(cli, NULL, &err);
    free(only);
    cli_symbols_end(&opts);
    return ok;
}

/* Prints the figures; then the answer is no if the compiler has no use for the
 * profile. */
static void check_edges(struct job *job)
{
    struct cli *cli = &job->cli;
    struct prof_err err;
    struct pgo_edges before = {0};
    struct profile *p = NULL;
    bool ok = true;
    job->figures = (struct pgo_check){
        .edges = &job->edges, .now_nanos = (int64_t)time(NULL) * 1000000000};
    if (job->overlap) {
        job->figures.before = &before;
        ok = (p = cli_read_file(cli, job->overlap)) != NULL;
        if (ok && !(ok = pgo_edges_read(p, &before, &err)))
            cli_error(cli, job->overlap, &err);
    }
    if (ok && cli_write_text(cli, job->output == GCC, put_text, job) &&
        !pgo_edges_fit(&job->edges, &err)) {
        err.kind = PROF_ERR_ANSWER_NO;
        cli_error(cli, cli_only_input(cli), &err);
    }
    pgo_edges_free(&before);
    prof_delete(p);
}

/* Says which share of calls the compiler cannot place, if not all. */
static void report_unstarted(const struct job *job)
{
    const struct pgo_edges *edges = &job->edges;
    const double share =
        edges->total ? 1 - (double)edges->started / (double)edges->total : 0;
    if (share > 0 && share < 1)
        note_at(&job->cli.notes,
                share > WARN_SHARE ? PROF_NOTE_WARN : PROF_NOTE_INFO,
                "%.2f%% of the calls have a caller without a start line, so "
                "that the Go compiler cannot place them: pass -e BINARY to add "
                "start lines",
                100 * share);
}

/* Writes the edges as the compiler reads them. */
static void write_edges(struct job *job)
{
    struct cli *cli = &job->cli;
    struct pgo_edges *edges = &job->edges;
    struct prof_err err;
    struct profile *p = NULL;
    const bool text = job->output == PREPROFILE;
    const bool ok =
        pgo_edges_fit(edges, &err) &&
        (!job->no_inline || pgo_edges_no_inline(job->sum, edges, job->no_inline,
                                                &cli->notes, &err)) &&
        (job->percent <= 0 || pgo_edges_cut(edges, job->percent, &err)) &&
        (text || (p = pgo_edges_profile(edges, &err)));
    if (!ok)
        cli_error(cli, cli_only_input(cli), &err);
    else
        report_unstarted(job);
    if (ok && !edges->v.n)
        note_warn(&cli->notes, "there are no calls, so that the compiler "
                               "optimizes nothing by this profile");
    if (ok && text)
        (void)cli_write_text(cli, job->output == GCC, put_text, job);
    else if (ok)
        (void)cli_write_profile(cli, p);
    prof_delete(p);
}

/* Takes the version that the compiler of a build would read. */
static bool ask_gcc(struct job *job, struct prof_err *err)
{
    const char *cc = getenv("CC");
    const char *argv[] = {cc && *cc ? cc : "gcc", "-dumpfullversion", NULL};
    const struct run ask = {.argv = argv, .max_out = 64, .silence = 10};
    struct buf out = {0};
    struct prof_err why;
    if (!run(&ask, &out, &why))
        return err_options(err,
                           "--gcc needs a version: cannot ask gcc for its own "
                           "(%s); specify --gcc=2 for gcc 12 to 15, or "
                           "--gcc=3 for gcc 16",
                           why.text);
    struct prof_slice rest = {(const char *)out.v, out.n};
    const struct prof_slice version = slice_take_line(&rest);
    int64_t major = 0;
    rest = version;
    (void)slice_take_int(&rest, &major);
    job->gcc = major < 16 ? 2 : 3;
    if (major >= 12)
        note_info(&job->cli.notes,
                  "version %d of the format, for gcc %.*s ('%s')", job->gcc,
                  (int)version.n, version.s, argv[0]);
    else
        err_options(err,
                    "%s is gcc %.*s, which reads neither version 2 nor 3 of "
                    "the format: use gcc 12 or newer",
                    argv[0], (int)version.n, version.s);
    buf_free(&out);
    return major >= 12;
}

/* Writes the sum as it was asked: samples by line or address, or calls. */
static void write_sum(struct job *job)
{
    struct cli *cli = &job->cli;
    struct prof_err err;
    if (by_address(job)) {
        job->binaries.binary = job->symbols.binary;
        if (cli_symbols_begin(cli, &job->symbols, false, &job->binaries))
            (void)cli_write_text(cli, false, put_text, job);
        cli_symbols_end(&job->binaries);
    } else if (by_line(job))
        (void)cli_write_text(cli, job->output == GCC, put_text, job);
    else if (!pgo_edges_read(job->sum, &job->edges, &err))
        cli_error(cli, cli_only_input(cli), &err);
    else if (job->output == CHECK)
        check_edges(job);
    else
        write_edges(job);
    pgo_edges_free(&job->edges);
}

static bool rename_functions(struct job *job)
{
    struct cli *cli = &job->cli;
    struct prof_err err;
    if (pgo_rename(job->sum, job->renames.v, job->renames.n, &cli->notes, &err))
        return true;
    cli_error(cli, cli_only_input(cli), &err);
    return false;
}

static void convert(struct job *job)
{
    struct cli *cli = &job->cli;

    /* The sum of all inputs.  Only one of their types is read, so that a
     * profile that pb2pgo wrote can be added to those of a program. */
    const struct cli_merging how = {.types = PROF_TYPES_INTERSECT,
                                    .to_change = true};
    if (!(job->sum = cli_merge_inputs(cli, &how)))
        return;

    /* Functions get what binaries say, and then their new names. */
    if (symbolize(job) && rename_functions(job))
        write_sum(job);
    vec_free(&job->discriminators.v);
    prof_delete(job->sum);
}

/* Whether options go together; finds out what gcc takes. */
static bool check_options(struct job *job, struct prof_err *err)
{
    if (job->percent > 0 && job->output >= LLVM)
        return err_options(err, "--cdf applies to --go and --preprofile only");
    if (job->no_inline && job->output >= LLVM)
        return err_options(err,
                           "--no-inline applies to --go and --preprofile only");
    if (job->renames.n && by_address(job))
        return err_options(err, "--rename has no effect on --autofdo and "
                                "--bolt, which have no names");
    return job->output != GCC || job->gcc || ask_gcc(job, err);
}

static void free_renames(struct job *job)
{
    for (size_t i = 0; i < job->texts.n; i++)
        free(job->texts.v[i]);
    vec_free(&job->texts);
    vec_free(&job->renames);
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
                   "them.",
        .examples = "pb2pgo -o default.pgo server.pb.gz\n"
                    "pb2pgo --llvm -e prog -o prog.prof cpu.pb.gz",
        .options = options,
        .libraries = libraries,
        .shared =
            CLI_OUTPUT | CLI_LEVEL | CLI_THREADS | CLI_KEEP_GOING | CLI_INPUTS,
        .take = take,
        .ctx = &job,
    };
    int status = cli_begin(&job.cli, &spec, argc, argv);
    if (status >= 0) {
        free_renames(&job);
        return status;
    }
    if (!check_options(&job, &err)) {
        cli_error(&job.cli, NULL, &err);
    } else {
        const struct cli_needs needs = {
            .any_file =
                job.symbols.binary || job.symbols.path || by_address(&job),
            .files = &job.overlap,
            .n_files = !!job.overlap,
        };
        cli_isolate(&job.cli, &needs);
        convert(&job);
    }
    free_renames(&job);
    return cli_end(&job.cli);
}
