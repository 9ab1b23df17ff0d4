/* symbol.c - symbolizes a profile */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/system.h"
#include "base/vec.h"
#include "profile.h"
#include "symbolize/private.h"
#include "symbolize/symbol.h"

/* --- locations ------------------------------------------------------------ */

/* A location to symbolize. */
struct want {
    uint64_t address;
    uint32_t location, mapping;
    uint32_t file, build_id; /* of its mapping; both equal: the same binary */
};

/* All locations to symbolize with one binary. */
struct task {
    const struct want *w;
    size_t n;
    struct sym_binary own, *binary; /* `binary` is null if it was not found */
    const char *name;               /* its name in messages */
};

struct job {
    struct profile *p;
    const struct sym_opts *opts;
    const struct prof_notes *notes;
    struct sym_names names;
    bool has_kernel;            /* there is one kernel, with this mapping: */
    struct prof_mapping kernel; /* as it was before --vmlinux */
    uint32_t vmlinux;           /* file name of kernels with --vmlinux; or 0 */
    bool drops_allocators;      /* see prof_prune_allocators() */
    VEC(struct want) wants;
    VEC(struct sym_query) queries; /* of the current binary */
    struct sym_unnamed unnamed;
};

/* Hints on how to get missing names. */
static const char hint_file[] =
    TEXT("use --path=DIR to find the profiled file");
static const char hint_main[] =
    TEXT("use -e FILE or --path=DIR to find the profiled file");
static const char hint_named[] = TEXT("specify the profiled file with -e");
static const char hint_kernel[] =
    TEXT("copy ~/.debug of the profiled machine to DIR and use --path=DIR");
static const char hint_kernel_id[] =
    TEXT("use --kallsyms or --vmlinux; perf record --buildid-mmap records it");
static const char hint_perf_map[] =
    TEXT("copy it from where the process ran to DIR and use --path=DIR, or, if "
         "the process wrote a jitdump, use 'perf inject --jit'");
static const char hint_unmapped[] =
    "often because code has no frame pointers, or was generated at run time";
static const char hint_debug[] = TEXT(
    "install its debug symbols (Debian: a -dbgsym package) or use --path=DIR");

static int want_order(const void *a, const void *b)
{
    const struct want *x = a, *y = b;
    int c = ORDER(x->file, y->file);
    c = c ? c : ORDER(x->build_id, y->build_id);
    c = c ? c : ORDER(x->mapping, y->mapping);
    c = c ? c : ORDER(x->address, y->address);
    return c ? c : ORDER(x->location, y->location);
}

/* Records why a location has no name, unless it has an old one (--force). */
static bool lack_name(struct job *j, struct sym_unnamed_file *file,
                      size_t location, struct prof_err *err)
{
    const struct prof_location l = prof_get_location(j->p, location);
    /* Reports drop frames of allocators, so do not warn of them. */
    if (j->drops_allocators && prof_is_allocator(j->p, l.mapping))
        file->is_quiet = true;
    return l.n_lines || sym_unnamed_add(&j->unnamed, j->p, file, location, err);
}

static enum sym_source source_of(const struct profile *p,
                                 const struct prof_mapping *m)
{
    return sym_source_of(prof_plain(p, m->filename), m->start);
}

/* Gives a kernel mapping the --vmlinux file, if it is the right one. */
static bool use_vmlinux(struct job *j, struct prof_mapping *m,
                        struct prof_err *err)
{
    const char *file = j->opts->vmlinux;
    const char *symbol = sym_kernel_symbol(prof_plain(j->p, m->filename));
    const struct sym_wanted wanted = {.source = SYM_FILE,
                                      .file = file,
                                      .build_id = prof_plain(j->p, m->build_id),
                                      .named_only = true,
                                      .notes = j->notes};
    struct sym_files files;
    struct prof_err why;
    uint64_t start;
    const enum sym_found found = sym_find(&files, &wanted, &why);
    if (found == SYM_FIND_FAILED) {
        *err = why;
        return false;
    }
    if (found == SYM_NOT_FOUND) {
        note_loss(j->notes, "%s: --vmlinux ignored: %s", file, why.text);
        return true;
    }
    bool ok = sym_kernel_start(&files, symbol, m->offset, &start, &why);
    if (ok) {
        char *path = realpath(file, NULL);
        m->start = m->offset = start;
        ok = prof_str(j->p, path ? path : file, &j->vmlinux, err) &&
             (m->build_id ||
              prof_str(j->p, files.image.build_id, &m->build_id, err));
        m->filename = j->vmlinux;
        free(path);
    } else if (why.kind == PROF_ERR_INPUT) {
        note_loss(j->notes, "%s: --vmlinux ignored: %s", file, why.text);
        ok = true;
    } else {
        *err = why;
    }
    sym_files_close(&files);
    return ok;
}

/* Returns the mapping whose file has the symbols of *m. */
static struct prof_mapping symbols_of(const struct job *j,
                                      const struct prof_mapping *m)
{
    return j->has_kernel && source_of(j->p, m) == SYM_MODULE ? j->kernel : *m;
}

/* Collects the locations that need lines, grouped by binary. */
static bool collect_wants(struct job *j, struct prof_err *err)
{
    const struct prof_counts n = prof_count(j->p);
    struct sym_unnamed_file unmapped = {
        .name = "",
        .why = TEXT("the addresses lie outside all mappings"),
        .hint = n.mappings ? hint_unmapped : "pass -e FILE",
        .was_read = true};
    for (size_t i = 0; i < n.locations; i++) {
        const struct prof_location l = prof_get_location(j->p, i);
        if (j->opts->only ? !j->opts->only[i] : l.n_lines && !j->opts->force)
            continue;
        if (l.mapping == PROF_NONE) {
            if (!lack_name(j, &unmapped, i, err))
                return false;
            continue;
        }
        struct prof_mapping m = prof_get_mapping(j->p, l.mapping);
        m = symbols_of(j, &m);
        struct want w = {l.address, (uint32_t)i, l.mapping, m.filename,
                         m.build_id};
        if (!vec_push(&j->wants, w))
            return err_nomem(err);
    }
    vec_sort(&j->wants, want_order);
    return true;
}

bool sym_has_no_file(const char *file)
{
    const char *base = path_after_slash(slice_of(file)).s;
    return (base[0] == '[' && base[1]) ||
           strncmp(base, "linux-vdso", 10) == 0 ||
           (strncmp(file, "/dev/", 5) == 0 &&
            strncmp(file, "/dev/shm/", 9) != 0) ||
           strcmp(file, "//anon") == 0 || strncmp(file, "/memfd:", 7) == 0 ||
           strncmp(file, "/SYSV", 5) == 0 ||
           strncmp(file, "anon_inode:", 11) == 0;
}

/* Returns false and warns (once) if --kallsyms does not match. */
static bool check_kernel(const struct job *j, const struct task *t,
                         const struct prof_mapping *kernel, bool was_warned)
{
    const char *symbol = sym_kernel_symbol(prof_plain(j->p, kernel->filename));
    struct prof_err why;
    if (!t->binary->is_named ||
        sym_is_kernel(symbol, t->binary->reference, kernel->offset, &why))
        return true;
    if (!was_warned)
        note_loss(j->notes, "%s: --kallsyms ignored: %s", j->opts->kallsyms,
                  why.text);
    return false;
}

/* Makes queries for the locations that lie in the binary. */
static bool place_queries(struct job *j, const struct task *t,
                          struct prof_err *err)
{
    const struct want *w = t->w;
    const uint64_t reference = t->binary->reference;
    struct sym_unnamed_file outside = {
        .name = t->name,
        .why = TEXT("the addresses lie outside the file's segments"),
        .hint = TEXT("was the file replaced?")};
    uint32_t last = PROF_NONE;
    uint64_t bias = 0;
    struct sym_unnamed_file other = {
        .name = t->name,
        .why = TEXT("the --kallsyms file belongs to another kernel"),
        .hint = hint_kernel_id};
    bool known = false, is_other = false;
    j->queries.n = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct prof_mapping m = prof_get_mapping(j->p, w[i].mapping);
        bool inside = !m.limit || m.limit <= m.start ||
                      (w[i].address >= m.start && w[i].address < m.limit);
        if (inside && w[i].mapping != last) {
            const struct prof_mapping kernel = symbols_of(j, &m);
            if (!reference) {
                known =
                    sym_bias(&t->binary->files.image, &m, w[i].address, &bias);
            } else {
                /*
                 * The offset of the kernel's mapping is the address of its
                 * reference symbol, which may differ after each boot.  If it
                 * does, the addresses of modules are unknown.
                 */
                bias = kernel.offset ? kernel.offset - reference : 0;
                known = bias == 0 || !j->has_kernel ||
                        source_of(j->p, &m) != SYM_MODULE;
            }
            is_other = !check_kernel(j, t, &kernel, is_other);
            last = w[i].mapping;
        }
        if (!inside || is_other || !known) {
            if (!lack_name(j, inside && is_other ? &other : &outside,
                           w[i].location, err))
                return false;
            continue;
        }
        struct sym_query q = {w[i].address - bias, w[i].location, 0};
        if (!vec_push(&j->queries, q))
            return err_nomem(err);
    }
    return vec_sort_rows(&j->queries) || err_nomem(err);
}

/* Returns why a binary that was read has no name for an address. */
static struct sym_unnamed_file lack_of_symbol(const struct job *j,
                                              const struct task *t)
{
    const struct sym_binary *b = t->binary;
    const struct sym_files *f = &b->files;
    bool has_symbols = b->text.n || sym_files_dwarf(f) || f->image.has_symtab ||
                       f->debug.has_symtab || f->mini.path;
    struct sym_unnamed_file lack = {.name = t->name,
                                    .why =
                                        TEXT("no symbols at these addresses"),
                                    .hint = "",
                                    .was_read = true};
    if (f->image.damaged || f->debug.damaged || f->shared.damaged ||
        f->mini.damaged || b->symtab.damaged) {
        lack.why = TEXT("the file is corrupt");
        lack.was_read = false;
    } else if (!has_symbols) {
        lack.why = TEXT("it is stripped");
        lack.hint = hint_debug;
    } else {
        lack.is_quiet = j->opts->names_follow;
    }
    return lack;
}

static void mark_mapping(struct job *j, bool has_inlines, uint32_t location)
{
    struct profile *p = j->p;
    struct prof_location l = prof_get_location(p, location);
    struct prof_mapping m = prof_get_mapping(p, l.mapping);
    size_t n;
    const struct prof_line *lines = prof_get_lines(p, location, &n);
    m.has_inline_frames |= has_inlines && !j->opts->no_inlines;
    for (size_t k = 0; k < n; k++) {
        m.has_line_numbers |= lines[k].line != 0;
        if (lines[k].function == PROF_NONE)
            continue;
        m.has_functions = true;
        m.has_filenames |=
            prof_get_function(p, lines[k].function).filename != 0;
    }
    prof_set_mapping(p, l.mapping, &m);
    l.is_folded = false;
    prof_set_location(p, location, &l);
}

static bool look_up_task(struct job *j, const struct task *t,
                         struct prof_err *err)
{
    if (!place_queries(j, t, err))
        return false;
    struct sym_lookup l = {.binary = t->binary,
                           .names = &j->names,
                           .v = j->queries.v,
                           .n = j->queries.n,
                           .no_inlines = j->opts->no_inlines,
                           .symtab_only = j->opts->symtab_only,
                           .keep_lines = j->opts->only,
                           .discriminators = j->opts->discriminators,
                           .notes = j->notes};
    if (!sym_look_up(&l, err))
        return false;
    struct sym_unnamed_file lack = lack_of_symbol(j, t);
    for (size_t i = 0; i < l.n; i++)
        if (l.v[i].found)
            mark_mapping(j, l.has_inlines, l.v[i].location);
        else if (!lack_name(j, &lack, l.v[i].location, err))
            return false;
    return true;
}

/* Records that no address of the task has a name. */
static bool lack_file(struct job *j, const struct task *t,
                      struct sym_unnamed_file *file, struct prof_err *err)
{
    for (size_t i = 0; i < t->n; i++)
        if (!lack_name(j, file, t->w[i].location, err))
            return false;
    return true;
}

/* Whether the mapping is the vdso, whose code only the build ID identifies. */
static bool is_vdso(const struct sym_wanted *wanted)
{
    return *wanted->build_id && strcmp(wanted->file, "[vdso]") == 0;
}

/* Returns why there is no file to search for, or null. */
static const char *why_not_searched(const struct job *j, const struct want *w,
                                    const struct sym_wanted *wanted)
{
    bool is_main = w->mapping == j->opts->main;
    if (!*wanted->file && !*wanted->build_id)
        return w->file   ? TEXT("the mapping's file name has a NUL")
               : is_main ? "the main mapping has no file name"
                         : "the mapping has no file name";
    if (wanted->source == SYM_MODULE)
        return "the profile has no kernel mapping, or more than one";
    return wanted->source == SYM_FILE && !wanted->named_only &&
                   !is_vdso(wanted) && sym_has_no_file(wanted->file)
               ? "not a file"
               : NULL;
}

static const char *hint_of(const struct job *j, const struct want *w,
                           const struct sym_wanted *wanted)
{
    bool is_main = w->mapping == j->opts->main;
    if (wanted->source == SYM_KERNEL)
        return *wanted->build_id ? hint_kernel : hint_kernel_id;
    if (wanted->source == SYM_PERF_MAP)
        return access(wanted->file, F_OK) == 0 ? "" : hint_perf_map;
    if (wanted->source != SYM_FILE)
        return "";
    if (is_main && j->opts->binary)
        return hint_named;
    return is_main ? hint_main : hint_file;
}

static struct sym_wanted wanted_of(const struct job *j, const struct want *w)
{
    bool is_named =
        (j->opts->binary &&
         w->file == prof_get_mapping(j->p, j->opts->main).filename) ||
        (j->vmlinux && w->file == j->vmlinux);
    const char *file = prof_plain(j->p, w->file);
    return (struct sym_wanted){
        .source =
            is_named
                ? SYM_FILE
                : sym_source_of(file, prof_get_mapping(j->p, w->mapping).start),
        .file = file,
        .build_id = prof_plain(j->p, w->build_id),
        .path = j->opts->path,
        .kallsyms = j->opts->kallsyms,
        .named_only = is_named,
        .notes = j->notes,
    };
}

/* Warns if the binary of a task is not the one that was profiled. */
static void check_file(const struct job *j, const struct task *t,
                       const struct sym_wanted *wanted)
{
    const struct sym_opts *o = j->opts;
    const struct sym_image *im = &t->binary->files.image;
    const uint32_t mapping = t->w->mapping;
    if (wanted->source != SYM_FILE || *wanted->build_id || im->debug_only ||
        (!wanted->named_only && strcmp(im->path, wanted->file) != 0))
        return;
    const struct sym_recorded *r =
        !wanted->named_only && mapping < o->n_recorded ? &o->recorded[mapping]
                                                       : NULL;
    if (r && r->inode &&
        system_is_other_file(im->path, r->major, r->minor, r->inode))
        note_loss(j->notes,
                  "%s: replaced after the recording, so names may be wrong; %s",
                  im->path, hint_of(j, t->w, wanted));
    else if (sym_is_newer(im->path, j->p, o->made))
        note_at(j->notes, wanted->named_only ? PROF_NOTE_WARN : PROF_NOTE_LOSS,
                "%s: newer than the profile; names are wrong if it was built "
                "again after the run; %s",
                im->path, hint_of(j, t->w, wanted));
}

/* Finds the binary of the task, whose w and n are set. */
static bool find_task(struct job *j, struct task *t, struct prof_err *err)
{
    const struct want *w = t->w;
    struct sym_wanted wanted = wanted_of(j, w);
    const char *file = wanted.file;
    bool is_elsewhere =
        wanted.named_only && w->mapping == j->opts->main && j->opts->binary_at;
    struct sym_unnamed_file lack = {.name = *file ? file : wanted.build_id,
                                    .why = why_not_searched(j, w, &wanted),
                                    .hint = ""};
    if (lack.why) {
        lack.hint = w->mapping == j->opts->main && !*file ? "pass -e FILE" : "";
        lack.is_quiet = w->mapping != j->opts->main || *file;
        return lack_file(j, t, &lack, err);
    }
    struct sym_binary *b = &t->own;
    struct prof_err why;
    if (is_elsewhere)
        wanted.file = j->opts->binary_at;
    switch (j->opts->cache ? sym_cache_get(j->opts->cache, &wanted, &b, &why)
                           : sym_binary_find(b, &wanted, &why)) {
    case SYM_FOUND:
        t->binary = b;
        t->name = file;
        /*
         * Messages name its path, unless it was found by build ID under a name
         * that only says this ID.
         */
        if (!is_elsewhere && wanted.source == SYM_FILE) {
            const char *path = b->files.image.path;
            if (!*file || slice_same(path_after_slash(slice_of(file)),
                                     path_after_slash(slice_of(path))))
                t->name = path;
        }
        if (!is_elsewhere)
            check_file(j, t, &wanted);
        return true;
    case SYM_NOT_FOUND:
        lack.why = why.text;
        lack.hint = hint_of(j, w, &wanted);
        lack.is_quiet = is_vdso(&wanted);
        return lack_file(j, t, &lack, err);
    default:
        *err = why;
        return false;
    }
}

/* One thread looks up addresses while another reads a later binary. */
struct step {
    struct job *j;
    const struct task *now;
    struct sym_binary *later; /* null: none */
    struct prof_err err[2];
    bool ok[2];
};

static void do_piece(void *ctx, unsigned thread, size_t piece)
{
    struct step *s = ctx;
    struct prof_err *err = &s->err[piece];
    (void)thread;
    errno = 0;
    bool ok = piece == 0 ? look_up_task(s->j, s->now, err)
                         : sym_binary_read(s->later, err);
    s->ok[piece] = err_check_errno(err) && ok;
}

enum {
    AHEAD = 4,        /* most tasks in the queue */
    CACHED_AHEAD = 2, /* the last binaries that sym_cache_get() returned */
};

/*
 * Tasks whose binaries were found, the first of which is done next.  There are
 * several, so that a large binary is not read only when its turn comes.
 */
struct queue {
    struct task v[AHEAD];
    size_t first, n;
};

static struct task *nth_task(struct queue *q, size_t i)
{
    return &q->v[(q->first + i) % AHEAD];
}

/* Returns the next large binary, or null if there is none or if one was read
 * ahead already: debug information takes memory, so one at most is. */
static struct sym_binary *find_later(struct queue *q)
{
    /* Opening the debug information of a large file takes a millisecond. */
    enum { LARGE = 1 << 20 };
    struct sym_binary *later = NULL;
    for (size_t i = 1; i < q->n; i++) {
        struct sym_binary *b = nth_task(q, i)->binary;
        const struct sym_image *im = b ? sym_files_dwarf(&b->files) : NULL;
        if (!im || im->size < LARGE)
            continue;
        if (b->dwarf_tried)
            return NULL;
        later = later ? later : b;
    }
    return later;
}

/* Does the first task of the queue. */
static bool do_step(struct job *j, struct queue *q, struct prof_err *err)
{
    struct step s = {.j = j, .now = nth_task(q, 0), .ok = {true, true}};
    if (j->opts->threads > 1 && !j->opts->symtab_only)
        s.later = find_later(q);
    if (s.now->binary)
        parallel_run(2, s.later ? 2 : 1, do_piece, &s);
    for (size_t i = 0; i < 2; i++)
        if (!s.ok[i]) {
            *err = s.err[i];
            return false;
        }
    return true;
}

/* Removes the first task of the queue. */
static void end_task(struct queue *q)
{
    struct task *t = nth_task(q, 0);
    sym_binary_close(&t->own);
    memset(t, 0, sizeof *t);
    q->first++;
    q->n--;
}

/* Does a task per binary, in the same order for any number of threads. */
static bool do_tasks(struct job *j, struct prof_err *err)
{
    const size_t most = j->opts->cache ? CACHED_AHEAD : AHEAD;
    struct queue q = {.n = 0};
    bool ok = true;
    size_t i = 0;
    while (ok && (q.n || i < j->wants.n)) {
        while (ok && q.n < most && i < j->wants.n) {
            const struct want *w = &j->wants.v[i];
            struct task *t = nth_task(&q, q.n++);
            t->w = w;
            while (t->n < j->wants.n - i && w[t->n].file == w->file &&
                   w[t->n].build_id == w->build_id)
                t->n++;
            i += t->n;
            ok = find_task(j, t, err);
        }
        ok = ok && do_step(j, &q, err);
        end_task(&q);
    }
    while (q.n)
        end_task(&q);
    return ok;
}

/* Names the main mapping after the binary that the caller gave. */
static bool name_main(struct profile *p, const struct sym_opts *opts,
                      struct prof_err *err)
{
    uint32_t name;
    if (!prof_str(p, opts->binary, &name, err))
        return false;
    const struct prof_counts n = prof_count(p);
    struct prof_mapping m = {.filename = name};
    if (n.mappings) {
        m = prof_get_mapping(p, opts->main);
        m.filename = name;
        prof_set_mapping(p, opts->main, &m);
        return true;
    }
    for (size_t i = 0; i < n.locations; i++) {
        struct prof_location l = prof_get_location(p, i);
        l.mapping = 0;
        prof_set_location(p, i, &l);
    }
    return prof_add_mapping(p, &m, NULL, err);
}

bool sym_profile(struct profile *p, const struct sym_opts *opts,
                 const struct prof_notes *notes, struct prof_err *err)
{
    struct job j = {.p = p, .opts = opts, .notes = notes};
    sym_names_init(&j.names, p, opts->demangle);

    /* The mapping of the kernel, unless there are several kernels. */
    bool several = false;
    for (size_t i = 0; i < prof_count(p).mappings; i++) {
        const struct prof_mapping m = prof_get_mapping(p, i);
        if (source_of(p, &m) != SYM_KERNEL)
            continue;
        several |= j.has_kernel && (m.build_id != j.kernel.build_id ||
                                    m.offset != j.kernel.offset);
        j.has_kernel = true;
        j.kernel = m;
    }
    j.has_kernel &= !several;

    /* The files that the caller named. */
    bool ok = (!opts->binary || name_main(p, opts, err)) &&
              prof_drops_allocators(p, &j.drops_allocators, err);
    for (size_t i = 0; ok && opts->vmlinux && i < prof_count(p).mappings; i++) {
        struct prof_mapping m = prof_get_mapping(p, i);
        ok = source_of(p, &m) != SYM_KERNEL || use_vmlinux(&j, &m, err);
        prof_set_mapping(p, i, &m);
    }
    ok = ok && collect_wants(&j, err);

    /*
     * Messages about addresses without names report a missing file that the
     * caller named, unless no address needs the file.
     */
    bool is_needed = false;
    for (size_t i = 0; i < j.wants.n; i++)
        is_needed |= j.wants.v[i].mapping == opts->main;
    if (ok && opts->binary && !opts->binary_at && !is_needed &&
        access(opts->binary, R_OK) != 0)
        note_warn(notes, "%s: cannot open: %s", opts->binary, strerror(errno));

    const size_t before = prof_count(p).frames;
    ok = ok && do_tasks(&j, err) &&
         (!j.drops_allocators || prof_prune_allocators(p, err));
    const size_t dropped = before - prof_count(p).frames;
    if (ok && dropped)
        note_count(notes, PROF_NOTE_INFO, dropped,
                   "%zu leaf frame{s} of allocators dropped", dropped);
    if (ok && opts->discriminators)
        ok = vec_sort_rows(&opts->discriminators->v) || err_nomem(err);
    if (ok)
        sym_unnamed_report(&j.unnamed, p, notes);
    sym_unnamed_free(&j.unnamed);
    sym_names_free(&j.names);
    vec_free(&j.wants);
    vec_free(&j.queries);
    return ok;
}
