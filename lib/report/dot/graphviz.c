/*
 * graphviz.c - --svg, --pdf, --ps, --png, --gif and --gv: the graph of --dot,
 * drawn by Graphviz (https://graphviz.org/doc/info/command.html).
 */
#include "io/process.h"
#include "report/dot/private.h"

enum {
    LARGEST = 1 << 30, /* bytes of a picture */
    SILENCE = 600,     /* seconds; it prints when all is drawn */
};

static bool make_dot(struct report *r, struct buf *text, struct err *err)
{
    struct buf *out = r->out;
    struct sink *to = r->sink;
    r->out = text;
    r->sink = NULL;
    bool ok = dot_print(r, err);
    r->out = out;
    r->sink = to;
    return ok;
}

static bool draw(struct report *r, const char *language, struct err *err)
{
    const char *const argv[] = {"dot", language, NULL};
    struct buf text = {0};
    bool ok = make_dot(r, &text, err);
    struct run job = {
        .argv = argv,
        .in = text.v,
        .n_in = text.n,
        .max_out = LARGEST,
        .silence = SILENCE,
        .notes = r->notes,
    };
    ok = ok && run(&job, r->out, err);
    buf_free(&text);
    return ok;
}

static bool print_svg(struct report *r, struct err *err)
{
    return draw(r, "-Tsvg", err);
}

static bool print_pdf(struct report *r, struct err *err)
{
    return draw(r, "-Tpdf", err);
}

static bool print_ps(struct report *r, struct err *err)
{
    return draw(r, "-Tps", err);
}

static bool print_png(struct report *r, struct err *err)
{
    return draw(r, "-Tpng", err);
}

static bool print_gif(struct report *r, struct err *err)
{
    return draw(r, "-Tgif", err);
}

const struct report_format report_svg = {
    .name = "svg",
    .help = "call graph as SVG, drawn by Graphviz",
    .suffixes = "svg",
    .needs = DOT_NEEDS,
    .runs_programs = true,
    .node_count = DOT_COUNT,
    .print = print_svg,
};

const struct report_format report_pdf = {
    .name = "pdf",
    .help = "call graph as PDF",
    .suffixes = "pdf",
    .needs = DOT_NEEDS,
    .runs_programs = true,
    .binary = true,
    .node_count = DOT_COUNT,
    .print = print_pdf,
};

const struct report_format report_ps = {
    .name = "ps",
    .help = "call graph as PostScript",
    .suffixes = "ps",
    .needs = DOT_NEEDS,
    .runs_programs = true,
    .binary = true,
    .node_count = DOT_COUNT,
    .print = print_ps,
};

const struct report_format report_png = {
    .name = "png",
    .help = "call graph as PNG",
    .suffixes = "png",
    .needs = DOT_NEEDS,
    .runs_programs = true,
    .binary = true,
    .node_count = DOT_COUNT,
    .print = print_png,
};

const struct report_format report_gif = {
    .name = "gif",
    .help = "call graph as GIF",
    .suffixes = "gif",
    .needs = DOT_NEEDS,
    .runs_programs = true,
    .binary = true,
    .node_count = DOT_COUNT,
    .print = print_gif,
};

/* PostScript, for who asked to see it. */
const struct report_format report_gv = {
    .name = "gv",
    .help = "call graph, shown by gv",
    .needs = DOT_NEEDS,
    .runs_programs = true,
    .opens_viewer = true,
    .node_count = DOT_COUNT,
    .print = print_ps,
};
