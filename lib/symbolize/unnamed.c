/*
 * unnamed.c - reports the files whose addresses have no names
 *
 * Collects the addresses that got no name, by file and reason, and reports
 * each file by its share of the samples: a file with 1 % or more is a
 * warning, any other is a note.  The share is taken of the absolute values of
 * the default sample type, or of the number of samples if these are all 0.
 *
 * A sample counts for a file that was read if the file lacks the name of its
 * leaf, or of at least half of its frames: the startup code of a C library,
 * which is at the end of every stack, is not worth a warning.  It counts for
 * a file that was not read if it has any frame there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/vec.h"
#include "symbolize/private.h"

enum {
    FILES_MAX = 1000, /* files that are counted separately */
    NAME_MAX_SHOWN = 4096,
    WARNINGS_MAX = 4, /* files with a line of their own */
};

static const double worth_a_warning = 0.01;

void sym_unnamed_free(struct sym_unnamed *u)
{
    for (size_t i = 0; i < u->files.n; i++) {
        free((void *)u->files.v[i].name);
        free((void *)u->files.v[i].why);
    }
    vec_free(&u->files);
    free(u->file_of);
    memset(u, 0, sizeof *u);
}

static bool add_file(struct sym_unnamed *u, struct sym_unnamed_file *file,
                     struct prof_err *err)
{
    static const struct sym_unnamed_file others = {
        .name = "other files",
        .why = TEXT("too many to distinguish"),
        .hint = ""};
    if (u->files.n <= FILES_MAX) {
        struct sym_unnamed_file new = u->files.n < FILES_MAX ? *file : others;
        new.name = strndup(new.name, NAME_MAX_SHOWN);
        new.why = strdup(new.why);
        if (!new.name || !new.why || !vec_push(&u->files, new)) {
            free((void *)new.name);
            free((void *)new.why);
            return err_nomem(err);
        }
    }
    file->number = (uint32_t)u->files.n;
    return true;
}

bool sym_unnamed_add(struct sym_unnamed *u, const struct profile *p,
                     struct sym_unnamed_file *file, size_t location,
                     struct prof_err *err)
{
    if (!u->file_of) {
        u->n_locations = prof_count(p).locations;
        u->file_of = mem_zarray(u->n_locations, sizeof *u->file_of);
        if (!u->file_of)
            return err_nomem(err);
    }
    if (!file->number && !add_file(u, file, err))
        return false;
    u->file_of[location] = file->number;
    u->files.v[file->number - 1].n_addresses++;
    return true;
}

/* Returns the file that lacks the name of the location, or null. */
static struct sym_unnamed_file *file_of(const struct sym_unnamed *u,
                                        uint32_t location)
{
    uint32_t file = location < u->n_locations ? u->file_of[location] : 0;
    return file ? &u->files.v[file - 1] : NULL;
}

/* Adds a sample of this weight to the files that it counts for. */
static void count_sample(const struct sym_unnamed *u, const uint32_t *stack,
                         size_t depth, double weight)
{
    size_t n_unnamed = 0;
    for (size_t i = 0; i < depth; i++) {
        struct sym_unnamed_file *f = file_of(u, stack[i]);
        n_unnamed += f != NULL;
        if (f)
            f->frames++;
    }
    for (size_t i = 0; n_unnamed && i < depth; i++) {
        struct sym_unnamed_file *f = file_of(u, stack[i]);
        if (!f || !f->frames)
            continue;
        if (!f->was_read || i == 0 || f->frames >= depth - f->frames)
            f->share += weight;
        f->frames = 0;
    }
}

/* Returns the magnitude of the value of a sample; 1 if type is -1. */
static double weight_of(const struct prof_sample *s, int type)
{
    double value = type < 0 ? 1 : (double)s->values[type];
    return value < 0 ? -value : value;
}

/* Sets the shares of files.  Returns the name of the values that are summed. */
static const char *count_samples(const struct sym_unnamed *u,
                                 const struct profile *p)
{
    const size_t n = prof_count(p).samples;
    int type = prof_default_type(p);
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        struct prof_sample s = prof_get_sample(p, i);
        total += weight_of(&s, type);
    }
    if (total == 0) {
        type = -1;
        total = (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        struct prof_sample s = prof_get_sample(p, i);
        count_sample(u, s.frames, s.n_frames, weight_of(&s, type) / total);
    }
    return type < 0 ? "samples"
                    : prof_plain(p, prof_get_type(p, (size_t)type).type);
}

static int by_share(const void *a, const void *b)
{
    const struct sym_unnamed_file *x = a, *y = b;
    int c = ORDER(x->is_quiet, y->is_quiet);
    c = c ? c : ORDER(y->share, x->share);
    c = c ? c : strcmp(x->name, y->name);
    return c ? c : strcmp(x->why, y->why);
}

static void report_file(const struct sym_unnamed_file *f, const char *of,
                        bool is_warning, const struct prof_notes *notes)
{
    char share[32] = "less than 1%";
    if (f->share >= worth_a_warning || f->share == 0)
        snprintf(share, sizeof share, "%.0f%%", f->share * 100);
    note_count(notes, is_warning ? PROF_NOTE_WARN : PROF_NOTE_INFO,
               f->n_addresses,
               "%s%sno function names for %s of %s (%zu address{es}): %s%s%s",
               f->name, *f->name ? ": " : "", share, of, f->n_addresses, f->why,
               *f->hint ? "; " : "", f->hint);
}

void sym_unnamed_report(struct sym_unnamed *u, const struct profile *p,
                        const struct prof_notes *notes)
{
    if (!u->files.n || !notes)
        return;
    const char *of = count_samples(u, p);
    struct sym_unnamed_file *f = u->files.v;
    /* Sorting breaks u->file_of, which nothing needs any more. */
    vec_sort(&u->files, by_share);
    size_t n = 0;
    while (n < u->files.n && !f[n].is_quiet && f[n].share >= worth_a_warning)
        n++;
    size_t shown = n > WARNINGS_MAX + 1 ? WARNINGS_MAX : n;
    for (size_t i = 0; i < shown; i++)
        report_file(&f[i], of, true, notes);
    if (shown < n)
        note_count(notes, PROF_NOTE_WARN, n - shown,
                   "no function names for %zu more file{s}, each in up to "
                   "%.0f%% of %s; use -v to list {it|them}",
                   n - shown, f[shown].share * 100, of);
    for (size_t i = shown; i < u->files.n; i++)
        report_file(&f[i], of, false, notes);
}
