/* pbsym - names for the addresses of a profile; see pbsym(1) */
#include <stdlib.h>
#include <string.h>

#include "cli/binary_path.h"
#include "cli/cli.h"
#include "cli/isolate.h"
#include "profile/merge.h"
#include "symbol/symbol.h"

enum {
    KEY_FORCE = 256,
    KEY_DEMANGLE,
    KEY_PATH,
    KEY_SYMTAB_ONLY,
    KEY_NO_INLINES,
};

static const struct cli_option options[] = {
    {"binary", 'e', "FILE", "the binary of the main mapping"},
    {"path", KEY_PATH, "DIRS", "look here before PPROF_BINARY_PATH"},
    {"force", KEY_FORCE, NULL, "symbolize again what has symbols"},
    {"demangle", KEY_DEMANGLE, "MODE",
     "default, templates, full or none (linkage names)"},
    {"symtab-only", KEY_SYMTAB_ONLY, NULL,
     "names from symbol tables, no files or lines"},
    {"no-inlines", KEY_NO_INLINES, NULL, "leave inlined functions out"},
    {0},
};

struct job {
    struct cli cli;
    struct sym_opts opts;
    const char *path; /* as given with --path */
};

static bool take_demangle(const char *value, enum sym_demangle *how,
                          struct err *err)
{
    static const char *const words[] = {
        [SYM_DEMANGLE_DEFAULT] = "default",
        [SYM_DEMANGLE_TEMPLATES] = "templates",
        [SYM_DEMANGLE_FULL] = "full",
        [SYM_DEMANGLE_NONE] = "none",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(value, words[i]) == 0) {
            *how = (enum sym_demangle)i;
            return true;
        }
    return err_set(err, ERR_USAGE,
                   "'%s' is not default, templates, full or none", value);
}

static bool take(void *ctx, int key, const char *value, struct err *err)
{
    struct job *job = ctx;
    switch (key) {
    case 'e':
        job->opts.binary = value;
        return true;
    case KEY_PATH:
        job->path = value;
        return true;
    case KEY_FORCE:
        return job->opts.force = true;
    case KEY_DEMANGLE:
        return take_demangle(value, &job->opts.demangle, err);
    case KEY_SYMTAB_ONLY:
        return job->opts.symtab_only = true;
    default:
        return job->opts.no_inlines = true;
    }
}

static void symbolize(struct job *job)
{
    struct profile p = {0}, out = {0};
    struct err err;
    char *path = NULL;
    uint32_t *order = NULL;
    if (cli_read_profile(&job->cli, &p)) {
        bool ok = cli_binary_path(job->path, &path, &err);
        job->opts.path = path;
        job->opts.threads = job->cli.threads;
        if (ok && sym_profile(&p, &job->opts, &job->cli.notes, &err) &&
            prof_canonical_order(&p, job->cli.threads, &out, &order, &err))
            (void)cli_write_order(&job->cli, &out, order);
        else
            cli_error(&job->cli, NULL, &err);
    }
    free(path);
    free(order);
    prof_free(&p);
    prof_free(&out);
}

int main(int argc, char **argv)
{
    struct job job = {0};
    const struct cli_spec spec = {
        .tool = "pbsym",
        .synopsis = "[option ...] [file ...]",
        .summary = "Gives the addresses of a profile functions, files, lines "
                   "and inlined frames.",
        .options = options,
        .shared =
            CLI_OUTPUT | CLI_LEVEL | CLI_KEEP_GOING | CLI_INPUTS | CLI_THREADS,
        .take = take,
        .ctx = &job,
    };
    int status = cli_begin(&job.cli, &spec, argc, argv);
    if (status >= 0)
        return status;
    cli_isolate(&job.cli, &(struct cli_needs){.any_file = true});
    symbolize(&job);
    return cli_end(&job.cli);
}
