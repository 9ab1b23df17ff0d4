/*
 * gmon_convert.c - finds the program of each file, adds files of one program,
 * and makes one profile of all
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "formats/gmon/private.h"
#include "symbolize/binary.h"

/* --- executables ---------------------------------------------------------- */

/*
 * Reads the headers of an ELF file.  Sets exe->name to the path.  Fails with
 * PROF_ERR_SYSTEM if the file cannot be read, with PROF_ERR_INPUT if it is not
 * an ELF file with code.
 */
static bool read_exe(struct gmon_exe *exe, const char *path,
                     struct prof_err *err)
{
    memset(exe, 0, sizeof *exe);
    exe->path = exe->name = path;
    /* O_NONBLOCK: opening a pipe must not wait for a writer. */
    int fd = file_open(path, O_RDONLY | O_NONBLOCK);
    if (fd < 0)
        return err_errno(err, errno, "cannot open");
    struct stat st;
    struct sym_program program;
    bool ok = fstat(fd, &st) != 0 || S_ISREG(st.st_mode)
                  ? sym_program_read(&program, fd, err)
                  : err_input(err, "not a regular file");
    (void)close(fd);
    if (!ok)
        return false;
    exe->form.addr_size = program.is_64 ? 8 : 4;
    exe->form.big_endian = program.big_endian;
    exe->low = program.low;
    exe->high = program.high;
    exe->entry = program.entry;
    exe->etext = program.etext;
    memcpy(exe->build_id, program.build_id, sizeof exe->build_id);
    return true;
}

/*
 * Returns whether histograms that begin where the program begins end where its
 * code ends: C libraries make them cover all code, rounded to 4 bytes.  If not,
 * the program was linked again after the run, which the text why[0 .. n) says.
 */
static bool end_fits(const struct gmon_exe *exe, const struct gmon *g,
                     char *why, size_t n)
{
    const uint64_t rest = 3;
    if (!exe->etext || (g->family != GMON_GNU && g->family != GMON_BSD44))
        return true;
    for (size_t i = 0; i < g->hists.n; i++) {
        const struct gmon_hist *h = &g->hists.v[i];
        if ((h->low != (exe->low & ~rest) && h->low != (exe->entry & ~rest)) ||
            h->low == h->high || h->high - exe->etext <= rest)
            continue;
        (void)snprintf(why, n,
                       TEXT("its code ends at 0x%" PRIx64
                            ", but the histogram at 0x%" PRIx64),
                       exe->etext, h->high);
        return false;
    }
    return true;
}

/*
 * Returns whether *exe has byte order and address size of *g, and all
 * histograms lie in its loaded addresses.  If not, writes the reason to
 * why[0 .. n).
 */
static bool place_fits(const struct gmon_exe *exe, const struct gmon *g,
                       char *why, size_t n)
{
    if (g->form.addr_size && (g->form.addr_size != exe->form.addr_size ||
                              g->form.big_endian != exe->form.big_endian)) {
        (void)snprintf(why, n, TEXT("it is %s, the profile %s"),
                       gmon_form_text(exe->form), gmon_form_text(g->form));
        return false;
    }
    for (size_t i = 0; i < g->hists.n; i++) {
        const struct gmon_hist *h = &g->hists.v[i];
        if (h->low == h->high || (h->low >= exe->low && h->high <= exe->high))
            continue;
        (void)snprintf(why, n,
                       TEXT("it is loaded at 0x%" PRIx64 "-0x%" PRIx64
                            ", but a histogram covers 0x%" PRIx64
                            "-0x%" PRIx64),
                       exe->low, exe->high, h->low, h->high);
        return false;
    }
    return true;
}

/* The program that is used if none is named, as in gprof. */
static const char default_program[] = "a.out";

const char *gmon_program_path(const struct gmon_opts *opts)
{
    return opts->program ? opts->program : default_program;
}

bool gmon_find_program(struct gmon_opts *opts, const struct prof_notes *notes,
                       struct prof_err *err)
{
    const char *path = gmon_program_path(opts);
    struct prof_err why;
    if ((opts->each_own || sym_library.lacking) && !opts->program)
        return true;
    bool must = opts->program || access(path, R_OK) == 0;
    if (!must && access(path, F_OK) != 0 && file_is_refused(errno))
        return true;
    if (read_exe(&opts->exe, path, &why))
        return true;
    opts->exe.path = NULL;
    if (opts->program || (must && why.kind == PROF_ERR_SYSTEM))
        return err_set(err, why.kind, "%s", why.text);
    note_warn(notes, "%s: %s; specify the program with -e", path, why.text);
    return true;
}

/* --- programs of the files ------------------------------------------------ */

struct program {
    struct gmon_exe exe; /* its path and name point to the next two */
    char *path, *name;
    char *archive; /* where the name is from, or null */
    struct gmon sum;
};

/* Files of one program, or with opts->each_own of several. */
struct gmon_sum {
    const struct gmon_opts *opts;
    const struct prof_notes *notes;
    struct gmon one;
    VEC(struct program) programs; /* in order of appearance */
    VEC(uint32_t) rows;           /* by id.content: row + 1; 0: none */
};

static void free_program(struct program *p)
{
    free(p->path);
    free(p->name);
    free(p->archive);
    gmon_free(&p->sum);
}

static bool copy_text(char **to, const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy)
        return false;
    free(*to);
    *to = copy;
    return true;
}

/*
 * Renames the program to id->name if it has no name or a later one in the
 * alphabet, so that the order of inputs does not matter.  Of equal names, the
 * one outside of archives wins.
 */
static bool name_program(struct program *p, const struct gmon_program_id *id)
{
    int c = p->name ? strcmp(id->name, p->name) : -1;
    if (c == 0 && id->archive && p->archive)
        c = strcmp(id->archive, p->archive);
    else if (c == 0)
        c = (id->archive != NULL) - (p->archive != NULL);
    if (c >= 0)
        return true;
    bool ok =
        copy_text(&p->name, id->name) && copy_text(&p->archive, id->archive);
    p->exe.name = p->name;
    return ok;
}

/*
 * Returns the program with id->content, added if it is new; valid until the
 * next call.  Returns null if it cannot be read or is not a program.
 */
static struct program *get_program(struct gmon_sum *sum,
                                   const struct gmon_program_id *id,
                                   struct prof_err *err)
{
    bool ok = true;
    while (ok && sum->rows.n <= id->content)
        ok = vec_push(&sum->rows, 0) || err_nomem(err);
    if (ok && !sum->rows.v[id->content]) {
        const struct program none = {0};
        if (!vec_push(&sum->programs, none)) {
            err_nomem(err);
            return NULL;
        }
        struct program *p = &sum->programs.v[sum->programs.n - 1];
        ok = copy_text(&p->path, id->path) || err_nomem(err);
        if (ok && !read_exe(&p->exe, p->path, err))
            ok = err_prefix(err, "%s: ", id->name);
        if (ok) {
            sum->rows.v[id->content] = (uint32_t)sum->programs.n;
        } else {
            free_program(p);
            sum->programs.n--;
        }
    }
    if (!ok)
        return NULL;
    struct program *p = &sum->programs.v[sum->rows.v[id->content] - 1];
    if (name_program(p, id))
        return p;
    err_nomem(err);
    return NULL;
}

static int by_name(const void *a, const void *b)
{
    const struct program *x = *(struct program *const *)a;
    const struct program *y = *(struct program *const *)b;
    return strcmp(x->name, y->name);
}

/*
 * Makes the names of all programs distinct: a merge would treat programs
 * without build IDs and with the same name as one.  Renames those from archives
 * to ARCHIVE/NAME.  Fails with PROF_ERR_INPUT if that is not enough.
 */
static bool settle_programs(struct gmon_sum *sum, struct prof_err *err)
{
    struct program **v = mem_array(sum->programs.n, sizeof(struct program *));
    size_t n = 0;
    bool ok = v || err_nomem(err);
    for (size_t i = 0; ok && i < sum->programs.n; i++)
        if (!*sum->programs.v[i].exe.build_id)
            v[n++] = &sum->programs.v[i];
    for (int again = 0; again < 2; again++) {
        if (n)
            qsort(v, n, sizeof(struct program *), by_name);
        for (size_t i = 0, end; ok && i < n; i = end) {
            for (end = i + 1; end < n && by_name(&v[i], &v[end]) == 0;)
                end++;
            if (again && end > i + 1)
                ok = err_input(err,
                               "two programs without build IDs have the same "
                               "name %s; a profile cannot distinguish them",
                               v[i]->name);
            for (size_t k = end; ok && end > i + 1 && k-- > i;) {
                if (!v[k]->archive)
                    continue;
                char *name = str_printf("%s/%s", v[k]->archive, v[k]->name);
                ok = name || err_nomem(err);
                if (!ok)
                    break;
                free(v[k]->name);
                v[k]->exe.name = v[k]->name = name;
                (void)copy_text(&v[k]->archive, NULL);
            }
        }
    }
    free(v);
    return ok;
}

/* --- the sum -------------------------------------------------------------- */

struct gmon_sum *gmon_sum_new(const struct gmon_opts *opts,
                              const struct prof_notes *notes,
                              struct prof_err *err)
{
    struct gmon_sum *sum = mem_new(sizeof *sum, err);
    if (sum) {
        sum->opts = opts;
        sum->notes = notes;
    }
    return sum;
}

void gmon_sum_free(struct gmon_sum *sum)
{
    if (!sum)
        return;
    gmon_free(&sum->one);
    for (size_t i = 0; i < sum->programs.n; i++)
        free_program(&sum->programs.v[i]);
    vec_free(&sum->programs);
    vec_free(&sum->rows);
    free(sum);
}

/*
 * Reads a file.  The error suggests --lenient if that would read a part of the
 * file, unless --format may have caused the error.
 */
static bool read_file(struct gmon *g, const struct import_input *in,
                      const struct gmon_opts *opts, struct prof_err *err)
{
    if (gmon_read(g, in, opts, err))
        return true;
    bool forced = opts->addr_size || opts->order;
    if (opts->lenient || forced || err->kind != PROF_ERR_INPUT)
        return false;
    struct gmon_opts lenient = *opts;
    struct import_input quiet = *in;
    struct gmon part;
    struct prof_err why = *err, other;
    lenient.lenient = true;
    quiet.notes = NULL;
    if (gmon_read(&part, &quiet, &lenient, &other))
        err_input(err, "%s; use --lenient to keep the complete records",
                  why.text);
    gmon_free(&part);
    return false;
}

bool gmon_sum_add(struct gmon_sum *sum, const struct import_input *in,
                  struct prof_err *err)
{
    struct gmon_opts opts = *sum->opts;
    struct gmon g, *to = &sum->one;
    const struct gmon_exe none = {0}, *exe = opts.program ? &opts.exe : &none;
    char why[256];
    if (opts.exe.path)
        opts.hint = opts.exe.form;
    if (opts.each_own) {
        struct program *p = get_program(sum, &opts.own, err);
        if (!p)
            return false;
        if (opts.own.is_default)
            note_info(in->notes, "no program matches --exe-from; using %s",
                      opts.own.name);
        opts.hint = p->exe.form;
        to = &p->sum;
        exe = &p->exe;
    }
    bool ok = read_file(&g, in, &opts, err) && notes_lossless(in->notes, err);
    /* A program that was rebuilt after the run would give wrong names. */
    if (ok && !opts.no_symbols && !end_fits(exe, &g, why, sizeof why))
        ok = err_input(err,
                       "does not match %s (%s): was it built again after the "
                       "run? use the program that ran, or --no-symbols",
                       exe->name, why);
    ok = ok && gmon_add(to, &g, in->name, err);
    gmon_free(&g);
    return ok;
}

/* Warns if the program does not fit the profile; it is used all the same. */
static void warn_of_misfit(const struct gmon_sum *sum,
                           const struct gmon_exe *exe, const struct gmon *g)
{
    char why[256];
    if (!place_fits(exe, g, why, sizeof why) ||
        !end_fits(exe, g, why, sizeof why))
        note_loss(sum->notes, "%s: %s; wrong program?", exe->name, why);
}

/*
 * Returns the program of all files, or null if it is unknown.  The default
 * program is used only if it fits, and never for a library's profile.
 */
static const struct gmon_exe *choose_program(const struct gmon_sum *sum)
{
    const struct gmon_opts *opts = sum->opts;
    const struct gmon_exe *exe = &opts->exe;
    bool library = sum->one.family == GMON_LD_PROFILE;
    char why[256];
    if (opts->program) {
        warn_of_misfit(sum, exe, &sum->one);
        return exe;
    }
    if (exe->path && !library) {
        if (!place_fits(exe, &sum->one, why, sizeof why)) {
            note_warn(sum->notes,
                      "does not match a.out (%s); specify the program with -e",
                      why);
        } else if (end_fits(exe, &sum->one, why, sizeof why)) {
            note_info(sum->notes, "using ./a.out");
            return exe;
        } else if (!opts->no_symbols) {
            note_loss(sum->notes,
                      "does not match a.out (%s): was it built again after the "
                      "run? specify the program that ran with -e, or use "
                      "--no-symbols",
                      why);
        }
        return NULL;
    }
    if (opts->no_symbols)
        return NULL;
    if (sym_library.lacking)
        note_warn(sum->notes, "no function names: built without elfutils");
    else if (library)
        note_warn(sum->notes, "this is a shared library's profile; specify the "
                              "library with -e to name its functions");
    else if (access(default_program, F_OK) != 0)
        note_warn(sum->notes, "no a.out in this directory; specify the program "
                              "with -e to name functions");
    return NULL;
}

static bool convert_program(const struct gmon_sum *sum, const struct gmon *g,
                            const struct gmon_exe *exe, struct prof_merger *m,
                            struct prof_err *err)
{
    const char *path = sum->opts->path;
    struct code_owners owners = {0};
    const struct gmon_job job = {g, exe, &owners, sum->opts, sum->notes};
    struct profile *p = NULL;
    size_t i = 0;
    while (i < g->bins.n && !g->bins.v[i])
        i++;
    if (g->bins.n && i == g->bins.n) /* gprof has the same warning */
        note_warn(sum->notes, "no time accumulated: every count of the "
                              "histogram is 0 (did the program run too "
                              "briefly?)");
    bool ok =
        !exe || sum->opts->no_symbols ||
        (sum->opts->as_gprof
             ? code_owners_read_gprof(&owners, exe->path, path, err)
             : code_owners_read(&owners, exe->path, path, sum->notes, err));
    ok = ok && (p = gmon_convert(&job, err)) && prof_merge_take(m, p, err);
    prof_delete(p);
    code_owners_free(&owners);
    return ok;
}

static bool convert_programs(struct gmon_sum *sum, struct prof_merger *m,
                             struct prof_err *err)
{
    const char *none = NULL, **subject = sum->opts->subject;
    if (!subject)
        subject = &none;
    const char *profile = *subject; /* with --each */
    bool ok = settle_programs(sum, err);
    for (size_t i = 0; ok && i < sum->programs.n; i++) {
        const struct program *p = &sum->programs.v[i];
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

struct profile *gmon_sum_finish(struct gmon_sum *sum, struct prof_err *err)
{
    const struct gmon_opts *opts = sum->opts;
    bool has_stacks = !opts->flat && !opts->no_symbols;
    const struct prof_result_opts result = {.to_write = !has_stacks};
    const struct prof_estimate_opts estimate = {.max_stacks = opts->max_stacks,
                                                .known = true,
                                                .to_write = true,
                                                .notes = sum->notes};
    struct prof_merger *m = prof_merge_new(
        &(struct prof_merge_opts){.types = PROF_TYPES_UNION}, err);
    struct profile *p = NULL;
    if (m && (opts->each_own ? convert_programs(sum, m, err)
                             : convert_program(sum, &sum->one,
                                               choose_program(sum), m, err)))
        p = prof_merge_result(m, &result, err);
    prof_merge_free(m);
    if (p && has_stacks && !prof_estimate(p, &estimate, err)) {
        prof_delete(p);
        p = NULL;
    }
    return p;
}
