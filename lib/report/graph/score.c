#include "report/graph/score.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"

/* The calls of a node in one direction. */
struct fan {
    size_t n;
    int64_t total; /* of those above 0 */
    double bits;
};

/* The binary logarithm as Go takes it, for the same last bit. */
static double log_2(double x)
{
    int exponent;
    double fraction = frexp(x, &exponent);
    if (fraction == 0.5)
        return exponent - 1;
    return log(fraction) * (1 / M_LN2) + exponent;
}

static void count(struct fan *f, int64_t weight)
{
    f->n++;
    f->total += weight > 0 ? weight : 0;
}

static void share(struct fan *f, int64_t weight)
{
    if (!f->total)
        return;
    double x = (double)graph_abs(weight) / (double)f->total;
    f->bits += -x * log_2(x);
}

static int64_t score_of(const struct fan *in, const struct fan *out,
                        const struct graph_weight *w)
{
    double bits = (in->n ? in->bits : 1) + (out->n ? out->bits : 1);
    /* Not a number where a call weighs nothing: the least of all. */
    uint64_t s = (uint64_t)graph_truncate(bits * (double)w->cum);
    return (int64_t)(s + (uint64_t)w->flat);
}

/* So that sums do not depend on the order in which edges were found. */
static int edge_order(const void *a, const void *b)
{
    const struct graph_edge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* A row, between what leads to it and what it calls. */
struct between {
    struct fan in, out;
};

static void look_at_edges(const struct graph *g, const uint32_t *row,
                          struct between *at,
                          void (*look)(struct fan *f, int64_t weight))
{
    for (size_t i = 0; i < g->n_edges; i++) {
        const struct graph_edge *e = &g->edges[i];
        if (row[e->to] != PROF_NONE)
            look(&at[row[e->to]].in, e->weight);
        if (row[e->from] != PROF_NONE)
            look(&at[row[e->from]].out, e->weight);
    }
}

static void find_scores(const struct graph *g, const struct graph_cut *cut,
                        uint32_t *row, struct between *at, int64_t *score)
{
    for (size_t k = 0; k < g->n; k++)
        row[k] = PROF_NONE;
    for (size_t i = 0; i < cut->n; i++) {
        row[cut->row[i].node] = (uint32_t)i;
        at[i].out.total = g->weight[cut->row[i].node].flat;
    }
    if (g->n_edges)
        qsort(g->edges, g->n_edges, sizeof *g->edges, edge_order);
    look_at_edges(g, row, at, count);
    look_at_edges(g, row, at, share);
    for (size_t i = 0; i < cut->n; i++) {
        const struct graph_weight *w = &g->weight[cut->row[i].node];
        if (w->flat > 0)
            share(&at[i].out, w->flat);
        score[i] = score_of(&at[i].in, &at[i].out, w);
    }
}

int64_t *graph_scores(const struct graph *g, const struct graph_cut *cut)
{
    uint32_t *row = mem_array(g->n, sizeof *row);
    struct between *at = mem_zarray(cut->n, sizeof *at);
    int64_t *score = mem_array(cut->n, sizeof *score);
    if (row && at && score) {
        find_scores(g, cut, row, at, score);
    } else {
        free(score);
        score = NULL;
    }
    free(row);
    free(at);
    return score;
}
