/* Values per node. */
#include "report/graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "profile/labelset.h"
#include "profile/text.h"
#include "report/graph/tree.h"
#include "report/graph/weigh.h"

/* Adds |v| to *sum; false when the result needs more than 63 bits. */
static bool add_abs(uint64_t *sum, int64_t v)
{
    uint64_t a = graph_abs(v);
    if (a > INT64_MAX || *sum > INT64_MAX - a)
        return false;
    *sum += a;
    return true;
}

/* is_base: by label set; null: no sample is. */
static bool sum_up(const struct profile *p, size_t type, bool mean,
                   const bool *is_base, int64_t *total, struct err *err)
{
    uint64_t sum = 0, div_abs = 0, base_sum = 0;
    int64_t div = 0, base_div = 0;
    for (size_t s = 0; s < p->n_samples; s++) {
        int64_t v = p->values[s * p->n_types + type];
        int64_t d = mean ? p->values[s * p->n_types] : 0;
        if (!add_abs(&sum, v) || !add_abs(&div_abs, d))
            return err_set(err, ERR_INPUT,
                           "sample %zu: the sum of the values of %s up to "
                           "here is more than 9223372036854775807",
                           s, prof_show(p, p->types[type].type).text);
        div += d;
        if (is_base && is_base[p->labelset[s]]) {
            base_sum += graph_abs(v);
            base_div += d;
        }
    }
    *total = base_sum ? graph_mean((int64_t)base_sum, base_div)
                      : graph_mean((int64_t)sum, div);
    return true;
}

bool graph_total(const struct profile *p, size_t type, bool mean,
                 int64_t *total, struct err *err)
{
    bool *is_base;
    bool ok = prof_base_sets(p, &is_base)
                  ? sum_up(p, type, mean, is_base, total, err)
                  : err_nomem(err);
    free(is_base);
    return ok;
}

/* Values, or divisors, per node. */
static bool take_weights(struct graph *g, size_t type, unsigned threads,
                         bool divisors)
{
    struct weights w = {0};
    bool ok = weigh(&g->nodes, type, threads, &w);
    for (size_t k = 0; ok && k < g->n; k++) {
        struct graph_weight *to = &g->weight[k];
        *(divisors ? &to->flat_div : &to->flat) = w.flat[k];
        *(divisors ? &to->cum_div : &to->cum) = w.cum[k];
    }
    weights_free(&w);
    return ok;
}

static bool weigh_nodes(struct graph *g, struct err *err)
{
    g->n = g->nodes.n;
    g->weight = mem_zarray(g->n, sizeof *g->weight);
    return (g->weight && take_weights(g, g->type, g->threads, false) &&
            (!g->mean || take_weights(g, 0, g->threads, true))) ||
           err_nomem(err);
}

bool graph_weigh(struct graph *g, const struct profile *p, size_t type,
                 bool mean, unsigned threads, struct err *err)
{
    *g = (struct graph){.p = p, .type = type, .mean = mean, .threads = threads};
    return graph_total(p, type, mean, &g->total, err) &&
           nodes_init(&g->nodes, p, err) && weigh_nodes(g, err);
}

bool graph_weigh_exact(struct graph *g, const struct profile *p, size_t type,
                       bool mean, unsigned threads, struct err *err)
{
    *g = (struct graph){.p = p, .type = type, .mean = mean, .threads = threads};
    return graph_total(p, type, mean, &g->total, err) &&
           nodes_init_exact(&g->nodes, p, err) && weigh_nodes(g, err);
}

bool graph_weigh_tree(struct graph *g, const struct profile *p, size_t type,
                      bool mean, bool exact, unsigned threads, struct err *err)
{
    *g = (struct graph){.p = p, .type = type, .mean = mean, .threads = threads};
    return graph_total(p, type, mean, &g->total, err) &&
           (exact ? nodes_init_exact(&g->nodes, p, err)
                  : nodes_init(&g->nodes, p, err)) &&
           tree_build(g, err);
}

void graph_free(struct graph *g)
{
    nodes_free(&g->nodes);
    free(g->place);
    free(g->parent);
    free(g->inlined);
    free(g->weight);
    free(g->edges);
    memset(g, 0, sizeof *g);
}
