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
 * Samples are weighed as a walk over the tree of their stacks: a step is
 * taken where a stack leaves the one before, and what its samples weigh is
 * added to its node once, when the walk leaves it.  Neighbours share most of
 * their stacks; where they share nothing it costs no more than adding each
 * frame.  No sum can overflow: all magnitudes together were found to fit.
 */
struct step {
    uint32_t node;
    bool again;   /* the node is nearer to the root, too: counted there */
    int64_t v, d; /* of the samples so far */
};

struct walk {
    VEC(struct step) steps;
    VEC(size_t) first;     /* the first step of each location; and the end */
    const uint32_t *stack; /* of the last sample, leaf first */
    size_t depth;          /* the same, and how many of its locations are */
    uint32_t *times;       /* by node: how often it is in the walk */
};

/* Back to where only the k outermost locations are left. */
static void walk_back(struct graph *g, struct walk *w, size_t k)
{
    struct step *steps = w->steps.v;
    while (w->steps.n > w->first.v[k]) {
        struct step *last = &steps[--w->steps.n];
        w->times[last->node]--;
        if (!last->again) {
            g->weight[last->node].cum += last->v;
            g->weight[last->node].cum_div += last->d;
        }
        if (w->steps.n) {
            last[-1].v += last->v;
            last[-1].d += last->d;
        }
    }
    w->first.n = k + 1;
}

/* On to location l. */
static bool walk_on(struct graph *g, struct walk *w, uint32_t l)
{
    uint64_t first = g->nodes.off[l], end = g->nodes.off[l + 1];
    if (!vec_reserve(&w->steps, (size_t)(end - first)))
        return false;
    for (uint64_t k = end; k-- > first;) {
        uint32_t node = g->nodes.of[k];
        w->steps.v[w->steps.n++] =
            (struct step){.node = node, .again = w->times[node]++};
    }
    return vec_push(&w->first, w->steps.n);
}

/* How many locations the stack shares with the last, from the root. */
static size_t shared(const struct walk *w, const uint32_t *stack, size_t depth)
{
    size_t k = 0, n = depth < w->depth ? depth : w->depth;
    const uint32_t *a = stack + depth, *b = w->stack + w->depth;
    while (k < n && *--a == *--b)
        k++;
    return k;
}

static bool weigh_sample(struct graph *g, struct walk *w, size_t s, int64_t v,
                         int64_t d)
{
    const uint32_t *stack = prof_stack(g->p, s);
    size_t depth = prof_depth(g->p, s);
    if (!depth)
        return true;
    size_t k = w->stack ? shared(w, stack, depth) : 0;
    walk_back(g, w, k);
    for (; k < depth; k++)
        if (!walk_on(g, w, stack[depth - 1 - k]))
            return false;
    w->stack = stack;
    w->depth = depth;
    struct step *leaf = &w->steps.v[w->steps.n - 1];
    leaf->v += v;
    leaf->d += d;
    g->weight[leaf->node].flat += v;
    g->weight[leaf->node].flat_div += d;
    return true;
}

static bool weigh(struct graph *g, struct walk *w)
{
    const struct profile *p = g->p;
    w->times = mem_zarray(g->nodes.n, sizeof *w->times);
    bool ok = w->times && vec_push(&w->first, 0);
    for (size_t s = 0; ok && s < p->n_samples; s++) {
        int64_t v = p->values[s * p->n_types + g->type];
        int64_t d = g->mean ? p->values[s * p->n_types] : 0;
        if (v || d)
            ok = weigh_sample(g, w, s, v, d);
    }
    if (ok)
        walk_back(g, w, 0);
    return ok;
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
    struct walk w = {0};
    g->weight = mem_zarray(g->nodes.n, sizeof *g->weight);
    bool ok = g->weight && weigh(g, &w);
    vec_free(&w.steps);
    vec_free(&w.first);
    free(w.times);
    return ok || err_nomem(err);
}

void graph_free(struct graph *g)
{
    nodes_free(&g->nodes);
    free(g->weight);
    free(g->edges);
    memset(g, 0, sizeof *g);
}
