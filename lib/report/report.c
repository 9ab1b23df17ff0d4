/* report.c - prepares a profile as its format requires and prints it */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "profile/columns.h"
#include "report/out.h"
#include "report/places.h"

#define NODE_FRACTION 0.005 /* pprof's default */

enum { BLOCK_COUNT = 10 }; /* rows of each value with opts.by */

unsigned report_ignores(const struct report_format *f)
{
    unsigned ignores = f->ignores;
    if (f->needs & REPORT_WHOLE)
        ignores |= REPORT_NO_LIMITS;
    if (f->needs & REPORT_NO_VALUES)
        ignores |= REPORT_NO_TYPE;
    if (!(f->needs & REPORT_TRIM) && !f->reads_files)
        ignores |= REPORT_NO_FILES;
    if ((!f->reads_files || !f->runs_programs) && !f->embeds_code)
        ignores |= REPORT_NO_BINARY;
    if (!f->embeds_code)
        ignores |= REPORT_NO_EMBEDDING;
    if (!(f->needs & REPORT_DETAIL))
        ignores |= REPORT_NO_MAPPINGS;
    if (!f->shows_others)
        ignores |= REPORT_NO_OTHERS;
    return ignores;
}

/* Returns the options adapted to the format. */
static struct report_opts settle(const struct report_format *f,
                                 const struct report_opts *opts)
{
    struct report_opts o = *opts;
    if (o.limits.node_count == REPORT_USUAL_COUNT)
        o.limits.node_count = o.by && !o.outliers ? BLOCK_COUNT : f->node_count;
    if (o.limits.node_fraction == REPORT_USUAL_FRACTION)
        o.limits.node_fraction =
            f->node_fraction > 0 ? f->node_fraction : NODE_FRACTION;
    if (!o.trim || (f->needs & REPORT_WHOLE)) {
        o.limits.node_count = 0;
        o.limits.node_fraction = o.limits.edge_fraction = 0;
    }
    if (f->needs & REPORT_ADDRESSES)
        o.detail.granularity = PROF_ADDRESSES;
    if (f->needs & REPORT_LINES)
        o.detail.granularity = PROF_LINES;
    if (f->needs & (REPORT_INLINES | REPORT_NO_INLINES))
        o.detail.no_inlines = f->needs & REPORT_NO_INLINES;
    /* Means cannot be shown as shares. */
    if ((f->ignores & REPORT_NO_MEAN) || o.outliers)
        o.mean = false;
    if (!f->shows_others || o.outliers)
        o.n_others = 0;
    if (f->ignores & REPORT_NO_DIVISION)
        o.divide_by = 1;
    if (f->ignores & REPORT_NO_UNIT)
        o.unit = "minimum";
    if (f->ignores & REPORT_NO_ORDER)
        o.limits.cum_sort = false;
    o.detail.keep_start_lines = !(f->needs & REPORT_CLASSIC);
    return o;
}

bool report_prepare_type(struct report *r, size_t type, int64_t *total,
                         struct measure *units, struct prof_err *err)
{
    const char *to = r->opts->unit;
    uint32_t unit;
    /* A unit that must be escaped is not a known one. */
    if (!graph_total(r->p, type, r->opts->mean, total, err) ||
        !prof_shown_id(r->p, r->p->types[type].unit, &unit, err))
        return false;
    measure_init(units, prof_plain(r->p, unit), to);
    size_t size = MEASURE_TEXT + strlen(units->from) + strlen(to);
    if (size > r->value_text_size)
        r->value_text_size = size;
    return true;
}

static bool prepare_others(struct report *r, struct prof_err *err)
{
    const struct report_opts *o = r->opts;
    r->others = mem_zarray(o->n_others, sizeof *r->others);
    bool ok = r->others || err_nomem(err);
    for (size_t i = 0; ok && i < o->n_others; i++) {
        struct report_other *other = &r->others[i];
        ok = prof_pick_type(r->p, o->others[i], &other->type, err);
        bool is_shown = other->type == r->type;
        for (size_t k = 0; k < i; k++)
            is_shown |= other->type == r->others[k].type;
        if (ok && is_shown)
            ok = err_set(err, PROF_ERR_USAGE,
                         "--ratio=%s: this sample type is already shown",
                         o->others[i]);
        ok = ok && report_prepare_type(r, other->type, &other->total,
                                       &other->units, err);
    }
    return ok;
}

/*
 * Sets the value type to print, if the format prints one, its total and its
 * units.
 */
static bool prepare_values(struct report *r, struct prof_err *err)
{
    const unsigned needs = r->format->needs;
    const struct report_opts *o = r->opts;
    const char *asked = o->sample_index;
    bool values = !(needs & REPORT_NO_VALUES);
    if (!asked && (needs & REPORT_CLASSIC) &&
        prof_find_type(r->p, "samples") >= 0)
        asked = "samples";
    /* A type that the profile lacks is an error for all formats. */
    if ((values || asked) && !prof_pick_type(r->p, asked, &r->type, err))
        return false;
    if (values && !report_prepare_type(r, r->type, &r->total, &r->units, err))
        return false;
    if (!values)
        measure_init(&r->units, "", o->unit);
    if (!prepare_others(r, err))
        return false;
    r->ratio = 1 / o->divide_by;
    r->value_text = mem_array(r->value_text_size, 1);
    return r->value_text || err_nomem(err);
}

/* Prepares the profile as the format needs it; see enum report_needs. */
static bool prepare(struct report *r, struct prof_err *err)
{
    const unsigned needs = r->format->needs;
    const struct report_opts *o = r->opts;
    const struct prof_filter_opts *by =
        o->filter ? prof_filter_options(o->filter) : NULL;
    if (((needs & REPORT_LABELS) || o->by) &&
        !prof_label_units(r->p, &r->label_unit, r->notes, err))
        return false;

    /*
     * Remove the frames that drop_frames of the profile names.  If its
     * expressions cannot be compiled, keep all frames, as pprof does.
     */
    bool others = by && (by->drop_frames || by->keep_frames);
    if ((needs & REPORT_FRAMES) && !o->all_frames && !others &&
        !prof_prune_own(r->p, err)) {
        if (err->kind != PROF_ERR_INPUT)
            return false;
        note_warn(r->notes, "%s; all frames are shown", err->text);
    }

    /* Labels become frames before any filter. */
    if (by && !prof_filter_prepare(o->filter, r->p, r->notes, err))
        return false;

    /* The total is that of all samples, or of those that the filter leaves. */
    bool of_all = !o->relative_percentages || (needs & REPORT_NO_VALUES);
    if ((of_all && !prepare_values(r, err)) ||
        (by && !prof_filter_apply(o->filter, r->p, r->notes, err)) ||
        (!of_all && !prepare_values(r, err)))
        return false;

    if ((needs & REPORT_TRIM) &&
        !prof_trim_paths(r->p, o->trim_path, o->source_path, err))
        return false;
    if ((needs & (REPORT_DETAIL | REPORT_ADDRESSES | REPORT_LINES)) &&
        !prof_aggregate(r->p, &o->detail, err))
        return false;
    /* Rows of binaries show the mapping already. */
    if (!o->mappings || o->detail.granularity == PROF_BINARIES ||
        (report_ignores(r->format) & REPORT_NO_MAPPINGS))
        return true;
    return places_add_mappings(r->p, err);
}

/* Returns whether the report shows values by function name. */
static bool shows_names(const struct report *r)
{
    const unsigned needs = r->format->needs;
    const enum prof_granularity g = r->opts->detail.granularity;
    return (needs & REPORT_FRAMES) && (needs & (REPORT_DETAIL | REPORT_TRIM)) &&
           !(needs & REPORT_NO_VALUES) &&
           (!(needs & REPORT_DETAIL) ||
            (g != PROF_FILES && g != PROF_BINARIES));
}

bool report_print(const struct report_format *f, struct profile *p,
                  const struct report_opts *opts, struct sink *sink,
                  struct prof_err *err)
{
    struct buf out = {0};
    struct report_opts settled = settle(f, opts);
    struct report r = {.format = f,
                       .p = p,
                       .opts = &settled,
                       .notes = opts->notes,
                       .out = &out,
                       .sink = sink,
                       .value_text_size = MEASURE_TEXT + strlen(settled.unit),
                       .n_read = p->n_samples};
    bool ok = prepare(&r, err);
    size_t first = 0; /* the first sample to show */
    while (first < p->n_samples && prof_sample_is_zero(p, first))
        first++;
    if (ok && opts->fail_empty && first == p->n_samples)
        ok =
            err_set(err, PROF_ERR_ANSWER_NO, "no samples left after filtering");
    ok = ok && (!shows_names(&r) || report_warn_unnamed(&r, err)) &&
         f->print(&r, err);
    if (r.sink_failed)
        *err = r.sink_err;
    ok = ok && (!out.n || sink_write(sink, out.v, out.n, err));
    buf_free(&out);
    free(r.value_text);
    free(r.others);
    free(r.label_unit);
    return ok;
}
