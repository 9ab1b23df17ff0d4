/*
 * gmon_header.c - adds the sample types, comments and mappings of a gmon.out
 * to its profile
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/sort.h"
#include "formats/gmon/private.h"

/* Returns the nanoseconds in one unit of the dimension; 0: it is not a time. */
static uint64_t time_unit(const char *dimension)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"seconds", 1000000000},   {"s", 1000000000},
                 {"milliseconds", 1000000}, {"ms", 1000000},
                 {"microseconds", 1000},    {"us", 1000},
                 {"nanoseconds", 1},        {"ns", 1}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, dimension) == 0)
            return units[i].ns;
    return 0;
}

static void warn_of_overlap(const struct gmon_writer *w)
{
    const struct gmon_hists *hists = &w->g->hists;
    const struct gmon_hist *far = NULL;
    for (size_t i = 0; i < hists->n; i++) {
        const struct gmon_hist *h = &hists->v[i];
        if (h->low == h->high)
            continue;
        if (far && h->low < far->high &&
            (h->low != far->low || h->high != far->high ||
             h->n_bins != far->n_bins)) {
            note_warn(w->job->notes,
                      "histograms 0x%" PRIx64 "-0x%" PRIx64 " and 0x%" PRIx64
                      "-0x%" PRIx64
                      " overlap; do all files come from the same program?",
                      far->low, far->high, h->low, h->high);
            return;
        }
        if (!far || h->high > far->high)
            far = h;
    }
}

/* Returns the least common multiple of all known rates; 0: it is too large. */
static uint64_t common_rate(const struct gmon *g)
{
    uint64_t common = 1;
    for (size_t i = 0; i < g->hists.n; i++) {
        uint64_t rate = g->hists.v[i].rate, a = common, b = rate;
        while (b) {
            uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (rate && (__builtin_mul_overflow(common, rate / a, &common) ||
                     common > UINT32_MAX))
            return 0;
    }
    return common;
}

/*
 * Adds the sample type of amounts (count / rate), and sets the period.  If the
 * dimension is a time, the type is cpu/nanoseconds; if there is no usable
 * dimension, it is that too, and its values are 0.  Otherwise it has the name
 * of the dimension, and the unit "/RATE" if the rate is not 1, so that no
 * value is rounded.
 */
static bool add_amount(struct gmon_writer *w, struct prof_err *err)
{
    const struct gmon *g = w->g;
    const char *d = g->hists.n ? g->dimension : "seconds", *type = "cpu";
    char unit[32] = "nanoseconds";
    bool own = strcmp(d, "samples") == 0 || strcmp(d, "calls") == 0 ||
               strcmp(d, "bb_executions") == 0;
    w->unit = time_unit(d);
    if (w->unit) {
        w->header.period =
            w->most ? (int64_t)((w->unit + w->least / 2) / w->least) : 0;
    } else if (!*d || own) {
        note_warn(w->job->notes,
                  "the histogram's dimension is '%s', not seconds; only "
                  "samples are written",
                  d);
    } else if (!(w->unit = common_rate(g))) {
        note_loss(w->job->notes, "the sampling rates have no common multiple "
                                 "below 2^32; only samples are written, no "
                                 "times");
    } else {
        type = d;
        if (w->least)
            w->header.period = (int64_t)(w->unit / w->least);
        if (w->unit > 1)
            (void)snprintf(unit, sizeof unit, "/%" PRIu64, w->unit);
        else
            (void)snprintf(unit, sizeof unit, "count");
    }
    if (!prof_add_type(w->p, type, unit, err))
        return false;
    if (w->header.period)
        w->header.period_type = prof_get_type(w->p, GMON_AMOUNT);
    return true;
}

/* Adds the same sample types for every file, so that profiles can be added. */
static bool add_types(struct gmon_writer *w, struct prof_err *err)
{
    const struct gmon *g = w->g;
    const bool blocks = w->job->opts->blocks;
    if (!prof_add_type(w->p, "samples", "count", err) || !add_amount(w, err) ||
        !prof_add_type(w->p, "calls", "count", err) ||
        (blocks && !prof_add_type(w->p, "bb_executions", "count", err)))
        return false;
    /* A file that has only calls sets no default sample type; in a sum, that of
     * the other files is used then. */
    bool timed = (w->unit && w->most) || !g->hists.n;
    if (g->hists.n || !(g->arcs.n + g->entries.n + g->blocks.n))
        w->header.default_sample_type =
            prof_get_type(w->p, timed ? GMON_AMOUNT : GMON_SAMPLES).type;
    if (!blocks && g->blocks.n)
        note_count(w->job->notes, PROF_NOTE_LOSS, g->blocks.n,
                   "%zu basic-block count{s} skipped; use --blocks to write "
                   "basic-block counts",
                   g->blocks.n);
    return true;
}

/*
 * Adds comments that are equal for all runs of a program: a merge keeps all
 * distinct comments.  Reports do not show comments that begin with "#".
 */
static bool add_comments(struct gmon_writer *w, struct prof_err *err)
{
    const struct gmon *g = w->g;
    char text[160];
    double narrow = 0, wide = 0;
    unsigned addr_size = g->form.addr_size;
    if (!addr_size && w->job->exe)
        addr_size = w->job->exe->form.addr_size;
    (void)snprintf(text, sizeof text, "# gmon.out: %s%s",
                   gmon_family_text(g->family),
                   !addr_size       ? ""
                   : addr_size == 8 ? ", 64-bit"
                                    : ", 32-bit");
    if (!prof_add_comment(w->p, text, err))
        return false;
    if (!g->hists.n)
        return true;
    for (size_t i = 0; i < g->hists.n; i++) {
        const struct gmon_hist *h = &g->hists.v[i];
        double width = h->n_bins ? (double)(h->high - h->low) / h->n_bins : 0;
        if (width > 0 && (narrow <= 0 || width < narrow))
            narrow = width;
        if (width > wide)
            wide = width;
    }
    int n = snprintf(text, sizeof text, "# histogram: %" PRIu32, w->least);
    if (w->least != w->most)
        n += snprintf(text + n, sizeof text - (size_t)n, " to %" PRIu32,
                      w->most);
    n += snprintf(text + n, sizeof text - (size_t)n,
                  " ticks per \"%s\", bins of %.4g", g->dimension, narrow);
    if (narrow < wide)
        n += snprintf(text + n, sizeof text - (size_t)n, " to %.4g", wide);
    (void)snprintf(text + n, sizeof text - (size_t)n, " bytes");
    if (!prof_add_comment(w->p, text, err))
        return false;
    if (g->family == GMON_DARWIN)
        return true;
    return prof_add_comment(w->p,
                            g->family == GMON_LD_PROFILE
                                ? "# contains only this shared library"
                                : "# gmon.out has no time spent in "
                                  "shared libraries",
                            err);
}

static void widen(struct prof_mapping *m, uint64_t first, uint64_t last)
{
    if (first < m->start)
        m->start = first;
    if (last >= m->limit)
        m->limit = last < UINT64_MAX ? last + 1 : last;
}

/*
 * Adds the mapping: that of the program if it holds all addresses, else one
 * from the first to the last address.  The latter differs between runs, so a
 * merge would treat the runs as different programs.  The mapping of a shared
 * library begins at 0, not at the first address of its code.
 */
static bool write_mapping(struct gmon_writer *w, struct prof_err *err)
{
    const struct gmon_exe *exe = w->job->exe;
    const struct gmon *g = w->g;
    const struct gmon_arcs *const lists[] = {&g->arcs, &g->entries, &g->blocks};
    struct prof_mapping m = {.start = UINT64_MAX};
    for (size_t i = 0; i < g->hists.n; i++)
        if (g->hists.v[i].low < g->hists.v[i].high)
            widen(&m, g->hists.v[i].low, g->hists.v[i].high - 1);
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < lists[k]->n; i++) {
            const struct gmon_arc *arc = &lists[k]->v[i];
            widen(&m, arc->self, arc->self);
            if (lists[k] == &g->arcs)
                widen(&m, arc->from, arc->from);
        }
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

bool gmon_write_header(struct gmon_writer *w, struct prof_err *err)
{
    enum { MAX_RATE = 1000000000 }; /* per second: more is not a rate */
    const struct gmon_hists *hists = &w->g->hists;
    const struct gmon_images *images = &w->g->images;
    const struct prof_notes *notes = w->job->notes;
    size_t n_unknown = 0;
    for (size_t i = 0; i < hists->n; i++) {
        uint32_t rate = hists->v[i].rate;
        n_unknown += !rate;
        if (rate && (!w->least || rate < w->least))
            w->least = rate;
        if (rate > w->most)
            w->most = rate;
    }
    if (!add_types(w, err) || !write_mapping(w, err) || !add_comments(w, err))
        return false;

    /* Images of which only the load offset is known become comments. */
    bool ok = true;
    for (size_t i = 0; ok && i < images->n; i++) {
        const struct gmon_image *image = &images->v[i];
        if (!image->moved)
            continue;
        char *text = image->at ? str_printf("# image: %s moved by 0x%" PRIx64,
                                            image->path, image->at)
                               : str_printf("# image: %s", image->path);
        ok = text ? prof_add_comment(w->p, text, err) : err_nomem(err);
        free(text);
    }
    if (!ok)
        return false;
    prof_set_header(w->p, &w->header);

    if (n_unknown)
        note_warn(notes,
                  "sampling rate 0 in %zu of %zu histograms; their samples "
                  "have no time",
                  n_unknown, hists->n);
    if (w->least != w->most)
        note_warn(notes,
                  "histograms have %" PRIu32 " and %" PRIu32
                  " ticks per unit; each is scaled by its own rate",
                  w->least, w->most);
    if (w->most > MAX_RATE)
        note_warn(notes,
                  "implausible sampling rate: %" PRIu32 " ticks per unit",
                  w->most);
    warn_of_overlap(w);
    return true;
}

/* Adds a mapping for each image; the program's replaces w->mapping. */
static bool add_images(struct gmon_writer *w, const struct gmon_images *sorted,
                       uint32_t *mapping, struct prof_err *err)
{
    uint64_t end = prof_get_mapping(w->p, w->mapping).limit;
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
            prof_set_mapping(w->p, w->mapping, &m);
        else if (!prof_add_mapping(w->p, &m, &mapping[i], err))
            return false;
    }
    return true;
}

bool gmon_split_mapping(struct gmon_writer *w, struct prof_err *err)
{
    const struct gmon_images *images = &w->g->images;
    struct gmon_images sorted = {0}; /* those with addresses; paths not owned */
    if (w->job->exe || !images->n)
        return true;
    uint32_t *mapping = mem_array(images->n, sizeof *mapping);
    bool ok = (mapping && vec_reserve(&sorted, images->n)) || err_nomem(err);
    for (size_t i = 0; ok && i < images->n; i++)
        if (!images->v[i].moved)
            sorted.v[sorted.n++] = images->v[i];
    ok = ok && (vec_sort_rows(&sorted) || err_nomem(err)) &&
         add_images(w, &sorted, mapping, err);
    size_t n = ok && sorted.n ? prof_count(w->p).locations : 0;
    for (size_t i = 0; i < n; i++) {
        struct prof_location l = prof_get_location(w->p, i);
        const size_t low =
            sorted_upto(sorted.v, sorted.n, sizeof *sorted.v, l.address);
        l.mapping = low ? mapping[low - 1] : PROF_NONE;
        prof_set_location(w->p, i, &l);
    }
    free(mapping);
    vec_free(&sorted);
    return ok;
}
