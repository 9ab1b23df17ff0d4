/*
 * gmon_profile.c - the samples of a gmon.out's profile, by address or by
 * function, and their names
 */
#include <stdlib.h>

#include "formats/gmon/private.h"

/* What a location stands for. */
enum kind {
    BIN,   /* the end of a bin, or of a function's part of it */
    ENTRY, /* a function, at its entry */
    END,   /* an end of an arc, where it is not an entry */
    BLOCK, /* a basic block */
};

struct place {
    enum kind kind;
    uint32_t func;  /* the owner, or CODE_NO_OWNER */
    uint64_t first; /* of a bin by address: its first byte */
};

/* What a function is called. */
struct name {
    uint32_t function; /* of the profile */
    uint32_t line;     /* of the profile: the function and no line */
    uint32_t dwarf;    /* what symbolization says its entry is in, or
                          PROF_NONE */
};

struct maker {
    struct gmon_writer w;
    const struct code_owners *owners; /* null: by address */
    VEC(struct place) places;         /* of the locations */
    uint32_t *entry;    /* of an owner: its location, or PROF_NONE */
    struct name *names; /* of the owners that have an entry */
    struct gmon_parts parts;
};

/* Notes what the locations are that were added since the last call. */
static bool mark_places(struct maker *m, struct place place,
                        struct prof_err *err)
{
    while (m->places.n < m->w.p->n_locations)
        if (!vec_push(&m->places, place))
            return err_nomem(err);
    return true;
}

/* The location at an address of a kind that locations are shared by. */
static bool get_location(struct maker *m, uint64_t address, struct place place,
                         uint32_t *location, struct prof_err *err)
{
    struct gmon_writer *w = &m->w;
    return prof_locmap_get(&w->locs, w->p, w->mapping, address, location,
                           err) &&
           mark_places(m, place, err);
}

static bool add_location(struct maker *m, uint64_t address, struct place place,
                         uint32_t *location, struct prof_err *err)
{
    const struct prof_location l = {.address = address,
                                    .mapping = m->w.mapping};
    return prof_add_location(m->w.p, &l, NULL, 0, location, err) &&
           mark_places(m, place, err);
}

static bool get_entry(struct maker *m, uint32_t func, uint32_t *location,
                      struct prof_err *err)
{
    const struct place place = {ENTRY, func, 0};
    *location = m->entry[func];
    if (*location != PROF_NONE)
        return true;
    bool ok = add_location(m, m->owners->v[func].code, place, location, err);
    m->entry[func] = *location;
    return ok;
}

/* The last byte, rather than the first: see gmon_convert(). */
static bool add_bin(void *ctx, const struct gmon_bin *bin, struct prof_err *err)
{
    struct maker *m = ctx;
    const struct place place = {BIN, CODE_NO_OWNER, bin->start};
    int64_t values[GMON_MAX_TYPES] = {0};
    uint32_t frame;
    values[GMON_SAMPLES] = (int64_t)bin->count;
    values[GMON_AMOUNT] = bin->amount;
    return get_location(m, gmon_bin_last(bin), place, &frame, err) &&
           prof_add_sample(m->w.p, &frame, 1, values, 0, err);
}

/* Functions of bins have an entry too, by which they are named. */
static bool add_parts(struct maker *m, struct prof_err *err)
{
    for (size_t i = 0; i < m->parts.n; i++) {
        const struct gmon_part *part = &m->parts.v[i];
        int64_t values[GMON_MAX_TYPES] = {0};
        uint32_t leaf, entry;
        values[GMON_SAMPLES] = (int64_t)part->count;
        values[GMON_AMOUNT] = (int64_t)part->amount;
        if (!add_location(m, part->address, (struct place){BIN, part->func, 0},
                          &leaf, err) ||
            (part->func != CODE_NO_OWNER &&
             !get_entry(m, part->func, &entry, err)) ||
            !prof_add_sample(m->w.p, &leaf, 1, values, 0, err))
            return false;
    }
    return true;
}

static bool add_bins(struct maker *m, struct prof_err *err)
{
    if (!m->owners)
        return gmon_each_bin(&m->w, add_bin, m, err);
    return gmon_divide_bins(&m->parts, &m->w, m->owners, err) &&
           add_parts(m, err);
}

static bool add_blocks(struct maker *m, struct prof_err *err)
{
    const struct gmon_arcs *blocks = &m->w.g->blocks;
    const struct place place = {BLOCK, CODE_NO_OWNER, 0};
    for (size_t i = 0; m->w.job->opts->blocks && i < blocks->n; i++) {
        const struct gmon_arc *block = &blocks->v[i];
        int64_t values[GMON_MAX_TYPES] = {0};
        uint32_t frame;
        if (block->count > INT64_MAX)
            return gmon_too_large(block->self, err);
        values[GMON_BLOCKS] = (int64_t)block->count;
        if (!get_location(m, block->self, place, &frame, err) ||
            !prof_add_sample(m->w.p, &frame, 1, values, 0, err))
            return false;
    }
    return true;
}

/* The location of one end of an arc. */
static bool get_end(struct maker *m, uint64_t address, uint32_t func,
                    uint32_t *frame, struct prof_err *err)
{
    const struct place place = {END, CODE_NO_OWNER, 0};
    if (func != CODE_NO_OWNER)
        return get_entry(m, func, frame, err);
    return get_location(m, address, place, frame, err);
}

/* The callee alone where nothing is known of the caller. */
static bool add_arcs(struct maker *m, const struct gmon_arcs *arcs,
                     bool has_caller, struct prof_err *err)
{
    const struct code_owners *o = m->owners;
    uint32_t frames[2], callee = CODE_NO_OWNER, caller = CODE_NO_OWNER;
    for (size_t i = 0; i < arcs->n; i++) {
        const struct gmon_arc *arc = &arcs->v[i];
        int64_t values[GMON_MAX_TYPES] = {0};
        if (arc->count > INT64_MAX)
            return gmon_too_large(arc->self, err);
        values[GMON_CALLS] = (int64_t)arc->count;
        if (o) {
            callee = code_owners_callee(o, arc->self);
            caller = code_owners_find(o, arc->from);
        }
        if (!get_end(m, arc->self, callee, &frames[0], err) ||
            (has_caller && !get_end(m, arc->from, caller, &frames[1], err)) ||
            !prof_add_sample(m->w.p, frames, has_caller ? 2 : 1, values, 0,
                             err))
            return false;
    }
    return true;
}

/* Room for the arcs by address.  Call sites are nearly all different. */
static bool reserve_arcs(struct maker *m, struct prof_err *err)
{
    struct gmon_writer *w = &m->w;
    struct prof_counts counts = prof_count(w->p);
    size_t n = w->g->arcs.n + w->g->entries.n;
    counts.samples += n;
    counts.frames += n + w->g->arcs.n;
    counts.locations += n + w->g->arcs.n;
    return m->owners || prof_reserve(w->p, &counts, err);
}

/* Arcs have locations of their own, also where a bin's has the address. */
static bool add_samples(struct maker *m, struct prof_err *err)
{
    const struct gmon *g = m->w.g;
    bool ok =
        gmon_write_header(&m->w, err) && add_bins(m, err) && add_blocks(m, err);
    prof_locmap_free(&m->w.locs);
    return ok && reserve_arcs(m, err) && add_arcs(m, &g->arcs, true, err) &&
           add_arcs(m, &g->entries, false, err) &&
           gmon_split_mapping(&m->w, err);
}

static struct sym_opts sym_opts_of(const struct gmon_job *job)
{
    return (struct sym_opts){.path = job->opts->path,
                             .binary = job->exe->name,
                             .binary_at = job->exe->path,
                             .cache = job->opts->binaries,
                             .demangle = job->opts->demangle,
                             .no_inlines = !job->opts->inlines,
                             .names_follow = true};
}

/*
 * By address: moves bins to their first byte where that has a name and the
 * last one none, which can be padding behind the function.
 */
static bool name_first_bytes(struct maker *m, const struct sym_opts *opts,
                             struct prof_err *err)
{
    struct profile *p = m->w.p;
    const size_t n = p->n_locations;
    bool ok = true;
    for (size_t i = 0; ok && i < n && m->places.v[i].kind == BIN; i++) {
        struct prof_location first = p->locations[i];
        first.address = m->places.v[i].first;
        ok = first.n_lines || prof_add_location(p, &first, NULL, 0, NULL, err);
    }
    ok = ok && (p->n_locations == n || sym_profile(p, opts, NULL, err));
    for (size_t i = 0, k = n; ok && k < p->n_locations; i++) {
        if (p->locations[i].n_lines)
            continue;
        if (p->locations[k].n_lines)
            p->locations[i] = p->locations[k];
        k++;
    }
    p->n_locations = n;
    return ok;
}

/*
 * By address: leaves ends of arcs with the name of the function they are in.
 * The caller is rounded down and the callee is a place in the prologue: their
 * lines and inlined frames mean nothing.
 */
static void name_ends(struct maker *m)
{
    struct profile *p = m->w.p;
    for (size_t i = 0; i < p->n_locations; i++) {
        struct prof_location *l = &p->locations[i];
        if (m->places.v[i].kind != END || !l->n_lines)
            continue;
        l->line_off += l->n_lines - 1;
        l->n_lines = 1;
        p->lines[l->line_off].line = 0;
        p->lines[l->line_off].column = 0;
    }
}

/* The function that the location is in, not one inlined there. */
static uint32_t outermost(const struct profile *p,
                          const struct prof_location *l)
{
    return l->n_lines ? p->lines[l->line_off + l->n_lines - 1].function
                      : PROF_NONE;
}

/* A function named by its symbol, in the file that its entry is in. */
static bool add_name(struct maker *m, uint32_t func, uint32_t dwarf,
                     struct prof_err *err)
{
    struct profile *p = m->w.p;
    struct name *name = &m->names[func];
    const char *raw = code_owner_name(m->owners, func);
    struct prof_function f = {0};
    struct prof_line line = {0};
    if (dwarf != PROF_NONE)
        f = p->functions[dwarf];
    char *shown = sym_shown_symbol(raw, m->w.job->opts->demangle,
                                   m->w.job->opts->as_gprof);
    bool ok = (shown || err_nomem(err)) &&
              prof_str(p, raw, &f.system_name, err) &&
              prof_str(p, shown, &f.name, err) &&
              prof_add_function(p, &f, &line.function, err);
    free(shown);
    *name = (struct name){line.function, (uint32_t)p->n_lines, dwarf};
    return ok && prof_push_line(p, &line, err);
}

/* True when both are one function, maybe with code in several files. */
static bool is_same(const struct profile *p, uint32_t a, uint32_t b)
{
    if (a == PROF_NONE || b == PROF_NONE)
        return false;
    const struct prof_function *x = &p->functions[a], *y = &p->functions[b];
    return x->system_name == y->system_name && x->start_line == y->start_line;
}

/* The line is of the function, in the file that it is in already. */
static bool name_line(struct profile *p, struct prof_line *line,
                      const struct name *name, struct prof_err *err)
{
    struct prof_function f = p->functions[name->function];
    uint32_t file = p->functions[line->function].filename;
    line->function = name->function;
    if (f.filename == file)
        return true;
    f.filename = file;
    return prof_add_function(p, &f, &line->function, err);
}

static bool name_place(struct maker *m, size_t i, struct prof_err *err)
{
    const struct place *place = &m->places.v[i];
    struct profile *p = m->w.p;
    struct prof_location *l = &p->locations[i];
    if (place->kind == BLOCK)
        return true;
    if (place->func == CODE_NO_OWNER) {
        l->n_lines = 0;
        return true;
    }
    const struct name *name = &m->names[place->func];
    p->mappings[l->mapping].has_functions = true;
    if (place->kind == BIN && is_same(p, outermost(p, l), name->dwarf))
        return name_line(p, &p->lines[l->line_off + l->n_lines - 1], name, err);
    l->line_off = name->line;
    l->n_lines = 1;
    return true;
}

/*
 * By function: names are the owners', as gprof's; DWARF does not always agree.
 * Bins keep lines, and inlined frames if they have any, that are of this
 * function; entries have no line; bins without an owner have no name.
 */
static bool name_functions(struct maker *m, struct prof_err *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < m->places.n; i++)
        if (m->places.v[i].kind == ENTRY)
            ok = add_name(m, m->places.v[i].func,
                          outermost(m->w.p, &m->w.p->locations[i]), err);
    for (size_t i = 0; ok && i < m->places.n; i++)
        ok = name_place(m, i, err);
    return ok;
}

static bool add_symbols(struct maker *m, struct prof_err *err)
{
    const struct gmon_job *job = m->w.job;
    if (job->exe && !job->opts->no_symbols) {
        const struct sym_opts opts = sym_opts_of(job);
        if (!sym_profile(m->w.p, &opts, job->notes, err) ||
            (!m->owners && !name_first_bytes(m, &opts, err)))
            return false;
    }
    if (m->owners)
        return name_functions(m, err);
    name_ends(m);
    return true;
}

/*
 * Functions that were only called have no line: where there are no others, the
 * lines that were looked up are gone, and mappings must not promise them.
 */
static void settle_flags(struct profile *p)
{
    for (size_t i = 0; i < p->n_mappings; i++)
        p->mappings[i].has_line_numbers = false;
    for (size_t i = 0; i < p->n_locations; i++) {
        const struct prof_location *l = &p->locations[i];
        for (uint32_t k = 0; l->mapping != PROF_NONE && k < l->n_lines; k++)
            if (p->lines[l->line_off + k].line)
                p->mappings[l->mapping].has_line_numbers = true;
    }
}

bool gmon_convert(const struct gmon_job *job, struct profile *p,
                  struct prof_err *err)
{
    const struct code_owners *o = job->owners;
    struct maker m = {.w = {.job = job, .g = job->g, .p = p},
                      .owners = o && o->n ? o : NULL};
    size_t n = m.owners ? o->n : 0;
    memset(p, 0, sizeof *p);
    m.entry = mem_array(n, sizeof *m.entry);
    m.names = mem_array(n, sizeof *m.names);
    bool ok = (m.entry && m.names) || err_nomem(err);
    for (size_t i = 0; ok && i < n; i++)
        m.entry[i] = PROF_NONE;
    ok =
        ok && prof_init(p, err) && add_samples(&m, err) && add_symbols(&m, err);
    if (ok)
        settle_flags(p);
    prof_locmap_free(&m.w.locs);
    vec_free(&m.places);
    vec_free(&m.parts);
    free(m.entry);
    free(m.names);
    return ok;
}
