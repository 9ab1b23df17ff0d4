/* Values per node. */
#include "report/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Adds |v| to *sum; false when the result needs more than 63 bits. */
static bool add_abs(uint64_t *sum, int64_t v)
{
    uint64_t a = graph_abs(v);
    if (a > INT64_MAX || *sum > INT64_MAX - a)
        return false;
    *sum += a;
    return true;
}

static bool has_label(const struct profile *p, uint32_t set, uint32_t key,
                      uint32_t str)
{
    for (uint64_t i = p->labelset_off[set]; i < p->labelset_off[set + 1]; i++)
        if (p->labels[i].key == key && p->labels[i].str == str)
            return true;
    return false;
}

bool graph_total(const struct profile *p, size_t type, bool mean,
                 int64_t *total, struct err *err)
{
    uint32_t key = 0, yes = 0;
    bool diff = strtab_find(&p->strings, "pprof::base", 11, &key) &&
                strtab_find(&p->strings, "true", 4, &yes);
    uint64_t sum = 0, div_abs = 0, base_sum = 0;
    int64_t div = 0, base_div = 0;
    for (size_t s = 0; s < p->n_samples; s++) {
        int64_t v = p->values[s * p->n_types + type];
        int64_t d = mean ? p->values[s * p->n_types] : 0;
        if (!add_abs(&sum, v) || !add_abs(&div_abs, d))
            return err_set(err, ERR_INPUT,
                           "sample %zu: the sum of the values up to here is "
                           "more than 9223372036854775807",
                           s);
        div += d;
        if (diff && has_label(p, p->labelset[s], key, yes)) {
            base_sum += graph_abs(v);
            base_div += d;
        }
    }
    *total = base_sum ? graph_mean((int64_t)base_sum, base_div)
                      : graph_mean((int64_t)sum, div);
    return true;
}

/*
 * Adds one sample to the weights.  No sum can overflow: all magnitudes
 * together were found to fit.  mark[node] is the last sample that was counted
 * in the node's cum.
 */
static void weigh_sample(struct graph *g, uint32_t *mark, size_t s, int64_t v,
                         int64_t d)
{
    const uint32_t *stack = prof_stack(g->p, s);
    struct graph_weight *leaf = NULL;
    for (size_t i = prof_depth(g->p, s); i--;) {
        uint64_t first = g->nodes.off[stack[i]];
        for (uint64_t k = g->nodes.off[stack[i] + 1]; k-- > first;) {
            uint32_t node = g->nodes.of[k];
            leaf = &g->weight[node];
            if (mark[node] == s + 1)
                continue;
            mark[node] = (uint32_t)s + 1;
            leaf->cum += v;
            leaf->cum_div += d;
        }
    }
    if (leaf) {
        leaf->flat += v;
        leaf->flat_div += d;
    }
}

bool graph_weigh(struct graph *g, const struct profile *p, size_t type,
                 bool mean, struct err *err)
{
    memset(g, 0, sizeof *g);
    g->p = p;
    g->type = type;
    g->mean = mean;
    if (!graph_total(p, type, mean, &g->total, err) ||
        !nodes_init(&g->nodes, p, err))
        return false;
    g->weight = mem_zarray(g->nodes.n, sizeof *g->weight);
    uint32_t *mark = mem_zarray(g->nodes.n, sizeof *mark);
    if (!g->weight || !mark) {
        free(mark);
        return err_nomem(err);
    }
    for (size_t s = 0; s < p->n_samples; s++) {
        int64_t v = p->values[s * p->n_types + type];
        int64_t d = mean ? p->values[s * p->n_types] : 0;
        if (v || d)
            weigh_sample(g, mark, s, v, d);
    }
    free(mark);
    return true;
}

void graph_free(struct graph *g)
{
    nodes_free(&g->nodes);
    free(g->weight);
    free(g->edges);
    memset(g, 0, sizeof *g);
}
