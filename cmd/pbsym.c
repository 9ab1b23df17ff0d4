/* pbsym.c - adds functions, files and lines to the addresses of a profile */
#include <stdlib.h>

#include "cli/cli.h"
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

static void symbolize(struct job *job)
{
    struct prof_err err;
    const struct prof_result_opts result = {.threads = job->cli.threads,
                                            .to_write = true};
    struct profile *p = cli_read_profile(&job->cli);
    if (p && cli_symbols_begin(&job->cli, &job->symbols, false, &job->opts)) {
        bool ok =
            !job->symbols.has_demangle ||
            sym_redemangle(p, job->symbols.demangle, &job->cli.notes, &err);
        if (ok && sym_profile(p, &job->opts, &job->cli.notes, &err) &&
            prof_merge_one(p, &result, &err))
            (void)cli_write_profile(&job->cli, p);
        else
            cli_error(&job->cli, NULL, &err);
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
        .shared =
            CLI_OUTPUT | CLI_LEVEL | CLI_KEEP_GOING | CLI_INPUTS | CLI_THREADS,
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
