/* gmon2pb - gmon.out to profile.proto; see gmon2pb(1) */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/binary_path.h"
#include "cli/cli.h"
#include "import/gmon.h"
#include "import/gmon_exe.h"
#include "import/gmon_profile.h"
#include "profile/merge.h"
#include "symbol/symbol.h"

/* The program that is meant when none is named, as for gprof. */
static const char default_program[] = "a.out";

enum {
    KEY_NO_SYMBOLS = 256,
    KEY_ADDR_SIZE,
    KEY_BYTE_ORDER,
    KEY_LENIENT,
    KEY_BIN_BITS,
    KEY_COUNT_BITS,
};

static const struct cli_option options[] = {
    {"executable", 'e', "PROGRAM",
     "the program profiled (default: a.out if it fits)"},
    {"no-symbols", KEY_NO_SYMBOLS, NULL, "leave addresses without names"},
    {"addr-size", KEY_ADDR_SIZE, "BYTES", "addresses have 4 or 8 bytes"},
    {"byte-order", KEY_BYTE_ORDER, "ORDER", "numbers are little or big endian"},
    {"lenient", KEY_LENIENT, NULL, "keep the complete records of a bad file"},
    {"bin-bits", KEY_BIN_BITS, "N",
     "4.4BSD: histogram bins have 8, 16, 32 or 64 bits"},
    {"count-bits", KEY_COUNT_BITS, "N",
     "4.4BSD, 64-bit: call counts have 32 or 64 bits"},
    {0},
};

struct job {
    struct cli cli;
    struct gmon_opts opts;
    const char *program; /* as named; null: the default */
    bool no_symbols;

    struct gmon_exe exe;
    bool has_exe;
    struct gmon sum;
};

static bool take_number(const char *value, const char *const *allowed,
                        const char *words, unsigned *number, struct err *err)
{
    for (; *allowed; allowed++)
        if (strcmp(value, *allowed) == 0) {
            *number = 0;
            for (; *value; value++)
                *number = *number * 10 + (unsigned)(*value - '0');
            return true;
        }
    return err_set(err, ERR_USAGE, "%s, not '%s'", words, value);
}

static bool take(void *ctx, int key, const char *value, struct err *err)
{
    static const char *const sizes[] = {"4", "8", NULL};
    static const char *const bins[] = {"8", "16", "32", "64", NULL};
    static const char *const counts[] = {"32", "64", NULL};
    struct job *job = ctx;
    switch (key) {
    case 'e':
        job->program = value;
        return true;
    case KEY_NO_SYMBOLS:
        return job->no_symbols = true;
    case KEY_ADDR_SIZE:
        return take_number(value, sizes, "4 or 8", &job->opts.addr_size, err);
    case KEY_BYTE_ORDER:
        if (strcmp(value, "little") == 0)
            job->opts.order = GMON_ORDER_LITTLE;
        else if (strcmp(value, "big") == 0)
            job->opts.order = GMON_ORDER_BIG;
        else
            return err_set(err, ERR_USAGE, "little or big, not '%s'", value);
        return true;
    case KEY_LENIENT:
        return job->opts.lenient = true;
    case KEY_BIN_BITS:
        return take_number(value, bins, "8, 16, 32 or 64", &job->opts.bin_bits,
                           err);
    default:
        return take_number(value, counts, "32 or 64", &job->opts.count_bits,
                           err);
    }
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

/* A named program is believed; the default only if it fits. */
static void judge_program(struct job *job)
{
    const struct notes *notes = &job->cli.notes;
    char why[256];
    if (!job->has_exe) {
        if (!job->no_symbols && access(default_program, F_OK) != 0)
            note_warn(notes, "no program named with -e and no a.out here: "
                             "addresses stay without names");
    } else if (gmon_exe_fits(&job->exe, &job->sum, why, sizeof why)) {
        if (!job->program)
            note_info(notes, "taken as of ./a.out");
    } else if (job->program) {
        note_warn(notes, "%s: %s: the wrong program?", job->program, why);
    } else {
        note_warn(notes, "not of a.out: %s; name the program with -e", why);
        job->has_exe = false;
    }
}

/* Bins without a name are looked up at their other end too. */
static bool look_up(const struct job *job, struct profile *p, const char *path,
                    struct gmon_places *places, struct err *err)
{
    const struct sym_opts opts = {.path = path, .binary = job->exe.path};
    if (!sym_profile(p, &opts, &job->cli.notes, err))
        return false;
    if (gmon_other_ends(p, places)) {
        if (!sym_profile(p, &opts, NULL, err))
            return false;
        (void)gmon_other_ends(p, places);
    }
    return true;
}

static bool symbolize(const struct job *job, struct profile *p,
                      struct gmon_places *places, struct err *err)
{
    char *path;
    if (job->no_symbols || !job->has_exe)
        return true;
    if (!cli_binary_path(NULL, &path, err))
        return false;
    bool ok = look_up(job, p, path, places, err);
    free(path);
    if (!ok)
        return false;
    gmon_arcs_by_function(p, places);
    if (!p->n_functions && p->n_samples)
        note_warn(&job->cli.notes, "%s has no symbols for this: addresses only",
                  job->exe.path);
    return true;
}

static void convert(struct job *job)
{
    struct profile raw = {0}, p = {0};
    struct err err;
    struct gmon_places places = {0};
    judge_program(job);
    if (!gmon_profile(&job->sum, job->has_exe ? &job->exe : NULL, &raw, &places,
                      &job->cli.notes, &err) ||
        !symbolize(job, &raw, &places, &err) || !prof_canonical(&raw, &p, &err))
        cli_error(&job->cli, NULL, &err);
    else
        (void)cli_write_profile(&job->cli, &p);
    gmon_places_free(&places);
    prof_free(&raw);
    prof_free(&p);
}

int main(int argc, char **argv)
{
    struct job job = {0};
    const struct cli_spec spec = {
        .tool = "gmon2pb",
        .synopsis = "[option ...] [gmon.out ...]",
        .summary = "Converts gmon.out files, summed, to one profile.proto.",
        .options = options,
        .shared = CLI_OUTPUT | CLI_LEVEL | CLI_KEEP_GOING | CLI_INPUTS,
        .take = take,
        .ctx = &job,
    };
    int status = cli_begin(&job.cli, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (find_program(&job) &&
        cli_each_part(&job.cli, gmon_begins, add_file, &job) && job.sum.name)
        convert(&job);
    gmon_free(&job.sum);
    return cli_end(&job.cli);
}
