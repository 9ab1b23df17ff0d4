/* prof2pb.c - converts profiles of gperftools and others to profile.proto */
#include <stdio.h>

#include "cli/convert.h"
#include "cli/isolate.h"
#include "cli/symbol_options.h"
#include "formats/import_formats.h"
#include "formats/prof2pb.h"

enum {
    OPT_STRIP_SIGNAL_FRAMES = 256,
    OPT_FIRST_ONLY,
    OPT_NO_INHERITED,
    OPT_BUILD_ID,
    OPT_TYPE,
    OPT_PER_THREAD,
    OPT_PERIOD,
    OPT_END_AT_ZERO,
};

static char formats[IMPORT_NAMES_MAX]; /* words that --type accepts */

static const struct cli_option options[] = {
    CLI_HEADING("Symbols"),
    CLI_MAIN_BINARY,
    CLI_SYMBOL_OPTIONS(" (default)", ""),
    CLI_SYMTAB_ONLY,
    CLI_NO_SYMBOLS,
    {"build-id", OPT_BUILD_ID, NULL, "read build IDs from the listed files"},

    CLI_HEADING("Conversion"),
    {"type", OPT_TYPE, formats, "force the input format"},
    {"per-thread", OPT_PER_THREAD, NULL,
     "keep the samples of each thread separate"},
    {"period", OPT_PERIOD, "TIME",
     "set the period of CPU samples: 10ms or 100Hz"},
    {"first-only", OPT_FIRST_ONLY, NULL,
     "read only the first of several profiles in a file"},
    {"no-inherited", OPT_NO_INHERITED, NULL,
     "ignore samples inherited from a forked parent"},
    {"strip-signal-frames", OPT_STRIP_SIGNAL_FRAMES, NULL,
     "drop second frames that all samples share"},
    {"end-at-zero", OPT_END_AT_ZERO, NULL,
     "stop at a record whose leaf is address 0"},
    {0},
};

struct job {
    struct cli cli;
    struct prof2pb_options opts;
    struct cli_symbols symbols;
};

static bool set_option(void *ctx, int key, const char *value,
                       struct prof_err *err)
{
    struct job *job = ctx;
    struct import_options *import = &job->opts.import;
    size_t i;
    bool ok;
    if (cli_take_symbols(&job->symbols, key, value, &ok, err))
        return ok;
    switch (key) {
    case OPT_BUILD_ID:
        return job->opts.build_ids = true;
    case OPT_TYPE:
        job->opts.format = import_named(value);
        return job->opts.format || cli_parse_word(formats, value, &i, err);
    case OPT_PERIOD:
        return cli_parse_period(value, &import->period, err);
    case OPT_END_AT_ZERO:
        return import->zero_ends = true;
    case OPT_STRIP_SIGNAL_FRAMES:
        return import->strip_signal_frames = true;
    case OPT_FIRST_ONLY:
        return import->first_only = true;
    case OPT_NO_INHERITED:
        return import->no_inherited = true;
    default:
        return import->threads = true;
    }
}

/* --- the conversion ------------------------------------------------------- */

struct worker {
    struct prof2pb_options opts; /* with a cache of opened binaries */
    struct prof2pb_sum *sum;
};

static bool is_ours(void *ctx, const struct import_input *in,
                    const struct input_part *part)
{
    const struct job *job = ctx;
    (void)part;
    return job->opts.format || in->format;
}

static bool begin(void *worker, void *ctx, struct prof_err *err)
{
    const struct job *job = ctx;
    struct worker *w = worker;
    w->opts = job->opts;
    return !job->cli.each || (w->opts.symbols.cache = sym_cache_new(err));
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
    w->opts.symbols.threads = job->threads;
    if (!w->sum)
        w->sum = prof2pb_sum_new(&w->opts, job->notes, err);
    return w->sum && prof2pb_sum_add(w->sum, job->in, err);
}

static struct profile *finish(void *worker, bool ok, struct prof_err *err)
{
    struct worker *w = worker;
    struct profile *p = ok ? prof2pb_sum_finish(w->sum, err) : NULL;
    prof2pb_sum_free(w->sum);
    w->sum = NULL;
    return p;
}

static void convert(struct job *job)
{
    static const struct converter converter = {
        sizeof(struct worker), is_ours, begin, end, add, finish};
    const struct conversion_opts how = {.reads = "a profile that prof2pb reads",
                                        .member_begins = prof2pb_begins};
    conversion_run(&job->cli, &how, &converter, job);
}

int main(int argc, char **argv)
{
    struct job job = {0};
    static const struct library_about *const libraries[] = {&sym_library, NULL};
    char writers[IMPORT_NAMES_MAX], summary[IMPORT_NAMES_MAX + 50];
    (void)snprintf(summary, sizeof summary,
                   "Converts %s profiles to profile.proto.",
                   import_writers("and", writers));
    const struct cli_spec spec = {
        .tool = "prof2pb",
        .synopsis = "[option ...] [file ...]",
        .summary = summary,
        .examples = "prof2pb cpu.prof | pbcat\n"
                    "prof2pb -e ./prog -o cpu.pb.gz cpu.prof",
        .options = options,
        .libraries = libraries,
        .shared = CLI_CONVERTER | CLI_THREADS,
        .take = set_option,
        .ctx = &job,
    };
    (void)import_names(formats);
    int status = cli_begin(&job.cli, &spec, argc, argv);
    if (status >= 0)
        return status;
    job.opts.import.binary = job.symbols.binary;
    job.opts.import.no_symbols = job.symbols.no_symbols;
    cli_isolate(&job.cli,
                &(struct cli_needs){.any_file = !job.opts.import.no_symbols ||
                                                job.opts.build_ids});
    if (cli_symbols_begin(&job.cli, &job.symbols, false, &job.opts.symbols))
        convert(&job);
    cli_symbols_end(&job.opts.symbols);
    return cli_end(&job.cli);
}
