/* The calls between the nodes of a graph. */
#include <stdlib.h>

#include "base/vec.h"
#include "report/graph.h"

/* Edges by their ends: open addressing, edge + 1 in a slot, 0 is free. */
struct edge_slot {
    uint64_t ends;
    uint32_t edge;
};

struct edge_set {
    struct edge_slot *slot;
    size_t n_slots; /* a power of two */
};

static uint64_t ends_of(uint32_t from, uint32_t to)
{
    return (uint64_t)from << 32 | to;
}

static struct edge_slot *find_slot(const struct edge_set *set, uint64_t ends)
{
    size_t mask = set->n_slots - 1;
    uint64_t h = ends * 0x9e3779b97f4a7c15u;
    size_t i = (size_t)(h ^ h >> 32) & mask;
    while (set->slot[i].edge && set->slot[i].ends != ends)
        i = (i + 1) & mask;
    return &set->slot[i];
}

static bool grow_set(struct edge_set *set, const struct graph *g)
{
    struct edge_set more = {.n_slots = set->n_slots ? set->n_slots * 2 : 1024};
    more.slot = mem_zarray(more.n_slots, sizeof *more.slot);
    if (!more.slot)
        return false;
    for (size_t e = 0; e < g->n_edges; e++) {
        uint64_t ends = ends_of(g->edges[e].from, g->edges[e].to);
        *find_slot(&more, ends) = (struct edge_slot){ends, (uint32_t)e + 1};
    }
    free(set->slot);
    *set = more;
    return true;
}

static struct graph_edge *edge_between(struct graph *g, struct edge_set *set,
                                       uint32_t from, uint32_t to,
                                       struct err *err)
{
    uint64_t ends = ends_of(from, to);
    struct edge_slot *slot = set->n_slots ? find_slot(set, ends) : NULL;
    if (slot && slot->edge)
        return &g->edges[slot->edge - 1];
    if (g->n_edges >= PROF_NONE - 1) {
        err_set(err, ERR_INPUT, "more than 4294967294 edges");
        return NULL;
    }
    if ((g->n_edges >= set->n_slots / 2 && !grow_set(set, g)) ||
        !vec_grow((void **)&g->edges, &g->cap_edges, g->n_edges + 1,
                  sizeof *g->edges)) {
        err_nomem(err);
        return NULL;
    }
    struct graph_edge *e = &g->edges[g->n_edges++];
    *e = (struct graph_edge){.from = from, .to = to, .inlined = true};
    *find_slot(set, ends) = (struct edge_slot){ends, (uint32_t)g->n_edges};
    return e;
}

/* The sample being added, and where on its stack we are. */
struct walk {
    size_t sample;
    int64_t value, div;
    uint32_t parent; /* PROF_NONE above the root */
    bool residual;   /* nodes that are not shown lie between */
};

/* Counts the call of walk->parent to `to`, once per sample. */
static bool add_call(struct graph *g, struct edge_set *set,
                     const struct walk *walk, uint32_t to, bool inlined,
                     struct err *err)
{
    struct graph_edge *e = edge_between(g, set, walk->parent, to, err);
    if (!e)
        return false;
    if (e->mark == walk->sample + 1)
        return true;
    e->mark = (uint32_t)walk->sample + 1;
    e->weight += walk->value;
    e->weight_div += walk->div;
    e->residual |= walk->residual;
    e->inlined &= inlined;
    return true;
}

static bool link_location(struct graph *g, struct edge_set *set,
                          const bool *kept, struct walk *walk,
                          uint32_t location, struct err *err)
{
    uint64_t first = g->nodes.off[location], end = g->nodes.off[location + 1];
    for (uint64_t k = end; k-- > first;) {
        uint32_t node = g->nodes.of[k];
        if (kept && !kept[node]) {
            walk->residual = true;
            continue;
        }
        if (walk->parent != PROF_NONE && walk->parent != node &&
            !add_call(g, set, walk, node, k + 1 != end, err))
            return false;
        walk->parent = node;
        walk->residual = false;
    }
    return true;
}

static bool link_sample(struct graph *g, struct edge_set *set, const bool *kept,
                        struct walk *walk, struct err *err)
{
    const uint32_t *stack = prof_stack(g->p, walk->sample);
    for (size_t i = prof_depth(g->p, walk->sample); i--;)
        if (!link_location(g, set, kept, walk, stack[i], err))
            return false;
    return true;
}

bool graph_link(struct graph *g, const struct graph_cut *cut, struct err *err)
{
    const struct profile *p = g->p;
    struct edge_set set = {0};
    bool ok = true;
    for (size_t s = 0; ok && s < p->n_samples; s++) {
        struct walk walk = {
            .sample = s,
            .value = p->values[s * p->n_types + g->type],
            .div = g->mean ? p->values[s * p->n_types] : 0,
            .parent = PROF_NONE,
        };
        if (walk.value || walk.div)
            ok = link_sample(g, &set, cut->kept, &walk, err);
    }
    free(set.slot);
    return ok;
}
