/*
 * gmon_profile.c - the samples of a gmon.out's profile, by address or by
 * function
 */
#include <stdlib.h>

#include "import/gmon/private.h"

/* Basic-block counts as samples of one frame. */
static bool add_blocks(struct gmon_writer *w, struct err *err)
{
    for (size_t i = 0; w->job->opts->blocks && i < w->g->blocks.n; i++) {
        const struct gmon_arc *block = &w->g->blocks.v[i];
        int64_t values[GMON_MAX_TYPES] = {0};
        uint32_t frame;
        if (block->count > INT64_MAX)
            return gmon_too_large(block->self, err);
        values[GMON_BLOCKS] = (int64_t)block->count;
        if (!locmap_get(&w->locs, w->p, w->mapping, block->self, &frame, err) ||
            !prof_add_sample(w->p, &frame, 1, values, 0, err))
            return false;
    }
    return true;
}

/* Remembers the other end of the last bin, if it made a location. */
static bool add_place(struct gmon_writer *w, uint64_t start,
                      struct gmon_places *places, struct err *err)
{
    if (places->bins.n == w->p->n_locations || vec_push(&places->bins, start))
        return true;
    return err_nomem(err);
}

struct bins {
    struct gmon_writer *w;
    struct gmon_places *places;
};

static bool add_bin(void *ctx, const struct gmon_bin *bin, struct err *err)
{
    struct bins *bins = ctx;
    struct gmon_writer *w = bins->w;
    uint64_t last = gmon_bin_last(bin);
    int64_t values[GMON_MAX_TYPES] = {0};
    uint32_t frame;
    values[GMON_SAMPLES] = (int64_t)bin->count;
    values[GMON_AMOUNT] = bin->amount;
    return locmap_get(&w->locs, w->p, w->mapping, last, &frame, err) &&
           prof_add_sample(w->p, &frame, 1, values, 0, err) &&
           add_place(w, bin->start, bins->places, err);
}

/* Of one frame where nothing is known of the caller. */
static bool add_arcs(struct gmon_writer *w, const struct gmon_arcs *arcs,
                     size_t depth, struct err *err)
{
    for (size_t i = 0; i < arcs->n; i++) {
        const struct gmon_arc *arc = &arcs->v[i];
        uint32_t frames[2];
        int64_t values[GMON_MAX_TYPES] = {0};
        if (arc->count > INT64_MAX)
            return gmon_too_large(arc->self, err);
        values[GMON_CALLS] = (int64_t)arc->count;
        if (!locmap_get(&w->locs, w->p, w->mapping, arc->self, &frames[0],
                        err) ||
            (depth > 1 && !locmap_get(&w->locs, w->p, w->mapping, arc->from,
                                      &frames[1], err)) ||
            !prof_add_sample(w->p, frames, depth, values, 0, err))
            return false;
    }
    return true;
}

/* Room for the arcs that are to come. */
static bool reserve_arcs(struct gmon_writer *w, struct err *err)
{
    struct prof_counts counts = prof_count(w->p);
    size_t n = w->g->arcs.n + w->g->entries.n;
    counts.samples += n;
    counts.frames += n + w->g->arcs.n;
    counts.locations += n + w->g->arcs.n;
    /* Call sites are nearly all different; they have few callees. */
    return prof_reserve(w->p, &counts, err) && locmap_reserve(&w->locs, n, err);
}

bool gmon_write_by_address(const struct gmon_job *job, struct profile *p,
                           struct gmon_places *places, struct err *err)
{
    const struct gmon *g = job->g;
    struct gmon_writer w = {.job = job, .g = g, .p = p};
    struct bins bins = {&w, places};
    memset(places, 0, sizeof *places);
    bool ok = prof_init(p, err) && gmon_write_header(&w, err) &&
              gmon_each_bin(&w, add_bin, &bins, err) && add_blocks(&w, err);
    /* Arcs have locations of their own, also where a bin's has the address. */
    locmap_free(&w.locs);
    places->arcs = (uint32_t)p->n_locations;
    ok = ok && reserve_arcs(&w, err) && add_arcs(&w, &g->arcs, 2, err) &&
         add_arcs(&w, &g->entries, 1, err) && gmon_split_mapping(&w, err);
    locmap_free(&w.locs);
    return ok;
}

void gmon_name_arcs(struct profile *p, const struct gmon_places *places)
{
    for (size_t i = places->arcs; i < p->n_locations; i++) {
        struct prof_location *l = &p->locations[i];
        if (!l->n_lines)
            continue;
        l->line_off += l->n_lines - 1;
        l->n_lines = 1;
        p->lines[l->line_off].line = 0;
        p->lines[l->line_off].column = 0;
    }
}

/* A profile by function in the making. */
struct by_function {
    struct gmon_writer w;
    const struct gprof_symbols *owners;
    struct gmon_frames *frames; /* as many as there are locations */
    uint32_t *entry;            /* of an owner: its location, or PROF_NONE */
    struct gmon_parts parts;
};

/* Puts down what the locations are that were added since the last time. */
static bool mark_frames(struct by_function *f, enum gmon_frame_kind kind,
                        uint32_t func, struct err *err)
{
    const struct gmon_frame x = {kind, func};
    while (f->frames->n < f->w.p->n_locations)
        if (!vec_push(f->frames, x))
            return err_nomem(err);
    return true;
}

static bool add_location(struct by_function *f, uint64_t address,
                         struct gmon_frame frame, uint32_t *location,
                         struct err *err)
{
    const struct prof_location l = {.address = address,
                                    .mapping = f->w.mapping};
    return prof_add_location(f->w.p, &l, NULL, 0, location, err) &&
           mark_frames(f, frame.kind, frame.func, err);
}

/* The location of a function's entry. */
static bool get_entry(struct by_function *f, uint32_t func, uint32_t *location,
                      struct err *err)
{
    const struct gmon_frame frame = {GMON_FRAME_ENTRY, func};
    *location = f->entry[func];
    if (*location != PROF_NONE)
        return true;
    bool ok = add_location(f, f->owners->v[func].lo, frame, location, err);
    f->entry[func] = *location;
    return ok;
}

/* Functions of bins have an entry too, by which they are named. */
static bool add_parts(struct by_function *f, struct err *err)
{
    for (size_t i = 0; i < f->parts.n; i++) {
        const struct gmon_part *part = &f->parts.v[i];
        const struct gmon_frame frame = {GMON_FRAME_LEAF, part->func};
        int64_t values[GMON_MAX_TYPES] = {0};
        uint32_t leaf, entry;
        values[GMON_SAMPLES] = (int64_t)part->count;
        values[GMON_AMOUNT] = (int64_t)part->amount;
        if (!add_location(f, part->address, frame, &leaf, err) ||
            (part->func != GPROF_NO_SYMBOL &&
             !get_entry(f, part->func, &entry, err)) ||
            !prof_add_sample(f->w.p, &leaf, 1, values, 0, err))
            return false;
    }
    return true;
}

/* The location of one end of an arc. */
static bool add_end(struct by_function *f, uint64_t address, uint32_t func,
                    uint32_t *frame, struct err *err)
{
    if (func != GPROF_NO_SYMBOL)
        return get_entry(f, func, frame, err);
    return locmap_get(&f->w.locs, f->w.p, f->w.mapping, address, frame, err) &&
           mark_frames(f, GMON_FRAME_LEAF, GPROF_NO_SYMBOL, err);
}

/* Of one frame where nothing is known of the caller. */
static bool add_calls(struct by_function *f, const struct gmon_arcs *arcs,
                      size_t depth, struct err *err)
{
    const struct gprof_symbols *o = f->owners;
    for (size_t i = 0; i < arcs->n; i++) {
        const struct gmon_arc *arc = &arcs->v[i];
        int64_t values[GMON_MAX_TYPES] = {0};
        uint32_t frames[2];
        if (arc->count > INT64_MAX)
            return gmon_too_large(arc->self, err);
        values[GMON_CALLS] = (int64_t)arc->count;
        if (!add_end(f, arc->self, gprof_symbols_callee(o, arc->self),
                     &frames[0], err) ||
            (depth > 1 &&
             !add_end(f, arc->from, gprof_symbols_find(o, arc->from),
                      &frames[1], err)) ||
            !prof_add_sample(f->w.p, frames, depth, values, 0, err))
            return false;
    }
    return true;
}

static bool write_all(struct by_function *f, struct err *err)
{
    const struct gmon *g = f->w.g;
    for (size_t i = 0; i < f->owners->n; i++)
        f->entry[i] = PROF_NONE;
    if (!prof_init(f->w.p, err) || !gmon_write_header(&f->w, err) ||
        !gmon_divide_bins(&f->parts, &f->w, f->owners, err) ||
        !add_parts(f, err) || !add_blocks(&f->w, err) ||
        !mark_frames(f, GMON_FRAME_OTHER, GPROF_NO_SYMBOL, err))
        return false;
    locmap_free(&f->w.locs); /* those of blocks are theirs alone */
    return add_calls(f, &g->arcs, 2, err) && add_calls(f, &g->entries, 1, err);
}

bool gmon_write_by_function(const struct gmon_job *job,
                            const struct gprof_symbols *owners,
                            struct profile *p, struct gmon_frames *frames,
                            struct err *err)
{
    struct by_function f = {.w = {.job = job, .g = job->g, .p = p},
                            .owners = owners,
                            .frames = frames};
    memset(p, 0, sizeof *p);
    memset(frames, 0, sizeof *frames);
    f.entry = mem_array(owners->n, sizeof *f.entry);
    bool ok = f.entry ? write_all(&f, err) : err_nomem(err);
    locmap_free(&f.w.locs);
    vec_free(&f.parts);
    free(f.entry);
    return ok;
}

/* What a function is called. */
struct name {
    uint32_t function; /* of the profile, or PROF_NONE: not yet */
    uint32_t line;     /* of the profile: the function and no line */
    uint32_t dwarf;    /* what symbolization says its entry is in, or
                          PROF_NONE */
};

struct namer {
    struct profile *p;
    const struct gmon_frames *frames;
    const struct gprof_symbols *owners;
    struct name *names; /* of the owners */
    enum sym_demangle demangle;
};

/* The function that the location is in, not one inlined there. */
static uint32_t outermost(const struct profile *p,
                          const struct prof_location *l)
{
    return l->n_lines ? p->lines[l->line_off + l->n_lines - 1].function
                      : PROF_NONE;
}

static bool push_line(struct profile *p, const struct prof_line *line,
                      uint32_t *index, struct err *err)
{
    *index = (uint32_t)p->n_lines;
    return prof_push_line(p, line, err);
}

/* A function named by its symbol, in the file that its entry is in. */
static bool add_name(struct namer *n, uint32_t func, uint32_t dwarf,
                     struct err *err)
{
    struct name *name = &n->names[func];
    const char *raw = gprof_symbol_name(n->owners, func);
    struct prof_function f = {0};
    struct prof_line line = {0};
    if (dwarf != PROF_NONE)
        f = n->p->functions[dwarf];
    char *shown = sym_demangle(raw, n->demangle);
    bool ok = prof_str(n->p, raw, &f.system_name, err) &&
              prof_str(n->p, shown ? shown : raw, &f.name, err) &&
              prof_add_function(n->p, &f, &line.function, err) &&
              push_line(n->p, &line, &name->line, err);
    free(shown);
    name->function = line.function;
    name->dwarf = dwarf;
    return ok;
}

/* Every function that is met has an entry among the locations. */
static bool add_names(struct namer *n, struct err *err)
{
    for (size_t i = 0; i < n->owners->n; i++)
        n->names[i].function = PROF_NONE;
    for (size_t i = 0; i < n->frames->n; i++) {
        const struct gmon_frame *f = &n->frames->v[i];
        if (f->kind == GMON_FRAME_ENTRY &&
            !add_name(n, f->func, outermost(n->p, &n->p->locations[i]), err))
            return false;
    }
    return true;
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
static bool name_line(struct namer *n, struct prof_line *line,
                      const struct name *name, struct err *err)
{
    struct prof_function f = n->p->functions[name->function];
    uint32_t file = n->p->functions[line->function].filename;
    line->function = name->function;
    if (f.filename == file)
        return true;
    f.filename = file;
    return prof_add_function(n->p, &f, &line->function, err);
}

static bool name_frame(struct namer *n, size_t i, struct err *err)
{
    const struct gmon_frame *f = &n->frames->v[i];
    struct profile *p = n->p;
    struct prof_location *l = &p->locations[i];
    if (f->kind == GMON_FRAME_OTHER)
        return true;
    if (f->func == GPROF_NO_SYMBOL) {
        l->n_lines = 0;
        return true;
    }
    const struct name *name = &n->names[f->func];
    p->mappings[l->mapping].has_functions = true;
    if (f->kind == GMON_FRAME_LEAF &&
        is_same(p, outermost(p, l), name->dwarf)) {
        return name_line(n, &p->lines[l->line_off + l->n_lines - 1], name, err);
    }
    l->line_off = name->line;
    l->n_lines = 1;
    return true;
}

bool gmon_name_frames(struct profile *p, const struct gmon_frames *frames,
                      const struct gprof_symbols *owners,
                      enum sym_demangle demangle, struct err *err)
{
    struct namer n = {
        .p = p, .frames = frames, .owners = owners, .demangle = demangle};
    n.names = mem_array(owners->n, sizeof *n.names);
    bool ok = n.names ? add_names(&n, err) : err_nomem(err);
    for (size_t i = 0; ok && i < frames->n; i++)
        ok = name_frame(&n, i, err);
    free(n.names);
    return ok;
}
