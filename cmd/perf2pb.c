/* perf2pb.c - recordings of Linux perf to profile.proto; see perf2pb(1) */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "cli/convert.h"
#include "cli/isolate.h"
#include "cli/symbol_options.h"
#include "formats/perf/perf.h"

enum {
    OPT_NO_SYMBOLS = 256,
    OPT_LABELS,
    OPT_EVENT,
    OPT_PID,
    OPT_TID,
    OPT_CPU,
    OPT_COMM,
    OPT_TIME,
    OPT_MAX_STACK,
    OPT_EACH,
};

static const struct cli_option options[] = {
    CLI_HEADING("Samples"),
    {"event", OPT_EVENT, "NAME", "convert only this event (may be repeated)"},
    {"pid", OPT_PID, "LIST", "convert only these processes: 1,20-29"},
    {"tid", OPT_TID, "LIST", "convert only these threads"},
    {"cpu", OPT_CPU, "LIST", "convert only samples of these processors"},
    {"comm", OPT_COMM, "NAME",
     "convert only threads of this name (may be repeated)"},
    {"time", OPT_TIME, "FROM,TO",
     "convert samples of a time: 12.5,14 +1,+2 10%-20%"},
    {"max-stack", OPT_MAX_STACK, "N",
     "keep the N innermost frames (default: all)"},
    {"labels", OPT_LABELS, PERF_LABEL_NAMES "[,...]",
     "add these labels to samples"},
    {"each", OPT_EACH, "[process]",
     "write a profile for each input or process to -o DIR/"},

    CLI_HEADING("Symbols"),
    {"executable", 'e', "FILE", "use FILE as the binary of the main mapping"},
    {"binary", 'e', "FILE", NULL},
    CLI_SYMBOL_OPTIONS(" (default)", ""),
    CLI_SYMTAB_ONLY,
    CLI_KERNEL_OPTIONS,
    {"no-symbols", OPT_NO_SYMBOLS, NULL, "do not symbolize addresses"},
    {0},
};

struct job {
    struct cli cli;
    struct perf_opts opts;
    struct cli_symbols symbols;
    VEC(const char *) events;
    VEC(const char *) comms;
};

static bool set_labels(struct job *job, const char *list, struct prof_err *err)
{
    for (bool more = true; more;) {
        size_t i, n = strcspn(list, ",");
        if (!slice_find_word((struct prof_slice){list, n}, PERF_LABEL_NAMES, &i,
                             err))
            return false;
        job->opts.labels |= 1u << i;
        more = list[n] == ',';
        list += n + more;
    }
    return true;
}

static bool set_option(void *ctx, int key, const char *value,
                       struct prof_err *err)
{
    struct job *job = ctx;
    bool ok;
    if (cli_take_symbols(&job->symbols, key, value, &ok, err))
        return ok;
    switch (key) {
    case 'e':
        job->opts.symbols.binary = value;
        return true;
    case OPT_EVENT:
        return vec_push(&job->events, value) || err_nomem(err);
    case OPT_COMM:
        return vec_push(&job->comms, value) || err_nomem(err);
    case OPT_PID:
        return perf_add_ranges(&job->opts.pids, value, err);
    case OPT_TID:
        return perf_add_ranges(&job->opts.tids, value, err);
    case OPT_CPU:
        return perf_add_ranges(&job->opts.cpus, value, err);
    case OPT_TIME:
        return perf_parse_time(&job->opts.time, value, err);
    case OPT_MAX_STACK:
        return cli_parse_count(value, 1, UINT32_MAX, &job->opts.max_stack, err);
    case OPT_EACH: {
        size_t i;
        job->opts.each_process = value != NULL;
        job->cli.each = true;
        return !value || cli_parse_word("process", value, &i, err);
    }
    case OPT_LABELS:
        return set_labels(job, value, err);
    default:
        return job->opts.no_symbols = true;
    }
}

/* Writes a profile of the part, or with --each=process of each process. */
static bool write_each(struct job *job, struct conversion *c,
                       struct perf_sum *sum, struct prof_err *err)
{
    struct profile *p;
    struct buf name = {0};
    bool ok = true;
    if (!job->opts.each_process)
        return conversion_put(c, perf_sum_finish(sum, err), NULL, err);
    conversion_divide(c);
    while (ok && (ok = perf_sum_next(sum, &p, &name, err)) && p) {
        ok = conversion_put(c, p, &name, err);
        name.n = 0;
    }
    buf_free(&name);
    return ok;
}

static void convert(struct job *job)
{
    struct cli *cli = &job->cli;
    const struct conversion_opts how = {.reads = "a perf.data file",
                                        .member_begins = perf_format.begins,
                                        .streams = &perf_streams};
    struct conversion *c = conversion_begin(cli, &how);
    struct perf_sum *sum = NULL;
    struct import_input in;
    struct prof_err err;
    while (c && conversion_next(c, &in)) {
        if (!conversion_accept(c, in.format != NULL))
            continue;
        if (!sum)
            sum = perf_sum_new(&job->opts, &cli->notes, &err);
        bool ok = sum && perf_sum_add(sum, &in, &err);
        if (cli->each) {
            ok = ok && write_each(job, c, sum, &err);
            perf_sum_free(sum);
            sum = NULL;
        }
        conversion_done(c, ok, &err);
    }
    if (c && conversion_has_sum(c))
        conversion_write(c, perf_sum_finish(sum, &err), &err);
    perf_sum_free(sum);
    conversion_end(c);
}

/*
 * Whether to use the command line of perf_to_profile, which Go's pprof runs for
 * perf.data files: -i INPUT -o OUTPUT -f.  pprof keeps OUTPUT open and reads it
 * afterwards, so it must be overwritten, not replaced: it becomes standard
 * output.
 */
static bool is_compatible(const char *program)
{
    const char *slash = strrchr(program, '/');
    return strcmp(slash ? slash + 1 : program, "perf_to_profile") == 0;
}

/* Returns 0, with *input set and OUTPUT open; or the exit status of a failure.
 */
static int read_compatible(int argc, char **argv, char **input)
{
    char *output = NULL;
    bool force = false, ok = true;
    opterr = 0;
    for (int c; (c = getopt(argc, argv, "i:o:fj")) != -1;) {
        ok &= c != '?';
        force |= c == 'f';
        *input = c == 'i' ? optarg : *input;
        output = c == 'o' ? optarg : output;
    }
    if (!ok || !*input || !output || optind != argc) {
        fputs("usage: perf_to_profile -i INPUT -o OUTPUT [-f]\n"
              "-f overwrites OUTPUT; this is perf2pb, see perf2pb(1)\n",
              stderr);
        return PROF_ERR_USAGE;
    }
    struct prof_err err;
    if (!cli_keeps_input(output, *input, &err)) {
        fprintf(stderr, "perf_to_profile: %s: %s\n", output, err.text);
        return PROF_ERR_USAGE;
    }
    if (freopen(output, force ? "w" : "wx", stdout))
        return 0;
    if (errno == EEXIST) {
        fprintf(stderr,
                "perf_to_profile: %s: file exists; use -f to overwrite it\n",
                output);
        return PROF_ERR_USAGE;
    }
    fprintf(stderr, "perf_to_profile: %s: cannot open: %s\n", output,
            strerror(errno));
    return PROF_ERR_SYSTEM;
}

int main(int argc, char **argv)
{
    struct job job = {0};
    static char quiet[] = "-q", end[] = "--";
    char *args[] = {argv[0], quiet, end, NULL, NULL};
    if (argc && is_compatible(argv[0])) {
        int status = read_compatible(argc, argv, &args[3]);
        if (status)
            return status;
        argc = 4;
        argv = args;
        optind = 0;
    }
    static const struct library_about *const libraries[] = {
        &sym_library, &perf_library, NULL};
    const struct cli_spec spec = {
        .tool = "perf2pb",
        .synopsis = "[option ...] [file ...]",
        .summary = "Converts recordings of Linux perf (perf.data) to "
                   "profile.proto.",
        .examples = "perf2pb perf.data | pbcat\n"
                    "perf2pb --labels=comm,tid -o cpu.pb.gz perf.data",
        .usual_input = "perf.data",
        .reads_usual = true,
        .options = options,
        .libraries = libraries,
        .shared = CLI_OUTPUT | CLI_LEVEL | CLI_KEEP_GOING | CLI_INPUTS |
                  CLI_CONVERT | CLI_THREADS,
        .take = set_option,
        .ctx = &job,
    };
    int status = cli_begin(&job.cli, &spec, argc, argv);
    if (status < 0) {
        /* Unwinding reads binaries, without symbols too. */
        cli_isolate(&job.cli, &(struct cli_needs){.any_file = true});
        job.opts.events = job.events.v;
        job.opts.n_events = job.events.n;
        job.opts.comms = job.comms.v;
        job.opts.n_comms = job.comms.n;
        /* Each recording has symbols of its own, mostly of the same binaries.
         */
        if (cli_symbols_begin(&job.cli, &job.symbols, true, &job.opts.symbols))
            convert(&job);
        cli_symbols_end(&job.opts.symbols);
        status = cli_end(&job.cli);
    }
    vec_free(&job.events);
    vec_free(&job.comms);
    vec_free(&job.opts.pids.list);
    vec_free(&job.opts.tids.list);
    vec_free(&job.opts.cpus.list);
    return status;
}
