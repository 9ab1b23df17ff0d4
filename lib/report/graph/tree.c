/* tree.c - the tree of calls that the stacks of a profile make */
#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "profile/columns.h"
#include "report/graph/private.h"

/*
 * The walk over all stacks finds or adds a node by its parent and place.
 * Cumulative values are summed at the end, from the last node to the first.
 */

enum { TREE_NODES = 16 };

struct tree {
    const struct profile *p;
    const struct nodes *nodes;
    struct stackwalk walk;
    VEC(uint32_t) place;
    VEC(uint32_t) parent;
    VEC(bool) inlined;
    VEC(int64_t) flat;
    VEC(int64_t) div; /* only for means */
    bool mean;
    struct hashidx index;
    VEC(uint32_t) stack; /* the current stack: nodes, from the root */
    VEC(size_t) first;   /* index in `stack` of each location, and the end */
    uint64_t most;       /* nodes */
    bool full;
};

static uint32_t child_hash(const struct profile *p, uint32_t parent,
                           uint32_t place)
{
    return hash_fold(hash_pair(prof_seed(p), parent, place));
}

/*
 * Returns a child of `parent`, which it adds if it is new, or PROF_NONE if
 * memory or node numbers are exhausted.
 */
static uint32_t find_or_add_child(struct tree *t, uint32_t parent,
                                  uint32_t place)
{
    uint32_t hash = child_hash(t->p, parent, place), k;
    if (!hashidx_room(&t->index))
        return PROF_NONE;
    size_t at = hashidx_start(&t->index, hash);
    while ((k = hashidx_next(&t->index, hash, &at)) != HASHIDX_NONE)
        if (t->place.v[k] == place && t->parent.v[k] == parent)
            return k;
    t->full = t->place.n >= t->most;
    if (t->full || !vec_push(&t->place, place) ||
        !vec_push(&t->parent, parent) || !vec_push(&t->inlined, true) ||
        !vec_push(&t->flat, 0) || (t->mean && !vec_push(&t->div, 0)))
        return PROF_NONE;
    k = (uint32_t)(t->place.n - 1);
    hashidx_put(&t->index, at, hash, k);
    return k;
}

/* Adds the nodes of a location below the last node of the stack. */
static bool enter_location(struct tree *t, uint32_t location)
{
    uint64_t first = t->nodes->off[location], end = t->nodes->off[location + 1];
    size_t n = t->stack.n;
    uint32_t node = n ? t->stack.v[n - 1] : PROF_NONE;
    if (!vec_reserve(&t->stack, (size_t)(end - first)))
        return false;
    for (uint64_t i = end; i-- > first;) {
        node = find_or_add_child(t, node, t->nodes->of[i]);
        if (node == PROF_NONE)
            return false;
        t->inlined.v[node] &= i + 1 != end;
        t->stack.v[t->stack.n++] = node;
    }
    return vec_push(&t->first, t->stack.n);
}

static bool tree_move(void *ctx, const struct stackwalk_move *m)
{
    struct tree *t = ctx;
    t->first.n = m->keep + 1;
    t->stack.n = t->first.v[m->keep];
    for (size_t i = 0; i < m->n; i++)
        if (!enter_location(t, m->step[i]))
            return false;
    if (t->stack.n) {
        uint32_t node = t->stack.v[t->stack.n - 1];
        t->flat.v[node] += m->value;
        if (t->mean)
            t->div.v[node] += m->div;
    }
    return true;
}

/*
 * Returns the limit of nodes.  A tree has at most a node per frame, but inlined
 * lines can multiply frames, so the limit is in proportion to the profile.
 */
static uint64_t most_nodes(const struct graph *g)
{
    uint64_t most = 1 << 20, size = 0;
    if (__builtin_add_overflow(prof_all_frames(g->p),
                               g->nodes.off[g->p->n_locations], &size) ||
        __builtin_mul_overflow(size, TREE_NODES, &size) ||
        __builtin_add_overflow(most, size, &most) || most > PROF_NONE)
        return PROF_NONE;
    return most;
}

/* Sums values from callees to callers; callees have greater indices. */
static void sum_subtrees(struct graph *g, const struct tree *t)
{
    for (size_t k = g->n; k--;) {
        struct graph_value *w = &g->value[k];
        w->flat = t->flat.v[k];
        w->flat_div = t->mean ? t->div.v[k] : 0;
        w->cum += w->flat;
        w->cum_div += w->flat_div;
        if (g->parent[k] != PROF_NONE) {
            struct graph_value *to = &g->value[g->parent[k]];
            to->cum += w->cum;
            to->cum_div += w->cum_div;
        }
    }
}

bool tree_build(struct graph *g, struct prof_err *err)
{
    struct tree t = {.p = g->p,
                     .nodes = &g->nodes,
                     .mean = g->opts.mean,
                     .most = most_nodes(g)};
    t.walk.opts = (struct stackwalk_opts){
        .p = g->p,
        .type = g->opts.type,
        .mean = g->opts.mean,
        .table = g->nodes.off,
        .size = sizeof *g->nodes.off,
    };
    bool ok = vec_push(&t.first, 0);
    for (size_t i = 0, n = stackwalk_pieces(g->p); ok && i < n; i++)
        ok = stackwalk_piece(&t.walk, i, tree_move, &t);
    stackwalk_free(&t.walk);
    hashidx_free(&t.index);
    vec_free(&t.stack);
    vec_free(&t.first);
    g->n = t.place.n;
    g->place = t.place.v;
    g->parent = t.parent.v;
    g->inlined = t.inlined.v;
    g->value = ok ? mem_zarray(g->n, sizeof *g->value) : NULL;
    ok = g->value;
    if (ok)
        sum_subtrees(g, &t);
    vec_free(&t.flat);
    vec_free(&t.div);
    if (t.full)
        return err_input(err,
                         "the call tree exceeds %" PRIu64
                         " nodes (%d for each frame and line of the profile); "
                         "use --no-inlines, or a report without a tree",
                         t.most, TREE_NODES);
    return ok || err_nomem(err);
}

/*
 * Sets *e to the edge from the nearest kept caller.  Returns false if there is
 * none.
 */
static bool find_parent_edge(const struct graph *g, const bool *kept,
                             uint32_t node, struct graph_edge *e)
{
    const struct graph_value *w = &g->value[node];
    *e = (struct graph_edge){
        .weight = w->cum,
        .weight_div = w->cum_div,
        .from = g->parent[node],
        .to = node,
        .inlined = g->inlined[node],
    };
    while (e->from != PROF_NONE && kept && !kept[e->from]) {
        e->residual = true;
        e->inlined &= g->inlined[e->from];
        e->from = g->parent[e->from];
    }
    return e->from != PROF_NONE;
}

bool tree_link(struct graph *g, const bool *kept)
{
    size_t n = 0;
    for (size_t k = 0; k < g->n; k++)
        n += !kept || kept[k];
    g->edges = mem_array(n, sizeof *g->edges);
    if (!g->edges)
        return false;
    for (size_t k = 0; k < g->n; k++)
        if (!kept || kept[k])
            g->n_edges +=
                find_parent_edge(g, kept, (uint32_t)k, &g->edges[g->n_edges]);
    return true;
}

/* --- the nodes of samples --- */

/* Returns the node of a stack's leaf, or PROF_NONE. */
static uint32_t find_leaf(const struct graph *g, const struct hashidx *index,
                          const struct prof_stacks *r)
{
    const struct nodes *nodes = &g->nodes;
    uint32_t node = PROF_NONE;
    for (size_t i = r->depth; i-- > 0;)
        for (uint64_t k = nodes->off[r->stack[i] + 1];
             k-- > nodes->off[r->stack[i]];) {
            uint32_t place = nodes->of[k], parent = node;
            uint32_t hash = child_hash(g->p, parent, place);
            size_t at = hashidx_start(index, hash);
            do
                node = hashidx_next(index, hash, &at);
            while (node != HASHIDX_NONE &&
                   (g->place[node] != place || g->parent[node] != parent));
            if (node == HASHIDX_NONE)
                return PROF_NONE;
        }
    return node;
}

bool graph_leaves(const struct graph *g, uint32_t *leaf)
{
    struct hashidx index = {0};
    struct prof_stacks r;
    struct prof_err err; /* only memory can be out */
    bool ok = prof_stacks_init(&r, g->p, &err);
    for (size_t k = 0; ok && k < g->n; k++) {
        ok = hashidx_room(&index);
        if (!ok)
            break;
        uint32_t hash = child_hash(g->p, g->parent[k], g->place[k]);
        size_t at = hashidx_start(&index, hash);
        while (hashidx_next(&index, hash, &at) != HASHIDX_NONE)
            ;
        hashidx_put(&index, at, hash, (uint32_t)k);
    }
    for (size_t s = 0; ok && s < g->p->n_samples; s++) {
        prof_stacks_read(&r, s);
        leaf[s] = g->n ? find_leaf(g, &index, &r) : PROF_NONE;
    }
    prof_stacks_free(&r);
    hashidx_free(&index);
    return ok;
}
