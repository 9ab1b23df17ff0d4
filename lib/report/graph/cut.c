/* Which nodes of a graph a report shows, and in which order. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "report/graph/edges.h"
#include "report/graph/graph.h"
#include "report/graph/score.h"

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

static bool is_heavy(const struct graph *g, const struct graph_limits *limits,
                     const struct graph_cut *cut, size_t node)
{
    const struct graph_weight *w = &g->weight[node];
    return graph_is_shown(w, limits->drop_negative) &&
           graph_abs(w->cum) >= (uint64_t)cut->node_cutoff;
}

/* The cutoffs are shares of what all nodes that are shown have in them. */
static void count_nodes(const struct graph *g,
                        const struct graph_limits *limits,
                        struct graph_cut *cut)
{
    int64_t flat = 0;
    size_t n = 0;
    for (size_t k = 0; k < g->n; k++) {
        if (!graph_is_shown(&g->weight[k], limits->drop_negative))
            continue;
        flat += g->weight[k].flat;
        n++;
    }
    cut->edge_cutoff = graph_cutoff(flat, limits->edge_fraction);
    cut->node_cutoff = graph_cutoff(flat, limits->node_fraction);
    for (size_t k = 0; k < g->n; k++)
        cut->n += is_heavy(g, limits, cut, k);
    cut->n_before = cut->n;
    cut->dropped = n - cut->n;
}

static bool list_nodes(const struct graph *g, const struct graph_limits *limits,
                       struct graph_cut *cut)
{
    cut->row = mem_array(cut->n, sizeof *cut->row);
    if (!cut->row ||
        !nodes_name(&g->nodes, &cut->text, &cut->name_at, &cut->name_rank))
        return false;
    size_t n = 0;
    for (size_t k = 0; k < g->n; k++) {
        if (!is_heavy(g, limits, cut, k))
            continue;
        size_t place = graph_place(g, (uint32_t)k);
        size_t at = cut->name_at[place];
        cut->row[n++] = (struct graph_row){
            .node = (uint32_t)k,
            .rank = cut->name_rank[place],
            .name = at,
            .name_n = cut->name_at[place + 1] - at,
        };
    }
    return true;
}

/* By value, heaviest first; then by name; then by the other value. */
static int row_order(const void *a, const void *b)
{
    const struct graph_row *x = a, *y = b;
    if (x->key != y->key)
        return x->key > y->key ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->tie != y->tie)
        return x->tie > y->tie ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static void sort_rows(struct graph_cut *cut)
{
    if (cut->n)
        qsort(cut->row, cut->n, sizeof *cut->row, row_order);
}

static void sort_by_value(const struct graph *g, struct graph_cut *cut,
                          bool cum)
{
    for (size_t i = 0; i < cut->n; i++) {
        struct graph_row *r = &cut->row[i];
        const struct graph_weight *w = &g->weight[r->node];
        r->key = graph_abs(cum ? w->cum : w->flat);
        r->tie = graph_abs(cum ? w->flat : w->cum);
    }
    sort_rows(cut);
}

static bool sort_by_score(const struct graph *g, struct graph_cut *cut)
{
    int64_t *score = graph_scores(g, cut);
    for (size_t i = 0; score && i < cut->n; i++) {
        struct graph_row *r = &cut->row[i];
        int64_t s = score[i];
        /* The least of all is below 0, as its magnitude does not fit. */
        r->key = s == INT64_MIN ? 0 : graph_abs(s) + 1;
        r->tie = graph_abs(g->weight[r->node].flat);
    }
    if (score)
        sort_rows(cut);
    free(score);
    return score;
}

/*
 * In a graph, calls go past whatever is not in a row.  In a tree, nodes that
 * were never in one, having no value, stay where they are.
 */
static bool mark_kept(const struct graph *g, const struct graph_limits *limits,
                      struct graph_cut *cut)
{
    if (!cut->kept && !(cut->kept = mem_array(g->n, sizeof *cut->kept)))
        return false;
    for (size_t k = 0; k < g->n; k++)
        cut->kept[k] =
            g->parent && !graph_is_shown(&g->weight[k], limits->drop_negative);
    for (size_t i = 0; i < cut->n; i++)
        cut->kept[cut->row[i].node] = true;
    return true;
}

bool graph_rank(struct graph *g, const struct graph_limits *limits,
                struct graph_cut *cut, struct err *err)
{
    memset(cut, 0, sizeof *cut);
    count_nodes(g, limits, cut);
    if (!list_nodes(g, limits, cut))
        return err_nomem(err);
    /* As long as nothing was cut, calls also go through nodes without value. */
    if (cut->dropped && !mark_kept(g, limits, cut))
        return err_nomem(err);
    if (!limits->visual) {
        sort_by_value(g, cut, limits->cum_sort);
        return true;
    }
    return graph_link(g, cut, NULL, g->threads, err) &&
           (sort_by_score(g, cut) || err_nomem(err));
}

bool graph_keep(struct graph *g, const struct graph_limits *limits, size_t n,
                struct graph_cut *cut, struct err *err)
{
    if (!limits->node_count)
        return true;
    bool fewer = n < cut->n;
    if (fewer)
        cut->n = n;
    if (fewer && !mark_kept(g, limits, cut))
        return err_nomem(err);
    if (!limits->visual)
        return true;
    if (fewer && !graph_link(g, cut, NULL, g->threads, err))
        return false;
    /* Those of a graph come back when it is cut. */
    if (!fewer || g->parent)
        (void)edges_trim(g, limits, cut);
    return !fewer || sort_by_score(g, cut) || err_nomem(err);
}

bool graph_cut(struct graph *g, const struct graph_limits *limits,
               struct graph_cut *cut, struct err *err)
{
    return graph_rank(g, limits, cut, err) &&
           graph_keep(g, limits, limits->node_count, cut, err);
}

void graph_cut_free(struct graph_cut *cut)
{
    free(cut->row);
    free(cut->kept);
    free(cut->name_at);
    free(cut->name_rank);
    buf_free(&cut->text);
    memset(cut, 0, sizeof *cut);
}
