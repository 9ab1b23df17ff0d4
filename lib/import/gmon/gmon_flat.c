/* Histograms and arcs of a program whose functions are known. */
#include "import/gmon/gmon_flat.h"

#include <stdlib.h>
#include <string.h>

#include "import/gmon/gmon_credit.h"
#include "import/gmon/gmon_writer.h"

struct flat {
    struct gmon_writer w;
    const struct sym_owners *owners;
    struct gmon_frames *frames; /* as many as there are locations */
    uint32_t *entry;            /* of an owner: its location, or PROF_NONE */
    struct gmon_parts parts;
};

/* Puts down what the locations are that were added since the last time. */
static bool mark_frames(struct flat *f, enum gmon_frame_kind kind,
                        uint32_t func, struct err *err)
{
    const struct gmon_frame x = {kind, func};
    while (f->frames->n < f->w.p->n_locations)
        if (!vec_push(f->frames, x))
            return err_nomem(err);
    return true;
}

static bool add_location(struct flat *f, uint64_t address,
                         struct gmon_frame frame, uint32_t *location,
                         struct err *err)
{
    const struct prof_location l = {.address = address,
                                    .mapping = f->w.mapping};
    return prof_add_location(f->w.p, &l, NULL, 0, location, err) &&
           mark_frames(f, frame.kind, frame.func, err);
}

/* The location of a function's entry. */
static bool get_entry(struct flat *f, uint32_t func, uint32_t *location,
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
static bool write_parts(struct flat *f, struct err *err)
{
    for (size_t i = 0; i < f->parts.n; i++) {
        const struct gmon_part *part = &f->parts.v[i];
        const struct gmon_frame frame = {GMON_FRAME_LEAF, part->func};
        int64_t values[GMON_MAX_TYPES] = {0};
        uint32_t leaf, entry;
        values[GMON_SAMPLES] = (int64_t)part->count;
        values[GMON_AMOUNT] = (int64_t)part->amount;
        if (!add_location(f, part->address, frame, &leaf, err) ||
            (part->func != SYM_NO_OWNER &&
             !get_entry(f, part->func, &entry, err)) ||
            !prof_add_sample(f->w.p, &leaf, 1, values, 0, err))
            return false;
    }
    return true;
}

/* The location of one end of an arc. */
static bool add_end(struct flat *f, uint64_t address, uint32_t func,
                    uint32_t *frame, struct err *err)
{
    if (func != SYM_NO_OWNER)
        return get_entry(f, func, frame, err);
    return locmap_get(&f->w.locs, f->w.p, f->w.mapping, address, frame, err) &&
           mark_frames(f, GMON_FRAME_LEAF, SYM_NO_OWNER, err);
}

/* Of one frame where nothing is known of the caller. */
static bool write_arcs(struct flat *f, const struct gmon_arcs *arcs,
                       size_t depth, struct err *err)
{
    const struct sym_owners *o = f->owners;
    for (size_t i = 0; i < arcs->n; i++) {
        const struct gmon_arc *arc = &arcs->v[i];
        int64_t values[GMON_MAX_TYPES] = {0};
        uint32_t frames[2];
        if (arc->count > INT64_MAX)
            return gmon_too_large(arc->self, err);
        values[GMON_CALLS] = (int64_t)arc->count;
        if (!add_end(f, arc->self, sym_owners_callee(o, arc->self), &frames[0],
                     err) ||
            (depth > 1 && !add_end(f, arc->from, sym_owners_find(o, arc->from),
                                   &frames[1], err)) ||
            !prof_add_sample(f->w.p, frames, depth, values, 0, err))
            return false;
    }
    return true;
}

static bool write_all(struct flat *f, struct err *err)
{
    const struct gmon *g = f->w.g;
    for (size_t i = 0; i < f->owners->n; i++)
        f->entry[i] = PROF_NONE;
    if (!prof_init(f->w.p, err) || !gmon_write_head(&f->w, err) ||
        !gmon_credit(&f->parts, &f->w, f->owners, err) ||
        !write_parts(f, err) || !gmon_write_blocks(&f->w, err) ||
        !mark_frames(f, GMON_FRAME_OTHER, SYM_NO_OWNER, err))
        return false;
    locmap_free(&f->w.locs); /* those of blocks are theirs alone */
    return write_arcs(f, &g->arcs, 2, err) &&
           write_arcs(f, &g->entries, 1, err);
}

bool gmon_flat(const struct gmon_job *job, const struct sym_owners *owners,
               struct profile *p, struct gmon_frames *frames, struct err *err)
{
    struct flat f = {.w = {.g = job->g,
                           .exe = job->exe,
                           .notes = job->notes,
                           .p = p,
                           .blocks = job->blocks},
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

void gmon_frames_free(struct gmon_frames *frames)
{
    vec_free(frames);
}
