/* gmon2pb - gmon.out to profile.proto; see gmon2pb(1) */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/convert.h"
#include "cli/isolate.h"
#include "cli/symbol_options.h"
#include "import/gmon/gmon.h"
#include "import/gmon/gmon_convert.h"
#include "import/gmon/gmon_exe.h"
#include "import/gmon/gmon_programs.h"
#include "profile/estimate/estimate.h"
#include "profile/merge/merge.h"

/* The program that is meant when none is named, as for gprof. */
static const char default_program[] = "a.out";

enum {
    KEY_EXE_FROM = 256,
    KEY_NO_SYMBOLS,
    KEY_FORMAT,
    KEY_FLAT,
    KEY_BLOCKS,
    KEY_MAX_STACKS,
    KEY_ADDR_SIZE,
    KEY_BYTE_ORDER,
    KEY_LENIENT,
    KEY_BIN_BITS,
    KEY_BIN_ORDER,
    KEY_COUNT_BITS,
};

static const struct cli_option options[] = {
    {"executable", 'e', "FILE",
     "the program profiled (default: a.out if it fits)"},
    {"exe-from", KEY_EXE_FROM, "PATTERN",
     "find each profile's program beside it: {dir}/{stem}"},
    CLI_SYMBOL_OPTIONS("", " (default)"),
    {"no-symbols", KEY_NO_SYMBOLS, NULL, "leave addresses without names"},
    {"format", KEY_FORMAT, "gnu|4.4bsd|oldbsd|osf1|ld-profile|darwin",
     "the format of the files"},
    {"flat", KEY_FLAT, NULL, "write only measured data, no call stacks"},
    {"blocks", KEY_BLOCKS, NULL, "also write basic-block counts"},
    {"max-stacks", KEY_MAX_STACKS, "N",
     "estimate at most N call stacks (default: 100000)"},
    {"addr-size", KEY_ADDR_SIZE, "4|8", "bytes of an address"},
    {"byte-order", KEY_BYTE_ORDER, "little|big", "byte order of numbers"},
    {"lenient", KEY_LENIENT, NULL, "keep the complete records of a bad file"},
    {"bin-bits", KEY_BIN_BITS, "8|16|32|64", "bits of a histogram bin"},
    {"bin-order", KEY_BIN_ORDER, "little|big", "byte order of histogram bins"},
    {"count-bits", KEY_COUNT_BITS, "32|64",
     "bits of a call count in 64-bit BSD files"},
    {0},
};

struct job {
    struct cli cli;
    struct gmon_opts opts;
    struct gmon_convert_opts how;
    bool flat;
    uint64_t max_stacks;
    struct cli_symbols symbols;
    const char *program; /* as named; null: the default */

    /* Either all are of one program, or each of the one beside it. */
    struct gmon_exe exe;
    bool has_exe;
    struct gmon sum;

    struct find_program *finder; /* null: the former */
    struct gmon_program_id id;
    struct gmon_programs programs;
};

/* A word that an option takes, and what it means. */
struct choice {
    const char *word;
    unsigned value;
};

static const struct choice formats[] = {
    {"gnu", GMON_GNU},
    {"4.4bsd", GMON_BSD44},
    {"oldbsd", GMON_OLD_BSD},
    {"osf1", GMON_OSF1},
    {"ld-profile", GMON_LD_PROFILE},
    {"darwin", GMON_DARWIN},
    {0},
};
static const struct choice orders[] = {
    {"little", GMON_ORDER_LITTLE},
    {"big", GMON_ORDER_BIG},
    {0},
};
static const struct choice addr_sizes[] = {{"4", 4}, {"8", 8}, {0}};
static const struct choice bin_bits[] = {
    {"8", 8}, {"16", 16}, {"32", 32}, {"64", 64}, {0}};
static const struct choice count_bits[] = {{"32", 32}, {"64", 64}, {0}};

static bool choose(const char *value, const struct choice *choices,
                   unsigned *chosen, struct err *err)
{
    for (const struct choice *c = choices; c->word; c++)
        if (strcmp(value, c->word) == 0) {
            *chosen = c->value;
            return true;
        }
    (void)err_set(err, ERR_USAGE, "not '%s'", value);
    size_t last = 1;
    while (choices[last + 1].word)
        last++;
    for (size_t i = last + 1; i-- > 0;)
        (void)err_prefix(err, "%s%s", choices[i].word,
                         i == last       ? ", "
                         : i + 1 == last ? " or "
                                         : ", ");
    return false;
}

static bool take_pattern(struct job *job, const char *pattern, struct err *err)
{
    if (!job->finder)
        job->finder = find_program_new(err);
    return job->finder && find_program_add_pattern(job->finder, pattern, err);
}

static bool take(void *ctx, int key, const char *value, struct err *err)
{
    struct job *job = ctx;
    struct gmon_opts *opts = &job->opts;
    unsigned chosen = 0;
    bool ok = true;
    if (cli_take_symbols(&job->symbols, key, value, &ok, err))
        return ok;
    switch (key) {
    case 'e':
        job->program = value;
        break;
    case KEY_EXE_FROM:
        ok = take_pattern(job, value, err);
        break;
    case KEY_NO_SYMBOLS:
        job->how.no_symbols = true;
        break;
    case KEY_FORMAT:
        ok = choose(value, formats, &chosen, err);
        opts->family = (enum gmon_family)chosen;
        break;
    case KEY_FLAT:
        job->flat = true;
        break;
    case KEY_BLOCKS:
        job->how.blocks = true;
        break;
    case KEY_MAX_STACKS:
        ok = cli_parse_count(value, 1, UINT32_MAX, &job->max_stacks, err);
        break;
    case KEY_ADDR_SIZE:
        ok = choose(value, addr_sizes, &opts->addr_size, err);
        break;
    case KEY_BYTE_ORDER:
        ok = choose(value, orders, &chosen, err);
        opts->order = (enum gmon_order)chosen;
        break;
    case KEY_LENIENT:
        opts->lenient = true;
        break;
    case KEY_BIN_BITS:
        ok = choose(value, bin_bits, &opts->bin_bits, err);
        break;
    case KEY_BIN_ORDER:
        ok = choose(value, orders, &chosen, err);
        opts->bin_order = (enum gmon_order)chosen;
        break;
    default:
        ok = choose(value, count_bits, &opts->count_bits, err);
        break;
    }
    return ok;
}

/* A program that was named must be one; the default may be. */
static bool read_program(struct job *job)
{
    struct err err;
    const char *path = job->program ? job->program : default_program;
    if (job->finder && !job->program)
        return true;
    bool must = job->program || access(path, R_OK) == 0;
    if (!must && access(path, F_OK) != 0 && file_is_refused(errno))
        return true;
    job->has_exe = gmon_exe_read(&job->exe, path, &err);
    if (job->has_exe) {
        job->opts.hint = job->exe.form;
        return true;
    }
    if (job->program || (must && err.kind == ERR_SYSTEM)) {
        cli_error(&job->cli, path, &err);
        return false;
    }
    note_warn(&job->cli.notes, "%s: %s; name the program with -e", path,
              err.text);
    return true;
}

static bool begins(const void *ctx, const struct import_input *in)
{
    const struct job *job = ctx;
    return gmon_begins_of(job->opts.family)(in->data, in->n);
}

static void *start(void *ctx, const struct notes *notes, struct err *err)
{
    (void)notes;
    (void)err;
    return ctx;
}

static void free_sum(void *sum)
{
    struct job *job = sum;
    gmon_free(&job->sum);
    gmon_programs_free(&job->programs);
    job->sum = (struct gmon){0};
    job->programs = (struct gmon_programs){0};
}

static void set_program(void *ctx, const struct found_program *p)
{
    struct job *job = ctx;
    job->id =
        (struct gmon_program_id){p->content, p->path, p->name, p->archive};
    if (p->is_default)
        note_info(&job->cli.notes, "no program found beside it: taken as of %s",
                  p->name);
}

static bool add_file(void *ctx, const struct import_input *in, struct err *err)
{
    struct job *job = ctx;
    struct gmon g, *sum = &job->sum;
    job->opts.foreign = in->foreign ? in->foreign->words : NULL;
    if (job->finder) {
        struct gmon_program *p =
            gmon_programs_get(&job->programs, &job->id, err);
        if (!p)
            return false;
        job->opts.hint = p->exe.form;
        sum = &p->sum;
    }
    bool ok = gmon_read(&g, in->data, in->n, &job->opts, in->notes, err) &&
              notes_lossless(in->notes, err) &&
              gmon_take(sum, &g, in->name, err);
    gmon_free(&g);
    return ok;
}

/* The default is one of programs; that of a library is none. */
static void miss_program(const struct job *job)
{
    if (job->how.no_symbols)
        return;
    if (job->sum.family == GMON_LD_PROFILE)
        note_warn(&job->cli.notes,
                  "a shared library's profile, and none named with -e: "
                  "addresses stay without names");
    else if (access(default_program, F_OK) != 0)
        note_warn(&job->cli.notes,
                  "no program named with -e and no a.out here: addresses stay "
                  "without names");
}

/* A program that was named, or found, is believed. */
static void warn_of_misfit(const struct job *job, const struct gmon_exe *exe,
                           const struct gmon *g)
{
    char why[256];
    if (!gmon_exe_fits(exe, g, why, sizeof why))
        note_warn(&job->cli.notes, "%s: %s: the wrong program?", exe->name,
                  why);
}

/* The default one is only if it fits; null: nothing is known. */
static const struct gmon_exe *judge_program(const struct job *job)
{
    const struct notes *notes = &job->cli.notes;
    char why[256];
    if (job->program) {
        warn_of_misfit(job, &job->exe, &job->sum);
        return &job->exe;
    }
    if (!job->has_exe || job->sum.family == GMON_LD_PROFILE) {
        miss_program(job);
        return NULL;
    }
    if (gmon_exe_fits(&job->exe, &job->sum, why, sizeof why)) {
        note_info(notes, "taken as of ./a.out");
        return &job->exe;
    }
    note_warn(notes, "not of a.out: %s; name the program with -e", why);
    return NULL;
}

static bool add_profile(const struct job *job, const struct gmon *g,
                        const struct gmon_exe *exe, struct merger *m,
                        struct err *err)
{
    struct profile p;
    bool ok = gmon_convert(g, exe, &job->how, &p, &job->cli.notes, err) &&
              merge_take(m, &p, err);
    prof_free(&p);
    return ok;
}

static bool add_programs(struct job *job, struct merger *m, struct err *err)
{
    struct cli *cli = &job->cli;
    const char *subject = cli->subject; /* of the profile with --each */
    bool ok = gmon_programs_settle(&job->programs, err);
    for (size_t i = 0; ok && i < job->programs.v.n; i++) {
        const struct gmon_program *p = &job->programs.v.v[i];
        if (!p->sum.name)
            continue; /* what it was found for was refused */
        cli->subject = subject ? subject : p->name;
        warn_of_misfit(job, &p->exe, &p->sum);
        ok = add_profile(job, &p->sum, &p->exe, m, err) ||
             err_prefix(err, "%s: ", p->name);
    }
    cli->subject = subject;
    return ok;
}

/* What was measured, of all programs. */
static bool measured(struct job *job, struct profile *out, struct err *err)
{
    struct merger *m = merge_new(MERGE_TYPES_UNION, err);
    bool ok = m &&
              (job->finder
                   ? add_programs(job, m, err)
                   : add_profile(job, &job->sum, judge_program(job), m, err)) &&
              merge_finish(m, 1, out, NULL, err);
    merge_free(m);
    return ok;
}

static bool finish(void *ctx, struct profile *out, struct err *err)
{
    struct job *job = ctx;
    const struct prof_estimate_opts opts = {
        .max_stacks = job->max_stacks, .known = true, .notes = &job->cli.notes};
    struct profile flat = {0};
    if (job->flat || job->how.no_symbols)
        return measured(job, out, err);
    bool ok = measured(job, &flat, err) &&
              prof_estimate_stacks(&flat, &opts, out, err);
    prof_free(&flat);
    return ok;
}

static void convert(struct job *job, const struct cli_conversion *how)
{
    struct err err;
    char *path = NULL;
    if (!read_program(job))
        return;
    if (job->finder && job->program)
        find_program_set_default(job->finder, job->program);
    job->how.binaries = sym_cache_new(&err);
    if (job->how.binaries && cli_binary_path(job->symbols.path, &path, &err)) {
        job->how.path = path;
        job->how.demangle = job->symbols.demangle;
        job->how.inlines = job->symbols.inlines;
        cli_convert(&job->cli, how);
    } else {
        cli_error(&job->cli, NULL, &err);
    }
    sym_cache_free(job->how.binaries);
    free(path);
}

static void isolate(struct job *job)
{
    const char *program = job->program ? job->program : default_program;
    cli_isolate(&job->cli, &(struct cli_needs){
                               .any_file = !job->how.no_symbols || job->finder,
                               .files = &program,
                               .n_files = 1});
}

int main(int argc, char **argv)
{
    struct job job = {.max_stacks = PROF_MAX_STACKS};
    const struct cli_spec spec = {
        .tool = "gmon2pb",
        .synopsis = "[option ...] [gmon.out ...]",
        .summary = "Converts gmon.out files, summed, to one profile.proto.",
        .options = options,
        .shared =
            CLI_OUTPUT | CLI_LEVEL | CLI_KEEP_GOING | CLI_INPUTS | CLI_CONVERT,
        .take = take,
        .ctx = &job,
    };
    struct converter converter = {
        .reads = "a gmon.out file",
        .begins = begins,
        .start = start,
        .add = add_file,
        .finish = finish,
        .free_sum = free_sum,
    };
    struct cli_conversion how = {
        .converter = &converter, .options = &job, .set_program = set_program};
    int status = cli_begin(&job.cli, &spec, argc, argv);
    if (status >= 0) {
        find_program_free(job.finder);
        return status;
    }
    converter.member_begins = gmon_begins_of(job.opts.family);
    if (job.opts.family != GMON_ANY)
        converter.reads = "a gmon.out file of that format";
    how.programs = job.finder;
    isolate(&job);
    convert(&job, &how);
    find_program_free(job.finder);
    return cli_end(&job.cli);
}
