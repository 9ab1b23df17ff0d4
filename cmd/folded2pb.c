/* folded2pb.c - converts folded stacks to profile.proto; see folded2pb(1) */
#include "cli/convert.h"
#include "cli/isolate.h"
#include "formats/folded/folded.h"

enum {
    KEY_SAMPLE_TYPES = 256,
    KEY_NO_COUNTS,
    KEY_ANNOTATIONS,
    KEY_ROOT_LABEL,
};

static const struct cli_option options[] = {
    CLI_HEADING("Conversion"),
    {"sample-types", KEY_SAMPLE_TYPES, "LIST",
     "name the numbers of a line: alloc/bytes,calls"},
    {"no-counts", KEY_NO_COUNTS, NULL,
     "count each line once: lines have no numbers"},
    {"annotations", KEY_ANNOTATIONS, NULL,
     "interpret the suffixes _[i], _[k] and _[j] of names"},
    {"root-label", KEY_ROOT_LABEL, "KEY",
     "turn the first frame of each stack into this label"},
    {0},
};

struct job {
    struct cli cli;
    struct folded_opts opts;
};

static bool set_option(void *ctx, int key, const char *value,
                       struct prof_err *err)
{
    struct job *job = ctx;
    switch (key) {
    case KEY_SAMPLE_TYPES:
        if (!folded_set_types(&job->opts, value, err))
            return false;
        break;
    case KEY_NO_COUNTS:
        job->opts.no_counts = true;
        break;
    case KEY_ANNOTATIONS:
        job->opts.annotations = true;
        break;
    default:
        if (!*value)
            return err_value(err, "expected a label name");
        job->opts.root_label = value;
    }
    if (job->opts.no_counts && job->opts.n_types > 1)
        return err_options(err,
                           "--no-counts allows only one sample type, not %zu",
                           job->opts.n_types);
    return true;
}

/* --- the conversion ------------------------------------------------------- */

struct worker {
    struct import_sum sum;
};

static bool is_ours(void *ctx, const struct import_input *in,
                    const struct input_part *part)
{
    const struct job *job = ctx;
    (void)part;
    return folded_may_begin(in, &job->opts);
}

static bool add(void *worker, const struct conversion_job *job,
                struct prof_err *err)
{
    const struct job *own = job->ctx;
    struct worker *w = worker;
    w->sum.notes = job->notes;
    return import_sum_add(&w->sum, folded_read(job->in, &own->opts, err), err);
}

static struct profile *finish(void *worker, bool ok, struct prof_err *err)
{
    struct worker *w = worker;
    const struct prof_result_opts to_write = {.to_write = true};
    struct profile *p = ok ? import_sum_finish(&w->sum, &to_write, err) : NULL;
    prof_merge_free(w->sum.merger);
    w->sum.merger = NULL;
    return p;
}

static void convert(struct job *job)
{
    static const struct converter converter = {
        sizeof(struct worker), is_ours, NULL, NULL, add, finish};
    const struct conversion_opts how = {.reads = "a file of folded stacks"};
    conversion_run(&job->cli, &how, &converter, job);
}

int main(int argc, char **argv)
{
    struct job job = {0};
    const struct cli_spec spec = {
        .tool = "folded2pb",
        .synopsis = "[option ...] [file ...]",
        .summary =
            "Converts folded stacks to profile.proto; adds up several files.",
        .examples = "folded2pb cpu.folded | pbcat --flame -o cpu.html\n"
                    "folded2pb --sample-types=cpu/nanoseconds -o cpu.pb.gz "
                    "cpu.folded",
        .options = options,
        .shared = CLI_CONVERTER | CLI_THREADS,
        .take = set_option,
        .ctx = &job,
    };
    int status = cli_begin(&job.cli, &spec, argc, argv);
    if (status < 0) {
        cli_isolate(&job.cli, &(struct cli_needs){0});
        convert(&job);
        status = cli_end(&job.cli);
    }
    folded_opts_free(&job.opts);
    return status;
}
