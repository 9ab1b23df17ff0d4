/*
 * estimate_maker.h - stacks in the making; private to estimate*.c
 */
#ifndef PROFUTILS_PROFILE_ESTIMATE_MAKER_H
#define PROFUTILS_PROFILE_ESTIMATE_MAKER_H

#include "base/vec.h"
#include "profile/estimate/estimate.h"
#include "profile/estimate/estimate_graph.h"
#include "profile/estimate/estimate_paths.h"
#include "profile/estimate/estimate_sweep.h"

/* Functions that have no name, or take no part. */
#define EST_NO_NODE UINT32_MAX

/* Where the values are of a sample. */
struct est_columns {
    size_t calls;
    size_t samples; /* SIZE_MAX: none; so too: */
    size_t blocks;
};

/* Time of a function at one leaf, of one type. */
struct est_part {
    uint32_t node, location, labelset;
    size_t column;          /* of the amount */
    uint64_t count, amount; /* count of samples: of one part of each leaf */
};

/* A function: one that has a name and a range of addresses. */
struct est_node {
    uint32_t location; /* its entry, or else the first where it calls from, or
                          is: where it stands as a caller */
    bool is_callee, is_arc; /* what that location is */
    bool is_profiling;      /* takes no part in the graph */
};

struct est_maker {
    struct profile *p; /* the input, in which others take the samples' place */
    struct profile in; /* of which only the samples are there: those */
    const struct notes *notes;
    uint64_t max_stacks;
    struct est_columns at;
    uint32_t *node_of; /* of a location of the input: its node */
    VEC(struct est_node) nodes;
    VEC(struct est_part) parts; /* in order of nodes; unnamed ones are last */
    struct est_graph graph;
    VEC(struct est_source) sources;
    VEC(size_t) source_part; /* the first of its parts; one more at the end */
    struct est_paths paths;
    uint32_t *entry; /* of a node of the graph: its location, or PROF_NONE */
    int64_t *values; /* of the sample at work */
    struct est_cuts cuts;    /* stacks that are not of paths */
    bool timed;              /* some part has an amount, */
    size_t what;             /* the first of this type */
    double cut, missed, all; /* time (or samples) of cuts, of those that went
                                wrong, and of everything */
};

/* Calls of a sample of the input. */
static inline int64_t est_calls(const struct est_maker *m, size_t sample)
{
    return m->in.values[sample * m->p->n_types + m->at.calls];
}

/* Whether the column has something else than time. */
static inline bool est_is_count(const struct est_columns *at, size_t column)
{
    return column == at->calls || column == at->blocks;
}

/* estimate_nodes.c: m->node_of and m->nodes, in order of addresses. */
bool est_find_nodes(struct est_maker *m, struct err *err);

/* The same: m->graph from the calls; says how many are not in it. */
bool est_make_graph(struct est_maker *m, struct err *err);

/* estimate_cycles.c: names of all cycles, and their locations in m->entry. */
bool est_add_cycles(struct est_maker *m, struct err *err);

/* estimate_emit.c: samples of all paths of all sources; m->cuts of the paths
   that are cut. */
bool est_write_stacks(struct est_maker *m, struct err *err);

/* The same: sweeps m->cuts, and makes samples of them. */
bool est_write_cuts(struct est_maker *m, struct err *err);

#endif
