#include "import/gmon/gmon_profile.h"

#include <string.h>

#include "base/vec.h"
#include "import/gmon/gmon_writer.h"

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

bool gmon_profile(const struct gmon_job *job, struct profile *p,
                  struct gmon_places *places, struct err *err)
{
    const struct gmon *g = job->g;
    struct gmon_writer w = {.g = g,
                            .exe = job->exe,
                            .notes = job->notes,
                            .p = p,
                            .blocks = job->blocks};
    struct bins bins = {&w, places};
    memset(places, 0, sizeof *places);
    bool ok = prof_init(p, err) && gmon_write_head(&w, err);
    for (size_t i = 0; ok && i < g->hists.n; i++)
        ok = gmon_each_bin(&w, &g->hists.v[i], add_bin, &bins, err);
    ok = ok && gmon_write_blocks(&w, err);
    /* Arcs have locations of their own, also where a bin's has the address. */
    locmap_free(&w.locs);
    places->arcs = (uint32_t)p->n_locations;
    ok = ok && reserve_arcs(&w, err) && add_arcs(&w, &g->arcs, 2, err) &&
         add_arcs(&w, &g->entries, 1, err) && gmon_split_mapping(&w, err);
    locmap_free(&w.locs);
    return ok;
}

void gmon_places_free(struct gmon_places *places)
{
    vec_free(&places->bins);
    places->arcs = 0;
}

bool gmon_other_ends(struct profile *p, struct gmon_places *places)
{
    bool any = false;
    for (size_t i = 0; i < places->bins.n; i++) {
        struct prof_location *l = &p->locations[i];
        uint64_t other = places->bins.v[i];
        if (l->n_lines)
            continue;
        places->bins.v[i] = l->address;
        l->address = other;
        any = true;
    }
    return any;
}

void gmon_arcs_by_function(struct profile *p, const struct gmon_places *places)
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
