#include "report/score.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "report/format.h"

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
    uint64_t s = (uint64_t)report_whole(bits * (double)w->cum);
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

int64_t *graph_scores(const struct graph *g)
{
    struct fan *in = mem_zarray(g->n, sizeof *in);
    struct fan *out = mem_zarray(g->n, sizeof *out);
    int64_t *score = mem_array(g->n, sizeof *score);
    bool ok = in && out && score;
    if (ok && g->n_edges)
        qsort(g->edges, g->n_edges, sizeof *g->edges, edge_order);
    for (size_t k = 0; ok && k < g->n; k++)
        out[k].total = g->weight[k].flat;
    for (size_t i = 0; ok && i < g->n_edges; i++) {
        count(&in[g->edges[i].to], g->edges[i].weight);
        count(&out[g->edges[i].from], g->edges[i].weight);
    }
    for (size_t i = 0; ok && i < g->n_edges; i++) {
        share(&in[g->edges[i].to], g->edges[i].weight);
        share(&out[g->edges[i].from], g->edges[i].weight);
    }
    for (size_t k = 0; ok && k < g->n; k++) {
        const struct graph_weight *w = &g->weight[k];
        if (w->flat > 0)
            share(&out[k], w->flat);
        score[k] = score_of(&in[k], &out[k], w);
    }
    free(in);
    free(out);
    if (!ok) {
        free(score);
        score = NULL;
    }
    return score;
}
