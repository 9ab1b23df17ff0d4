/*
 * gmon_profile.c - adds the samples of a gmon.out to a profile, by address or
 * by function, and names them
 */
#include <stdlib.h>
#include <string.h>

#include "formats/gmon/private.h"

/* What the address of a location is. */
struct place {
    enum kind {
        BIN,   /* the end of a bin, or of a function's part of it */
        ENTRY, /* a function, at its entry */
        END,   /* an end of an arc, where it is not an entry */
        BLOCK, /* a basic block */
    } kind;
    uint32_t func;  /* the owner, or CODE_NO_OWNER */
    uint64_t first; /* of a bin by address: its first byte */
    uint32_t use;   /* the location to use instead; PROF_NONE: itself */
};

#define PLACE(kind, func, first) ((struct place){kind, func, first, PROF_NONE})

/* The name of a function. */
struct name {
    uint32_t function; /* index in the profile */
    uint32_t dwarf;    /* function that symbolization finds at its entry, or
                          PROF_NONE */
};

/*
 * Calls "FROM/TO" that an option drops.  Names of C++ operators may contain
 * slashes: only a slash after a caller's name and before a callee's separates.
 */
struct left_out {
    uint32_t *from; /* by owner: offset of the slash after its name, or 0 */
    uint32_t *to;   /* by owner: offset of the slash before its name, or 0 */
    bool found;
};

struct maker {
    struct gmon_writer w;
    struct left_out *left_out;        /* one for each --delete-arc */
    const struct code_owners *owners; /* null: by address */
    VEC(struct place) places;         /* by location: what its address is */
    uint32_t *entry;    /* by owner: location of its entry, or PROF_NONE */
    struct name *names; /* by owner: its name, if it has an entry */
};

/* --- samples -------------------------------------------------------------- */

/* Stores `place` for the location if it is new, and hence the last one. */
static bool mark_place(struct maker *m, uint32_t location, struct place place,
                       struct prof_err *err)
{
    return location < m->places.n || vec_push(&m->places, place) ||
           err_nomem(err);
}

/* Sets *location to the location at the address.  Adds it if there is none. */
static bool get_location(struct maker *m, uint64_t address, struct place place,
                         uint32_t *location, struct prof_err *err)
{
    struct gmon_writer *w = &m->w;
    return prof_locmap_get(&w->locs, w->p, w->mapping, address, location,
                           err) &&
           mark_place(m, *location, place, err);
}

static bool add_location(struct maker *m, uint64_t address, struct place place,
                         uint32_t *location, struct prof_err *err)
{
    const struct prof_location l = {.address = address,
                                    .mapping = m->w.mapping};
    return prof_add_location(m->w.p, &l, NULL, 0, location, err) &&
           mark_place(m, *location, place, err);
}

static bool get_entry(struct maker *m, uint32_t func, uint32_t *location,
                      struct prof_err *err)
{
    uint32_t *entry = &m->entry[func];
    bool ok =
        *entry != PROF_NONE || add_location(m, m->owners->v[func].code,
                                            PLACE(ENTRY, func, 0), entry, err);
    *location = *entry;
    return ok;
}

/* Adds a sample at the last byte of the bin; see gmon_convert() for why. */
static bool add_bin(void *ctx, const struct gmon_bin *bin, struct prof_err *err)
{
    struct maker *m = ctx;
    const int64_t values[GMON_MAX_TYPES] = {
        [GMON_SAMPLES] = (int64_t)bin->count, [GMON_AMOUNT] = bin->amount};
    uint32_t frame;
    return get_location(m, gmon_bin_last(bin),
                        PLACE(BIN, CODE_NO_OWNER, bin->start), &frame, err) &&
           prof_add_sample(m->w.p, &frame, 1, values, 0, err);
}

/* Adds the samples of bins, divided among functions, and the location of each
 * function's entry, which the samples are named by. */
static bool add_parts(struct maker *m, struct prof_err *err)
{
    struct gmon_parts parts = {0};
    bool ok = gmon_divide_bins(&parts, &m->w, m->owners, err);
    for (size_t i = 0; ok && i < parts.n; i++) {
        const struct gmon_part *part = &parts.v[i];
        const int64_t values[GMON_MAX_TYPES] = {
            [GMON_SAMPLES] = (int64_t)part->count,
            [GMON_AMOUNT] = (int64_t)part->amount};
        uint32_t leaf, entry;
        ok = add_location(m, part->address, PLACE(BIN, part->func, 0), &leaf,
                          err) &&
             (part->func == CODE_NO_OWNER ||
              get_entry(m, part->func, &entry, err)) &&
             prof_add_sample(m->w.p, &leaf, 1, values, 0, err);
    }
    vec_free(&parts);
    return ok;
}

/* Sets *frame to the location of one end of an arc: its function's entry, or
 * the address if that is in no function. */
static bool get_end(struct maker *m, uint64_t address, uint32_t func,
                    uint32_t *frame, struct prof_err *err)
{
    return func != CODE_NO_OWNER
               ? get_entry(m, func, frame, err)
               : get_location(m, address, PLACE(END, CODE_NO_OWNER, 0), frame,
                              err);
}

static bool is_left_out(struct maker *m, uint32_t caller, uint32_t callee)
{
    bool out = false;
    if (caller == CODE_NO_OWNER || callee == CODE_NO_OWNER)
        return false;
    for (size_t i = 0; i < m->w.job->opts->n_left_out; i++) {
        struct left_out *calls = &m->left_out[i];
        if (calls->from[caller] && calls->from[caller] == calls->to[callee])
            out = calls->found = true;
    }
    return out;
}

/* Adds samples of calls; without has_caller, their only frame is the callee. */
static bool add_arcs(struct maker *m, const struct gmon_arcs *arcs,
                     bool has_caller, struct prof_err *err)
{
    const struct code_owners *o = m->owners;
    uint32_t frames[2], callee = CODE_NO_OWNER, caller = CODE_NO_OWNER;
    for (size_t i = 0; i < arcs->n; i++) {
        const struct gmon_arc *arc = &arcs->v[i];
        const int64_t values[GMON_MAX_TYPES] = {[GMON_CALLS] =
                                                    (int64_t)arc->count};
        if (arc->count > INT64_MAX)
            return gmon_too_large(arc->self, err);
        if (o) {
            callee = code_owners_callee(o, arc->self);
            caller = code_owners_find(o, arc->from);
        }
        if (has_caller && is_left_out(m, caller, callee))
            continue;
        if (!get_end(m, arc->self, callee, &frames[0], err) ||
            (has_caller && !get_end(m, arc->from, caller, &frames[1], err)) ||
            !prof_add_sample(m->w.p, frames, has_caller ? 2 : 1, values, 0,
                             err))
            return false;
    }
    return true;
}

/*
 * Adds all samples.  Arcs do not share locations with bins, even at the same
 * address.  Without functions, room for two locations for each arc is reserved:
 * nearly all call sites differ.
 */
static bool add_samples(struct maker *m, struct prof_err *err)
{
    struct gmon_writer *w = &m->w;
    const struct gmon *g = w->g;
    const size_t n_blocks = w->job->opts->blocks ? g->blocks.n : 0;
    bool ok =
        gmon_write_header(w, err) &&
        (m->owners ? add_parts(m, err) : gmon_each_bin(w, add_bin, m, err));
    for (size_t i = 0; ok && i < n_blocks; i++) {
        const struct gmon_arc *block = &g->blocks.v[i];
        const int64_t values[GMON_MAX_TYPES] = {[GMON_BLOCKS] =
                                                    (int64_t)block->count};
        uint32_t frame;
        ok = block->count <= INT64_MAX
                 ? get_location(m, block->self, PLACE(BLOCK, CODE_NO_OWNER, 0),
                                &frame, err) &&
                       prof_add_sample(w->p, &frame, 1, values, 0, err)
                 : gmon_too_large(block->self, err);
    }
    prof_locmap_free(&w->locs);
    if (ok && !m->owners) {
        struct prof_counts counts = prof_count(w->p);
        size_t n = g->arcs.n + g->entries.n;
        counts.samples += n;
        counts.frames += n + g->arcs.n;
        counts.locations += n + g->arcs.n;
        ok = prof_reserve(w->p, &counts, err);
    }
    return ok && add_arcs(m, &g->arcs, true, err) &&
           add_arcs(m, &g->entries, false, err) && gmon_split_mapping(w, err);
}

/* --- names by address ----------------------------------------------------- */

static size_t use_instead(void *ctx, uint32_t *frames, size_t n)
{
    const struct maker *m = ctx;
    for (size_t i = 0; i < n; i++)
        if (m->places.v[frames[i]].use != PROF_NONE)
            frames[i] = m->places.v[frames[i]].use;
    return n;
}

/*
 * Moves a bin to its first byte if that has a name but its last byte, which may
 * be padding after a function, has none.
 */
static bool name_first_bytes(struct maker *m, const struct sym_opts *opts,
                             struct prof_err *err)
{
    struct profile *p = m->w.p;
    struct place *v = m->places.v;
    const size_t n = m->places.n;
    bool any = false;
    for (size_t i = 0; i < n && v[i].kind == BIN; i++) {
        struct prof_location first = prof_get_location(p, i);
        first.address = v[i].first;
        if (first.n_lines)
            continue;
        if (!prof_add_location(p, &first, NULL, 0, &v[i].use, err))
            return false;
        any = true;
    }
    if (!any)
        return true;
    if (!sym_profile(p, opts, NULL, err))
        return false;
    for (size_t i = 0; i < n; i++)
        if (v[i].use != PROF_NONE && !prof_get_location(p, v[i].use).n_lines)
            v[i].use = PROF_NONE;
    prof_edit_stacks(p, use_instead, m);
    return true;
}

/* --- names by function ---------------------------------------------------- */

/* Returns the function that holds the location, not one inlined there. */
static uint32_t outermost(const struct profile *p, size_t location)
{
    size_t n;
    const struct prof_line *lines = prof_get_lines(p, location, &n);
    return n ? lines[n - 1].function : PROF_NONE;
}

/* Adds a function named by the symbol of `func`, in the file of its entry. */
static bool add_name(struct maker *m, uint32_t func, uint32_t dwarf,
                     struct prof_err *err)
{
    struct profile *p = m->w.p;
    struct name *name = &m->names[func];
    const char *raw = code_owner_name(m->owners, func);
    struct prof_function f = {0};
    if (dwarf != PROF_NONE)
        f = prof_get_function(p, dwarf);
    char *shown = sym_shown_symbol(raw, m->w.job->opts->demangle,
                                   m->w.job->opts->as_gprof);
    name->dwarf = dwarf;
    bool ok = (shown || err_nomem(err)) &&
              prof_str(p, raw, &f.system_name, err) &&
              prof_str(p, shown, &f.name, err) &&
              prof_add_function(p, &f, &name->function, err);
    free(shown);
    return ok;
}

/*
 * Keeps the lines and inlined frames of a bin that symbolization finds in the
 * function.  The outermost frame gets the function's name, but keeps its file:
 * a function may have code from several files.
 */
static bool keep_lines(struct maker *m, size_t location,
                       const struct name *name, struct prof_err *err)
{
    struct profile *p = m->w.p;
    size_t n;
    const struct prof_line *lines = prof_get_lines(p, location, &n);
    struct prof_function f = prof_get_function(p, name->function);
    uint32_t function = name->function;
    uint32_t file = prof_get_function(p, lines[n - 1].function).filename;
    struct prof_line *copy = mem_array(n, sizeof *copy);
    if (!copy)
        return err_nomem(err);
    memcpy(copy, lines, n * sizeof *copy);
    bool ok = true;
    if (f.filename != file) {
        f.filename = file;
        ok = prof_add_function(p, &f, &function, err);
    }
    copy[n - 1].function = function;
    ok = ok && prof_set_lines(p, location, copy, n, err);
    free(copy);
    return ok;
}

static bool name_place(struct maker *m, size_t i, struct prof_err *err)
{
    const struct place *place = &m->places.v[i];
    struct profile *p = m->w.p;
    if (place->kind == BLOCK)
        return true;
    if (place->func == CODE_NO_OWNER)
        return prof_set_lines(p, i, NULL, 0, err);
    const struct name *name = &m->names[place->func];
    uint32_t mapping = prof_get_location(p, i).mapping, of = outermost(p, i);
    struct prof_mapping in = prof_get_mapping(p, mapping);
    in.has_functions = true;
    prof_set_mapping(p, mapping, &in);
    if (place->kind == BIN && of != PROF_NONE && name->dwarf != PROF_NONE) {
        struct prof_function a = prof_get_function(p, of);
        struct prof_function b = prof_get_function(p, name->dwarf);
        if (a.system_name == b.system_name && a.start_line == b.start_line)
            return keep_lines(m, i, name, err);
    }
    const struct prof_line line = {.function = name->function};
    return prof_set_lines(p, i, &line, 1, err);
}

static bool add_symbols(struct maker *m, struct prof_err *err)
{
    const struct gmon_job *job = m->w.job;
    struct profile *p = m->w.p;
    const struct place *places = m->places.v;
    const size_t n_places = m->places.n;
    if (job->exe && !job->opts->no_symbols) {
        const struct sym_opts opts = {.path = job->opts->path,
                                      .binary = job->exe->name,
                                      .binary_at = job->exe->path,
                                      .cache = job->opts->binaries,
                                      .demangle = job->opts->demangle,
                                      .no_inlines = !job->opts->inlines,
                                      .names_follow = true};
        if (!sym_profile(p, &opts, job->notes, err) ||
            (!m->owners && !name_first_bytes(m, &opts, err)))
            return false;
    }

    /*
     * By address, reduce ends of arcs to the name of their function.  Callers
     * are rounded down and callees lie in the prologue, so their lines and
     * inlined frames are wrong.
     */
    for (size_t i = 0; !m->owners && i < n_places; i++) {
        const struct prof_line line = {.function = outermost(p, i)};
        if (places[i].kind == END && line.function != PROF_NONE &&
            !prof_set_lines(p, i, &line, 1, err))
            return false;
    }

    /*
     * By function, names are the symbols of owners, as in gprof; names in DWARF
     * may differ.  Bins keep lines of their owner; entries have no line; bins
     * without an owner have no name.
     */
    for (size_t i = 0; m->owners && i < n_places; i++)
        if (places[i].kind == ENTRY &&
            !add_name(m, places[i].func, outermost(p, i), err))
            return false;
    for (size_t i = 0; m->owners && i < n_places; i++)
        if (!name_place(m, i, err))
            return false;
    return true;
}

/*
 * Clears has_line_numbers of mappings that have no lines: functions that were
 * only called lose the lines that symbolization found.
 */
static void settle_flags(struct profile *p)
{
    const struct prof_counts n = prof_count(p);
    for (size_t i = 0; i < n.mappings; i++) {
        struct prof_mapping mapping = prof_get_mapping(p, i);
        mapping.has_line_numbers = false;
        prof_set_mapping(p, i, &mapping);
    }
    for (size_t i = 0; i < n.locations; i++) {
        const uint32_t of = prof_get_location(p, i).mapping;
        size_t n_lines, k = 0;
        const struct prof_line *lines = prof_get_lines(p, i, &n_lines);
        while (k < n_lines && !lines[k].line)
            k++;
        if (of == PROF_NONE || k == n_lines)
            continue;
        struct prof_mapping mapping = prof_get_mapping(p, of);
        mapping.has_line_numbers = true;
        prof_set_mapping(p, of, &mapping);
    }
}

/* Returns the offset of the slash after `name` if `calls` begins with it, or 0.
 */
static uint32_t slash_after(const char *calls, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(calls, name, n) == 0 && calls[n] == '/' ? (uint32_t)n : 0;
}

/* Returns the offset of the slash before `name` if `calls` ends with it, or 0.
 */
static uint32_t slash_before(const char *calls, const char *name)
{
    const size_t n = strlen(name), all = strlen(calls);
    if (all <= n || strcmp(calls + all - n, name) != 0)
        return 0;
    return calls[all - n - 1] == '/' ? (uint32_t)(all - n - 1) : 0;
}

/* Finds the functions whose calls are dropped. */
static bool find_left_out(struct maker *m, struct prof_err *err)
{
    const struct gmon_opts *opts = m->w.job->opts;
    const size_t n = opts->n_left_out, n_owners = m->owners ? m->owners->n : 0;
    m->left_out = mem_zarray(n, sizeof *m->left_out);
    if (!m->left_out)
        return err_nomem(err);
    for (size_t k = 0; k < n; k++) {
        m->left_out[k].from = mem_zarray(n_owners, sizeof(uint32_t));
        m->left_out[k].to = mem_zarray(n_owners, sizeof(uint32_t));
        if (!m->left_out[k].from || !m->left_out[k].to)
            return err_nomem(err);
    }
    for (uint32_t i = 0; n && i < n_owners; i++) {
        const char *raw = code_owner_name(m->owners, i);
        char *shown = sym_shown_symbol(raw, opts->demangle, opts->as_gprof);
        if (!shown)
            return err_nomem(err);
        for (size_t k = 0; k < n; k++) {
            const char *calls = opts->left_out[k];
            const uint32_t from = slash_after(calls, shown);
            const uint32_t to = slash_before(calls, shown);
            m->left_out[k].from[i] = from ? from : slash_after(calls, raw);
            m->left_out[k].to[i] = to ? to : slash_before(calls, raw);
        }
        free(shown);
    }
    return true;
}

static void free_left_out(struct maker *m)
{
    const struct gmon_opts *opts = m->w.job->opts;
    for (size_t k = 0; m->left_out && k < opts->n_left_out; k++) {
        if (!m->left_out[k].found)
            note_warn(m->w.job->notes, "--delete-arc=%s matches no calls",
                      opts->left_out[k]);
        free(m->left_out[k].from);
        free(m->left_out[k].to);
    }
    free(m->left_out);
}

struct profile *gmon_convert(const struct gmon_job *job, struct prof_err *err)
{
    const struct code_owners *o = job->owners;
    struct profile *p = prof_new(err);
    struct maker m = {.w = {.job = job, .g = job->g, .p = p},
                      .owners = o && o->n ? o : NULL};
    size_t n = m.owners ? o->n : 0;
    m.entry = mem_none(n);
    m.names = mem_array(n, sizeof *m.names);
    bool ok = p && ((m.entry && m.names) || err_nomem(err));
    ok = ok && find_left_out(&m, err) && add_samples(&m, err) &&
         add_symbols(&m, err);
    if (ok)
        settle_flags(p);
    free_left_out(&m);
    prof_locmap_free(&m.w.locs);
    vec_free(&m.places);
    free(m.entry);
    free(m.names);
    if (!ok)
        prof_delete(p);
    return ok ? p : NULL;
}
