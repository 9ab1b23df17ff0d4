/* --text: one row per node, heaviest first. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "profile/measure.h"
#include "report/out.h"

/* For each node whether it is inlined anywhere; null when memory is out. */
static bool *find_inlinable(const struct nodes *t)
{
    bool *yes = mem_zarray(t->n, sizeof *yes);
    for (size_t l = 0; yes && l < t->p->n_locations; l++)
        for (uint64_t k = t->off[l]; k + 1 < t->off[l + 1]; k++)
            yes[t->of[k]] = true;
    return yes;
}

/* How a node was called, as far as edges are shown. */
enum { CALLED_INLINE = 1, CALLED_PLAIN = 2 };

/* For each node its CALLED_ bits; null when memory is out. */
static uint8_t *find_inlined(const struct graph *g, const struct graph_cut *cut)
{
    uint8_t *called = mem_zarray(g->n, sizeof *called);
    for (size_t i = 0; called && i < g->n_edges; i++) {
        const struct graph_edge *e = &g->edges[i];
        if (graph_abs(e->weight) >= (uint64_t)cut->edge_cutoff)
            called[e->to] |= e->inlined ? CALLED_INLINE : CALLED_PLAIN;
    }
    return called;
}

static bool put_value(struct report *r, int64_t value)
{
    const char *text = report_value(r, value);
    return report_put_right(r->out, text, strlen(text), 10);
}

static bool put_percent(struct report *r, int64_t value)
{
    char text[MEASURE_TEXT];
    return buf_putc(r->out, ' ') &&
           buf_puts(r->out,
                    measure_percent(text, sizeof text, value, r->total));
}

static bool put_row(struct report *r, const struct graph *g,
                    const struct graph_cut *cut, const struct graph_row *row,
                    uint8_t called, int64_t *sum)
{
    static const char *const mark[] = {"", " (inline)", "",
                                       " (partial-inline)"};
    const struct graph_value *w = &g->value[row->node];
    int64_t flat = graph_mean(w->flat, w->flat_div);
    int64_t cum = graph_mean(w->cum, w->cum_div);
    /* Means, unlike what they are made of, may add up to anything. */
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)flat);
    return put_value(r, flat) && put_percent(r, flat) && put_percent(r, *sum) &&
           buf_putc(r->out, ' ') && put_value(r, cum) && put_percent(r, cum) &&
           buf_puts(r->out, "  ") &&
           utf8_put_line(r->out, cut->text.v + row->name, row->name_n) &&
           buf_puts(r->out, mark[called]) && buf_putc(r->out, '\n');
}

static bool put_table(struct report *r, const struct graph *g,
                      const struct graph_cut *cut)
{
    uint8_t *called = find_inlined(g, cut);
    bool ok = called && report_put_legend(r, g, cut) &&
              buf_puts(r->out, "      flat  flat%   sum%        cum   cum%\n");
    int64_t sum = 0;
    for (size_t i = 0; ok && i < cut->n; i++)
        ok = put_row(r, g, cut, &cut->row[i], called[cut->row[i].node], &sum);
    free(called);
    return ok;
}

/* The calls of nodes that are inlined somewhere. */
static bool link_inlined(struct graph *g, const struct graph_cut *cut,
                         struct err *err)
{
    bool *inlinable = find_inlinable(&g->nodes);
    bool ok = inlinable ? graph_link(g, cut, inlinable, err) : err_nomem(err);
    free(inlinable);
    return ok;
}

static bool print(struct report *r, struct err *err)
{
    struct graph g;
    struct graph_cut cut = {0};
    bool ok =
        report_make_graph(r, &g, &cut, err) && link_inlined(&g, &cut, err);
    if (ok) {
        report_choose_unit(r, &g, &cut);
        ok = put_table(r, &g, &cut) || err_nomem(err);
    }
    graph_cut_free(&cut);
    graph_free(&g);
    return ok;
}

const struct report_format report_text = {
    .name = "text",
    .arg = "[classic]",
    .alias = "top",
    .help = "table of the heaviest nodes (default)",
    .suffixes = "txt",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM | REPORT_VALUES,
    .name_offset = 44,
    .print = print,
};
