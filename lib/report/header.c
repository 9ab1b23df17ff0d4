/* header.c - writes the lines above a report: what the profile is, which
 * filters are active, what was dropped */
#include "report/out.h"

#include <string.h>

#include "base/utf8.h"
#include "profile/columns.h"

/* Appends a line "LABEL: STRING"; none for the string "". */
static bool put_line(struct report *r, const char *label, uint32_t id)
{
    return !id || (buf_puts(r->out, label) && report_put_name(r, id, r->out) &&
                   buf_putc(r->out, '\n'));
}

bool report_put_about(struct report *r)
{
    const struct profile *p = r->p;
    struct buf *out = r->out;
    struct prof_slice binary = report_binary(r);
    if (binary.n &&
        (!buf_puts(out, "File: ") || !utf8_put_line(out, binary.s, binary.n) ||
         !buf_putc(out, '\n')))
        return false;
    if (p->n_mappings && !put_line(r, "Build ID: ", p->mappings[0].build_id))
        return false;
    /* As in pprof, comments that begin with # are shown only with -v. */
    for (size_t i = 0; i < p->n_comments; i++) {
        uint32_t id = p->comments[i];
        if (prof_text(p, id).s[0] == '#')
            note_info(r->notes, "comment: %s", prof_show(p, id).text);
        else if (!report_put_lines(r, id) || !buf_putc(out, '\n'))
            return false;
    }
    uint32_t type = p->types[r->type].type;
    if ((type || r->opts->mean) &&
        (!buf_puts(out, "Type: ") ||
         (r->opts->mean && !buf_puts(out, "mean_")) ||
         !report_put_name(r, type, out) || !buf_putc(out, '\n')))
        return false;
    return put_line(r, "Doc: ", p->doc_url);
}

bool report_put_header(struct report *r)
{
    const struct profile *p = r->p;
    struct buf *out = r->out;
    char text[MEASURE_TEXT];
    if (!report_put_about(r))
        return false;
    if (p->time_nanos &&
        (!buf_puts(out, "Time: ") ||
         !report_put_time(out, p->time_nanos, false) || !buf_putc(out, '\n')))
        return false;
    if (!p->duration_nanos)
        return true;
    measure_label(text, sizeof text, p->duration_nanos, "nanoseconds", "auto");
    bool ok = buf_printf(out, "Duration: %s, Total samples = %s ", text,
                         report_value(r, r->total));
    /* If values are times, add their share of the duration. */
    const char *unit;
    double nanos = measure_scale(r->total, r->units.from, "nanoseconds", &unit);
    if (!strcmp(unit, "ns") && nanos != 0 && nanos < 0x1p63) {
        measure_percent(text, sizeof text, (int64_t)nanos, p->duration_nanos);
        ok = ok && buf_printf(out, "(%s)", text);
    }
    return ok && buf_putc(out, '\n');
}

/*
 * Returns how much of a text to keep: n bytes, or fewer so that no character is
 * split.
 */
static size_t cut_at(const uint8_t *s, size_t n)
{
    size_t k = n;
    while (k > n - 3 && (s[k] & 0xc0) == 0x80)
        k--;
    return (s[k] & 0xc0) == 0x80 ? n : k;
}

bool report_put_filters(struct report *r)
{
    enum { LONGEST = 80 }; /* as in pprof */
    if (!r->opts->filter)
        return true;
    const struct prof_filter_opts *o = prof_filter_options(r->opts->filter);
    const struct {
        const char *name, *value; /* null: it is not given */
    } filters[] = {
        {"focus", o->focus},         {"ignore", o->ignore},
        {"hide", o->hide},           {"show", o->show},
        {"show_from", o->show_from}, {"tagfocus", o->tagfocus},
        {"tagignore", o->tagignore}, {"tagshow", o->tagshow},
        {"taghide", o->taghide},
    };
    struct buf *out = r->out;
    bool any = false;
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        const char *value = filters[i].value;
        if (!value)
            continue;
        if (!any && !buf_puts(out, "Active filters:\n"))
            return false;
        any = true;
        size_t from = out->n + 3;
        if (!buf_printf(out, "   %s=", filters[i].name) ||
            !utf8_put_line(out, value, strlen(value)))
            return false;
        bool is_long = out->n - from > LONGEST;
        if (is_long)
            out->n = from + cut_at(out->v + from, LONGEST);
        if (!buf_puts(out, is_long ? "\xe2\x80\xa6\n" : "\n"))
            return false;
    }
    return true;
}

/* Writes "Dropped 2 nodes (cum <= 10ms)", or nothing if n is 0. */
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
    for (size_t i = 0; i < cut->n; i++)
        sum += (uint64_t)graph_flat(&g->value[cut->row[i].node]);
    int64_t shown = (int64_t)sum;
    if (!report_put_filters(r) ||
        !buf_printf(r->out, "Showing nodes accounting for %s, ",
                    report_value(r, shown)) ||
        !report_put_share(r->out, shown, r->total) ||
        !buf_printf(r->out, " of %s total\n", report_value(r, r->total)))
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

bool report_put_intro(struct report *r)
{
    return (r->opts->compact_labels || report_put_header(r)) &&
           report_put_filters(r);
}

bool report_put_legend(struct report *r, const struct graph *g,
                       const struct graph_cut *cut)
{
    return (r->opts->compact_labels || report_put_header(r)) &&
           report_put_summary(r, g, cut, 0);
}
