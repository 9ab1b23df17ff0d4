/* gmon_convert.c - gmon.out files of one or more programs as one profile */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "import/gmon/private.h"
#include "profile/estimate/estimate.h"
#include "profile/merge/merge.h"

/* The program that is meant when none is named, as for gprof. */
static const char default_program[] = "a.out";

const char *gmon_program_path(const struct gmon_opts *opts)
{
    return opts->program ? opts->program : default_program;
}

bool gmon_find_program(struct gmon_opts *opts, const struct notes *notes,
                       struct err *err)
{
    const char *path = gmon_program_path(opts);
    struct err why;
    if (opts->each_own && !opts->program)
        return true;
    bool must = opts->program || access(path, R_OK) == 0;
    if (!must && access(path, F_OK) != 0 && file_is_refused(errno))
        return true;
    if (gmon_exe_read(&opts->exe, path, &why))
        return true;
    opts->exe.path = NULL;
    if (opts->program || (must && why.kind == ERR_SYSTEM))
        return err_set(err, why.kind, "%s", why.text);
    note_warn(notes, "%s: %s; name the program with -e", path, why.text);
    return true;
}

/* Files of one program, or with opts->each_own of several. */
struct sum {
    const struct gmon_opts *opts;
    const struct notes *notes;
    struct gmon one;
    struct gmon_programs programs;
};

static void *start_sum(void *options, const struct notes *notes,
                       struct err *err)
{
    struct sum *sum = calloc(1, sizeof *sum);
    if (!sum) {
        (void)err_nomem(err);
        return NULL;
    }
    sum->opts = options;
    sum->notes = notes;
    return sum;
}

static void free_sum(void *ctx)
{
    struct sum *sum = ctx;
    gmon_free(&sum->one);
    gmon_programs_free(&sum->programs);
    free(sum);
}

static bool add_file(void *ctx, const struct import_input *in, struct err *err)
{
    struct sum *sum = ctx;
    struct gmon_opts opts = *sum->opts;
    struct gmon g, *to = &sum->one;
    if (opts.exe.path)
        opts.hint = opts.exe.form;
    if (opts.each_own) {
        struct gmon_program *p =
            gmon_programs_get(&sum->programs, &opts.own, err);
        if (!p)
            return false;
        if (opts.own.is_default)
            note_info(in->notes, "no program found beside it: taken as of %s",
                      opts.own.name);
        opts.hint = p->exe.form;
        to = &p->sum;
    }
    bool ok = gmon_read(&g, in, &opts, err) && notes_lossless(in->notes, err) &&
              gmon_add(to, &g, in->name, err);
    gmon_free(&g);
    return ok;
}

/* The default is one of programs; there is none for libraries. */
static void warn_of_no_program(const struct sum *sum)
{
    if (sum->opts->no_symbols)
        return;
    if (sum->one.family == GMON_LD_PROFILE)
        note_warn(sum->notes,
                  "a shared library's profile, and none named with -e: "
                  "addresses stay without names");
    else if (access(default_program, F_OK) != 0)
        note_warn(sum->notes,
                  "no program named with -e and no a.out here: addresses stay "
                  "without names");
}

/* A program that was named, or found, is believed. */
static void warn_of_misfit(const struct sum *sum, const struct gmon_exe *exe,
                           const struct gmon *g)
{
    char why[256];
    if (!gmon_exe_fits(exe, g, why, sizeof why))
        note_warn(sum->notes, "%s: %s: the wrong program?", exe->name, why);
}

/* The default one is only if it fits; null: nothing is known. */
static const struct gmon_exe *choose_program(const struct sum *sum)
{
    const struct gmon_exe *exe = &sum->opts->exe;
    char why[256];
    if (sum->opts->program) {
        warn_of_misfit(sum, exe, &sum->one);
        return exe;
    }
    if (!exe->path || sum->one.family == GMON_LD_PROFILE) {
        warn_of_no_program(sum);
        return NULL;
    }
    if (gmon_exe_fits(exe, &sum->one, why, sizeof why)) {
        note_info(sum->notes, "taken as of ./a.out");
        return exe;
    }
    note_warn(sum->notes, "not of a.out: %s; name the program with -e", why);
    return NULL;
}

static bool convert_program(const struct sum *sum, const struct gmon *g,
                            const struct gmon_exe *exe, struct merger *m,
                            struct err *err)
{
    struct gprof_symbols owners = {0};
    const struct gmon_job job = {g, exe, &owners, sum->opts, sum->notes};
    struct profile p = {0};
    bool ok = !exe || sum->opts->no_symbols ||
              gprof_symbols_read(&owners, exe->path, sum->opts->path, err);
    ok = ok && gmon_convert(&job, &p, err) && merge_take(m, &p, err);
    prof_free(&p);
    gprof_symbols_free(&owners);
    return ok;
}

static bool convert_programs(struct sum *sum, struct merger *m, struct err *err)
{
    const char *none = NULL, **subject = sum->opts->subject;
    if (!subject)
        subject = &none;
    const char *profile = *subject; /* with --each */
    bool ok = gmon_programs_settle(&sum->programs, err);
    for (size_t i = 0; ok && i < sum->programs.v.n; i++) {
        const struct gmon_program *p = &sum->programs.v.v[i];
        if (!p->sum.name)
            continue; /* its files were refused */
        *subject = profile ? profile : p->name;
        warn_of_misfit(sum, &p->exe, &p->sum);
        ok = convert_program(sum, &p->sum, &p->exe, m, err) ||
             err_prefix(err, "%s: ", p->name);
    }
    *subject = profile;
    return ok;
}

/* The measured data of all programs. */
static bool convert_all(struct sum *sum, struct profile *out, struct err *err)
{
    struct merger *m = merge_new(MERGE_TYPES_UNION, err);
    bool ok =
        m &&
        (sum->opts->each_own
             ? convert_programs(sum, m, err)
             : convert_program(sum, &sum->one, choose_program(sum), m, err)) &&
        merge_finish(m, 1, out, NULL, err);
    merge_free(m);
    return ok;
}

static bool finish_sum(void *ctx, struct profile *out, struct err *err)
{
    struct sum *sum = ctx;
    const struct prof_estimate_opts opts = {.max_stacks = sum->opts->max_stacks,
                                            .known = true,
                                            .notes = sum->notes};
    struct profile flat = {0};
    if (sum->opts->flat || sum->opts->no_symbols)
        return convert_all(sum, out, err);
    bool ok = convert_all(sum, &flat, err) &&
              prof_estimate_stacks(&flat, &opts, out, err);
    prof_free(&flat);
    return ok;
}

static bool begins_family(const void *options, const struct import_input *in)
{
    const struct gmon_opts *opts = options;
    return gmon_begins_of(opts->family)(in->data, in->n);
}

const struct converter gmon_converter = {
    .reads = "a gmon.out file",
    .begins = begins_family,
    .start = start_sum,
    .add = add_file,
    .finish = finish_sum,
    .free_sum = free_sum,
};
