/* perf2pb.c - converts recordings of Linux perf; see perf2pb(1) */
#include "base/vec.h"
#include "cli/convert.h"
#include "cli/isolate.h"
#include "cli/symbol_options.h"
#include "formats/perf/perf.h"

enum {
    OPT_LABELS = 256,
    OPT_EVENT,
    OPT_PID,
    OPT_TID,
    OPT_CPU,
    OPT_COMM,
    OPT_TIME,
    OPT_MAX_STACK,
    OPT_FLAT,
    OPT_LATENCY,
    OPT_EACH,
};

static const struct cli_option options[] = {
    CLI_HEADING("Samples"),
    {"event", OPT_EVENT | CLI_COMMON, "NAME",
     "convert only this event (may be repeated)"},
    {"pid", OPT_PID | CLI_COMMON, "LIST",
     "convert only these processes: 1,20-29"},
    {"tid", OPT_TID, "LIST", "convert only these threads"},
    {"cpu", OPT_CPU, "LIST", "convert only samples of these processors"},
    {"comm", OPT_COMM | CLI_COMMON, "NAME",
     "convert only threads of this name (may be repeated)"},
    {"time", OPT_TIME | CLI_COMMON, "FROM,TO",
     "convert samples of a time: 12.5,14 +1,+2 10%-20%"},
    {"max-stack", OPT_MAX_STACK, "N",
     "keep the N innermost frames (default: all)"},
    {"flat", OPT_FLAT, NULL,
     "write the flat profile only, without call stacks"},
    {"latency", OPT_LATENCY, NULL,
     "add a type of time that counts parallel threads once"},
    {"labels", OPT_LABELS | CLI_COMMON, PERF_LABEL_NAMES "[,...]",
     "add these labels to samples"},
    {"each", OPT_EACH | CLI_COMMON, "[process]",
     "write a profile for each input or process to -o DIR/"},

    CLI_HEADING("Symbols"),
    CLI_MAIN_BINARY,
    CLI_SYMBOL_OPTIONS(" (default)", ""),
    CLI_SYMTAB_ONLY,
    CLI_KERNEL_OPTIONS,
    CLI_NO_SYMBOLS,
    {0},
};

struct job {
    struct cli cli;
    struct perf_opts opts;
    struct cli_symbols symbols;
};

static bool set_option(void *ctx, int key, const char *value,
                       struct prof_err *err)
{
    struct job *job = ctx;
    struct perf_opts *opts = &job->opts;
    size_t i;
    bool ok;
    if (cli_take_symbols(&job->symbols, key, value, &ok, err))
        return ok;
    switch (key) {
    case OPT_EVENT:
        return vec_push(&opts->events.list, value) || err_nomem(err);
    case OPT_COMM:
        return vec_push(&opts->comms.list, value) || err_nomem(err);
    case OPT_PID:
        return perf_add_ranges(&opts->pids, value, err);
    case OPT_TID:
        return perf_add_ranges(&opts->tids, value, err);
    case OPT_CPU:
        return perf_add_ranges(&opts->cpus, value, err);
    case OPT_TIME:
        return perf_parse_time(&opts->time, value, err);
    case OPT_MAX_STACK:
        return cli_parse_count(value, 1, UINT32_MAX, &opts->max_stack, err);
    case OPT_FLAT:
        return opts->flat = true;
    case OPT_LATENCY:
        return opts->latency = true;
    case OPT_EACH:
        opts->each_process = value != NULL;
        job->cli.each = true;
        return !value || cli_parse_word("process", value, &i, err);
    default:
        return perf_add_labels(&opts->labels, value, err);
    }
}

/* --- a profile of each input, or one of all ------------------------------- */

struct worker {
    struct perf_opts opts; /* with a cache of opened binaries */
    struct perf_sum *sum;
};

static bool is_ours(void *ctx, const struct import_input *in,
                    const struct input_part *part)
{
    (void)ctx;
    (void)part;
    return in->format != NULL;
}

static bool begin(void *worker, void *ctx, struct prof_err *err)
{
    const struct job *job = ctx;
    struct worker *w = worker;
    w->opts = job->opts;
    return (w->opts.symbols.cache = sym_cache_new(err));
}

static void end(void *worker)
{
    struct worker *w = worker;
    sym_cache_free(w->opts.symbols.cache);
}

static bool add(void *worker, const struct conversion_job *job,
                struct prof_err *err)
{
    struct worker *w = worker;
    w->opts.symbols.threads = w->opts.result.threads = job->threads;
    if (!w->sum)
        w->sum = perf_sum_new(&w->opts, job->notes, err);
    return w->sum && perf_sum_add(w->sum, job->in, err);
}

static struct profile *finish(void *worker, bool ok, struct prof_err *err)
{
    struct worker *w = worker;
    struct profile *p = ok ? perf_sum_finish(w->sum, err) : NULL;
    perf_sum_free(w->sum);
    w->sum = NULL;
    return p;
}

/* --- a profile of each process -------------------------------------------- */

static bool write_processes(struct conversion *c, struct perf_sum *sum,
                            struct prof_err *err)
{
    struct profile *p;
    struct buf name = {0};
    bool ok = true;
    conversion_divide(c);
    while (ok && (ok = perf_sum_next(sum, &p, &name, err)) && p) {
        ok = conversion_put(c, p, &name, err);
        name.n = 0;
    }
    buf_free(&name);
    return ok;
}

static void convert_processes(struct job *job,
                              const struct conversion_opts *how)
{
    struct cli *cli = &job->cli;
    struct conversion *c = conversion_begin(cli, how);
    struct import_input in;
    struct prof_err err;
    while (c && conversion_next(c, &in)) {
        if (!conversion_accept(c, in.format != NULL))
            continue;
        struct perf_sum *sum = perf_sum_new(&job->opts, &cli->notes, &err);
        bool ok = sum && perf_sum_add(sum, &in, &err) &&
                  write_processes(c, sum, &err);
        perf_sum_free(sum);
        conversion_done(c, ok, &err);
    }
    conversion_end(c);
}

static void convert(struct job *job)
{
    static const struct converter converter = {
        sizeof(struct worker), is_ours, begin, end, add, finish};
    const struct conversion_opts how = {.reads = "a perf.data file",
                                        .member_begins = perf_format.begins,
                                        .streams = &perf_streams};
    if (job->opts.each_process)
        convert_processes(job, &how);
    else
        conversion_run(&job->cli, &how, &converter, job);
}

int main(int argc, char **argv)
{
    struct job job = {0};
    int status = cli_perf_to_profile(&argc, &argv);
    if (status)
        return status;
    static const struct library_about *const libraries[] = {
        &sym_library, &perf_library, NULL};
    const struct cli_spec spec = {
        .tool = "perf2pb",
        .synopsis = "[option ...] [file ...]",
        .summary = "Converts recordings of Linux perf (perf.data) to "
                   "profile.proto.",
        .examples = "perf2pb perf.data | pbcat\n"
                    "perf2pb --labels=comm,tid -o cpu.pb.gz perf.data",
        .peer = CLI_PERF,
        .usual_input = "perf.data",
        .reads_usual = true,
        .options = options,
        .libraries = libraries,
        .shared = CLI_CONVERTER | CLI_THREADS,
        .take = set_option,
        .ctx = &job,
    };
    status = cli_begin(&job.cli, &spec, argc, argv);
    if (status < 0) {
        /* Unwinding reads binaries even with --no-symbols. */
        cli_isolate(&job.cli, &(struct cli_needs){.any_file = true});
        job.opts.no_symbols = job.symbols.no_symbols;
        job.opts.symbols.binary = job.symbols.binary;
        job.opts.result = (struct prof_result_opts){.threads = job.cli.threads,
                                                    .to_write = true};
        if (job.opts.flat && job.opts.max_stack)
            note_warn(&job.cli.notes, "--max-stack has no effect with --flat");
        /* Keep some binaries open: the next recording may need them, too. */
        if (cli_symbols_begin(&job.cli, &job.symbols, true, &job.opts.symbols))
            convert(&job);
        cli_symbols_end(&job.opts.symbols);
        status = cli_end(&job.cli);
    }
    perf_opts_free(&job.opts);
    return status;
}
