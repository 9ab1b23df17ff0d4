/* rows.c - the graph of a report: its options, its unit, its nodes as rows */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "report/out.h"

struct graph_opts report_graph_opts(const struct report *r)
{
    return (struct graph_opts){
        .type = r->type, .mean = r->opts->mean, .threads = r->opts->threads};
}

bool report_make_graph(const struct report *r, struct graph *g,
                       struct graph_cut *cut, struct prof_err *err)
{
    const struct graph_opts opts = report_graph_opts(r);
    return graph_make(g, r->p, &opts, err) &&
           graph_cut(g, &r->opts->limits, cut, err);
}

/* The least value shown that is not 0, without its sign; 0 if there is none. */
static int64_t least_value(const struct graph *g, const struct graph_cut *cut)
{
    uint64_t least = 0;
    for (size_t i = 0; i < cut->n; i++) {
        const struct graph_value *w = &g->value[cut->row[i].node];
        uint64_t v = graph_abs(graph_mean(w->flat, w->flat_div));
        if (!v)
            v = graph_abs(graph_mean(w->cum, w->cum_div));
        if (v && (!least || v < least))
            least = v;
    }
    return (int64_t)least;
}

void report_choose_unit(struct report *r, const struct graph *g,
                        const struct graph_cut *cut, bool whole)
{
    if (strcmp(r->units.to, "minimum") != 0 || !cut->n)
        return;
    int64_t max = r->total, min = least_value(g, cut), hundred;
    min = min ? min : max;
    if (r->ratio != 1) {
        min = graph_truncate((double)min * r->ratio);
        max = graph_truncate((double)max * r->ratio);
    }
    const char *unit, *max_unit;
    (void)measure_scale(min, r->units.from, "minimum", &unit);
    (void)measure_scale(max, r->units.from, "minimum", &max_unit);
    if (!whole && strcmp(unit, max_unit) != 0 &&
        !__builtin_mul_overflow(min, 100, &hundred) && hundred < max)
        (void)measure_scale(hundred, r->units.from, "minimum", &unit);
    measure_init(&r->units, r->units.from, *unit ? unit : r->units.from);
}

/* --- the rows of --text --- */

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

/* The calls of nodes that are inlined somewhere. */
static bool link_inlined(struct graph *g, const struct graph_cut *cut,
                         struct prof_err *err)
{
    const struct nodes *t = &g->nodes;
    bool *inlinable = mem_zarray(t->n, sizeof *inlinable);
    for (size_t l = 0; inlinable && l < t->p->n_locations; l++)
        for (uint64_t k = t->off[l]; k + 1 < t->off[l + 1]; k++)
            inlinable[t->of[k]] = true;
    bool ok = inlinable ? graph_link(g, cut, inlinable, err) : err_nomem(err);
    free(inlinable);
    return ok;
}

static void make_rows(struct report_table *t, const uint8_t *called)
{
    static const char *const mark[] = {"", " (inline)", "",
                                       " (partial-inline)"};
    int64_t sum = 0;
    for (; t->n < t->cut.n; t->n++) {
        const struct graph_row *from = &t->cut.row[t->n];
        const struct graph_value *w = &t->g.value[from->node];
        struct report_row row = {
            .node = from->node,
            .flat = graph_mean(w->flat, w->flat_div),
            .cum = graph_mean(w->cum, w->cum_div),
            .name = {(const char *)t->cut.text.v + from->name, from->name_n},
            .inlined = mark[called[from->node]],
        };
        /* Means, unlike what they are made of, may add up to anything. */
        row.sum = sum = (int64_t)((uint64_t)sum + (uint64_t)row.flat);
        t->row[t->n] = row;
    }
}

bool report_table_init(struct report_table *t, struct report *r,
                       struct prof_err *err)
{
    memset(t, 0, sizeof *t);
    if (!report_make_graph(r, &t->g, &t->cut, err) ||
        !link_inlined(&t->g, &t->cut, err))
        return false;
    uint8_t *called = find_inlined(&t->g, &t->cut);
    t->row = mem_array(t->cut.n, sizeof *t->row);
    bool ok = called && t->row;
    if (ok)
        make_rows(t, called);
    free(called);
    report_choose_unit(r, &t->g, &t->cut, false);
    return ok || err_nomem(err);
}

void report_table_free(struct report_table *t)
{
    free(t->row);
    graph_cut_free(&t->cut);
    graph_free(&t->g);
    memset(t, 0, sizeof *t);
}
