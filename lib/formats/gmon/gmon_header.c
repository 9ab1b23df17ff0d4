/*
 * gmon_header.c - the sample types, comments and mappings of a gmon.out's
 * profile
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "formats/gmon/private.h"

/* A greater number of ticks per second is not a rate. */
enum { MAX_RATE = 1000000000 };

/* Nanoseconds in one of the dimension; 0: it is no time. */
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

static void find_rates(struct gmon_writer *w)
{
    for (size_t i = 0; i < w->g->hists.n; i++) {
        uint32_t rate = w->g->hists.v[i].rate;
        if (rate && (!w->least || rate < w->least))
            w->least = rate;
        if (rate > w->most)
            w->most = rate;
    }
}

static void warn_of_rates(const struct gmon_writer *w)
{
    size_t n_unknown = 0;
    for (size_t i = 0; i < w->g->hists.n; i++)
        n_unknown += !w->g->hists.v[i].rate;
    if (n_unknown)
        note_warn(w->job->notes,
                  "%zu of %zu histograms have sampling rate 0; their samples "
                  "have no time",
                  n_unknown, w->g->hists.n);
    if (w->least != w->most)
        note_warn(w->job->notes,
                  "histograms have %" PRIu32 " and %" PRIu32
                  " ticks per unit; each is scaled by its own rate",
                  w->least, w->most);
    if (w->most > MAX_RATE)
        note_warn(w->job->notes,
                  "implausible sampling rate: %" PRIu32 " ticks per unit",
                  w->most);
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

/* Names of types that a dimension must not take. */
static bool is_own_type(const char *name)
{
    return strcmp(name, "samples") == 0 || strcmp(name, "calls") == 0 ||
           strcmp(name, "bb_executions") == 0;
}

/* The least number that every known rate divides; 0: it is too large. */
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
 * The type of another dimension than time.  So that no value is rounded,
 * they are in parts of a whole where a rate is not 1, in the unit "/RATE".
 * False without an error: the rates have no common multiple that fits.
 */
static bool name_quantity(struct gmon_writer *w, char *unit, size_t n)
{
    uint64_t common = common_rate(w->g);
    if (!common) {
        note_loss(w->job->notes, "the sampling rates have no common multiple "
                                 "of 32 bits; only samples are written");
        return false;
    }
    w->unit = common;
    if (w->least)
        w->p->period = (int64_t)(common / w->least);
    if (common > 1)
        (void)snprintf(unit, n, "/%" PRIu64, common);
    return true;
}

/*
 * The type of count / rate.  It is the dimension's, which files declare, or
 * else cpu/nanoseconds, with all values 0 where that is not known either.
 */
static bool add_amount(struct gmon_writer *w, struct prof_err *err)
{
    const struct gmon *g = w->g;
    const char *type = "cpu";
    char unit[32] = "count";
    w->unit = time_unit(g->hists.n ? g->dimension : "seconds");
    if (w->unit) {
        w->p->period =
            w->most ? (int64_t)((w->unit + w->least / 2) / w->least) : 0;
    } else if (!*g->dimension || is_own_type(g->dimension)) {
        note_warn(w->job->notes,
                  "the histogram's dimension is '%s', not seconds; only "
                  "samples are written",
                  g->dimension);
    } else if (name_quantity(w, unit, sizeof unit)) {
        type = g->dimension;
    }
    if (!prof_add_type(w->p, type, strcmp(type, "cpu") ? unit : "nanoseconds",
                       err))
        return false;
    if (w->p->period)
        w->p->period_type = w->p->types[GMON_AMOUNT];
    return true;
}

/*
 * The type to show first, or 0 where there is only the last, calls: in a sum
 * that of the other files counts then.
 */
static uint32_t default_type(const struct gmon_writer *w)
{
    const struct gmon *g = w->g;
    if (!g->hists.n && g->arcs.n + g->entries.n + g->blocks.n)
        return 0;
    size_t type =
        (w->unit && w->most) || !g->hists.n ? GMON_AMOUNT : GMON_SAMPLES;
    return w->p->types[type].type;
}

/* The same for every file, so that the profiles of all files add up. */
static bool add_types(struct gmon_writer *w, struct prof_err *err)
{
    if (!prof_add_type(w->p, "samples", "count", err) || !add_amount(w, err) ||
        !prof_add_type(w->p, "calls", "count", err) ||
        (w->job->opts->blocks &&
         !prof_add_type(w->p, "bb_executions", "count", err)))
        return false;
    w->p->default_sample_type = default_type(w);
    if (!w->job->opts->blocks && w->g->blocks.n)
        note_loss(w->job->notes,
                  "%zu basic-block counts skipped; use --blocks to write them",
                  w->g->blocks.n);
    return true;
}

/*
 * Nothing that two runs of one program differ in: comments are a set.  Reports
 * do not show those that begin with "#".
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

/* Images whose place is not known but by how much they were moved. */
static bool add_slides(struct gmon_writer *w, struct prof_err *err)
{
    const struct gmon_images *images = &w->g->images;
    struct buf text = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < images->n; i++) {
        const struct gmon_image *image = &images->v[i];
        if (!image->moved)
            continue;
        text.n = 0;
        if (!buf_printf(&text, "# image: %s", image->path) ||
            (image->at &&
             !buf_printf(&text, " moved by 0x%" PRIx64, image->at)) ||
            !buf_putc(&text, 0))
            ok = err_nomem(err);
        else
            ok = prof_add_comment(w->p, (const char *)text.v, err);
    }
    buf_free(&text);
    return ok;
}

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
static bool write_mapping(struct gmon_writer *w, struct prof_err *err)
{
    const struct gmon_exe *exe = w->job->exe;
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

bool gmon_write_header(struct gmon_writer *w, struct prof_err *err)
{
    find_rates(w);
    if (!add_types(w, err) || !write_mapping(w, err) || !add_comments(w, err) ||
        !add_slides(w, err))
        return false;
    warn_of_rates(w);
    warn_of_overlap(w);
    return true;
}

static int image_cmp(const void *va, const void *vb)
{
    const struct gmon_image *a = va, *b = vb;
    return (a->at > b->at) - (a->at < b->at);
}

/* Those whose addresses are known, in order of these; paths are borrowed. */
static bool sort_images(const struct gmon_images *images,
                        struct gmon_images *sorted, struct prof_err *err)
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
                       uint32_t *mapping, struct prof_err *err)
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

bool gmon_split_mapping(struct gmon_writer *w, struct prof_err *err)
{
    struct gmon_images sorted;
    if (w->job->exe || !w->g->images.n)
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
