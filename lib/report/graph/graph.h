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

/* Values, each with its divisor (0: do not divide). */
struct graph_value {
    int64_t flat, flat_div, cum, cum_div;
};

struct graph_edge {
    int64_t weight, weight_div;
    uint32_t from, to; /* nodes: caller, callee */
    uint32_t times;    /* private */
    bool residual;     /* in some stack, hidden nodes are between the two */
    bool inlined;      /* in all stacks, the call is inlined */
};

struct graph_opts {
    size_t type;      /* index of the value to sum */
    bool mean;        /* divide by value 0 of the sample */
    bool exact;       /* as in nodes_init() */
    bool call_tree;   /* make a node for each call path, not for each place */
    unsigned threads; /* most threads to use */
};

struct graph {
    const struct profile *p; /* not owned */
    struct graph_opts opts;
    struct nodes nodes;        /* places in the program */
    size_t n;                  /* number of nodes of the graph */
    uint32_t *place;           /* by node: index in `nodes`; null: its number */
    uint32_t *parent;          /* by node; PROF_NONE: a root; null: no tree */
    bool *inlined;             /* by node: always inlined in parent; or null */
    int64_t total;             /* the value that is 100 % */
    struct graph_value *value; /* by node: its values */
    struct graph_edge *edges;
    size_t n_edges;
};

struct graph_limits {
    double node_fraction; /* hide nodes below this share of all flat values */
    double edge_fraction; /* hide edges below this share of them */
    size_t node_count;    /* show at most so many nodes; 0: all */
    bool cum_sort;        /* sort nodes by cumulative, not by flat value */
    bool drop_negative;   /* hide nodes of negative value */
    bool visual;          /* choose and sort nodes for a picture */
};

/* One node to show. */
struct graph_row {
    uint32_t node;
    uint32_t rank;       /* private, like key and tie: to sort rows */
    size_t name, name_n; /* text[name .. name + name_n) of the cut */
    uint64_t key, tie;
};

struct graph_cut {
    struct graph_row *row; /* in the order to show */
    size_t n;
    size_t n_before; /* nodes before node_count was applied */
    size_t dropped;  /* nodes below node_fraction */
    bool *kept;      /* by node: it is not hidden; null: none is hidden */
    int64_t node_cutoff, edge_cutoff;
    /*
     * Of the places that rows and edges may show.  The names of others are
     * empty, and their ranks mean nothing.
     */
    struct buf text;     /* the names */
    size_t *name_at;     /* place i: text[name_at[i] .. name_at[i + 1]) */
    uint32_t *name_rank; /* by place: rank of the name, equal for equal names */
};

/* Return the name of a place, or of a row. */
static inline struct prof_slice graph_place_name(const struct graph_cut *cut,
                                                 uint32_t place)
{
    const size_t *at = &cut->name_at[place];
    return (struct prof_slice){(const char *)cut->text.v + *at, at[1] - *at};
}

static inline struct prof_slice graph_row_name(const struct graph_cut *cut,
                                               const struct graph_row *row)
{
    return (struct prof_slice){(const char *)cut->text.v + row->name,
                               row->name_n};
}

/*
 * Sums a value over the samples of *p, which must outlive *g.  PROF_ERR_INPUT
 * when the sum of the magnitudes of all values exceeds 63 bits, or a tree has
 * too many nodes.  The caller frees *g, after a failure too.
 */
bool graph_make(struct graph *g, const struct profile *p,
                const struct graph_opts *opts, struct prof_err *err);
void graph_free(struct graph *g);

/*
 * The label that marks samples of the base in a difference (--diff-base), as in
 * pprof: if there are such samples, percentages are of the base.
 */
#define GRAPH_BASE_KEY "pprof::base"
#define GRAPH_BASE_VALUE "true"

/*
 * Sets *is_base to a malloc'ed array that tells, by label set, whether it has
 * that label; to null if no set has it.  False when memory is out.
 */
bool graph_base_sets(const struct profile *p, bool **is_base);

/*
 * Sets *total to the value that is 100 %: the sum of the magnitudes of all
 * values; if samples have the label pprof::base=true, of those only, unless
 * that sum is 0.  With `mean`, it is divided by the sum of the divisors.
 */
bool graph_total(const struct profile *p, size_t type, bool mean,
                 int64_t *total, struct prof_err *err);

/* Whether a node with this value may be shown. */
bool graph_is_shown(const struct graph_value *v, bool drop_negative);

/*
 * Chooses the nodes to show, and sorts them by flat or cumulative value.  The
 * caller frees *cut, after a failure too.
 *
 * If limits->visual, they are sorted by pprof's score: the cumulative value
 * times the entropy of the incoming and of the outgoing calls, in bits, plus
 * the flat value.  So nodes that only pass on a call come last.  The score
 * needs edges, so this calls graph_link().
 */
bool graph_cut(struct graph *g, const struct graph_limits *limits,
               struct graph_cut *cut, struct prof_err *err);

/*
 * The two steps of graph_cut(), for formats that decide by the rows how many to
 * show.  graph_rank() makes rows of all nodes that are not below node_fraction;
 * graph_keep() keeps the first n of them, or all if limits->node_count is 0.
 */
bool graph_rank(struct graph *g, const struct graph_limits *limits,
                struct graph_cut *cut, struct prof_err *err);
bool graph_keep(struct graph *g, const struct graph_limits *limits, size_t n,
                struct graph_cut *cut, struct prof_err *err);
void graph_cut_free(struct graph_cut *cut);

/* Compares two edges by caller, then by callee, for qsort(). */
int graph_by_ends(const void *a, const void *b);

/* Sorts the rows by key, greatest first, then by rank, tie and node. */
void graph_sort_rows(struct graph_cut *cut);

/*
 * Sets g->edges, in no particular order, to the calls between the nodes of the
 * cut, including those below cut->edge_cutoff, without calls of a node by
 * itself.  `to`, an array by node, or null: only calls of the nodes that are
 * true in it, which is less work (in a tree, all calls).
 */
bool graph_link(struct graph *g, const struct graph_cut *cut, const bool *to,
                struct prof_err *err);

/*
 * The edges to show, heaviest first, then by the names of caller and callee.
 * Those that lead to a node are
 *
 *      g->edges[e.in[i]], e.in_off[node] <= i < e.in_off[node + 1]
 *
 * in the same order, and those that leave it likewise in `out`.  A node whose
 * value is 0 has no row in the cut, but may have edges.
 */
struct edges {
    uint32_t *in, *out;         /* indices of g->edges */
    uint32_t *in_off, *out_off; /* by node: its first edge there; g->n + 1 */
    uint32_t *row;              /* by node: row of the cut, or PROF_NONE */
    size_t dropped;             /* edges below cut->edge_cutoff */
};

/*
 * Removes the edges that are not shown from g->edges, and sorts the others;
 * call it after graph_cut() and graph_link().  With limits->visual, also
 * removes a residual edge if another path connects its two nodes.  The caller
 * frees *e, after a failure too.
 */
bool edges_init(struct edges *e, struct graph *g,
                const struct graph_limits *limits, const struct graph_cut *cut,
                struct prof_err *err);
void edges_free(struct edges *e);

/*
 * In a tree: sets leaf[s] to the node of the leaf of sample s; to PROF_NONE if
 * the sample has no stack, or the value 0.  False when memory is out.
 */
bool graph_leaves(const struct graph *g, uint32_t *leaf);

/* Returns v / div, or v if div is 0. */
static inline int64_t graph_mean(int64_t v, int64_t div)
{
    if (!div)
        return v;
    return div == -1 ? (int64_t)(0 - (uint64_t)v) : v / div;
}

/* Return the values of a node, which are means if the graph has them. */
static inline int64_t graph_flat(const struct graph_value *w)
{
    return graph_mean(w->flat, w->flat_div);
}

static inline int64_t graph_cum(const struct graph_value *w)
{
    return graph_mean(w->cum, w->cum_div);
}

/* Returns the place of a node, an index of g->nodes.v. */
static inline uint32_t graph_place(const struct graph *g, uint32_t node)
{
    return g->place ? g->place[node] : node;
}

static inline uint64_t graph_abs(int64_t v)
{
    return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

/* Returns x truncated; the nearest int64_t if it does not fit. */
static inline int64_t graph_truncate(double x)
{
    if (x >= 0x1p63)
        return INT64_MAX;
    return x >= -0x1p63 ? (int64_t)x : INT64_MIN;
}

/* Returns the magnitude of total * fraction, truncated. */
static inline int64_t graph_cutoff(int64_t total, double fraction)
{
    double x = (double)total * fraction;
    x = x < 0 ? -x : x;
    return x < 0x1p63 ? (int64_t)x : INT64_MAX;
}

#endif
