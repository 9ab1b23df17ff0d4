/*
 * linkinner.h - calls between the lines of one location
 *
 * Every sample that has a location has the calls between its lines, so that
 * they are found once, before samples are looked at, and those that are always
 * in a location together are a group (groups.h).  A call that goes past nodes
 * that are not kept is in no group: whether it is marked so depends on what
 * else is in the stack of each sample.
 *
 * Private to lib/report; see graph_link().
 */
#ifndef PROFUTILS_REPORT_LINKINNER_H
#define PROFUTILS_REPORT_LINKINNER_H

#include "base/hash.h"
#include "base/vec.h"
#include "report/graph/graph.h"
#include "report/graph/groups.h"

/* What is asked of a node, as bits. */
enum { LINK_KEPT = 1, LINK_WANTED = 2, LINK_ALL = 3 };

/* Edges by their ends. */
struct link_edges {
    uint64_t seed; /* of hashes */
    VEC(struct graph_edge) v;
    struct hashidx index;
};

/* The edge's number, added if new; PROF_NONE when memory is out. */
uint32_t link_find(struct link_edges *e, uint32_t from, uint32_t to);
void link_find_soon(const struct link_edges *e, uint32_t from, uint32_t to);
void link_edges_free(struct link_edges *e);

/* A location of several lines. */
struct link_way {
    uint32_t first, last; /* nodes kept, from the root; PROF_NONE: none is */
    bool inlined;         /* the first is not the outermost line */
    bool residual;        /* the last is not the innermost line */
};

struct link_call {
    uint32_t edge;
    bool residual; /* over nodes that are not kept */
};

struct link_inner {
    /* By location: its only node, or else nodes.n and the number of a way. */
    uint32_t *key;
    VEC(struct link_way) ways;
    struct link_edges edges; /* without weights */
    uint32_t *group;         /* by edge; PROF_NONE: in none */
    struct groups groups;    /* whose locations are ways */
    /* The calls of way i that are in no group: alone[from alone_off[i]]. */
    VEC(struct link_call) alone;
    uint64_t *alone_off;
};

/* bits: by node.  To be freed in any case; false when memory is out. */
bool link_inner_init(struct link_inner *in, const struct graph *g,
                     const uint8_t *bits);
void link_inner_free(struct link_inner *in);

#endif
