/*
 * dot.c - --dot: the call graph in Graphviz's language; and --svg, --pdf, --ps,
 * --png, --gif and --gv, which Graphviz draws from it
 * (https://graphviz.org/doc/info/command.html)
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/slice.h"
#include "io/process.h"
#include "report/dot/dotpicture.h"
#include "report/dot/private.h"

/* --- names and colours --- */

/*
 * Sets *n to the length of the next piece of a label, at v, and returns the
 * text that replaces it; null: it is printed unchanged.
 */
static const char *scope_of(const struct dot *d, const uint8_t *v, size_t left,
                            size_t *n)
{
    static const char generic[] = "[...]"; /* Go's, for any type */
    static const char any[] = "...";       /* from name_put_brief() */
    *n = strlen(any);
    if (d->is_brief && left >= *n && !memcmp(v, any, *n))
        return "\xe2\x80\xa6"; /* U+2026, an ellipsis */
    *n = left >= 2 && v[0] == ':' && v[1] == ':' ? 2 : 1;
    if (*n == 2 || *v == '.')
        return "\\n";
    if (left < strlen(generic) || memcmp(v, generic, strlen(generic)) != 0)
        return NULL;
    *n = strlen(generic);
    return "[\xe2\x80\xa6]";
}

/*
 * Writes a function's name, shortened, with a line for each scope or package.
 */
static bool put_function(struct dot *d, const char *name, size_t n)
{
    struct buf whole = {0}, brief = {0};
    bool ok = d->is_brief ? name_put_brief(&whole, name, n)
                          : buf_put(&whole, name, n);
    ok = ok && name_put_short(&brief, (const char *)whole.v, whole.n);
    size_t from = 0, at = 0, k;
    while (ok && at < brief.n) {
        const char *instead = scope_of(d, brief.v + at, brief.n - at, &k);
        if (!instead) {
            at++;
            continue;
        }
        ok = dot_put_text(d, brief.v + from, at - from) &&
             buf_puts(d->r->out, instead);
        from = at += k;
    }
    ok = ok && dot_put_text(d, brief.v + from, brief.n - from);
    buf_free(&whole);
    buf_free(&brief);
    return ok;
}

static unsigned level(double x)
{
    x *= 255;
    return x >= 0 && x <= 255 ? (unsigned)x : 0;
}

/*
 * Sets color to "#rrggbb" for a share: from green (-1) over grey (0) to red
 * (1). Small shares are exaggerated, so that they can be distinguished.  Those
 * below a fifth are less saturated, so that a share of 0 is grey and not
 * yellow.
 */
static void find_color(double share, bool background, char color[8])
{
    double saturation = background ? 0.1 : 1, value = background ? 0.93 : 0.7;
    double size = fabs(share);
    if (size > 1)
        size = 1;
    if (size < 0.2)
        saturation *= size / 0.2;
    double other = value * (1 - saturation * pow(size, 0.3));
    unsigned full = level(value), part = level(other);
    unsigned blue = level(value * (1 - saturation));
    (void)snprintf(color, 8, "#%02x%02x%02x", (share < 0 ? part : full) & 0xff,
                   (share < 0 ? full : part) & 0xff, blue & 0xff);
}

/* --- the graph --- */

/*
 * Writes the header of the text reports as a legend, which is named by its
 * first line.
 */
static bool put_legend(struct dot *d)
{
    struct report *r = d->r;
    struct buf lines = {0}, *out = r->out;
    size_t n = 0;
    r->out = &lines;
    bool ok = report_put_header(r) &&
              report_put_summary(r, &d->g, &d->cut, d->edges.dropped) &&
              buf_puts(&lines, "\nSee https://git.io/JfYMW for how to read the "
                               "graph\n");
    r->out = out;
    while (ok && lines.v[n] != '\n')
        n++;
    ok = ok && buf_puts(out, "subgraph cluster_L { \"") &&
         dot_put_text(d, lines.v, n) &&
         buf_puts(out, "\" [shape=box fontsize=16 label=\"") &&
         dot_put_text(d, lines.v, lines.n) && buf_putc(out, '"');
    buf_free(&lines);
    struct prof_slice name = report_binary(r);
    return ok &&
           (!name.n ||
            (buf_puts(out, " tooltip=\"") && dot_put_text(d, name.s, name.n) &&
             buf_putc(out, '"'))) &&
           buf_puts(out, "] }\n");
}

static bool put_base(struct dot *d, const struct strtab *t, uint32_t id)
{
    size_t n;
    const char *base = path_base(strtab_str(t, id), strtab_len(t, id), &n);
    return dot_put_text(d, base, n);
}

/* Writes the name of a node in separate lines: address, function, place. */
static bool put_lines(struct dot *d, const struct node *k)
{
    const struct nodes *nodes = &d->g.nodes;
    const struct strtab *strings = &nodes->p->strings;
    struct buf *out = d->r->out;
    if ((k->address && !buf_printf(out, "%016" PRIx64 "\\n", k->address)) ||
        (k->name && (!put_function(d, strtab_str(strings, k->name),
                                   strtab_len(strings, k->name)) ||
                     !buf_puts(out, "\\n"))))
        return false;
    if (k->line)
        return (!k->file || put_base(d, &nodes->files, k->file)) &&
               buf_printf(out, ":%" PRId64, k->line) &&
               (!k->column || buf_printf(out, ":%" PRId64, k->column)) &&
               buf_puts(out, "\\n");
    if (k->file)
        return put_base(d, &nodes->files, k->file) && buf_puts(out, "\\n");
    if (k->name)
        return true;
    if (k->object)
        return buf_putc(out, '[') && put_base(d, strings, k->object) &&
               buf_puts(out, "]\\n");
    return buf_puts(out, "<unknown>\\n");
}

/* Writes a value and its share of the total, as "10ms (25%)". */
static bool put_share(struct dot *d, int64_t value)
{
    return dot_put_value(d, value) && buf_puts(d->r->out, " (") &&
           report_put_share(d->r->out, value, d->r->total) &&
           buf_putc(d->r->out, ')');
}

static double share(const struct dot *d, int64_t value)
{
    return (double)value / (double)graph_abs(d->r->total);
}

/* Writes the name of a row, as text reports show it. */
static bool put_row_name(struct dot *d, uint32_t row)
{
    struct prof_slice name = graph_row_name(&d->cut, &d->cut.row[row]);
    return dot_put_text(d, name.s, name.n);
}

static bool put_node(struct dot *d, uint32_t row)
{
    uint32_t node = d->cut.row[row].node;
    const struct graph_value *w = &d->g.value[node];
    int64_t flat = graph_flat(w), cum = graph_cum(w);
    struct buf *out = d->r->out;
    if (!buf_printf(out, "N%zu [label=\"", (size_t)row + 1) ||
        !put_lines(d, &d->g.nodes.v[graph_place(&d->g, node)]) ||
        !(flat ? put_share(d, flat) : buf_putc(out, '0')))
        return false;
    if (cum != flat &&
        (!buf_puts(out, flat ? "\\nof " : " of ") || !put_share(d, cum)))
        return false;

    /* The font grows from 8 to 24, fastest for small values. */
    double part = (double)graph_abs(flat) / (double)d->heaviest;
    int font_size = 8 + (flat ? (int)ceil(16 * sqrt(part)) : 0);
    char line[8], fill[8];
    find_color(share(d, cum), false, line);
    find_color(share(d, cum), true, fill);
    return buf_printf(out, "\" id=\"node%zu\" fontsize=%d shape=box tooltip=\"",
                      (size_t)row + 1, font_size) &&
           put_row_name(d, row) && buf_puts(out, " (") &&
           dot_put_value(d, cum) &&
           buf_printf(out, ")\" color=\"%s\" fillcolor=\"%s\"]\n", line, fill);
}

/* Returns |v| / total in units of 1 / parts, from 0 to `parts`. */
static int parts_of(const struct dot *d, int64_t v, uint64_t parts)
{
    uint64_t size = graph_abs(v), total = graph_abs(d->r->total);
    if (size >= total)
        return (int)parts;
    uint64_t n = size <= UINT64_MAX / parts ? size * parts / total
                                            : size / (total / parts);
    return (int)(n < parts ? n : parts);
}

/* Writes the tooltip of an edge: "caller -> callee (10ms)" and a quote. */
static bool put_call(struct dot *d, const struct graph_edge *e, int64_t value)
{
    return put_row_name(d, d->edges.row[e->from]) &&
           buf_puts(d->r->out, e->residual ? " ... " : " -> ") &&
           put_row_name(d, d->edges.row[e->to]) && buf_puts(d->r->out, " (") &&
           dot_put_value(d, value) && buf_puts(d->r->out, ")\"");
}

static bool put_edge(struct dot *d, const struct graph_edge *e, bool boxes)
{
    struct buf *out = d->r->out;
    int64_t value = graph_mean(e->weight, e->weight_div);
    if (!buf_printf(out, "N%zu -> N%zu [label=\" ",
                    (size_t)d->edges.row[e->from] + 1,
                    (size_t)d->edges.row[e->to] + 1) ||
        !dot_put_value(d, value) ||
        !buf_puts(out, e->inlined ? "\\n (inline)\"" : "\""))
        return false;
    if (d->r->total) {
        int weight = parts_of(d, value, 100), width = parts_of(d, value, 5);
        char color[8];
        find_color(share(d, value), false, color);
        if ((weight && !buf_printf(out, " weight=%d", 1 + weight)) ||
            (width && !buf_printf(out, " penwidth=%d", 1 + width)) ||
            !buf_printf(out, " color=\"%s\"", color))
            return false;
    }
    return buf_puts(out, " tooltip=\"") && put_call(d, e, value) &&
           buf_puts(out, " labeltooltip=\"") && put_call(d, e, value) &&
           buf_puts(out, e->residual ? " style=\"dotted\"" : "") &&
           buf_puts(out, boxes ? " minlen=2]\n" : "]\n");
}

static bool put_rows(struct dot *d)
{
    bool *boxes = mem_zarray(d->cut.n, sizeof *boxes);
    bool ok = boxes;
    for (uint32_t i = 0; ok && i < d->cut.n; i++)
        ok = put_node(d, i) && dot_put_boxes(d, i, &boxes[i]) &&
             report_flush(d->r);
    for (size_t i = 0; ok && i < d->g.n_edges; i++) {
        const struct graph_edge *e = &d->g.edges[i];
        const uint32_t from = d->edges.row[e->from], to = d->edges.row[e->to];
        /* Nodes without a value have no row, but may have edges. */
        if (from != PROF_NONE && to != PROF_NONE)
            ok = put_edge(d, e, boxes[from]) && report_flush(d->r);
    }
    free(boxes);
    return ok;
}

static bool put_graph(struct dot *d)
{
    for (size_t i = 0; i < d->cut.n; i++) {
        const struct graph_value *w = &d->g.value[d->cut.row[i].node];
        uint64_t flat = graph_abs(graph_flat(w));
        if (flat > d->heaviest)
            d->heaviest = flat;
    }
    struct buf *out = d->r->out;
    struct prof_slice name = report_binary(d->r);
    if (!buf_puts(out, "digraph \"") ||
        !(name.n ? dot_put_text(d, name.s, name.n)
                 : buf_puts(out, "unnamed")) ||
        !buf_puts(out, "\" {\nnode [style=filled fillcolor=\"#f8f8f8\"]\n") ||
        !put_legend(d) || !put_rows(d) || !buf_puts(out, "}\n"))
        return false;
    note_count(d->r->notes, PROF_NOTE_WARN, d->replaced,
               "control characters and invalid UTF-8 replaced with U+FFFD "
               "(%zu time{s})",
               d->replaced);
    return true;
}

/* Makes the graph and removes the nodes and edges beyond the limits. */
static bool make_graph(struct dot *d, struct prof_err *err)
{
    struct report *r = d->r;
    const struct report_opts *o = r->opts;
    struct graph_limits limits = o->limits;
    size_t n;
    limits.visual = true;
    struct graph_opts opts = report_graph_opts(r);
    opts.call_tree = o->call_tree;
    return graph_make(&d->g, r->p, &opts, err) &&
           graph_rank(&d->g, &limits, &d->cut, err) &&
           dot_count_rows(d, limits.node_count, &n, err) &&
           graph_keep(&d->g, &limits, n, &d->cut, err) &&
           edges_init(&d->edges, &d->g, &limits, &d->cut, err) &&
           dot_find_boxes(d, err);
}

static bool print_graph(struct report *r, bool is_brief, struct prof_err *err)
{
    struct dot d = {.r = r, .is_brief = is_brief};
    bool ok = nodetags_init(&d.tags, r->p, r->label_unit, r->opts->unit, err) &&
              make_graph(&d, err);
    if (ok) {
        report_choose_unit(r, &d.g, &d.cut, false);
        ok = put_graph(&d) || err_nomem(err);
    }
    dot_free_boxes(&d.boxes);
    edges_free(&d.edges);
    graph_cut_free(&d.cut);
    graph_free(&d.g);
    nodetags_free(&d.tags);
    return ok;
}

static bool print_dot(struct report *r, struct prof_err *err)
{
    return print_graph(r, false, err);
}

#define NEEDS (REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM | REPORT_LABELS)

enum { NODE_COUNT = 80 }; /* unless --nodecount is given */

const struct report_format report_dot = {
    .name = "dot",
    .help = "write a call graph for Graphviz",
    .suffixes = "dot gv",
    .needs = NEEDS,
    .node_count = NODE_COUNT,
    .ignores = REPORT_NO_ORDER | REPORT_NO_MAPPINGS,
    .print = print_dot,
};

/* --- pictures --- */

enum {
    LARGEST = 1 << 30, /* bytes of a picture */
    SILENCE = 600,     /* seconds; dot prints all at the end */
};

/* Appends a picture that dot(1) draws in this language. */
static bool draw_in(struct report *r, const char *language, bool is_brief,
                    struct buf *to, struct prof_err *err)
{
    const char *const argv[] = {"dot", language, NULL};
    struct buf text = {0}, *out = r->out;
    struct sink *sink = r->sink;
    r->out = &text;
    r->sink = NULL;
    bool ok = print_graph(r, is_brief, err);
    r->out = out;
    r->sink = sink;
    struct run job = {
        .argv = argv,
        .in = text.v,
        .n_in = text.n,
        .max_out = LARGEST,
        .silence = SILENCE,
        .notes = r->notes,
    };
    ok = ok && run(&job, to, err);
    buf_free(&text);
    return ok;
}

/* Draws the format; for --gv, PostScript, which gv(1) shows. */
static bool draw(struct report *r, struct prof_err *err)
{
    char language[8];
    (void)snprintf(language, sizeof language, "-T%s",
                   r->format->opens_viewer ? "ps" : r->format->name);
    return draw_in(r, language, false, r->out, err);
}

static const char *find(const char *from, struct prof_slice text,
                        const char *what)
{
    return bytes_find(from, (size_t)(text.s + text.n - from), what,
                      strlen(what));
}

/*
 * Writes the drawing with the size of the window, a dark theme and a script.
 * Writes it unchanged unless it begins and ends as Graphviz's usually do:
 *
 *      <svg width="62pt" height="116pt"
 *       viewBox="0.00 0.00 62.00 116.00" xmlns="http://www.w3.org/2000/svg" ...
 *      </svg>
 */
static bool put_svg(struct buf *out, struct prof_slice drawing)
{
    static const char end[] = "</svg>\n";
    const char *svg = find(drawing.s, drawing, "\n<svg width=\"");
    const char *box = svg ? find(svg, drawing, "\n viewBox=\"") : NULL;
    if (!box || !slice_ends_with(drawing, end))
        return buf_put(out, drawing.s, drawing.n);
    const char *tag = drawing.s + drawing.n - strlen(end);
    return buf_put(out, drawing.s, (size_t)(svg - drawing.s)) &&
           buf_puts(out, "\n<svg width=\"100%\" height=\"100%\"") &&
           buf_put(out, box, (size_t)(tag - box)) &&
           buf_puts(out, "<style>\n") &&
           buf_put(out, dotpicture_css, dotpicture_css_n) &&
           buf_puts(out, "</style>\n<script><![CDATA[\n") &&
           buf_put(out, dotpicture_js, dotpicture_js_n) &&
           buf_puts(out, "]]></script>\n") && buf_puts(out, end);
}

static bool draw_svg(struct report *r, struct prof_err *err)
{
    struct buf drawing = {0};
    bool ok = draw_in(r, "-Tsvg", true, &drawing, err);
    ok = ok && (put_svg(r->out, buf_slice(&drawing)) || err_nomem(err));
    buf_free(&drawing);
    return ok;
}

#define DRAWN                                                                  \
    .needs = NEEDS, .ignores = REPORT_NO_ORDER | REPORT_NO_MAPPINGS,           \
    .runs_programs = true, .node_count = NODE_COUNT

const struct report_format report_svg = {
    .name = "svg",
    .help = "draw the call graph as SVG (requires Graphviz)",
    .common = true,
    .suffixes = "svg",
    DRAWN,
    .print = draw_svg,
};

const struct report_format report_pdf = {
    .name = "pdf",
    .help = "draw the call graph as PDF",
    .suffixes = "pdf",
    DRAWN,
    .binary = true,
    .print = draw,
};

const struct report_format report_ps = {
    .name = "ps",
    .help = "draw the call graph as PostScript",
    .suffixes = "ps",
    DRAWN,
    .binary = true,
    .print = draw,
};

const struct report_format report_png = {
    .name = "png",
    .help = "draw the call graph as PNG",
    .suffixes = "png",
    DRAWN,
    .binary = true,
    .print = draw,
};

const struct report_format report_gif = {
    .name = "gif",
    .help = "draw the call graph as GIF",
    .suffixes = "gif",
    DRAWN,
    .binary = true,
    .print = draw,
};

const struct report_format report_gv = {
    .name = "gv",
    .help = "show the call graph in gv",
    DRAWN,
    .opens_viewer = true,
    .print = draw,
};
