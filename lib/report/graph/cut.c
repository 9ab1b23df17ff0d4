/* cut.c - which nodes and edges of a graph a report shows, and their order */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/system.h"
#include "base/vec.h"
#include "report/graph/graph.h"

/* --- the names of nodes, and their order --- */

struct all_names {
    const uint8_t *text;
    const size_t *at;
};

static int compare_names(const struct all_names *o, uint32_t a, uint32_t b)
{
    size_t m = o->at[a + 1] - o->at[a], n = o->at[b + 1] - o->at[b];
    size_t k = m < n ? m : n;
    int c = k ? memcmp(o->text + o->at[a], o->text + o->at[b], k) : 0;
    return c ? c : ORDER(m, n);
}

static int by_function_name(const void *a, const void *b, void *order)
{
    return compare_names(order, *(const uint32_t *)a, *(const uint32_t *)b);
}

/* --- the nodes above the limits --- */

bool graph_is_shown(const struct graph_value *w, bool drop_negative)
{
    if (!w->cum && !w->flat)
        return false;
    bool negative = w->flat < 0 || (!w->flat && w->cum < 0);
    return !negative || !drop_negative;
}

static bool is_above_cutoff(const struct graph *g,
                            const struct graph_limits *limits,
                            const struct graph_cut *cut, size_t node)
{
    const struct graph_value *w = &g->value[node];
    return graph_is_shown(w, limits->drop_negative) &&
           graph_abs(w->cum) >= (uint64_t)cut->node_cutoff;
}

/*
 * Counts the nodes that can be shown.  Sets the cutoffs to fractions of the sum
 * of their flat values.
 */
static void count_nodes(const struct graph *g,
                        const struct graph_limits *limits,
                        struct graph_cut *cut)
{
    int64_t flat = 0;
    size_t n = 0;
    for (size_t k = 0; k < g->n; k++) {
        if (!graph_is_shown(&g->value[k], limits->drop_negative))
            continue;
        flat += g->value[k].flat;
        n++;
    }
    cut->edge_cutoff = graph_cutoff(flat, limits->edge_fraction);
    cut->node_cutoff = graph_cutoff(flat, limits->node_fraction);
    for (size_t k = 0; k < g->n; k++)
        cut->n += is_above_cutoff(g, limits, cut, k);
    cut->n_before = cut->n;
    cut->dropped = n - cut->n;
}

/*
 * Sets the names of the places that rows and edges may show, and their ranks;
 * equal names have equal ranks.
 */
static bool name_places(const struct graph *g,
                        const struct graph_limits *limits,
                        struct graph_cut *cut)
{
    const struct nodes *t = &g->nodes;
    uint32_t *sorted = mem_array(t->n, sizeof *sorted);
    cut->name_at = mem_array(t->n + 1, sizeof *cut->name_at);
    cut->name_rank = mem_zarray(t->n, sizeof *cut->name_rank);
    bool ok = sorted && cut->name_at && cut->name_rank;
    /* Nodes without a row are ends of edges only where none was dropped. */
    bool all = g->parent || !cut->dropped;
    size_t n = 0;
    for (size_t k = 0; ok && k < t->n; k++) {
        cut->name_at[k] = cut->text.n;
        if (!all && !is_above_cutoff(g, limits, cut, k))
            continue;
        sorted[n++] = (uint32_t)k;
        ok = node_name(t, (uint32_t)k, &cut->text);
    }
    if (ok) {
        cut->name_at[t->n] = cut->text.n;
        struct all_names names = {cut->text.v, cut->name_at};
        system_sort(sorted, n, sizeof *sorted, by_function_name, &names);
        uint32_t rank = 0;
        for (size_t i = 0; i < n; i++) {
            rank += i && compare_names(&names, sorted[i - 1], sorted[i]) != 0;
            cut->name_rank[sorted[i]] = rank;
        }
    }
    free(sorted);
    return ok;
}

static bool list_nodes(const struct graph *g, const struct graph_limits *limits,
                       struct graph_cut *cut)
{
    cut->row = mem_array(cut->n, sizeof *cut->row);
    if (!cut->row || !name_places(g, limits, cut))
        return false;
    size_t n = 0;
    for (size_t k = 0; k < g->n; k++) {
        if (!is_above_cutoff(g, limits, cut, k))
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

/*
 * Orders rows by value, heaviest first, then by name, then by the other value.
 */
static int row_order(const void *a, const void *b)
{
    const struct graph_row *x = a, *y = b;
    int c = ORDER(y->key, x->key);
    c = c ? c : ORDER(x->rank, y->rank);
    c = c ? c : ORDER(y->tie, x->tie);
    return c ? c : ORDER(x->node, y->node);
}

void graph_sort_rows(struct graph_cut *cut)
{
    if (cut->n)
        qsort(cut->row, cut->n, sizeof *cut->row, row_order);
}

/* --- the order of nodes in a picture --- */

/* The calls of a node in one direction. */
struct calls {
    size_t n;
    int64_t total; /* of the positive weights */
    double bits;
};

/*
 * Computes the binary logarithm as Go does, so that even the last bit agrees.
 */
static double log_2(double x)
{
    int exponent;
    double fraction = frexp(x, &exponent);
    if (fraction == 0.5)
        return exponent - 1;
    return log(fraction) * (1 / M_LN2) + exponent;
}

/*
 * One sample may have several calls of a function, each of which weighs as much
 * as the sample, so the sum may exceed 64 bits.  It wraps around as in Go.
 */
static void count_call(struct calls *f, int64_t weight)
{
    f->n++;
    if (weight > 0)
        f->total = (int64_t)((uint64_t)f->total + (uint64_t)weight);
}

static void add_entropy(struct calls *f, int64_t weight)
{
    if (!f->total)
        return;
    double x = (double)graph_abs(weight) / (double)f->total;
    f->bits += -x * log_2(x);
}

int graph_by_ends(const void *a, const void *b)
{
    const struct graph_edge *x = a, *y = b;
    const int c = ORDER(x->from, y->from);
    return c ? c : ORDER(x->to, y->to);
}

/* The calls to a row and from it. */
struct fork {
    struct calls in, out;
};

static void for_calls(const struct graph *g, const uint32_t *row,
                      struct fork *at,
                      void (*fn)(struct calls *f, int64_t weight))
{
    for (size_t i = 0; i < g->n_edges; i++) {
        const struct graph_edge *e = &g->edges[i];
        if (row[e->to] != PROF_NONE)
            fn(&at[row[e->to]].in, e->weight);
        if (row[e->from] != PROF_NONE)
            fn(&at[row[e->from]].out, e->weight);
    }
}

/* Sorts the rows by the score of pprof's entropyScore(). */
static bool sort_by_entropy(const struct graph *g, struct graph_cut *cut)
{
    uint32_t *row = mem_none(g->n); /* by node: its row */
    struct fork *at = mem_zarray(cut->n, sizeof *at);
    bool ok = row && at;
    for (size_t i = 0; ok && i < cut->n; i++) {
        row[cut->row[i].node] = (uint32_t)i;
        at[i].out.total = g->value[cut->row[i].node].flat;
    }
    /* Floating-point sums depend on the order. */
    if (ok && g->n_edges)
        qsort(g->edges, g->n_edges, sizeof *g->edges, graph_by_ends);
    if (ok) {
        for_calls(g, row, at, count_call);
        for_calls(g, row, at, add_entropy);
    }
    for (size_t i = 0; ok && i < cut->n; i++) {
        struct graph_row *r = &cut->row[i];
        const struct graph_value *w = &g->value[r->node];
        if (w->flat > 0)
            add_entropy(&at[i].out, w->flat);
        double bits = (at[i].in.n ? at[i].in.bits : 1) +
                      (at[i].out.n ? at[i].out.bits : 1);
        /* NaN, if a call has weight 0, becomes the least integer. */
        uint64_t score = (uint64_t)graph_truncate(bits * (double)w->cum);
        int64_t s = (int64_t)(score + (uint64_t)w->flat);
        /* The least integer has no magnitude in 64 bits; it sorts last. */
        r->key = s == INT64_MIN ? 0 : graph_abs(s) + 1;
        r->tie = graph_abs(w->flat);
    }
    if (ok)
        graph_sort_rows(cut);
    free(row);
    free(at);
    return ok;
}

/* --- the cut --- */

/*
 * Drops edges to shown nodes whose weight is below the cutoff.  Returns how
 * many.
 */
static size_t trim_edges(struct graph *g, const struct graph_limits *limits,
                         const struct graph_cut *cut)
{
    size_t n = 0;
    for (size_t i = 0; i < g->n_edges; i++) {
        const struct graph_edge *e = &g->edges[i];
        if (graph_abs(e->weight) >= (uint64_t)cut->edge_cutoff ||
            !graph_is_shown(&g->value[e->to], limits->drop_negative))
            g->edges[n++] = *e;
    }
    size_t dropped = g->n_edges - n;
    g->n_edges = n;
    return dropped;
}

/*
 * Marks the nodes that calls lead to and from.  A graph skips all nodes without
 * a row; a tree keeps the nodes that never had one because they have no value.
 */
static bool mark_kept(const struct graph *g, const struct graph_limits *limits,
                      struct graph_cut *cut)
{
    if (!cut->kept && !(cut->kept = mem_array(g->n, sizeof *cut->kept)))
        return false;
    for (size_t k = 0; k < g->n; k++)
        cut->kept[k] =
            g->parent && !graph_is_shown(&g->value[k], limits->drop_negative);
    for (size_t i = 0; i < cut->n; i++)
        cut->kept[cut->row[i].node] = true;
    return true;
}

bool graph_rank(struct graph *g, const struct graph_limits *limits,
                struct graph_cut *cut, struct prof_err *err)
{
    memset(cut, 0, sizeof *cut);
    count_nodes(g, limits, cut);
    if (!list_nodes(g, limits, cut))
        return err_nomem(err);
    /* If no node was cut, calls also pass through nodes without a value. */
    if (cut->dropped && !mark_kept(g, limits, cut))
        return err_nomem(err);
    if (limits->visual)
        return graph_link(g, cut, NULL, err) &&
               (sort_by_entropy(g, cut) || err_nomem(err));
    for (size_t i = 0; i < cut->n; i++) {
        struct graph_row *r = &cut->row[i];
        const struct graph_value *w = &g->value[r->node];
        r->key = graph_abs(limits->cum_sort ? w->cum : w->flat);
        r->tie = graph_abs(limits->cum_sort ? w->flat : w->cum);
    }
    graph_sort_rows(cut);
    return true;
}

bool graph_keep(struct graph *g, const struct graph_limits *limits, size_t n,
                struct graph_cut *cut, struct prof_err *err)
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
    if (fewer && !graph_link(g, cut, NULL, err))
        return false;
    /* A cut graph is linked again, which restores its edges. */
    if (!fewer || g->parent)
        (void)trim_edges(g, limits, cut);
    return !fewer || sort_by_entropy(g, cut) || err_nomem(err);
}

bool graph_cut(struct graph *g, const struct graph_limits *limits,
               struct graph_cut *cut, struct prof_err *err)
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

/* --- the edges --- */

struct name_order {
    const struct graph *g;
    const uint32_t *rank;
};

static int edge_order(const void *a, const void *b, void *ctx)
{
    const struct graph_edge *x = a, *y = b;
    const struct name_order *o = ctx;
    uint64_t v = graph_abs(x->weight), w = graph_abs(y->weight);
    int c = ORDER(w, v);
    if (!c && x->from != y->from) {
        uint32_t r = o->rank[graph_place(o->g, x->from)];
        uint32_t s = o->rank[graph_place(o->g, y->from)];
        c = ORDER(r, s);
    }
    if (c)
        return c;
    uint32_t r = o->rank[graph_place(o->g, x->to)];
    uint32_t s = o->rank[graph_place(o->g, y->to)];
    c = ORDER(r, s);
    c = c ? c : ORDER(x->from, y->from);
    return c ? c : ORDER(x->to, y->to);
}

/* Lists all edges by the node at one end; those of a node keep their order. */
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

/* The search for a path that avoids an edge. */
struct search {
    bool *gone;     /* by edge: dropped, as another path leads to its end */
    uint32_t *seen; /* by node: last search to reach it, from 1 */
    uint32_t *queue;
    uint32_t number;
};

static bool has_other_path(struct search *s, const struct edges *e,
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

/*
 * Drops residual edges whose ends are also connected by another path.  Visits
 * nodes and their incoming edges from the lightest on; at each node it stops at
 * the first edge that is not residual.
 */
static bool drop_redundant(struct edges *e, struct graph *g,
                           const struct graph_cut *cut)
{
    struct search s = {
        .gone = mem_zarray(g->n_edges, sizeof *s.gone),
        .seen = mem_zarray(g->n, sizeof *s.seen),
        .queue = mem_array(g->n, sizeof *s.queue),
    };
    bool ok = s.gone && s.seen && s.queue;
    for (size_t r = ok ? cut->n : 0; r--;) {
        uint32_t node = cut->row[r].node;
        for (uint32_t i = e->in_off[node + 1]; i-- > e->in_off[node];) {
            uint32_t edge = e->in[i];
            if (!g->edges[edge].residual)
                break;
            s.gone[edge] = has_other_path(&s, e, g, edge);
        }
    }
    size_t n = 0;
    for (size_t i = 0; ok && i < g->n_edges; i++)
        if (!s.gone[i])
            g->edges[n++] = g->edges[i];
    if (ok)
        g->n_edges = n;
    free(s.gone);
    free(s.seen);
    free(s.queue);
    return ok && list_all(e, g);
}

bool edges_init(struct edges *e, struct graph *g,
                const struct graph_limits *limits, const struct graph_cut *cut,
                struct prof_err *err)
{
    memset(e, 0, sizeof *e);
    e->row = mem_none(g->n);
    if (!e->row)
        return err_nomem(err);
    for (size_t i = 0; i < cut->n; i++)
        e->row[cut->row[i].node] = (uint32_t)i;
    e->dropped = trim_edges(g, limits, cut);
    struct name_order order = {g, cut->name_rank};
    system_sort(g->edges, g->n_edges, sizeof *g->edges, edge_order, &order);
    /* In a tree there is only one path between two nodes. */
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
