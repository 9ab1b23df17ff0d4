/* gmon2pb - gmon.out to profile.proto; see gmon2pb(1) */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/binary_path.h"
#include "cli/convert.h"
#include "import/gmon.h"
#include "import/gmon_exe.h"
#include "import/gmon_profile.h"
#include "import/gmon_stacks.h"
#include "profile/merge.h"
#include "symbol/owners.h"
#include "symbol/symbol.h"

/* The program that is meant when none is named, as for gprof. */
static const char default_program[] = "a.out";

enum {
    KEY_NO_SYMBOLS = 256,
    KEY_FORMAT,
    KEY_FLAT,
    KEY_INLINES,
    KEY_MAX_STACKS,
    KEY_ADDR_SIZE,
    KEY_BYTE_ORDER,
    KEY_LENIENT,
    KEY_BIN_BITS,
    KEY_BIN_ORDER,
    KEY_COUNT_BITS,
};

static const struct cli_option options[] = {
    {"executable", 'e', "PROGRAM",
     "the program profiled (default: a.out if it fits)"},
    {"no-symbols", KEY_NO_SYMBOLS, NULL, "leave addresses without names"},
    {"format", KEY_FORMAT, "NAME",
     "gnu, 4.4bsd, oldbsd, osf1, ld-profile or darwin"},
    {"flat", KEY_FLAT, NULL, "only what was measured: no call stacks"},
    {"inlines", KEY_INLINES, NULL,
     "show functions inlined where time was spent"},
    {"max-stacks", KEY_MAX_STACKS, "N",
     "estimate at most so many call stacks (default: 100000)"},
    {"addr-size", KEY_ADDR_SIZE, "BYTES", "addresses have 4 or 8 bytes"},
    {"byte-order", KEY_BYTE_ORDER, "ORDER", "numbers are little or big endian"},
    {"lenient", KEY_LENIENT, NULL, "keep the complete records of a bad file"},
    {"bin-bits", KEY_BIN_BITS, "N", "histogram bins have 8, 16, 32 or 64 bits"},
    {"bin-order", KEY_BIN_ORDER, "ORDER",
     "histogram bins are little or big endian"},
    {"count-bits", KEY_COUNT_BITS, "N",
     "64-bit BSD files: call counts have 32 or 64 bits"},
    {0},
};

struct job {
    struct cli cli;
    struct gmon_opts opts;
    const char *program; /* as named; null: the default */
    bool no_symbols, flat, inlines;
    uint64_t max_stacks;

    struct gmon_exe exe;
    bool has_exe;
    struct gmon sum;
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

static bool take(void *ctx, int key, const char *value, struct err *err)
{
    struct job *job = ctx;
    struct gmon_opts *opts = &job->opts;
    unsigned chosen = 0;
    bool ok = true;
    switch (key) {
    case 'e':
        job->program = value;
        break;
    case KEY_NO_SYMBOLS:
        job->no_symbols = true;
        break;
    case KEY_FORMAT:
        ok = choose(value, formats, &chosen, err);
        opts->family = (enum gmon_family)chosen;
        break;
    case KEY_FLAT:
        job->flat = true;
        break;
    case KEY_INLINES:
        job->inlines = true;
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
static bool find_program(struct job *job)
{
    struct err err;
    const char *path = job->program ? job->program : default_program;
    job->has_exe = (job->program || access(path, F_OK) == 0) &&
                   gmon_exe_read(&job->exe, path, &err);
    if (job->has_exe)
        job->opts.hint = job->exe.form;
    else if (job->program)
        cli_error(&job->cli, path, &err);
    else if (access(path, F_OK) == 0)
        note_warn(&job->cli.notes, "%s: %s; name the program with -e", path,
                  err.text);
    return job->has_exe || !job->program;
}

static bool knows(void *ctx, const struct input_part *part)
{
    const struct job *job = ctx;
    return gmon_begins_of(job->opts.family)(part->data, part->n);
}

static bool start(void *ctx, struct err *err)
{
    struct job *job = ctx;
    (void)err;
    gmon_free(&job->sum);
    return true;
}

static bool add_file(void *ctx, const char *name, const struct input_part *part,
                     struct err *err)
{
    struct job *job = ctx;
    struct gmon g;
    bool ok =
        gmon_read(&g, part->data, part->n, &job->opts, &job->cli.notes, err) &&
        gmon_add(&job->sum, &g, name, err);
    gmon_free(&g);
    return ok;
}

/* The default is one of programs; that of a library is none. */
static void miss_program(const struct job *job)
{
    if (job->no_symbols)
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

/* A named program is believed; the default only if it fits.  Null: none. */
static const struct gmon_exe *judge_program(const struct job *job)
{
    const struct notes *notes = &job->cli.notes;
    char why[256];
    if (!job->has_exe ||
        (!job->program && job->sum.family == GMON_LD_PROFILE)) {
        miss_program(job);
        return NULL;
    }
    bool fits = gmon_exe_fits(&job->exe, &job->sum, why, sizeof why);
    if (fits && !job->program)
        note_info(notes, "taken as of ./a.out");
    else if (!fits && job->program)
        note_warn(notes, "%s: %s: the wrong program?", job->program, why);
    else if (!fits)
        note_warn(notes, "not of a.out: %s; name the program with -e", why);
    return fits || job->program ? &job->exe : NULL;
}

/* Names for what was measured; bins are looked up at both their ends. */
static bool look_up(const struct job *job, struct profile *p,
                    const struct gmon_exe *exe, const char *path,
                    struct gmon_places *places, struct err *err)
{
    const struct sym_opts opts = {.path = path, .binary = exe->path};
    if (!sym_profile(p, &opts, &job->cli.notes, err))
        return false;
    if (gmon_other_ends(p, places)) {
        if (!sym_profile(p, &opts, NULL, err))
            return false;
        (void)gmon_other_ends(p, places);
    }
    gmon_arcs_by_function(p, places);
    return true;
}

/* What was measured; addresses only if there is no path. */
static bool make_flat(const struct job *job, const struct gmon *g,
                      const struct gmon_exe *exe, const char *path,
                      struct profile *p, struct err *err)
{
    struct gmon_places places;
    bool ok = gmon_profile(g, exe, p, &places, &job->cli.notes, err) &&
              (!path || look_up(job, p, exe, path, &places, err));
    gmon_places_free(&places);
    return ok;
}

/* Stacks estimated from that. */
static bool make_stacks(const struct job *job, const struct gmon *g,
                        const struct gmon_exe *exe, const char *path,
                        const struct sym_owners *owners, struct profile *p,
                        struct err *err)
{
    const struct sym_opts opts = {
        .path = path, .binary = exe->path, .no_inlines = !job->inlines};
    struct gmon_frames frames;
    bool ok = gmon_stacks(g, exe, owners, job->max_stacks, p, &frames,
                          &job->cli.notes, err) &&
              sym_profile(p, &opts, &job->cli.notes, err) &&
              gmon_name_frames(p, &frames, owners, err);
    gmon_frames_free(&frames);
    return ok;
}

/*
 * The profile of *g, a gmon.out of *exe (null: of nothing known).  *p is to
 * be freed in any case.
 */
static bool make_profile(const struct job *job, const struct gmon *g,
                         const struct gmon_exe *exe, struct profile *p,
                         struct err *err)
{
    char *path = NULL;
    struct sym_owners owners = {0};
    memset(p, 0, sizeof *p);
    if (!exe || job->no_symbols)
        return make_flat(job, g, exe, NULL, p, err);
    bool ok = cli_binary_path(NULL, &path, err) &&
              (job->flat || sym_owners_read(&owners, exe->path, path, err));
    if (ok)
        ok = owners.n ? make_stacks(job, g, exe, path, &owners, p, err)
                      : make_flat(job, g, exe, path, p, err);
    if (ok && !p->n_functions && p->n_samples)
        note_warn(&job->cli.notes, "%s has no symbols for this: addresses only",
                  exe->path);
    sym_owners_free(&owners);
    free(path);
    return ok;
}

static bool finish(void *ctx, struct profile *out, struct err *err)
{
    struct job *job = ctx;
    struct profile raw;
    bool ok = make_profile(job, &job->sum, judge_program(job), &raw, err) &&
              prof_canonical(&raw, out, err);
    prof_free(&raw);
    return ok;
}

int main(int argc, char **argv)
{
    struct job job = {.max_stacks = GMON_MAX_STACKS};
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
    struct cli_converter converter = {
        .what = "a gmon.out file",
        .knows = knows,
        .start = start,
        .add = add_file,
        .finish = finish,
        .ctx = &job,
    };
    int status = cli_begin(&job.cli, &spec, argc, argv);
    if (status >= 0)
        return status;
    converter.begins = gmon_begins_of(job.opts.family);
    if (job.opts.family != GMON_ANY)
        converter.what = "a gmon.out file of that format";
    if (find_program(&job))
        cli_convert(&job.cli, &converter);
    gmon_free(&job.sum);
    return cli_end(&job.cli);
}
