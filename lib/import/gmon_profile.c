#include "import/gmon_profile.h"

#include <inttypes.h>
#include <string.h>

#include "base/vec.h"
#include "import/gmon_bins.h"
#include "import/gmon_writer.h"

static bool too_large(uint64_t address, struct err *err)
{
    return err_set(err, ERR_INPUT, "the value at 0x%" PRIx64 " is too large",
                   address);
}

/* A sample of the stack of n (1 or 2) addresses, leaf first. */
static bool add_sample(struct gmon_writer *w, const uint64_t *stack, size_t n,
                       const int64_t *values, struct err *err)
{
    uint32_t frames[2];
    for (size_t i = 0; i < n; i++)
        if (!locmap_get(&w->locs, w->p, w->mapping, stack[i], &frames[i], err))
            return false;
    return prof_add_sample(w->p, frames, n, values, 0, err);
}

/*
 * count * unit / rate; *rest is what the division left over, in parts of
 * rate, and goes into the next one.
 */
static bool amount_of(uint64_t count, uint64_t unit, uint32_t rate,
                      uint64_t *rest, int64_t *amount)
{
    uint64_t whole, part = count % rate * unit + *rest;
    *rest = part % rate;
    if (__builtin_mul_overflow(count / rate, unit, &whole) ||
        __builtin_add_overflow(whole, part / rate, &whole) || whole > INT64_MAX)
        return false;
    *amount = (int64_t)whole;
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

static bool add_bins(struct gmon_writer *w, const struct gmon_hist *h,
                     struct gmon_places *places, struct err *err)
{
    const uint64_t *bins = w->g->bins.v + h->bin;
    struct gmon_scale scale = gmon_scale_of(h, bins);
    uint64_t rest = h->rate / 2, lost = 0;
    for (uint32_t i = 0; i < h->n_bins; i++) {
        int64_t values[GMON_MAX_TYPES] = {0};
        if (!bins[i])
            continue;
        if (h->low == h->high) {
            lost++;
            continue;
        }
        uint64_t start = gmon_bin_start(&scale, i);
        uint64_t end = gmon_bin_start(&scale, i + 1);
        uint64_t address = end > start ? end - 1 : start;
        if (bins[i] > INT64_MAX)
            return too_large(address, err);
        values[w->samples] = (int64_t)bins[i];
        if (w->amount >= 0 && h->rate &&
            !amount_of(bins[i], w->unit, h->rate, &rest, &values[w->amount]))
            return too_large(address, err);
        if (!add_sample(w, &address, 1, values, err) ||
            !add_place(w, start, places, err))
            return false;
    }
    if (lost)
        note_warn(w->notes,
                  "%" PRIu64
                  " bins of a histogram without addresses (0x%" PRIx64
                  "-0x%" PRIx64 ") are left out",
                  lost, h->low, h->high);
    return true;
}

static bool add_blocks(struct gmon_writer *w, struct err *err)
{
    for (size_t i = 0; i < w->g->blocks.n; i++) {
        const struct gmon_arc *block = &w->g->blocks.v[i];
        int64_t values[GMON_MAX_TYPES] = {0};
        if (block->count > INT64_MAX)
            return too_large(block->self, err);
        values[w->blocks] = (int64_t)block->count;
        if (!add_sample(w, &block->self, 1, values, err))
            return false;
    }
    return true;
}

/* Of one frame where nothing is known of the caller. */
static bool add_arcs(struct gmon_writer *w, const struct gmon_arcs *arcs,
                     size_t depth, struct err *err)
{
    for (size_t i = 0; i < arcs->n; i++) {
        const struct gmon_arc *arc = &arcs->v[i];
        const uint64_t stack[2] = {arc->self, arc->from};
        int64_t values[GMON_MAX_TYPES] = {0};
        if (arc->count > INT64_MAX)
            return too_large(arc->self, err);
        values[w->calls] = (int64_t)arc->count;
        if (!add_sample(w, stack, depth, values, err))
            return false;
    }
    return true;
}

bool gmon_profile(const struct gmon *g, const struct gmon_exe *exe,
                  struct profile *p, struct gmon_places *places,
                  const struct notes *notes, struct err *err)
{
    struct gmon_writer w = {.g = g, .exe = exe, .notes = notes, .p = p};
    memset(places, 0, sizeof *places);
    bool ok = prof_init(p, err) && gmon_write_head(&w, err);
    for (size_t i = 0; ok && i < g->hists.n; i++)
        ok = add_bins(&w, &g->hists.v[i], places, err);
    ok = ok && add_blocks(&w, err);
    /* Arcs have locations of their own, also where a bin's has the address. */
    locmap_free(&w.locs);
    places->arcs = (uint32_t)p->n_locations;
    ok = ok && add_arcs(&w, &g->arcs, 2, err) &&
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
