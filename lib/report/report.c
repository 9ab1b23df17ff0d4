#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/path.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "profile/filter/prune.h"
#include "profile/labelunit.h"
#include "profile/measure.h"
#include "profile/text.h"
#include "profile/trimpath.h"
#include "report/format.h"

enum { LONG_REPORT = 4 << 20 };

/* pprof's. */
#define NODE_FRACTION 0.005

/* clang-format off */
/* Of formats that share a suffix, the first has it. */
static const struct report_format *const formats[] = {
    &report_text,
    &report_classic,
    &report_tree,
    &report_peek,
    &report_dot,
    &report_svg,
    &report_pdf,
    &report_ps,
    &report_png,
    &report_gif,
    &report_gv,
    &report_callgrind,
    &report_traces,
    &report_raw,
    &report_comments,
    &report_folded,
    &report_flame,
    &report_flame_svg,
    &report_textproto,
    &report_json,
    &report_jsonl,
    &report_csv,
    &report_tsv,
    &report_speedscope,
    &report_firefox,
    &report_list,
    &report_disasm,
    &report_weblist,
    &report_tags,
    &report_topproto,
    NULL,
};
/* clang-format on */

static bool same(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

const struct report_format *report_find_format(const char *name,
                                               const char *variant)
{
    size_t i = 0;
    while (formats[i] && (strcmp(formats[i]->name, name) != 0 ||
                          !same(formats[i]->variant, variant)))
        i++;
    return formats[i];
}

/* The length of the longest of the suffixes that the path ends in, or 0. */
static size_t suffix_of(const struct report_format *f, const char *path)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    size_t n = strlen(name), longest = 0;
    for (const char *s = f->suffixes; s && *s; s += strspn(s, " ")) {
        size_t k = strcspn(s, " ");
        /* A dot, and something before it. */
        bool ends = n > k + 1 && name[n - k - 1] == '.' &&
                    !strncasecmp(name + n - k, s, k);
        if (ends && k > longest)
            longest = k;
        s += k;
    }
    return longest;
}

bool report_has_suffix(const struct report_format *f, const char *path)
{
    return suffix_of(f, path);
}

const struct report_format *report_format_of_file(const char *path)
{
    const struct report_format *found = NULL;
    size_t longest = 0;
    for (size_t i = 0; formats[i]; i++) {
        size_t n = suffix_of(formats[i], path);
        if (n > longest) {
            longest = n;
            found = formats[i];
        }
    }
    return found;
}

/* The options as they are for the format. */
static struct report_opts settle(const struct report_format *f,
                                 const struct report_opts *opts)
{
    struct report_opts o = *opts;
    if (o.limits.node_count == REPORT_USUAL_COUNT)
        o.limits.node_count = f->node_count;
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
    if (f->ignores & REPORT_NO_MEAN)
        o.mean = false;
    if (f->ignores & REPORT_NO_DIVISION)
        o.divide_by = 1;
    if (f->ignores & REPORT_NO_UNIT)
        o.unit = "minimum";
    o.detail.keep_start_lines = !(f->needs & REPORT_CLASSIC);
    return o;
}

/* Chooses the value type and sums it up, before any detail is given up. */
static bool prepare_values(const struct report_format *f, struct report *r,
                           struct err *err)
{
    const struct report_opts *o = r->opts;
    const char *asked = o->sample_index;
    if (!asked && (f->needs & REPORT_CLASSIC) &&
        prof_find_type(r->p, "samples") >= 0)
        asked = "samples";
    if (!prof_pick_type(r->p, asked, &r->type, err) ||
        !graph_total(r->p, r->type, o->mean, &r->total, err))
        return false;
    /* A unit that has to be escaped is none that is converted. */
    uint32_t unit;
    if (!prof_shown_id(r->p, r->p->types[r->type].unit, &unit, err))
        return false;
    measure_init(&r->units, prof_plain(r->p, unit), o->unit);
    r->ratio = 1 / o->divide_by;
    r->label_size =
        MEASURE_TEXT + strtab_len(&r->p->strings, unit) + strlen(o->unit);
    r->label = mem_array(r->label_size, 1);
    return r->label || err_nomem(err);
}

/*
 * Cuts off the frames that the profile itself says are of no interest.  One
 * whose expressions cannot be compiled is shown with all frames, as pprof
 * shows it.
 */
static bool drop_own_frames(struct report *r, struct err *err)
{
    if (prof_prune_own(r->p, err))
        return true;
    if (err->kind != ERR_INPUT)
        return false;
    note_warn(r->notes, "%s; all frames are shown", err->text);
    return true;
}

/* Frames of no interest go, and labels become frames, before any filter. */
static bool prepare_frames(const struct report_format *f, struct report *r,
                           struct err *err)
{
    const struct report_opts *o = r->opts;
    const struct filter_opts *by = o->filter ? filter_asked(o->filter) : NULL;
    bool others = by && (by->drop_frames || by->keep_frames);
    bool own = (f->needs & REPORT_FRAMES) && !o->all_frames && !others;
    return (!own || drop_own_frames(r, err)) &&
           (!by || filter_prepare(o->filter, r->p, r->notes, err));
}

/* Percentages are of all samples, or of what the filter leaves. */
static bool prepare_samples(const struct report_format *f, struct report *r,
                            struct err *err)
{
    const struct report_opts *o = r->opts;
    bool values = f->needs & REPORT_VALUES;
    if (values && !o->relative_percentages && !prepare_values(f, r, err))
        return false;
    /* A mistake is one even if no value is shown. */
    size_t type;
    if (!values && o->sample_index &&
        !prof_pick_type(r->p, o->sample_index, &type, err))
        return false;
    if (o->filter && !filter_apply(o->filter, r->p, r->notes, err))
        return false;
    return !values || !o->relative_percentages || prepare_values(f, r, err);
}

static bool prepare(const struct report_format *f, struct report *r,
                    struct err *err)
{
    const struct report_opts *o = r->opts;
    if ((f->needs & REPORT_LABELS) &&
        !prof_label_units(r->p, &r->label_unit, r->notes, err))
        return false;
    if (!prepare_frames(f, r, err) || !prepare_samples(f, r, err))
        return false;
    if ((f->needs & REPORT_TRIM) &&
        !prof_trim_paths(r->p, o->trim_path, o->source_path, err))
        return false;
    if (f->needs & (REPORT_DETAIL | REPORT_ADDRESSES | REPORT_LINES))
        prof_aggregate(r->p, &o->detail);
    return true;
}

/* Whether there is a sample to show. */
static bool check_samples(const struct report *r, struct err *err)
{
    size_t i = 0;
    while (i < r->p->n_samples && prof_sample_is_zero(r->p, i))
        i++;
    return !r->opts->fail_empty || i < r->p->n_samples ||
           err_set(err, ERR_ANSWER_NO, "no sample is left");
}

bool report_print(const struct report_format *f, struct profile *p,
                  const struct report_opts *opts, const struct notes *notes,
                  struct buf *out, struct sink *to, struct err *err)
{
    struct report_opts settled = settle(f, opts);
    struct report r = {.p = p,
                       .opts = &settled,
                       .notes = notes,
                       .out = out,
                       .to = to,
                       .n_read = p->n_samples};
    bool ok =
        prepare(f, &r, err) && check_samples(&r, err) && f->print(&r, err);
    if (!ok && r.refused)
        *err = r.refusal;
    free(r.label);
    free(r.label_unit);
    return ok;
}

static bool hand_on(struct report *r, const struct buf *text)
{
    r->flows = true;
    r->refused = text->n && !sink_write(r->to, text->v, text->n, &r->refusal);
    return !r->refused;
}

bool report_pass_on(struct report *r)
{
    if (!r->to || r->out->n < LONG_REPORT)
        return true;
    bool ok = hand_on(r, r->out);
    r->out->n = 0;
    return ok;
}

bool report_put_piece(struct report *r, const struct buf *piece)
{
    if (!r->to || (!r->flows && r->out->n + piece->n < LONG_REPORT))
        return buf_put(r->out, piece->v, piece->n);
    bool ok = hand_on(r, r->out) && hand_on(r, piece);
    r->out->n = 0;
    return ok;
}

const char *report_value(struct report *r, int64_t value)
{
    if (r->ratio != 1)
        value = report_whole((double)value * r->ratio);
    (void)measure_put(&r->units, value, r->label, r->label_size);
    return r->label;
}

struct slice report_binary(const struct report *r)
{
    const struct profile *p = r->p;
    struct slice name = {"", 0};
    if (!p->n_mappings || !p->mappings[0].filename)
        return name;
    name = prof_text(p, p->mappings[0].filename);
    name.s = path_base(name.s, name.n, &name.n);
    return name;
}

bool report_put_str(struct report *r, uint32_t id)
{
    const struct strtab *t = &r->p->strings;
    return buf_put(r->out, strtab_str(t, id), strtab_len(t, id));
}

bool report_put_name(const struct report *r, uint32_t id, struct buf *to)
{
    const struct strtab *t = &r->p->strings;
    return utf8_put_line(to, strtab_str(t, id), strtab_len(t, id));
}

bool report_put_lines(struct report *r, uint32_t id)
{
    const struct strtab *t = &r->p->strings;
    return utf8_put_visible(r->out, strtab_str(t, id), strtab_len(t, id));
}

bool report_weigh(const struct report *r, struct graph *g,
                  struct graph_cut *cut, struct err *err)
{
    const struct report_opts *o = r->opts;
    return graph_weigh(g, r->p, r->type, o->mean, o->threads, err) &&
           graph_cut(g, &o->limits, cut, err);
}

bool report_put_int(struct buf *out, int64_t value, size_t width)
{
    char text[20], *end = text + sizeof text, *at = end; /* -2^63 fills it */
    uint64_t v = graph_abs(value);
    do
        *--at = (char)('0' + v % 10);
    while (v /= 10);
    if (value < 0)
        *--at = '-';
    size_t n = (size_t)(end - at), blank = n < width ? width - n : 0;
    if (!buf_reserve(out, blank + n))
        return false;
    memset(out->v + out->n, ' ', blank);
    memcpy(out->v + out->n + blank, at, n);
    out->n += blank + n;
    return true;
}

bool report_put_right(struct buf *out, const void *text, size_t n, size_t width)
{
    size_t at = out->n;
    if (!utf8_put_line(out, text, n))
        return false;
    n = out->n - at;
    size_t k = utf8_count(out->v + at, n), pad = k < width ? width - k : 0;
    if (!pad)
        return true;
    if (!buf_reserve(out, pad))
        return false;
    memmove(out->v + at + pad, out->v + at, n);
    memset(out->v + at, ' ', pad);
    out->n += pad;
    return true;
}
