#include "report/graph/edges.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

size_t edges_trim(struct graph *g, const struct graph_limits *limits,
                  const struct graph_cut *cut)
{
    size_t n = 0;
    for (size_t i = 0; i < g->n_edges; i++) {
        const struct graph_edge *e = &g->edges[i];
        if (graph_abs(e->weight) >= (uint64_t)cut->edge_cutoff ||
            !graph_is_shown(&g->weight[e->to], limits->drop_negative))
            g->edges[n++] = *e;
    }
    size_t dropped = g->n_edges - n;
    g->n_edges = n;
    return dropped;
}

struct order {
    const struct graph *g;
    const uint32_t *rank;
};

static int edge_order(const void *a, const void *b, void *ctx)
{
    const struct graph_edge *x = a, *y = b;
    const struct order *o = ctx;
    uint64_t v = graph_abs(x->weight), w = graph_abs(y->weight);
    if (v != w)
        return v > w ? -1 : 1;
    if (x->from != y->from) {
        uint32_t r = o->rank[graph_place(o->g, x->from)];
        uint32_t s = o->rank[graph_place(o->g, y->from)];
        if (r != s)
            return r < s ? -1 : 1;
    }
    uint32_t r = o->rank[graph_place(o->g, x->to)];
    uint32_t s = o->rank[graph_place(o->g, y->to)];
    if (r != s)
        return r < s ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* Lists all edges by the node at one end, in the order they are in. */
static bool list_edges(const struct graph *g, bool to, uint32_t **list,
                       uint32_t **off)
{
    uint32_t *at = *off = mem_zarray(g->n + 1, sizeof **off);
    *list = mem_array(g->n_edges, sizeof **list);
    if (!at || !*list)
        return false;
    for (size_t i = 0; i < g->n_edges; i++)
        at[to ? g->edges[i].to : g->edges[i].from]++;
    uint32_t sum = 0;
    for (size_t k = 0; k <= g->n; k++)
        at[k] = sum += at[k];
    for (size_t i = g->n_edges; i--;)
        (*list)[--at[to ? g->edges[i].to : g->edges[i].from]] = (uint32_t)i;
    return true;
}

static bool list_all(struct edges *e, const struct graph *g)
{
    free(e->in);
    free(e->in_off);
    free(e->out);
    free(e->out_off);
    e->out = e->out_off = NULL;
    return list_edges(g, true, &e->in, &e->in_off) &&
           list_edges(g, false, &e->out, &e->out_off);
}

/* The search for another way than one edge. */
struct search {
    bool *gone;     /* by edge */
    uint32_t *seen; /* by node: in which search, counted from 1 */
    uint32_t *queue;
    uint32_t number;
};

static bool has_other_way(struct search *s, const struct edges *e,
                          const struct graph *g, uint32_t edge)
{
    uint32_t from = g->edges[edge].from, to = g->edges[edge].to;
    size_t n = 0;
    s->number++;
    s->seen[to] = s->number;
    s->queue[n++] = to;
    for (size_t head = 0; head < n; head++) {
        uint32_t node = s->queue[head];
        for (uint32_t i = e->in_off[node]; i < e->in_off[node + 1]; i++) {
            uint32_t by = g->edges[e->in[i]].from;
            if (e->in[i] == edge || s->gone[e->in[i]] ||
                s->seen[by] == s->number)
                continue;
            if (by == from)
                return true;
            s->seen[by] = s->number;
            s->queue[n++] = by;
        }
    }
    return false;
}

/* From the lightest nodes and edges on, as far as all are residual. */
static void find_redundant(struct search *s, const struct edges *e,
                           const struct graph *g, const struct graph_cut *cut)
{
    for (size_t r = cut->n; r--;) {
        uint32_t node = cut->row[r].node;
        for (uint32_t i = e->in_off[node + 1]; i-- > e->in_off[node];) {
            uint32_t edge = e->in[i];
            if (!g->edges[edge].residual)
                break;
            s->gone[edge] = has_other_way(s, e, g, edge);
        }
    }
}

static bool drop_redundant(struct edges *e, struct graph *g,
                           const struct graph_cut *cut)
{
    struct search s = {
        .gone = mem_zarray(g->n_edges, sizeof *s.gone),
        .seen = mem_zarray(g->n, sizeof *s.seen),
        .queue = mem_array(g->n, sizeof *s.queue),
    };
    bool ok = s.gone && s.seen && s.queue;
    if (ok) {
        find_redundant(&s, e, g, cut);
        size_t n = 0;
        for (size_t i = 0; i < g->n_edges; i++)
            if (!s.gone[i])
                g->edges[n++] = g->edges[i];
        g->n_edges = n;
    }
    free(s.gone);
    free(s.seen);
    free(s.queue);
    return ok && list_all(e, g);
}

bool edges_init(struct edges *e, struct graph *g,
                const struct graph_limits *limits, const struct graph_cut *cut,
                struct err *err)
{
    memset(e, 0, sizeof *e);
    e->row = mem_array(g->n, sizeof *e->row);
    if (!e->row)
        return err_nomem(err);
    for (size_t k = 0; k < g->n; k++)
        e->row[k] = PROF_NONE;
    for (size_t i = 0; i < cut->n; i++)
        e->row[cut->row[i].node] = (uint32_t)i;
    e->dropped = edges_trim(g, limits, cut);
    struct order order = {g, cut->name_rank};
    if (g->n_edges)
        qsort_r(g->edges, g->n_edges, sizeof *g->edges, edge_order, &order);
    /* In a tree there is one way only. */
    bool redundant = limits->visual && !g->parent;
    return (list_all(e, g) && (!redundant || drop_redundant(e, g, cut))) ||
           err_nomem(err);
}

void edges_free(struct edges *e)
{
    free(e->in);
    free(e->in_off);
    free(e->out);
    free(e->out_off);
    free(e->row);
    memset(e, 0, sizeof *e);
}
