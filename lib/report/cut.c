/* Which nodes of a graph a report shows, and in which order. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "report/graph.h"

int64_t graph_cutoff(int64_t total, double fraction)
{
    double x = (double)total * fraction;
    if (x < 0)
        x = -x;
    return x < 0x1p63 ? (int64_t)x : INT64_MAX;
}

bool graph_is_shown(const struct graph_weight *w, bool drop_negative)
{
    if (!w->cum && !w->flat)
        return false;
    bool negative = w->flat < 0 || (!w->flat && w->cum < 0);
    return !negative || !drop_negative;
}

/* All nodes that have a value, and the sum of their flat values. */
static bool list_nodes(const struct graph *g, const struct graph_limits *limits,
                       struct graph_cut *cut, int64_t *flat)
{
    cut->row = mem_array(g->nodes.n, sizeof *cut->row);
    if (!cut->row)
        return false;
    *flat = 0;
    for (size_t k = 0; k < g->nodes.n; k++) {
        const struct graph_weight *w = &g->weight[k];
        if (!graph_is_shown(w, limits->drop_negative))
            continue;
        cut->row[cut->n++] = (struct graph_row){.node = (uint32_t)k};
        *flat += w->flat;
    }
    return true;
}

static void drop_light(const struct graph *g, struct graph_cut *cut,
                       uint64_t cutoff)
{
    size_t n = 0;
    for (size_t i = 0; i < cut->n; i++)
        if (graph_abs(g->weight[cut->row[i].node].cum) >= cutoff)
            cut->row[n++] = cut->row[i];
    cut->dropped = cut->n - n;
    cut->n = n;
}

/* By value, heaviest first; then by name; then by the other value. */
static int row_order(const void *a, const void *b, void *text)
{
    const struct graph_row *x = a, *y = b;
    if (x->key != y->key)
        return x->key > y->key ? -1 : 1;
    size_t n = x->name_n < y->name_n ? x->name_n : y->name_n;
    int c = memcmp((char *)text + x->name, (char *)text + y->name, n);
    if (c)
        return c;
    if (x->name_n != y->name_n)
        return x->name_n < y->name_n ? -1 : 1;
    if (x->tie != y->tie)
        return x->tie > y->tie ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static bool sort_rows(const struct graph *g, struct graph_cut *cut, bool cum)
{
    for (size_t i = 0; i < cut->n; i++) {
        struct graph_row *r = &cut->row[i];
        const struct graph_weight *w = &g->weight[r->node];
        r->key = graph_abs(cum ? w->cum : w->flat);
        r->tie = graph_abs(cum ? w->flat : w->cum);
        r->name = cut->text.n;
        if (!node_name(&g->nodes, r->node, &cut->text))
            return false;
        r->name_n = cut->text.n - r->name;
    }
    if (cut->n)
        qsort_r(cut->row, cut->n, sizeof *cut->row, row_order, cut->text.v);
    return true;
}

static bool mark_kept(const struct graph *g, struct graph_cut *cut)
{
    cut->kept = mem_zarray(g->nodes.n, sizeof *cut->kept);
    if (!cut->kept)
        return false;
    for (size_t i = 0; i < cut->n; i++)
        cut->kept[cut->row[i].node] = true;
    return true;
}

bool graph_cut(const struct graph *g, const struct graph_limits *limits,
               struct graph_cut *cut, struct err *err)
{
    memset(cut, 0, sizeof *cut);
    int64_t flat;
    if (!list_nodes(g, limits, cut, &flat))
        return err_nomem(err);
    cut->edge_cutoff = graph_cutoff(flat, limits->edge_fraction);
    int64_t cutoff = graph_cutoff(flat, limits->node_fraction);
    drop_light(g, cut, (uint64_t)cutoff);
    cut->n_before = cut->n;
    if (!sort_rows(g, cut, limits->cum_sort))
        return err_nomem(err);
    if (limits->node_count && cut->n > limits->node_count)
        cut->n = limits->node_count;
    /* As long as nothing was cut, calls also go through nodes without value. */
    bool all = !cut->dropped && cut->n == cut->n_before;
    return all || mark_kept(g, cut) || err_nomem(err);
}

void graph_cut_free(struct graph_cut *cut)
{
    free(cut->row);
    free(cut->kept);
    buf_free(&cut->text);
    memset(cut, 0, sizeof *cut);
}
