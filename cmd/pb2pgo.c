/* pb2pgo.c - profiles back into compilers, as what those read */
#include "cli/cli.h"
#include "cli/isolate.h"
#include "pgo/pgo.h"

enum { OPT_GO = 256, OPT_PREPROFILE, OPT_CDF };

static const struct cli_option options[] = {
    CLI_HEADING("Compiler"),
    {"go", OPT_GO, NULL, "write call edges for the Go compiler (default)"},
    {"preprofile", OPT_PREPROFILE, NULL,
     "write them as text, as 'go tool preprofile' does"},

    CLI_HEADING("Edges"),
    {"cdf", OPT_CDF, "PERCENT",
     "keep only the hottest edges with this share of calls"},
    {0},
};

struct job {
    struct cli cli;
    bool text;
    double percent; /* 0: all edges */
};

static bool parse_percent(const char *value, double *percent,
                          struct prof_err *err)
{
    struct prof_ratio ratio;
    if (!prof_ratio_parse(value, &ratio) || ratio.num <= 0 ||
        ratio.num / ratio.den >= 100)
        return err_value(err, "expected a decimal number above 0 and below "
                              "100");
    *percent = (double)ratio.num / (double)ratio.den;
    return true;
}

static bool take(void *ctx, int key, const char *value, struct prof_err *err)
{
    struct job *job = ctx;
    switch (key) {
    case OPT_GO:
        job->text = false;
        return true;
    case OPT_PREPROFILE:
        return job->text = true;
    default:
        return parse_percent(value, &job->percent, err);
    }
}

static void write_text(struct job *job, const struct pgo_edges *edges)
{
    struct prof_err err;
    struct cli_text text = cli_text_of(&job->cli);
    if (!pgo_edges_text(edges, &text.sink, &err)) {
        if (!text.failed)
            cli_error(&job->cli, cli_only_input(&job->cli), &err);
    } else {
        (void)cli_text_end(&text);
    }
    cli_text_free(&text);
}

static void write_profile(struct job *job, const struct pgo_edges *edges)
{
    struct prof_err err;
    struct profile *p = pgo_edges_profile(edges, &err);
    if (p)
        (void)cli_write_profile(&job->cli, p);
    else
        cli_error(&job->cli, NULL, &err);
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

    /* Its call edges; the hot ones of them. */
    if (!pgo_edges_read(sum, &edges, &err) ||
        (job->percent > 0 && !pgo_edges_cut(&edges, job->percent, &err))) {
        cli_error(cli, cli_only_input(cli), &err);
    } else {
        if (!edges.v.n)
            note_warn(&cli->notes,
                      "there are no calls, so that the compiler optimizes "
                      "nothing by this profile");
        if (job->text)
            write_text(job, &edges);
        else
            write_profile(job, &edges);
    }
    pgo_edges_free(&edges);
    prof_delete(sum);
}

int main(int argc, char **argv)
{
    struct job job = {0};
    const struct cli_spec spec = {
        .tool = "pb2pgo",
        .synopsis = "[option ...] [file ...]",
        .summary = "Writes what a compiler reads of profiles, to optimize with "
                   "them.",
        .examples = "pb2pgo -o default.pgo cpu.pb.gz\n"
                    "pb2pgo --preprofile --cdf=99 cpu.pb.gz",
        .options = options,
        .shared =
            CLI_OUTPUT | CLI_LEVEL | CLI_THREADS | CLI_KEEP_GOING | CLI_INPUTS,
        .take = take,
        .ctx = &job,
    };
    int status = cli_begin(&job.cli, &spec, argc, argv);
    if (status >= 0)
        return status;
    cli_isolate(&job.cli, &(struct cli_needs){0});
    convert(&job);
    return cli_end(&job.cli);
}
