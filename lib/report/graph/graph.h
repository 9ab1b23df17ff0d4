/*
 * graph.h - values per node and per call, and which nodes a report shows
 *
 * graph_weigh() sums one value type over the samples: `flat` of a node is
 * what was measured while it was the innermost frame, `cum` while it was
 * anywhere on the stack (counted once per sample).  graph_cut() picks and
 * sorts the nodes to show, graph_link() then sums the calls between nodes.
 * Every format that shows nodes does these three in this order; edges.h
 * sorts what they find.
 *
 * The rules are those of pprof (internal/graph and newTrimmedGraph() in
 * internal/report of https://github.com/google/pprof); where its order is
 * left to chance (equal values, equal names), ours is that of the profile.
 *
 * In a tree of calls (graph_weigh_tree()) each node has one caller at most, and
 * what it weighs.  Where nodes are left out of it, what they call becomes what
 * their caller calls, or a root.
 *
 * Values are signed: a difference of profiles has negative ones.  With a
 * divisor (mean values) a node shows value / divisor, but is sorted and cut
 * by its undivided value, as in pprof.
 */
#ifndef PROFUTILS_REPORT_GRAPH_H
#define PROFUTILS_REPORT_GRAPH_H

#include "report/graph/node.h"

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
    struct nodes nodes;      /* places: what nodes are of */
    size_t n;                /* nodes */
    uint32_t *place;         /* by node: which of `nodes`; null: that number */
    uint32_t *parent;        /* by node, PROF_NONE for roots; null: no tree */
    bool *inlined;           /* by node: every time in its parent; or null */
    unsigned threads;        /* that may work on it */
    size_t type;             /* index of the value */
    bool mean;               /* divide by value 0 */
    int64_t total;           /* what percentages are of */
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
    bool visual;        /* pick and sort nodes that make a good picture */
};

/* One node to show. */
struct graph_row {
    uint32_t node;
    uint32_t rank;       /* private, as key and tie: what it is sorted by */
    size_t name, name_n; /* text[name .. name + name_n) of the cut */
    uint64_t key, tie;
};

struct graph_cut {
    struct graph_row *row; /* in the order to show */
    size_t n;
    size_t n_before; /* nodes before node_count was applied */
    size_t dropped;  /* nodes below node_fraction */
    bool *kept;      /* by node: calls go past the others; null: all */
    int64_t node_cutoff, edge_cutoff;
    struct buf text;     /* the names */
    size_t *name_at;     /* of place i: text[name_at[i] .. name_at[i + 1]) */
    uint32_t *name_rank; /* by place: order of names, equal ones alike */
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

/*
 * The tree of calls in place of the graph: a node for each way that leads to
 * a place, so that a place can be many nodes.  With `exact`, places are those
 * of nodes_init_exact().  ERR_INPUT also when there are 2^32 - 1 nodes.
 */
bool graph_weigh_tree(struct graph *g, const struct profile *p, size_t type,
                      bool mean, bool exact, unsigned threads, struct err *err);
void graph_free(struct graph *g);

/* Whether a node of this weight is shown at all. */
bool graph_is_shown(const struct graph_weight *w, bool drop_negative);

/*
 * Picks the nodes to show, sorted by flat or cumulative value.  On failure
 * *cut is safe to free.
 *
 * If limits->visual, they are sorted by how much they tell: by value, but
 * what only passes on what it is called for comes last.  That takes edges, so
 * graph_link() is done then.
 */
bool graph_cut(struct graph *g, const struct graph_limits *limits,
               struct graph_cut *cut, struct err *err);

/*
 * The two halves of graph_cut(), for formats that look at the rows to say how
 * many of them to show: all that are not below node_fraction, and only the
 * first n of those.  n counts if limits->node_count is not 0.
 */
bool graph_rank(struct graph *g, const struct graph_limits *limits,
                struct graph_cut *cut, struct err *err);
bool graph_keep(struct graph *g, const struct graph_limits *limits, size_t n,
                struct graph_cut *cut, struct err *err);
void graph_cut_free(struct graph_cut *cut);

/*
 * Fills g->edges, in no particular order, with the calls between the nodes of
 * the cut; calls lighter than cut->edge_cutoff are among them.  A node that
 * calls itself has no edge for that.  With `to`, an array by node, only calls
 * of nodes that are true in it: a table needs few of them.  (A tree has all.)
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

/* What a node is of, as an index of g->nodes.v. */
static inline uint32_t graph_place(const struct graph *g, uint32_t node)
{
    return g->place ? g->place[node] : node;
}

static inline uint64_t graph_abs(int64_t v)
{
    return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

/* x without its fraction; the nearest int64_t where it does not fit. */
static inline int64_t graph_truncate(double x)
{
    if (x >= 0x1p63)
        return INT64_MAX;
    return x >= -0x1p63 ? (int64_t)x : INT64_MIN;
}

/* total * fraction, without its sign, cut to a whole number. */
int64_t graph_cutoff(int64_t total, double fraction);

#endif
