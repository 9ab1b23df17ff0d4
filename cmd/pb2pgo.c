/* pb2pgo.c - profiles back into compilers, as what those read */
#include <time.h>

#include "cli/cli.h"
#include "cli/isolate.h"
#include "pgo/pgo.h"

enum { OPT_GO = 256, OPT_PREPROFILE, OPT_CDF, OPT_CHECK, OPT_OVERLAP };

static const struct cli_option options[] = {
    CLI_HEADING("Output"),
    {"go", OPT_GO, NULL, "write call edges for the Go compiler (default)"},
    {"preprofile", OPT_PREPROFILE, NULL,
     "write them as text, as 'go tool preprofile' does"},
    {"check", OPT_CHECK, NULL, "print how much of them the compiler can use"},

    CLI_HEADING("Edges"),
    {"cdf", OPT_CDF, "PERCENT",
     "keep only the hottest edges with this share of calls"},
    {"overlap", OPT_OVERLAP, "FILE",
     "check what they have in common with this profile"},
    {0},
};

struct job {
    struct cli cli;
    int output;          /* the option that chose it, or 0 */
    double percent;      /* 0: all edges */
    const char *overlap; /* null: not given */
};

static bool take(void *ctx, int key, const char *value, struct prof_err *err)
{
    struct job *job = ctx;
    switch (key) {
    case OPT_CDF:
        return cli_parse_divisor(value, &job->percent, err) &&
               (job->percent < 100 ||
                err_value(err, "expected a number below 100"));
    case OPT_OVERLAP:
        job->overlap = value;
        return true;
    default:
        job->output = key;
        return true;
    }
}

static bool check_options(const struct job *job, struct prof_err *err)
{
    const bool check = job->output == OPT_CHECK;
    if (check && job->percent > 0)
        return err_options(err, "--check cannot be combined with --cdf");
    if (!check && job->overlap)
        return err_options(err, "--overlap requires --check");
    return true;
}

/* --- what is written --- */

/* Writes the text, or, if `check` is not null, what that says. */
static bool write_text(struct job *job, const struct pgo_edges *edges,
                       const struct pgo_check *check)
{
    struct prof_err err;
    struct cli_text text = cli_text_of(&job->cli);
    bool ok = check ? pgo_check_text(check, &text.sink, &err)
                    : pgo_edges_text(edges, &text.sink, &err);
    if (!ok && !text.failed)
        cli_error(&job->cli, cli_only_input(&job->cli), &err);
    ok = ok && cli_text_end(&text);
    cli_text_free(&text);
    return ok;
}

/* Prints the figures; then the answer is no if the compiler has no use for the
 * profile. */
static void check_edges(struct job *job, const struct pgo_edges *edges)
{
    struct cli *cli = &job->cli;
    struct prof_err err;
    struct pgo_edges before = {0};
    struct pgo_check check = {.edges = edges,
                              .now_nanos = (int64_t)time(NULL) * 1000000000};
    struct profile *p = NULL;
    if (job->overlap) {
        if (!(p = cli_read_file(cli, job->overlap)))
            return;
        if (!pgo_edges_read(p, &before, &err))
            cli_error(cli, job->overlap, &err);
        check.before = &before;
    }
    if (!cli->status && write_text(job, edges, &check) &&
        !pgo_edges_fit(edges, &err)) {
        err.kind = PROF_ERR_ANSWER_NO;
        cli_error(cli, cli_only_input(cli), &err);
    }
    pgo_edges_free(&before);
    prof_delete(p);
}

/* Writes the edges as a compiler reads them. */
static void write_edges(struct job *job, struct pgo_edges *edges)
{
    struct cli *cli = &job->cli;
    struct prof_err err;
    struct profile *p = NULL;
    const bool text = job->output == OPT_PREPROFILE;
    const bool ok =
        pgo_edges_fit(edges, &err) &&
        (job->percent <= 0 || pgo_edges_cut(edges, job->percent, &err)) &&
        (text || (p = pgo_edges_profile(edges, &err)));
    if (!ok)
        cli_error(cli, cli_only_input(cli), &err);
    else if (!edges->v.n)
        note_warn(&cli->notes, "there are no calls, so that the compiler "
                               "optimizes nothing by this profile");
    if (ok && text)
        (void)write_text(job, edges, NULL);
    else if (ok)
        (void)cli_write_profile(cli, p);
    prof_delete(p);
}

static void convert(struct job *job)
{
    struct cli *cli = &job->cli;
    struct prof_err err;
    struct pgo_edges edges = {0};

    /* The sum of all inputs.  Only one of their types is read, so that a
     * profile that pb2pgo wrote can be added to those of a program. */
    const struct cli_merging how = {.types = PROF_TYPES_INTERSECT,
                                    .to_change = true};
    struct profile *sum = cli_merge_inputs(cli, &how);
    if (!sum)
        return;

    /* Its call edges, and what was asked of them. */
    if (!pgo_edges_read(sum, &edges, &err))
        cli_error(cli, cli_only_input(cli), &err);
    else if (job->output == OPT_CHECK)
        check_edges(job, &edges);
    else
        write_edges(job, &edges);
    pgo_edges_free(&edges);
    prof_delete(sum);
}

int main(int argc, char **argv)
{
    struct job job = {0};
    struct prof_err err = {0};
    const struct cli_spec spec = {
        .tool = "pb2pgo",
        .synopsis = "[option ...] [file ...]",
        .summary = "Writes what a compiler reads of profiles, to optimize with "
                   "them.",
        .examples = "pb2pgo -o default.pgo server.pb.gz\n"
                    "pb2pgo --check server.pb.gz",
        .options = options,
        .shared =
            CLI_OUTPUT | CLI_LEVEL | CLI_THREADS | CLI_KEEP_GOING | CLI_INPUTS,
        .take = take,
        .ctx = &job,
    };
    int status = cli_begin(&job.cli, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (!check_options(&job, &err)) {
        cli_error(&job.cli, NULL, &err);
    } else {
        cli_isolate(&job.cli, &(struct cli_needs){.files = &job.overlap,
                                                  .n_files = !!job.overlap});
        convert(&job);
    }
    return cli_end(&job.cli);
}
