/* pbsym.c - adds functions, files and lines to the addresses of a profile */
#include <stdlib.h>

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

static bool add_symbols(void *ctx, struct profile *p, struct prof_err *err)
{
    const struct job *job = ctx;
    const struct prof_notes *notes = &job->cli.notes;
    const struct prof_result_opts result = {.threads = job->cli.threads,
                                            .to_write = true};
    return (!job->symbols.has_demangle ||
            sym_redemangle(p, job->symbols.demangle, notes, err)) &&
           sym_profile(p, &job->opts, notes, err) &&
           prof_merge_one(p, &result, err);
}

static void symbolize(struct job *job)
{
    struct cli *cli = &job->cli;
    struct prof_err err;
    struct profile *p = cli->each ? NULL : cli_read_profile(cli);
    /* What one profile has needed, the next one may. */
    if ((p || cli->each) &&
        cli_symbols_begin(cli, &job->symbols, cli->each, &job->opts)) {
        if (cli->each)
            cli_change_each(cli, add_symbols, job);
        else if (add_symbols(job, p, &err))
            (void)cli_write_profile(cli, p);
        else
            cli_error(cli, NULL, &err);
    }
    cli_symbols_end(&job->opts);
    prof_delete(p);
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
