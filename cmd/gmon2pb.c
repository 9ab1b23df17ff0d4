/* gmon2pb.c - gmon.out to profile.proto; see gmon2pb(1) */
#include "cli/convert.h"
#include "cli/isolate.h"
#include "cli/symbol_options.h"
#include "formats/gmon/gmon.h"
#include "symbolize/symbol.h"

enum {
    KEY_EXE_FROM = 256,
    KEY_SYMBOLS,
    KEY_FORMAT,
    KEY_FLAT,
    KEY_BLOCKS,
    KEY_MAX_STACKS,
    KEY_LENIENT,
};

#define SYMBOLS "all|gprof"

static const struct cli_option options[] = {
    CLI_HEADING("Symbols"),
    CLI_BINARY_OPTION("read functions from FILE (default: a matching a.out)"),
    {"exe-from", KEY_EXE_FROM, "PATTERN",
     "find the program of each input: {dir}/{stem}"},
    CLI_SYMBOL_OPTIONS("", " (default)"),
    {"symbols", KEY_SYMBOLS, SYMBOLS,
     "set which symbols are functions (default: all)"},
    CLI_NO_SYMBOLS,

    CLI_HEADING("Conversion"),
    {"flat", KEY_FLAT, NULL,
     "write the flat profile only, without call stacks"},
    {"max-stacks", KEY_MAX_STACKS, "N",
     "estimate at most N call stacks (default: 100000)"},
    {"blocks", KEY_BLOCKS, NULL, "write basic-block counts as well"},
    {"lenient", KEY_LENIENT, NULL,
     "keep the complete records of a damaged file"},
    {"format", KEY_FORMAT, GMON_FORMAT_WORDS "[,...]",
     "force format, byte order and sizes: gnu,be,32"},
    {0},
};

struct job {
    struct cli cli;
    struct gmon_opts opts;
    struct cli_symbols symbols;
    struct find_program *finder; /* null: all files are of one program */
};

static bool set_option(void *ctx, int key, const char *value,
                       struct prof_err *err)
{
    struct job *job = ctx;
    struct gmon_opts *opts = &job->opts;
    bool ok = true;
    size_t word;
    if (cli_take_symbols(&job->symbols, key, value, &ok, err))
        return ok;
    switch (key) {
    case KEY_EXE_FROM:
        if (!job->finder)
            job->finder = find_program_new(err);
        opts->each_own = true;
        return job->finder && find_program_add_pattern(job->finder, value, err);
    case KEY_SYMBOLS:
        ok = cli_parse_word(SYMBOLS, value, &word, err);
        opts->as_gprof = ok && word == 1;
        return ok;
    case KEY_FORMAT:
        return gmon_parse_format(opts, value, err);
    case KEY_FLAT:
        return opts->flat = true;
    case KEY_BLOCKS:
        return opts->blocks = true;
    case KEY_MAX_STACKS:
        return cli_parse_count(value, 1, UINT32_MAX, &opts->max_stacks, err);
    default:
        return opts->lenient = true;
    }
}

/* Adds all inputs, each to the sum of its program, and writes the profile. */
static void convert(struct job *job)
{
    struct cli *cli = &job->cli;
    struct gmon_opts *opts = &job->opts;
    bool any = opts->family == GMON_ANY;
    const struct conversion_opts how = {
        .reads = any ? "a gmon.out file" : "a gmon.out file of that format",
        .member_begins = gmon_begins_of(opts->family),
        .programs = job->finder,
        .sparse = true};
    struct conversion *c = conversion_begin(cli, &how);
    struct gmon_sum *sum = NULL;
    struct import_input in;
    struct prof_err err;
    while (c && conversion_next(c, &in)) {
        if (!conversion_accept(c, how.member_begins(in.data, in.n)))
            continue;
        struct found_program p;
        bool ok = !job->finder ||
                  find_program(job->finder, conversion_part(c), &p, &err);
        if (ok && job->finder)
            opts->own = (struct gmon_program_id){p.content, p.path, p.name,
                                                 p.archive, p.is_default};
        if (!sum)
            ok = ok && (sum = gmon_sum_new(opts, &cli->notes, &err));
        ok = ok && gmon_sum_add(sum, &in, &err);
        if (cli->each) {
            ok =
                ok && conversion_put(c, gmon_sum_finish(sum, &err), NULL, &err);
            gmon_sum_free(sum);
            sum = NULL;
        }
        conversion_done(c, ok, &err);
    }
    if (c && conversion_has_sum(c))
        conversion_write(c, gmon_sum_finish(sum, &err), &err);
    gmon_sum_free(sum);
    conversion_end(c);
}

/* Opens what names functions, and converts. */
static void run(struct job *job)
{
    struct gmon_opts *opts = &job->opts;
    struct sym_opts symbols = {0};
    struct prof_err err;
    if (!gmon_find_program(opts, &job->cli.notes, &err)) {
        cli_error(&job->cli, gmon_program_path(opts), &err);
        return;
    }
    if (job->finder && opts->program)
        find_program_set_default(job->finder, opts->program);
    if (!cli_symbols_begin(&job->cli, &job->symbols, true, &symbols))
        return;
    opts->binaries = symbols.cache;
    opts->path = symbols.path;
    opts->demangle = job->symbols.demangle;
    opts->inlines = job->symbols.inlines;
    convert(job);
    cli_symbols_end(&symbols);
}

int main(int argc, char **argv)
{
    struct job job = {
        .opts = {.max_stacks = PROF_MAX_STACKS, .subject = &job.cli.subject}};
    static const struct library_about *const libraries[] = {&sym_library, NULL};
    const struct cli_spec spec = {
        .tool = "gmon2pb",
        .synopsis = "[option ...] [gmon.out ...]",
        .summary =
            "Converts gmon.out files to profile.proto; adds up several files.",
        .examples = "gmon2pb gmon.out | pbcat\n"
                    "gmon2pb -e ./a.out -o cpu.pb.gz gmon.out",
        .options = options,
        .other_letters = "abcdfiklmnpstwxyzACDEFIJLNPQRS",
        .instead_of_letters =
            "gprof -p is 'gmon2pb | pbcat --text=gprof', gprof -q is --tree="
            "gprof, gprof -A is --list=. (all are in gmon2pb(1))",
        .libraries = libraries,
        .shared = CLI_CONVERTER,
        .take = set_option,
        .ctx = &job,
    };
    int status = cli_begin(&job.cli, &spec, argc, argv);
    if (status < 0) {
        job.opts.program = job.symbols.binary;
        job.opts.no_symbols = job.symbols.no_symbols;
        const char *program = gmon_program_path(&job.opts);
        const bool any_file = !job.opts.no_symbols || job.finder;
        cli_isolate(&job.cli, &(struct cli_needs){.any_file = any_file,
                                                  .files = &program,
                                                  .n_files = 1});
        run(&job);
        status = cli_end(&job.cli);
    }
    find_program_free(job.finder);
    return status;
}
