/* pbsym.c - adds functions, files and lines to the addresses of a profile */
#include "cli/convert.h"
#include "cli/isolate.h"
#include "cli/symbol_options.h"
#include "symbolize/symbol.h"

enum { KEY_FORCE = 256 };

static const struct cli_option options[] = {
    CLI_HEADING("Symbols"),
    CLI_MAIN_BINARY,
    CLI_SYMBOL_OPTIONS(" (default)", ""),
    CLI_SYMTAB_ONLY,
    CLI_KERNEL_OPTIONS,
    {"force", KEY_FORCE, NULL, "symbolize again what already has symbols"},
    {0},
};

struct job {
    struct cli cli;
    struct sym_opts opts;
    struct cli_symbols symbols;
};

static bool take(void *ctx, int key, const char *value, struct prof_err *err)
{
    struct job *job = ctx;
    bool ok;
    if (cli_take_symbols(&job->symbols, key, value, &ok, err))
        return ok;
    return job->opts.force = true;
}

/* A worker of --each: the options, with its own cache of binaries. */
struct worker {
    const struct job *job;
    struct sym_opts opts;
};

static bool add_symbols(void *worker, struct profile *p,
                        const struct conversion_job *job, struct prof_err *err)
{
    struct worker *w = worker;
    const struct cli_symbols *symbols = &w->job->symbols;
    const struct prof_result_opts result = {.threads = job->threads,
                                            .to_write = true};
    w->opts.threads = job->threads;
    return (!symbols->has_demangle ||
            sym_redemangle(p, symbols->demangle, job->notes, err)) &&
           sym_profile(p, &w->opts, job->notes, err) &&
           prof_merge_one(p, &result, err);
}

static bool begin(void *worker, void *ctx, struct prof_err *err)
{
    const struct job *job = ctx;
    struct worker *w = worker;
    *w = (struct worker){job, job->opts};
    return (w->opts.cache = sym_cache_new(err));
}

static void end(void *worker)
{
    struct worker *w = worker;
    sym_cache_free(w->opts.cache);
}

static void symbolize_all(struct job *job)
{
    struct cli *cli = &job->cli;
    struct prof_err err;
    struct worker w = {.job = job, .opts = job->opts};
    const struct conversion_job all = {.threads = cli->threads,
                                       .notes = &cli->notes};
    struct profile *p = cli_read_profile(cli);
    if (p && add_symbols(&w, p, &all, &err))
        (void)cli_write_profile(cli, p);
    else if (p)
        cli_error(cli, NULL, &err);
    prof_delete(p);
}

static void symbolize(struct job *job)
{
    static const struct changer changer = {sizeof(struct worker), begin, end,
                                           add_symbols};
    if (cli_symbols_begin(&job->cli, &job->symbols, false, &job->opts)) {
        if (job->cli.each)
            cli_change_each(&job->cli, &changer, job);
        else
            symbolize_all(job);
    }
    cli_symbols_end(&job->opts);
}

int main(int argc, char **argv)
{
    struct job job = {0};
    static const struct library_about *const libraries[] = {&sym_library, NULL};
    const struct cli_spec spec = {
        .tool = "pbsym",
        .synopsis = "[option ...] [file ...]",
        .summary =
            "Symbolizes a profile: adds functions, files and lines to its "
            "addresses.",
        .examples = "pbsym -o symbols.pb.gz cpu.pb.gz\n"
                    "pbsym -e prog --demangle=full cpu.pb.gz | pbcat",
        .options = options,
        .libraries = libraries,
        .shared = CLI_CONVERTER | CLI_THREADS,
        .take = take,
        .ctx = &job,
    };
    int status = cli_begin(&job.cli, &spec, argc, argv);
    if (status >= 0)
        return status;
    struct prof_err err;
    if (sym_library.lacking) {
        err_set(&err, PROF_ERR_SYSTEM,
                "cannot add symbols: built without elfutils");
        cli_error(&job.cli, NULL, &err);
        return cli_end(&job.cli);
    }
    job.opts.binary = job.symbols.binary;
    cli_isolate(&job.cli, &(struct cli_needs){.any_file = true});
    symbolize(&job);
    return cli_end(&job.cli);
}
