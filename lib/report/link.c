/*
 * The calls between the nodes of a graph.
 *
 * A call is a step of the walk over all stacks, and like a node (weigh.c) it
 * gets its weight when the walk leaves it.  Each thread has edges of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hashidx.h"
#include "base/mix.h"
#include "base/parallel.h"
#include "base/vec.h"
#include "report/graph.h"
#include "report/stackwalk.h"
#include "report/tree.h"

/* What is asked of a node, as bits. */
enum { KEPT = 1, WANTED = 2 };

struct step {
    uint32_t edge;   /* or PROF_NONE: no call that counts */
    uint32_t parent; /* of what comes after it: the last node kept */
    bool residual;   /* there are nodes in between that are not kept */
    bool again;      /* the edge is nearer to the root, too: counted there */
    int64_t value, div;
};

struct edge_set {
    uint64_t seed; /* of hashes */
    VEC(struct graph_edge) edges;
    struct hashidx index;
};

struct linking {
    struct stackwalk walk;
    const uint8_t *bits; /* by node */
    struct edge_set set;
    VEC(struct step) steps; /* the first is where all begin */
    bool failed;            /* for want of memory */
};

static uint8_t *mark_nodes(const struct graph *g, const bool *kept,
                           const bool *to)
{
    uint8_t *bits = mem_array(g->n, sizeof *bits);
    for (size_t k = 0; bits && k < g->n; k++)
        bits[k] = (uint8_t)((!kept || kept[k] ? KEPT : 0) |
                            (!to || to[k] ? WANTED : 0));
    return bits;
}

static uint32_t hash_of(const struct edge_set *set, uint32_t from, uint32_t to)
{
    return mix_fold(mix_pair(set->seed, from, to));
}

/* The edge's number, added if new; PROF_NONE when memory is out. */
static uint32_t find_or_add(struct edge_set *set, uint32_t from, uint32_t to)
{
    uint32_t hash = hash_of(set, from, to), i;
    if (!hashidx_room(&set->index))
        return PROF_NONE;
    size_t at = hashidx_start(&set->index, hash);
    while ((i = hashidx_next(&set->index, hash, &at)) != HASHIDX_NONE)
        if (set->edges.v[i].to == to && set->edges.v[i].from == from)
            return i;
    struct graph_edge e = {.from = from, .to = to, .inlined = true};
    if (set->edges.n >= PROF_NONE || !vec_push(&set->edges, e))
        return PROF_NONE;
    i = (uint32_t)(set->edges.n - 1);
    hashidx_put(&set->index, at, hash, i);
    return i;
}

static void step_back(struct linking *l, size_t keep)
{
    struct step *steps = l->steps.v;
    size_t n = l->steps.n;
    int64_t value = 0, div = 0;
    while (n > keep + 1) {
        const struct step *last = &steps[--n];
        value += last->value;
        div += last->div;
        if (last->edge == PROF_NONE)
            continue;
        struct graph_edge *e = &l->set.edges.v[last->edge];
        e->times--;
        e->weight += last->again ? 0 : value;
        e->weight_div += last->again ? 0 : div;
    }
    steps[n - 1].value += value;
    steps[n - 1].div += div;
    l->steps.n = n;
}

/* Whether the step from here to that node is a call that is asked for. */
static bool is_call(const struct linking *l, const struct step *from,
                    uint32_t to)
{
    return l->bits[to] == (KEPT | WANTED) && from->parent != PROF_NONE &&
           from->parent != to;
}

/* A step, as yet without its edge; that is asked for. */
static void look_ahead(const struct linking *l, const struct step *from,
                       uint32_t to, struct step *next)
{
    bool kept = l->bits[to] & KEPT;
    *next = (struct step){
        .edge = PROF_NONE,
        .parent = kept ? to : from->parent,
        .residual = !kept,
    };
    if (is_call(l, from, to))
        hashidx_prefetch(&l->set.index, hash_of(&l->set, from->parent, to));
}

static bool take_step(struct linking *l, const struct step *from,
                      const struct stackwalk_step *to, struct step *next)
{
    if (!is_call(l, from, to->node))
        return true;
    next->edge = find_or_add(&l->set, from->parent, to->node);
    if (next->edge == PROF_NONE)
        return false;
    struct graph_edge *e = &l->set.edges.v[next->edge];
    next->again = e->times++;
    if (!next->again) {
        e->residual |= from->residual;
        e->inlined &= to->inlined;
    }
    return true;
}

static bool move(void *ctx, const struct stackwalk_move *m)
{
    struct linking *l = ctx;
    step_back(l, m->keep);
    if (!vec_reserve(&l->steps, m->n))
        return false;
    struct step *at = l->steps.v + l->steps.n - 1;
    for (size_t i = 0; i < m->n; i++)
        look_ahead(l, at + i, m->step[i].node, at + i + 1);
    for (size_t i = 0; i < m->n; i++)
        if (!take_step(l, at + i, &m->step[i], at + i + 1))
            return false;
    l->steps.n += m->n;
    at += m->n;
    at->value += m->value;
    at->div += m->div;
    return true;
}

static void link_piece(void *ctx, unsigned thread, size_t piece)
{
    struct linking *mine = (struct linking *)ctx + thread;
    /* Two in one cache line would make their threads wait for each other. */
    struct linking l = *mine;
    l.failed = l.failed || !stackwalk_piece(&l.walk, piece, move, &l);
    *mine = l;
}

/* Adds what a thread has found. */
static bool add(struct edge_set *sum, const struct linking *l)
{
    for (size_t i = 0; i < l->set.edges.n; i++) {
        const struct graph_edge *e = &l->set.edges.v[i];
        uint32_t k = find_or_add(sum, e->from, e->to);
        if (k == PROF_NONE)
            return false;
        struct graph_edge *to = &sum->edges.v[k];
        to->weight += e->weight;
        to->weight_div += e->weight_div;
        to->residual |= e->residual;
        to->inlined &= e->inlined;
    }
    return !l->failed;
}

/* The first thread's edges become those of the graph. */
static bool take_edges(struct graph *g, struct linking *l, unsigned threads)
{
    bool ok = !l[0].failed;
    /* What is done with goes before more is asked for. */
    for (unsigned i = 0; i < threads; i++) {
        stackwalk_free(&l[i].walk);
        if (i)
            hashidx_free(&l[i].set.index);
    }
    for (unsigned i = 1; ok && i < threads; i++) {
        ok = add(&l[0].set, &l[i]);
        vec_free(&l[i].set.edges);
    }
    g->edges = l[0].set.edges.v;
    g->n_edges = l[0].set.edges.n;
    memset(&l[0].set.edges, 0, sizeof l[0].set.edges);
    return ok;
}

static void linking_free(struct linking *l)
{
    stackwalk_free(&l->walk);
    vec_free(&l->set.edges);
    hashidx_free(&l->set.index);
    vec_free(&l->steps);
}

static bool link_all(struct graph *g, const uint8_t *bits, unsigned threads)
{
    size_t n = stackwalk_pieces(g->p);
    if (threads > n)
        threads = (unsigned)n;
    struct linking *l = mem_zarray(threads, sizeof *l);
    uint32_t *only = stackwalk_only(&g->nodes);
    bool ok = l && only;
    struct stackwalk_opts opts = {
        .nodes = &g->nodes,
        .only = only,
        .type = g->type,
        .mean = g->mean,
        .table = bits,
        .size = sizeof *bits,
    };
    const struct step nowhere = {.edge = PROF_NONE, .parent = PROF_NONE};
    for (unsigned i = 0; ok && i < threads; i++) {
        l[i].bits = bits;
        l[i].set.seed = prof_seed(g->p);
        ok =
            stackwalk_init(&l[i].walk, &opts) && vec_push(&l[i].steps, nowhere);
    }
    if (ok)
        parallel_run(threads, n, link_piece, l);
    ok = ok && (!threads || take_edges(g, l, threads));
    for (unsigned i = 0; l && i < threads; i++)
        linking_free(&l[i]);
    free(l);
    free(only);
    return ok;
}

bool graph_link(struct graph *g, const struct graph_cut *cut, const bool *to,
                unsigned threads, struct err *err)
{
    free(g->edges);
    g->edges = NULL;
    g->n_edges = 0;
    if (g->parent)
        return tree_link(g, cut->kept) || err_nomem(err);
    uint8_t *bits = mark_nodes(g, cut->kept, to);
    bool ok = bits && (!memchr(bits, KEPT | WANTED, g->n) ||
                       link_all(g, bits, threads));
    free(bits);
    return ok || err_nomem(err);
}
