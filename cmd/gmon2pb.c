/* gmon2pb.c - converts gmon.out to profile.proto; see gmon2pb(1) */
#include <string.h>

#include "base/vec.h"
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
    KEY_DELETE_ARC,
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
    {"delete-arc", KEY_DELETE_ARC, "FROM/TO",
     "leave out the calls of TO by FROM (may be repeated)"},
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
    VEC(const char *) left_out;
    struct find_program *finder; /* null: all inputs are of one program */
};

static bool delete_arc(struct job *job, const char *value, struct prof_err *err)
{
    const char *slash = value[0] ? strchr(value + 1, '/') : NULL;
    if (!slash || !slash[1])
        return err_value(err, "expected FROM/TO, the names of functions");
    return vec_push(&job->left_out, value) || err_nomem(err);
}

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
    case KEY_DELETE_ARC:
        return delete_arc(job, value, err);
    case KEY_MAX_STACKS:
        return cli_parse_count(value, 1, UINT32_MAX, &opts->max_stacks, err);
    default:
        return opts->lenient = true;
    }
}

/* --- the conversion ------------------------------------------------------- */

struct worker {
    struct gmon_opts opts; /* with a cache of opened binaries */
    struct gmon_sum *sum;
};

static bool is_ours(void *ctx, const struct import_input *in,
                    const struct input_part *part)
{
    const struct job *job = ctx;
    (void)part;
    return gmon_begins_of(job->opts.family)(in->data, in->n);
}

static bool begin(void *worker, void *ctx, struct prof_err *err)
{
    const struct job *job = ctx;
    struct worker *w = worker;
    w->opts = job->opts;
    return (w->opts.binaries = sym_cache_new(err));
}

static void end(void *worker)
{
    struct worker *w = worker;
    sym_cache_free(w->opts.binaries);
}

static bool add(void *worker, const struct conversion_job *job,
                struct prof_err *err)
{
    const struct found_program *p = job->program;
    struct worker *w = worker;
    w->opts.subject = job->about;
    if (p)
        w->opts.own = (struct gmon_program_id){p->content, p->path, p->name,
                                               p->archive, p->is_default};
    if (!w->sum)
        w->sum = gmon_sum_new(&w->opts, job->notes, err);
    return w->sum && gmon_sum_add(w->sum, job->in, err);
}

static struct profile *finish(void *worker, bool ok, struct prof_err *err)
{
    struct worker *w = worker;
    struct profile *p = ok ? gmon_sum_finish(w->sum, err) : NULL;
    gmon_sum_free(w->sum);
    w->sum = NULL;
    return p;
}

static void convert(struct job *job)
{
    static const struct converter converter = {
        sizeof(struct worker), is_ours, begin, end, add, finish};
    const enum gmon_family family = job->opts.family;
    const struct conversion_opts how = {
        .reads = family == GMON_ANY ? "a gmon.out file"
                                    : "a gmon.out file of that format",
        .member_begins = gmon_begins_of(family),
        .programs = job->finder,
        .sparse = true,
        .is_padded = job->opts.bin_bits ? NULL : gmon_is_padded};
    conversion_run(&job->cli, &how, &converter, job);
}

/* Finds the program, prepares the search for symbols, and converts. */
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
    if (!cli_symbols_begin(&job->cli, &job->symbols, false, &symbols))
        return;
    opts->path = symbols.path;
    opts->demangle = job->symbols.demangle;
    opts->inlines = job->symbols.inlines;
    convert(job);
    cli_symbols_end(&symbols);
}

int main(int argc, char **argv)
{
    struct job job = {.opts = {.max_stacks = PROF_MAX_STACKS}};
    static const struct library_about *const libraries[] = {&sym_library, NULL};
    const struct cli_spec spec = {
        .tool = "gmon2pb",
        .synopsis = "[option ...] [gmon.out ...]",
        .summary =
            "Converts gmon.out files to profile.proto; adds up several files.",
        .examples = "gmon2pb gmon.out | pbcat\n"
                    "gmon2pb -e ./a.out -o cpu.pb.gz gmon.out",
        .options = options,
        .peer = CLI_GPROF,
        .libraries = libraries,
        .shared = CLI_CONVERTER | CLI_THREADS,
        .take = set_option,
        .ctx = &job,
    };
    int status = cli_begin(&job.cli, &spec, argc, argv);
    if (status < 0) {
        job.opts.program = job.symbols.binary;
        job.opts.no_symbols = job.symbols.no_symbols;
        job.opts.left_out = job.left_out.v;
        job.opts.n_left_out = job.left_out.n;
        const char *program = gmon_program_path(&job.opts);
        const bool any_file = !job.opts.no_symbols || job.finder;
        cli_isolate(&job.cli, &(struct cli_needs){.any_file = any_file,
                                                  .files = &program,
                                                  .n_files = 1});
        run(&job);
        status = cli_end(&job.cli);
    }
    find_program_free(job.finder);
    vec_free(&job.left_out);
    return status;
}
