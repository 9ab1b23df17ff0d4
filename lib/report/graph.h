/*
 * graph.h - values per node and per call, and which nodes a report shows
 *
 * graph_weigh() sums one value type over the samples: `flat` of a node is
 * what was measured while it was the innermost frame, `cum` while it was
 * anywhere on the stack (counted once per sample).  graph_cut() picks and
 * sorts the nodes to show, graph_link() then sums the calls between nodes.
 * Every format that shows nodes does these three in this order.
 *
 * The rules are those of pprof (internal/graph and newTrimmedGraph() in
 * internal/report of https://github.com/google/pprof); where its order is
 * left to chance (equal values, equal names), ours is that of the profile.
 *
 * Values are signed: a difference of profiles has negative ones.  With a
 * divisor (mean values) a node shows value / divisor, but is sorted and cut
 * by its undivided value, as in pprof.
 */
#ifndef PROFUTILS_REPORT_GRAPH_H
#define PROFUTILS_REPORT_GRAPH_H

#include "report/node.h"

struct graph_weight {
    int64_t flat, flat_div, cum, cum_div; /* div 0: nothing to divide by */
};

struct graph_edge {
    int64_t weight, weight_div;
    uint32_t from, to; /* nodes: caller, callee */
    uint32_t times;    /* private */
    bool residual;     /* at least once over nodes that are not shown */
    bool inlined;      /* every time as an inlined call */
};

struct graph {
    const struct profile *p; /* not owned */
    struct nodes nodes;
    size_t type;                 /* index of the value */
    bool mean;                   /* divide by value 0 */
    int64_t total;               /* what percentages are of */
    struct graph_weight *weight; /* by node */
    struct graph_edge *edges;
    size_t n_edges;
};

struct graph_limits {
    double node_fraction; /* hide nodes below this share of the total */
    double edge_fraction; /* and edges */
    size_t node_count;    /* show at most so many; 0: all */
    bool cum_sort;
    bool drop_negative; /* hide nodes of negative value */
};

/* One node to show. */
struct graph_row {
    uint32_t node;
    size_t name, name_n; /* text[name .. name + name_n) of the cut */
    uint64_t key, tie;   /* private: what it is sorted by */
};

struct graph_cut {
    struct graph_row *row; /* in the order to show */
    size_t n;
    size_t n_before; /* nodes before node_count was applied */
    size_t dropped;  /* nodes below node_fraction */
    bool *kept;      /* by node: calls go past the others; null: all */
    int64_t edge_cutoff;
    struct buf text; /* the names */
};

/*
 * Sums value `type` over *p, which must outlive *g.  ERR_INPUT when the sum
 * of all values' magnitudes does not fit 63 bits.  On failure *g is safe to
 * free.
 */
bool graph_weigh(struct graph *g, const struct profile *p, size_t type,
                 bool mean, unsigned threads, struct err *err);
/* The same with the nodes of nodes_init_exact(). */
bool graph_weigh_exact(struct graph *g, const struct profile *p, size_t type,
                       bool mean, unsigned threads, struct err *err);
void graph_free(struct graph *g);

/* Whether a node of this weight is shown at all. */
bool graph_is_shown(const struct graph_weight *w, bool drop_negative);

/* On failure *cut is safe to free. */
bool graph_cut(const struct graph *g, const struct graph_limits *limits,
               struct graph_cut *cut, struct err *err);
void graph_cut_free(struct graph_cut *cut);

/*
 * Fills g->edges, in no particular order, with the calls between the nodes of
 * the cut; calls lighter than cut->edge_cutoff are among them.  A node that
 * calls itself has no edge for that.  With `to`, an array by node, only calls
 * of nodes that are true in it: a table needs few of them.
 */
bool graph_link(struct graph *g, const struct graph_cut *cut, const bool *to,
                unsigned threads, struct err *err);

/*
 * What percentages are of: the sum of the magnitudes of all values, or, where
 * samples have the label pprof::base=true (the other side of a difference),
 * of those only; divided by the divisors if `mean`.
 */
bool graph_total(const struct profile *p, size_t type, bool mean,
                 int64_t *total, struct err *err);

/* v / div, and v itself where there is no divisor. */
static inline int64_t graph_mean(int64_t v, int64_t div)
{
    if (!div)
        return v;
    return div == -1 ? (int64_t)(0 - (uint64_t)v) : v / div;
}

static inline uint64_t graph_abs(int64_t v)
{
    return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

/* total * fraction, without its sign, cut to a whole number. */
int64_t graph_cutoff(int64_t total, double fraction);

#endif
