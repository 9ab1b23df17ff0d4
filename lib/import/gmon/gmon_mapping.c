#include <stdlib.h>

#include "base/vec.h"
#include "import/gmon/gmon_writer.h"

static void widen(struct prof_mapping *m, uint64_t first, uint64_t last)
{
    if (first < m->start)
        m->start = first;
    if (last >= m->limit)
        m->limit = last < UINT64_MAX ? last + 1 : last;
}

static void widen_by_arcs(struct prof_mapping *m, const struct gmon_arcs *arcs,
                          bool with_from)
{
    for (size_t i = 0; i < arcs->n; i++) {
        widen(m, arcs->v[i].self, arcs->v[i].self);
        if (with_from)
            widen(m, arcs->v[i].from, arcs->v[i].from);
    }
}

/*
 * The program's own if all addresses are in it, or else from the first to the
 * last address.  That would be another one in each run, if only by what was
 * called, which for a merge means another program, or that it was moved.
 * The first address of a shared library's code is not where the library
 * begins.
 */
bool gmon_write_mapping(struct gmon_writer *w, struct err *err)
{
    const struct gmon_exe *exe = w->exe;
    const struct gmon *g = w->g;
    struct prof_mapping m = {.start = UINT64_MAX};
    for (size_t i = 0; i < g->hists.n; i++)
        if (g->hists.v[i].low < g->hists.v[i].high)
            widen(&m, g->hists.v[i].low, g->hists.v[i].high - 1);
    widen_by_arcs(&m, &g->arcs, true);
    widen_by_arcs(&m, &g->entries, false);
    widen_by_arcs(&m, &g->blocks, false);
    bool empty = m.start > m.limit;
    if (empty || g->family == GMON_LD_PROFILE)
        m.start = 0;
    if (exe && (empty || (m.start >= exe->low && m.limit <= exe->high))) {
        m.start = exe->low;
        m.limit = exe->high;
    }
    if (exe && (!prof_str(w->p, exe->name, &m.filename, err) ||
                !prof_str(w->p, exe->build_id, &m.build_id, err)))
        return false;
    return prof_add_mapping(w->p, &m, &w->mapping, err);
}

static int image_cmp(const void *va, const void *vb)
{
    const struct gmon_image *a = va, *b = vb;
    return (a->at > b->at) - (a->at < b->at);
}

/* Those whose addresses are known, in order of these; paths are borrowed. */
static bool sort_images(const struct gmon_images *images,
                        struct gmon_images *sorted, struct err *err)
{
    *sorted = (struct gmon_images){0};
    for (size_t i = 0; i < images->n; i++)
        if (!images->v[i].moved && !vec_push(sorted, images->v[i]))
            return err_nomem(err);
    if (sorted->n)
        qsort(sorted->v, sorted->n, sizeof *sorted->v, image_cmp);
    return true;
}

/* The last image that begins at the address or before; n: there is none. */
static size_t image_of(const struct gmon_images *sorted, uint64_t address)
{
    size_t low = 0, high = sorted->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted->v[middle].at <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : sorted->n;
}

/* Mappings of all images, the program's own in the place of the only one. */
static bool add_images(struct gmon_writer *w, const struct gmon_images *sorted,
                       uint32_t *mapping, struct err *err)
{
    uint64_t end = w->p->mappings[w->mapping].limit;
    for (size_t i = 0; i < sorted->n; i++) {
        const struct gmon_image *image = &sorted->v[i];
        struct prof_mapping m = {
            .start = image->at,
            .limit = i + 1 < sorted->n ? sorted->v[i + 1].at : end,
        };
        if (!prof_str(w->p, image->path, &m.filename, err))
            return false;
        mapping[i] = w->mapping;
        if (image->path == w->g->images.v->path)
            w->p->mappings[w->mapping] = m;
        else if (!prof_add_mapping(w->p, &m, &mapping[i], err))
            return false;
    }
    return true;
}

bool gmon_split_mapping(struct gmon_writer *w, struct err *err)
{
    struct gmon_images sorted;
    if (w->exe || !w->g->images.n)
        return true;
    if (!sort_images(&w->g->images, &sorted, err)) {
        vec_free(&sorted);
        return false;
    }
    uint32_t *mapping = mem_array(sorted.n, sizeof *mapping);
    bool ok = mapping ? add_images(w, &sorted, mapping, err) : err_nomem(err);
    for (size_t i = 0; ok && sorted.n && i < w->p->n_locations; i++) {
        struct prof_location *l = &w->p->locations[i];
        size_t k = image_of(&sorted, l->address);
        l->mapping = k < sorted.n ? mapping[k] : PROF_NONE;
    }
    free(mapping);
    vec_free(&sorted);
    return ok;
}
