/* header.c - the lines above a report: the profile, filters, what was dropped
 */
#include "report/out.h"

#include <string.h>

#include "base/file.h"
#include "base/utf8.h"
#include "profile/filter/filter.h"
#include "profile/model/text.h"

static bool put_binary(struct report *r)
{
    const struct profile *p = r->p;
    if (!p->n_mappings)
        return true;
    const struct prof_mapping *m = &p->mappings[0];
    struct prof_slice base = report_binary(r);
    if (base.n &&
        (!buf_puts(r->out, "File: ") ||
         !utf8_put_line(r->out, base.s, base.n) || !buf_putc(r->out, '\n')))
        return false;
    return !m->build_id ||
           (buf_puts(r->out, "Build ID: ") &&
            report_put_name(r, m->build_id, r->out) && buf_putc(r->out, '\n'));
}

/* As in pprof, comments that begin with # are not shown, but for -v. */
static bool put_comments(struct report *r)
{
    for (size_t i = 0; i < r->p->n_comments; i++) {
        uint32_t id = r->p->comments[i];
        if (prof_text(r->p, id).s[0] == '#')
            note_info(r->notes, "comment: %s", prof_show(r->p, id).text);
        else if (!report_put_lines(r, id) || !buf_putc(r->out, '\n'))
            return false;
    }
    return true;
}

static bool put_type(struct report *r)
{
    uint32_t type = r->p->types[r->type].type;
    if (!type && !r->opts->mean)
        return true;
    return buf_puts(r->out, "Type: ") &&
           (!r->opts->mean || buf_puts(r->out, "mean_")) &&
           report_put_name(r, type, r->out) && buf_putc(r->out, '\n');
}

/* With the share of the time that samples account for, if they are times. */
static bool put_duration(struct report *r)
{
    int64_t duration = r->p->duration_nanos;
    if (!duration)
        return true;
    char text[MEASURE_TEXT];
    measure_label(text, sizeof text, duration, "nanoseconds", "auto");
    if (!buf_printf(r->out, "Duration: %s, Total samples = %s ", text,
                    report_value(r, r->total)))
        return false;
    const char *unit;
    double nanos = measure_scale(r->total, r->units.from, "nanoseconds", &unit);
    if (!strcmp(unit, "ns") && nanos != 0 && nanos < 0x1p63) {
        measure_percent(text, sizeof text, (int64_t)nanos, duration);
        if (!buf_printf(r->out, "(%s)", text))
            return false;
    }
    return buf_putc(r->out, '\n');
}

bool report_put_about(struct report *r)
{
    uint32_t doc = r->p->doc_url;
    return put_binary(r) && put_comments(r) && put_type(r) &&
           (!doc ||
            (buf_puts(r->out, "Doc: ") && report_put_name(r, doc, r->out) &&
             buf_putc(r->out, '\n')));
}

bool report_put_header(struct report *r)
{
    return report_put_about(r) &&
           (!r->p->time_nanos ||
            (buf_puts(r->out, "Time: ") &&
             report_put_time(r->out, r->p->time_nanos, false) &&
             buf_putc(r->out, '\n'))) &&
           put_duration(r);
}

/* How much of a longer text to keep: n bytes, or less for whole characters. */
static size_t cut_at(const uint8_t *s, size_t n)
{
    size_t k = n;
    while (k > n - 3 && (s[k] & 0xc0) == 0x80)
        k--;
    return (s[k] & 0xc0) == 0x80 ? n : k;
}

/* One filter, if it is given, cut as pprof cuts them. */
static bool put_filter(struct report *r, const char *name, const char *value)
{
    enum { LONGEST = 80 };
    if (!value)
        return true;
    size_t n, from = r->out->n + 3;
    if (!buf_printf(r->out, "   %s=", name) ||
        !utf8_put_line(r->out, value, strlen(value)))
        return false;
    n = r->out->n - from;
    if (n > LONGEST)
        r->out->n = from + cut_at(r->out->v + from, LONGEST);
    return buf_puts(r->out, n > LONGEST ? "\xe2\x80\xa6\n" : "\n");
}

bool report_put_filters(struct report *r)
{
    if (!r->opts->filter)
        return true;
    const struct prof_filter_opts *o = prof_filter_options(r->opts->filter);
    if (!o->focus && !o->ignore && !o->hide && !o->show && !o->show_from &&
        !o->tagfocus && !o->tagignore && !o->tagshow && !o->taghide)
        return true;
    return buf_puts(r->out, "Active filters:\n") &&
           put_filter(r, "focus", o->focus) &&
           put_filter(r, "ignore", o->ignore) &&
           put_filter(r, "hide", o->hide) && put_filter(r, "show", o->show) &&
           put_filter(r, "show_from", o->show_from) &&
           put_filter(r, "tagfocus", o->tagfocus) &&
           put_filter(r, "tagignore", o->tagignore) &&
           put_filter(r, "tagshow", o->tagshow) &&
           put_filter(r, "taghide", o->taghide);
}

/* "Dropped 2 nodes (cum <= 10ms)" */
static bool put_dropped(struct report *r, size_t n, const char *what,
                        const char *value, double fraction)
{
    return !n || buf_printf(r->out, "Dropped %zu %s%s (%s <= %s)\n", n, what,
                            n > 1 ? "s" : "", value,
                            report_value(r, graph_cutoff(r->total, fraction)));
}

bool report_put_summary(struct report *r, const struct graph *g,
                        const struct graph_cut *cut, size_t dropped_edges)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < cut->n; i++) {
        const struct graph_value *w = &g->value[cut->row[i].node];
        sum += (uint64_t)graph_mean(w->flat, w->flat_div);
    }
    int64_t shown = (int64_t)sum;
    char text[MEASURE_TEXT];
    measure_percent(text, sizeof text, shown, r->total);
    if (!report_put_filters(r) ||
        !buf_printf(r->out, "Showing nodes accounting for %s, %s of ",
                    report_value(r, shown), text + strspn(text, " ")) ||
        !buf_printf(r->out, "%s total\n", report_value(r, r->total)))
        return false;
    if (!r->total)
        return true;
    const struct graph_limits *limits = &r->opts->limits;
    return put_dropped(r, cut->dropped, "node", "cum", limits->node_fraction) &&
           put_dropped(r, dropped_edges, "edge", "freq",
                       limits->edge_fraction) &&
           (!cut->n || cut->n >= cut->n_before ||
            buf_printf(r->out, "Showing top %zu nodes out of %zu\n", cut->n,
                       cut->n_before));
}

bool report_put_legend(struct report *r, const struct graph *g,
                       const struct graph_cut *cut)
{
    return (r->opts->compact_labels || report_put_header(r)) &&
           report_put_summary(r, g, cut, 0);
}
