/*
 * graph.h - values per node and per call, and which nodes a report shows
 *
 *      graph_make()   sums a value type over the samples: `flat` of a node is
 *                     what was measured in it, `cum` what was measured in it
 *                     and all that it calls (once per sample)
 *      graph_cut()    chooses the nodes to show and sorts them
 *      graph_link()   sums the calls between these nodes
 *      edges_init()   chooses and sorts the calls to show
 *
 * A report takes these steps in this order; a table without calls needs the
 * first two only.
 *
 * The rules are those of pprof (internal/graph and newTrimmedGraph() in
 * internal/report of https://github.com/google/pprof); where its order is
 * left to chance (equal values, equal names), ours is that of the profile.
 *
 * In a tree of calls (graph_opts.call_tree) a node has at most one caller, its
 * parent.  Parents precede their children.  The children of a node that is not
 * shown become those of its parent, or roots.
 *
 * Values are signed: a difference of profiles has negative ones.  With a
 * divisor (mean values) a node shows value / divisor, but is sorted and cut
 * by its undivided value, as in pprof.
 */
#ifndef PROFUTILS_REPORT_GRAPH_H
#define PROFUTILS_REPORT_GRAPH_H

#include "report/graph/nodes.h"

struct graph_value {
    int64_t flat, flat_div, cum, cum_div; /* div 0: nothing to divide by */
};

struct graph_edge {
    int64_t weight, weight_div;
    uint32_t from, to; /* nodes: caller, callee */
    uint32_t times;    /* private */
    bool residual;     /* at least once over nodes that are not shown */
    bool inlined;      /* every time as an inlined call */
};

struct graph_opts {
    size_t type;      /* index of the value */
    bool mean;        /* divide by value 0 */
    bool exact;       /* as in nodes_init() */
    bool call_tree;   /* a node for each path of calls to a place */
    unsigned threads; /* that may work on it */
};

struct graph {
    const struct profile *p; /* not owned */
    struct graph_opts opts;
    struct nodes nodes;        /* places in the program */
    size_t n;                  /* nodes of the graph */
    uint32_t *place;           /* by node: which of `nodes`; null: the same */
    uint32_t *parent;          /* by node, PROF_NONE for roots; null: no tree */
    bool *inlined;             /* by node: every time in its parent; or null */
    int64_t total;             /* what percentages are of */
    struct graph_value *value; /* by node */
    struct graph_edge *edges;
    size_t n_edges;
};

struct graph_limits {
    double node_fraction; /* hide nodes below this share of all flat values */
    double edge_fraction; /* and edges */
    size_t node_count;    /* show at most so many; 0: all */
    bool cum_sort;
    bool drop_negative; /* hide nodes of negative value */
    bool visual;        /* choose and sort nodes for a picture */
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
    bool *kept;      /* by node: calls skip the others; null: all */
    int64_t node_cutoff, edge_cutoff;
    struct buf text;     /* the names */
    size_t *name_at;     /* of place i: text[name_at[i] .. name_at[i + 1]) */
    uint32_t *name_rank; /* by place: order of names, equal ones alike */
};

/*
 * Sums a value over *p, which must outlive *g.  PROF_ERR_INPUT when the sum of
 * all values' magnitudes does not fit 63 bits, or a tree has too many nodes.
 * On failure *g is safe to free.
 */
bool graph_make(struct graph *g, const struct profile *p,
                const struct graph_opts *opts, struct prof_err *err);
void graph_free(struct graph *g);

/*
 * The label of samples that a base contributes to a difference, as in pprof:
 * present where a base is subtracted and percentages are of the base.
 */
#define GRAPH_BASE_KEY "pprof::base"
#define GRAPH_BASE_VALUE "true"

/*
 * Sets *is_base to a malloc'ed array by label set: whether the set has this
 * label; null where none has.  False when memory is out.
 */
bool graph_base_sets(const struct profile *p, bool **is_base);

/*
 * What percentages are of: the sum of the magnitudes of all values, or, where
 * samples have the label pprof::base=true (the other side of a difference),
 * of those only, unless they sum up to 0; divided by the divisors if `mean`.
 */
bool graph_total(const struct profile *p, size_t type, bool mean,
                 int64_t *total, struct prof_err *err);

/* Whether a node of this value is shown at all. */
bool graph_is_shown(const struct graph_value *v, bool drop_negative);

/*
 * Chooses the nodes to show, sorted by flat or cumulative value.  On failure
 * *cut is safe to free.
 *
 * If limits->visual, they are sorted by pprof's score: the cumulative value
 * times the entropy of the incoming and of the outgoing calls, in bits, plus
 * the flat value.  So nodes that only pass on a call come last.  The score
 * needs edges, so this calls graph_link().
 */
bool graph_cut(struct graph *g, const struct graph_limits *limits,
               struct graph_cut *cut, struct prof_err *err);

/*
 * The two halves of graph_cut(), for formats that look at the rows to say how
 * many of them to show: all that are not below node_fraction, and only the
 * first n of those.  n counts if limits->node_count is not 0.
 */
bool graph_rank(struct graph *g, const struct graph_limits *limits,
                struct graph_cut *cut, struct prof_err *err);
bool graph_keep(struct graph *g, const struct graph_limits *limits, size_t n,
                struct graph_cut *cut, struct prof_err *err);
void graph_cut_free(struct graph_cut *cut);

/*
 * Fills g->edges, in no particular order, with the calls between the nodes of
 * the cut, including those below cut->edge_cutoff.  A node that calls itself
 * has no edge for that.  With `to`, an array by node, only calls of nodes that
 * are true in it, which is less work.  (A tree has all.)
 */
bool graph_link(struct graph *g, const struct graph_cut *cut, const bool *to,
                struct prof_err *err);

/*
 * The edges to show, heaviest first, then by the names of caller and callee.
 * Those that lead to a node are
 *
 *      g->edges[e.in[i]], e.in_off[node] <= i < e.in_off[node + 1]
 *
 * in the same order, and those that leave it likewise in `out`.  A node without
 * a value is in no row of the cut, but may be at the end of an edge.
 */
struct edges {
    uint32_t *in, *out;         /* indices of g->edges */
    uint32_t *in_off, *out_off; /* by node; g->n + 1 */
    uint32_t *row;              /* by node: of the cut; PROF_NONE: none */
    size_t dropped;             /* edges below cut->edge_cutoff */
};

/*
 * Removes from g->edges, after graph_cut() and graph_link(), what is not shown.
 * With limits->visual this also removes a residual edge if another path
 * connects its two nodes.  On failure *e is safe to free.
 */
bool edges_init(struct edges *e, struct graph *g,
                const struct graph_limits *limits, const struct graph_cut *cut,
                struct prof_err *err);
void edges_free(struct edges *e);

/*
 * In a tree: sets leaf[s] to the node of the leaf of each sample, PROF_NONE if
 * the sample has no stack, or no value.  False when memory is out.
 */
bool graph_leaves(const struct graph *g, uint32_t *leaf);

/* v / div, and v itself where there is no divisor. */
static inline int64_t graph_mean(int64_t v, int64_t div)
{
    if (!div)
        return v;
    return div == -1 ? (int64_t)(0 - (uint64_t)v) : v / div;
}

/* The place of a node, as an index of g->nodes.v. */
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
static inline int64_t graph_cutoff(int64_t total, double fraction)
{
    double x = (double)total * fraction;
    x = x < 0 ? -x : x;
    return x < 0x1p63 ? (int64_t)x : INT64_MAX;
}

#endif
