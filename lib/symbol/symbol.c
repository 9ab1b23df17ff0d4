/* symbol.c - symbolizes a profile, and reports the names that are missing */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/vec.h"
#include "profile/text.h"
#include "symbol/private.h"
#include "symbol/symbol.h"

/* Build ids for profiles that came without. */

static bool read_build_id(struct profile *p, struct prof_mapping *m,
                          const struct notes *notes, struct err *err)
{
    const char *file = prof_plain(p, m->filename);
    struct sym_image image;
    struct err why;
    bool absent = false, ok = true;
    if (!sym_image_open(&image, file, false, &absent, &why)) {
        if (why.kind == ERR_SYSTEM)
            return err_set(err, ERR_SYSTEM, "%s: %s", file, why.text);
        note_info(notes, "%s: no build ID: %s", file, why.text);
        return true;
    }
    if (image.build_id[0])
        ok = prof_str(p, image.build_id, &m->build_id, err);
    else
        note_info(notes, "%s: no build ID", file);
    sym_image_close(&image);
    return ok;
}

bool sym_read_build_ids(struct profile *p, const struct notes *notes,
                        struct err *err)
{
    for (size_t i = 0; i < p->n_mappings; i++) {
        struct prof_mapping *m = &p->mappings[i];
        /* "[vdso]" and "//anon" are no files. */
        const char *name = prof_plain(p, m->filename);
        bool is_file =
            *name && *name != '[' && (*name != '/' || name[1] != '/');
        if (is_file && !m->build_id && !read_build_id(p, m, notes, err))
            return false;
    }
    return true;
}

/*
 * What a profile lacks for want of symbols.
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

struct unnamed_file {
    const char *name; /* "": the addresses are in no file */
    const char *why;  /* no names, in words */
    const char *hint; /* what to do about it; static, "": nothing */
    bool was_read;    /* its other addresses may have names */
    bool is_quiet;    /* nobody can name these: never a warning */

    uint32_t number; /* that it was added as; 0: it was not */
    size_t n_addresses;
    double share;  /* of the samples, 0 to 1 */
    size_t frames; /* of the sample being counted */
};

struct unnamed {
    VEC(struct unnamed_file) files;
    uint32_t *file_of; /* of each location: number or 0 */
    size_t n_locations;
};

enum {
    FILES_MAX = 1000, /* that are told apart */
    NAME_MAX_SHOWN = 4096,
    WARNINGS_MAX = 4, /* files with a line of their own */
};

static const double worth_a_warning = 0.01;

static void free_unnamed(struct unnamed *u)
{
    for (size_t i = 0; i < u->files.n; i++) {
        free((void *)u->files.v[i].name);
        free((void *)u->files.v[i].why);
    }
    vec_free(&u->files);
    free(u->file_of);
    memset(u, 0, sizeof *u);
}

static bool add_file(struct unnamed *u, struct unnamed_file *file,
                     struct err *err)
{
    static const struct unnamed_file others = {
        .name = "other files", .why = "too many to distinguish", .hint = ""};
    if (u->files.n <= FILES_MAX) {
        struct unnamed_file new = u->files.n < FILES_MAX ? *file : others;
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

static bool add_unnamed(struct unnamed *u, const struct profile *p,
                        struct unnamed_file *file, size_t location,
                        struct err *err)
{
    if (!u->file_of) {
        u->file_of = mem_zarray(p->n_locations, sizeof *u->file_of);
        if (!u->file_of)
            return err_nomem(err);
        u->n_locations = p->n_locations;
    }
    if (!file->number && !add_file(u, file, err))
        return false;
    u->file_of[location] = file->number;
    u->files.v[file->number - 1].n_addresses++;
    return true;
}

/* The file that lacks the name of the location, or null. */
static struct unnamed_file *file_of(const struct unnamed *u, uint32_t location)
{
    uint32_t file = location < u->n_locations ? u->file_of[location] : 0;
    return file ? &u->files.v[file - 1] : NULL;
}

/* Adds a sample of this weight to the files that it counts for. */
static void count_sample(const struct unnamed *u, const uint32_t *stack,
                         size_t depth, double weight)
{
    for (size_t i = 0; i < depth; i++) {
        struct unnamed_file *f = file_of(u, stack[i]);
        if (f)
            f->frames++;
    }
    for (size_t i = 0; i < depth; i++) {
        struct unnamed_file *f = file_of(u, stack[i]);
        if (!f || !f->frames)
            continue;
        if (!f->was_read || i == 0 || f->frames >= depth - f->frames)
            f->share += weight;
        f->frames = 0;
    }
}

static double weight_of(const struct profile *p, size_t sample, int type)
{
    if (type < 0)
        return 1;
    double value = (double)p->values[sample * p->n_types + (size_t)type];
    return value < 0 ? -value : value;
}

static double total_of(const struct profile *p, int type)
{
    double total = 0;
    for (size_t i = 0; i < p->n_samples; i++)
        total += weight_of(p, i, type);
    return total;
}

/* Sets the shares; returns what they are shares of. */
static const char *count_samples(const struct unnamed *u,
                                 const struct profile *p)
{
    int type = prof_default_type(p);
    double total = total_of(p, type);
    if (total == 0) {
        type = -1;
        total = total_of(p, type);
    }
    for (size_t i = 0; i < p->n_samples; i++)
        count_sample(u, prof_stack(p, i), prof_depth(p, i),
                     weight_of(p, i, type) / total);
    return type < 0 ? "samples" : prof_plain(p, p->types[type].type);
}

static int by_share(const void *a, const void *b)
{
    const struct unnamed_file *x = a, *y = b;
    if (x->is_quiet != y->is_quiet)
        return x->is_quiet - y->is_quiet;
    if (x->share != y->share)
        return x->share < y->share ? 1 : -1;
    int order = strcmp(x->name, y->name);
    return order ? order : strcmp(x->why, y->why);
}

static void report_file(const struct unnamed_file *f, const char *of,
                        bool is_warning, const struct notes *notes)
{
    char share[32] = "less than 1%";
    if (f->share >= worth_a_warning || f->share == 0)
        snprintf(share, sizeof share, "%.0f%%", f->share * 100);
    note_at(notes, is_warning ? NOTE_WARN : NOTE_INFO,
            "%s%sno function names for %s of %s (%zu address%s): %s%s%s",
            f->name, *f->name ? ": " : "", share, of, f->n_addresses,
            f->n_addresses == 1 ? "" : "es", f->why, *f->hint ? ": " : "",
            f->hint);
}

static void report_unnamed(struct unnamed *u, const struct profile *p,
                           const struct notes *notes)
{
    if (!u->files.n || !notes)
        return;
    const char *of = count_samples(u, p);
    struct unnamed_file *f = u->files.v;
    /* No location needs its file any more. */
    qsort(f, u->files.n, sizeof *f, by_share);
    size_t n = 0;
    while (n < u->files.n && !f[n].is_quiet && f[n].share >= worth_a_warning)
        n++;
    size_t shown = n > WARNINGS_MAX + 1 ? WARNINGS_MAX : n;
    for (size_t i = 0; i < shown; i++)
        report_file(&f[i], of, true, notes);
    if (shown < n)
        note_warn(notes,
                  "%zu more files have no function names, each in up to %.0f%% "
                  "of %s; use -v to list them",
                  n - shown, f[shown].share * 100, of);
    for (size_t i = shown; i < u->files.n; i++)
        report_file(&f[i], of, false, notes);
}

/* Locations. */

/* A location to symbolize. */
struct want {
    uint64_t address;
    uint32_t location, mapping;
    uint32_t file, build_id; /* of the mapping: what one binary has in common */
};

/* All that is wanted of one binary. */
struct task {
    const struct want *w;
    size_t n;
    struct sym_binary own, *binary; /* binary null: nothing can be done */
    const char *name;               /* in messages */
};

struct job {
    struct profile *p;
    const struct sym_opts *opts;
    const struct notes *notes;
    struct sym_names names;
    VEC(struct want) wants;
    VEC(struct sym_query) queries; /* of the binary at work */
    struct unnamed unnamed;
};

/* What to do about names that are missing. */
static const char hint_file[] = "use --path=DIR to find the profiled file";
static const char hint_main[] =
    "use -e FILE or --path=DIR to find the profiled file";
static const char hint_named[] = "specify the profiled file";
static const char hint_debug[] =
    "install its debug symbols (Debian: a -dbgsym package) or use --path=DIR";

static int want_order(const void *a, const void *b)
{
    const struct want *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->build_id != y->build_id)
        return x->build_id < y->build_id ? -1 : 1;
    if (x->mapping != y->mapping)
        return x->mapping < y->mapping ? -1 : 1;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->location > y->location) - (x->location < y->location);
}

/*
 * The location stays without a name for the reason that *file has, unless it
 * has an old one (--force).
 */
static bool lack_name(struct job *j, struct unnamed_file *file, size_t location,
                      struct err *err)
{
    return j->p->locations[location].n_lines ||
           add_unnamed(&j->unnamed, j->p, file, location, err);
}

/* The locations that need lines, those of one binary together. */
static bool collect_wants(struct job *j, struct err *err)
{
    const struct profile *p = j->p;
    struct unnamed_file unmapped = {
        .name = "",
        .why = "the addresses lie outside all mappings",
        .hint = p->n_mappings ? "" : "pass -e FILE",
        .was_read = true};
    for (size_t i = 0; i < p->n_locations; i++) {
        const struct prof_location *l = &p->locations[i];
        if (l->n_lines && !j->opts->force)
            continue;
        if (l->mapping == PROF_NONE) {
            if (!lack_name(j, &unmapped, i, err))
                return false;
            continue;
        }
        const struct prof_mapping *m = &p->mappings[l->mapping];
        struct want w = {l->address, (uint32_t)i, l->mapping, m->filename,
                         m->build_id};
        if (!vec_push(&j->wants, w))
            return err_nomem(err);
    }
    if (j->wants.n)
        qsort(j->wants.v, j->wants.n, sizeof *j->wants.v, want_order);
    return true;
}

bool sym_has_no_file(const char *file)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    return (base[0] == '[' && base[1]) ||
           strncmp(base, "linux-vdso", 10) == 0 ||
           (strncmp(file, "/dev/", 5) == 0 &&
            strncmp(file, "/dev/shm/", 9) != 0) ||
           strcmp(file, "//anon") == 0 || strncmp(file, "/memfd:", 7) == 0 ||
           strncmp(file, "/SYSV", 5) == 0 ||
           strncmp(file, "anon_inode:", 11) == 0;
}

static int query_order(const void *a, const void *b)
{
    const struct sym_query *x = a, *y = b;
    if (x->vaddr != y->vaddr)
        return x->vaddr < y->vaddr ? -1 : 1;
    return (x->location > y->location) - (x->location < y->location);
}

/* Queries for the wants of a binary that can be placed in it. */
static bool place_queries(struct job *j, const struct task *t, struct err *err)
{
    const struct sym_image *im = &t->binary->files.image;
    const struct want *w = t->w;
    struct unnamed_file outside = {
        .name = t->name,
        .why = "the addresses lie outside the file's segments",
        .hint = "was the file replaced?"};
    uint32_t last = PROF_NONE;
    uint64_t bias = 0;
    bool known = false;
    j->queries.n = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct prof_mapping *m = &j->p->mappings[w[i].mapping];
        bool inside = !m->limit || m->limit <= m->start ||
                      (w[i].address >= m->start && w[i].address < m->limit);
        if (inside && w[i].mapping != last) {
            known = sym_bias(im, m, w[i].address, &bias);
            last = w[i].mapping;
        }
        if (!inside || !known) {
            if (!lack_name(j, &outside, w[i].location, err))
                return false;
            continue;
        }
        struct sym_query q = {w[i].address - bias, w[i].location, 0, 0};
        if (!vec_push(&j->queries, q))
            return err_nomem(err);
    }
    if (j->queries.n)
        qsort(j->queries.v, j->queries.n, sizeof *j->queries.v, query_order);
    return true;
}

static bool is_stripped(const struct sym_files *f)
{
    return !sym_files_dwarf(f) && !f->image.has_symtab &&
           !f->debug.has_symtab && !f->mini.path;
}

/* Why a binary that was read does not name an address. */
static struct unnamed_file lack_of_symbol(const struct job *j,
                                          const struct task *t)
{
    const struct sym_binary *b = t->binary;
    const struct sym_files *f = &b->files;
    struct unnamed_file lack = {.name = t->name,
                                .why = "no symbols at these addresses",
                                .hint = "",
                                .was_read = true};
    if (f->image.damaged || f->debug.damaged || f->shared.damaged ||
        f->mini.damaged || b->symtab.damaged) {
        lack.why = "the file is corrupt";
        lack.was_read = false;
    } else if (is_stripped(f)) {
        lack.why = "it is stripped";
        lack.hint = hint_debug;
    } else {
        lack.is_quiet = j->opts->names_follow;
    }
    return lack;
}

/* Sets the lines of a location and marks its mapping. */
static void store_lines(struct job *j, const struct sym_lookup *l,
                        const struct sym_query *q)
{
    struct profile *p = j->p;
    struct prof_location *to = &p->locations[q->location];
    struct prof_mapping *m = &p->mappings[to->mapping];
    to->line_off = q->line_off;
    to->n_lines = q->n_lines;
    to->is_folded = false;
    m->has_inline_frames |= l->has_inlines && !j->opts->no_inlines;
    for (uint32_t k = 0; k < q->n_lines; k++) {
        const struct prof_line *line = &p->lines[q->line_off + k];
        m->has_line_numbers |= line->line != 0;
        if (line->function == PROF_NONE)
            continue;
        m->has_functions = true;
        m->has_filenames |= p->functions[line->function].filename != 0;
    }
}

static bool store_queries(struct job *j, const struct task *t,
                          const struct sym_lookup *l, struct err *err)
{
    struct unnamed_file lack = lack_of_symbol(j, t);
    for (size_t i = 0; i < l->n; i++) {
        const struct sym_query *q = &l->v[i];
        if (q->n_lines)
            store_lines(j, l, q);
        else if (!lack_name(j, &lack, q->location, err))
            return false;
    }
    return true;
}

static bool look_up_task(struct job *j, const struct task *t, struct err *err)
{
    if (!place_queries(j, t, err))
        return false;
    struct sym_lookup l = {.binary = t->binary,
                           .names = &j->names,
                           .v = j->queries.v,
                           .n = j->queries.n,
                           .no_inlines = j->opts->no_inlines,
                           .symtab_only = j->opts->symtab_only,
                           .notes = j->notes};
    return sym_look_up(&l, err) && store_queries(j, t, &l, err);
}

/* The binary in the cache, or in **b where there is none. */
static enum sym_found find_binary(struct job *j,
                                  const struct sym_wanted *wanted,
                                  struct sym_binary **b, struct err *err)
{
    return j->opts->cache ? sym_cache_get(j->opts->cache, wanted, b, err)
                          : sym_find(&(*b)->files, wanted, err);
}

/* All addresses of the task stay without names. */
static bool lack_file(struct job *j, const struct task *t,
                      struct unnamed_file *file, struct err *err)
{
    for (size_t i = 0; i < t->n; i++)
        if (!lack_name(j, file, t->w[i].location, err))
            return false;
    return true;
}

/* Finds the binary of the task, whose w and n are set. */
static bool find_task(struct job *j, struct task *t, struct err *err)
{
    const struct want *w = t->w;
    const char *file = prof_plain(j->p, w->file);
    const char *build_id = prof_plain(j->p, w->build_id);
    bool is_main = w->mapping == 0;
    bool is_named = is_main && j->opts->binary;
    bool is_elsewhere = is_named && j->opts->binary_at;
    struct unnamed_file lack = {.name = *file ? file : build_id,
                                .hint = is_named  ? hint_named
                                        : is_main ? hint_main
                                                  : hint_file};
    if (!*file && !*build_id) {
        lack.why = w->file   ? "the mapping's file name has a NUL"
                   : is_main ? "the main mapping has no file name"
                             : "the mapping has no file name";
        lack.hint = is_main ? "pass -e FILE" : "";
        lack.is_quiet = !is_main;
        return lack_file(j, t, &lack, err);
    }
    if (!is_named && sym_has_no_file(file)) {
        lack.why = "not a file";
        lack.hint = "";
        lack.is_quiet = true;
        return lack_file(j, t, &lack, err);
    }
    struct sym_binary *b = &t->own;
    struct err why;
    const struct sym_wanted wanted = {.file = is_elsewhere ? j->opts->binary_at
                                                           : file,
                                      .build_id = build_id,
                                      .path = j->opts->path,
                                      .named_only = is_named,
                                      .notes = j->notes};
    switch (find_binary(j, &wanted, &b, &why)) {
    case SYM_FOUND:
        t->binary = b;
        t->name = is_elsewhere ? file : b->files.image.path;
        return true;

    case SYM_NOT_FOUND:
        lack.why = why.text;
        return lack_file(j, t, &lack, err);
    default:
        *err = why;
        return false;
    }
}

/*
 * Two tasks at work: one is looked up while the other's binary is read.
 * libdw takes what it has no memory for as what is not there.
 */
struct step {
    struct job *j;
    const struct task *now, *next;
    struct err err[2];
    bool ok[2];
};

static void do_piece(void *ctx, unsigned thread, size_t piece)
{
    struct step *s = ctx;
    struct err *err = &s->err[piece];
    (void)thread;
    errno = 0;
    bool ok = piece == 0 ? look_up_task(s->j, s->now, err)
                         : sym_binary_read(s->next->binary, err);
    s->ok[piece] = err_check_errno(err) && ok;
}

/* Bytes of a file whose debug information takes a millisecond to open. */
enum { LARGE = 1 << 20 };

static bool is_worth_a_thread(const struct sym_binary *b)
{
    const struct sym_image *im = sym_files_dwarf(&b->files);
    return !b->dwarf_tried && im && im->size >= LARGE;
}

static bool do_step(struct job *j, const struct task *now,
                    const struct task *next, struct err *err)
{
    struct step s = {.j = j, .now = now, .next = next, .ok = {true, true}};
    bool ahead = j->opts->threads > 1 && !j->opts->symtab_only &&
                 next->binary && is_worth_a_thread(next->binary);
    if (now->binary)
        parallel_run(2, ahead ? 2 : 1, do_piece, &s);
    for (size_t i = 0; i < 2; i++)
        if (!s.ok[i]) {
            *err = s.err[i];
            return false;
        }
    return true;
}

static void end_task(struct task *t)
{
    sym_binary_close(&t->own);
    memset(t, 0, sizeof *t);
}

/* Binary by binary, in the same order for any number of threads. */
static bool do_tasks(struct job *j, struct err *err)
{
    struct task tasks[2] = {0}, *now = &tasks[0], *next = &tasks[1];
    bool ok = true;
    for (size_t i = 0; ok && i < j->wants.n; i += now->n) {
        const struct want *w = &j->wants.v[i];
        next->w = w;
        while (next->n < j->wants.n - i && w[next->n].file == w->file &&
               w[next->n].build_id == w->build_id)
            next->n++;
        ok = find_task(j, next, err) && do_step(j, now, next, err);
        end_task(now);
        struct task *t = now;
        now = next;
        next = t;
    }
    ok = ok && do_step(j, now, next, err);
    end_task(now);
    end_task(next);
    return ok;
}

/* The binary that the caller named goes into the main mapping. */
static bool name_main(struct profile *p, const char *binary, struct err *err)
{
    uint32_t name;
    if (!prof_str(p, binary, &name, err))
        return false;
    if (!p->n_mappings) {
        struct prof_mapping m = {.id = 0};
        if (!prof_add_mapping(p, &m, NULL, err))
            return false;
        for (size_t i = 0; i < p->n_locations; i++)
            p->locations[i].mapping = 0;
    }
    p->mappings[0].filename = name;
    return true;
}

bool sym_profile(struct profile *p, const struct sym_opts *opts,
                 const struct notes *notes, struct err *err)
{
    struct job j = {.p = p, .opts = opts, .notes = notes};
    sym_names_init(&j.names, p, opts->demangle);
    bool ok = (!opts->binary || name_main(p, opts->binary, err)) &&
              collect_wants(&j, err);
    ok = ok && do_tasks(&j, err);
    if (ok)
        report_unnamed(&j.unnamed, p, notes);
    free_unnamed(&j.unnamed);
    sym_names_free(&j.names);
    vec_free(&j.wants);
    vec_free(&j.queries);
    return ok;
}
