#include "report/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/hashidx.h"
#include "base/mix.h"
#include "base/vec.h"
#include "report/stackwalk.h"

struct tree {
    const struct profile *p;
    struct stackwalk walk;
    VEC(uint32_t) place;
    VEC(uint32_t) parent;
    VEC(bool) inlined;
    VEC(int64_t) flat;
    VEC(int64_t) div; /* only for means */
    bool mean;
    struct hashidx index;
    VEC(uint32_t) stack; /* where the walk is: nodes, from the root */
    bool full;
};

static uint32_t hash_of(const struct profile *p, uint32_t parent,
                        uint32_t place)
{
    return mix_fold(mix_pair(prof_seed(p), parent, place));
}

/* PROF_NONE when memory or numbers are out. */
static uint32_t add_node(struct tree *t, uint32_t parent, uint32_t place)
{
    t->full = t->place.n >= PROF_NONE;
    if (t->full || !vec_push(&t->place, place) ||
        !vec_push(&t->parent, parent) || !vec_push(&t->inlined, true) ||
        !vec_push(&t->flat, 0) || (t->mean && !vec_push(&t->div, 0)))
        return PROF_NONE;
    return (uint32_t)(t->place.n - 1);
}

static uint32_t find_or_add(struct tree *t, uint32_t parent, uint32_t place)
{
    uint32_t hash = hash_of(t->p, parent, place), k;
    if (!hashidx_room(&t->index))
        return PROF_NONE;
    size_t at = hashidx_start(&t->index, hash);
    while ((k = hashidx_next(&t->index, hash, &at)) != HASHIDX_NONE)
        if (t->place.v[k] == place && t->parent.v[k] == parent)
            return k;
    k = add_node(t, parent, place);
    if (k != PROF_NONE)
        hashidx_put(&t->index, at, hash, k);
    return k;
}

static bool move(void *ctx, const struct stackwalk_move *m)
{
    struct tree *t = ctx;
    t->stack.n = m->keep;
    if (!vec_reserve(&t->stack, m->n))
        return false;
    uint32_t node = m->keep ? t->stack.v[m->keep - 1] : PROF_NONE;
    for (size_t i = 0; i < m->n; i++) {
        node = find_or_add(t, node, m->step[i].node);
        if (node == PROF_NONE)
            return false;
        t->inlined.v[node] &= m->step[i].inlined;
        t->stack.v[t->stack.n++] = node;
    }
    if (node != PROF_NONE) {
        t->flat.v[node] += m->value;
        if (t->mean)
            t->div.v[node] += m->div;
    }
    return true;
}

static bool grow(struct graph *g, struct tree *t)
{
    uint32_t *only = stackwalk_only(&g->nodes);
    struct stackwalk_opts opts = {
        .nodes = &g->nodes,
        .only = only,
        .type = g->type,
        .mean = g->mean,
        .table = g->nodes.v,
    };
    bool ok = only && stackwalk_init(&t->walk, &opts);
    size_t n = stackwalk_pieces(g->p);
    for (size_t i = 0; ok && i < n; i++)
        ok = stackwalk_piece(&t->walk, i, move, t);
    stackwalk_free(&t->walk);
    free(only);
    return ok;
}

/* Callees come after their callers. */
static void sum_up(struct graph *g, const struct tree *t)
{
    for (size_t k = g->n; k--;) {
        struct graph_weight *w = &g->weight[k];
        w->flat = t->flat.v[k];
        w->flat_div = t->mean ? t->div.v[k] : 0;
        w->cum += w->flat;
        w->cum_div += w->flat_div;
        if (g->parent[k] != PROF_NONE) {
            struct graph_weight *to = &g->weight[g->parent[k]];
            to->cum += w->cum;
            to->cum_div += w->cum_div;
        }
    }
}

bool tree_build(struct graph *g, struct err *err)
{
    struct tree t = {.p = g->p, .mean = g->mean};
    bool ok = grow(g, &t);
    hashidx_free(&t.index);
    vec_free(&t.stack);
    g->n = t.place.n;
    g->place = t.place.v;
    g->parent = t.parent.v;
    g->inlined = t.inlined.v;
    g->weight = ok ? mem_zarray(g->n, sizeof *g->weight) : NULL;
    ok = g->weight;
    if (ok)
        sum_up(g, &t);
    vec_free(&t.flat);
    vec_free(&t.div);
    if (t.full)
        return err_set(err, ERR_INPUT,
                       "the tree of calls has more than 4294967295 nodes");
    return ok || err_nomem(err);
}

/* The edge to a node from the nearest caller kept; false: there is none. */
static bool find_edge(const struct graph *g, const bool *kept, uint32_t node,
                      struct graph_edge *e)
{
    const struct graph_weight *w = &g->weight[node];
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
                find_edge(g, kept, (uint32_t)k, &g->edges[g->n_edges]);
    return true;
}

bool tree_index(const struct graph *g, struct hashidx *index)
{
    for (size_t k = 0; k < g->n; k++) {
        if (!hashidx_room(index))
            return false;
        uint32_t hash = hash_of(g->p, g->parent[k], g->place[k]);
        size_t at = hashidx_start(index, hash);
        while (hashidx_next(index, hash, &at) != HASHIDX_NONE)
            ;
        hashidx_put(index, at, hash, (uint32_t)k);
    }
    return true;
}

uint32_t tree_find(const struct graph *g, const struct hashidx *index,
                   uint32_t parent, uint32_t place)
{
    uint32_t hash = hash_of(g->p, parent, place), k;
    size_t at = hashidx_start(index, hash);
    while ((k = hashidx_next(index, hash, &at)) != HASHIDX_NONE)
        if (g->place[k] == place && g->parent[k] == parent)
            return k;
    return PROF_NONE;
}
