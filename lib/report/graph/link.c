/*
 * The calls between the nodes of a graph.
 *
 * A call is a step of the walk over all stacks, and like a node (weigh.c) it
 * gets its weight when the walk leaves it.  Calls between the lines of a
 * location have been found before (linkinner.h).  Each thread has edges of its
 * own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/vec.h"
#include "report/graph/graph.h"
#include "report/graph/linkinner.h"
#include "report/graph/tree.h"
#include "report/stackwalk.h"

struct step {
    uint32_t key;
    uint32_t edge;   /* to the location; PROF_NONE: no call that counts */
    uint32_t parent; /* of what comes after it: the last node kept */
    bool residual;   /* there are nodes in between that are not kept */
    int64_t value, div;
};

/* What the calls of a group weigh. */
struct sum {
    int64_t value, div;
    uint32_t times; /* how often it is in the walk */
    bool seen;
};

/* A thread's.  Its edges are those of *inner, and behind them others. */
struct linking {
    const struct link_inner *inner;
    size_t n_nodes;      /* keys from there on are of ways */
    const uint8_t *bits; /* by key, 0 for ways */
    struct stackwalk walk;
    struct link_edges edges;
    struct sum *sum;        /* by group */
    uint32_t *times;        /* by way: how often it is in the walk */
    bool *seen;             /* by edge of *inner: not only in a group */
    VEC(struct sum) before; /* see enter_edge() */
    VEC(struct step) steps; /* the first is where all begin */
    bool failed;            /* for want of memory */
};

static uint8_t *mark_nodes(const struct graph *g, const bool *kept,
                           const bool *to)
{
    uint8_t *bits = mem_zarray(g->n + g->p->n_locations, sizeof *bits);
    for (size_t k = 0; bits && k < g->n; k++)
        bits[k] = (uint8_t)((!kept || kept[k] ? LINK_KEPT : 0) |
                            (!to || to[k] ? LINK_WANTED : 0));
    return bits;
}

/* The sum of an edge's group, or null. */
static struct sum *sum_of(const struct linking *l, uint32_t edge)
{
    if (edge >= l->inner->edges.v.n || l->inner->group[edge] == PROF_NONE)
        return NULL;
    return &l->sum[l->inner->group[edge]];
}

/*
 * An edge that is nearer to the root, too, is counted there.  What its group
 * gets from here on is in the group's sum: not to be counted twice.
 */
static bool enter_edge(struct linking *l, uint32_t edge, bool residual,
                       bool inlined)
{
    struct graph_edge *e = &l->edges.v.v[edge];
    struct sum *sum = sum_of(l, edge);
    if (e->times++ || (sum && sum->times))
        return true;
    e->residual |= residual;
    e->inlined &= inlined;
    if (edge < l->inner->edges.v.n)
        l->seen[edge] = true;
    return !sum || vec_push(&l->before, *sum);
}

static void leave_edge(struct linking *l, uint32_t edge, int64_t value,
                       int64_t div)
{
    struct graph_edge *e = &l->edges.v.v[edge];
    const struct sum *sum = sum_of(l, edge);
    if (--e->times || (sum && sum->times))
        return;
    if (sum) {
        const struct sum *before = &l->before.v[--l->before.n];
        value -= sum->value - before->value;
        div -= sum->div - before->div;
    }
    e->weight += value;
    e->weight_div += div;
}

/* A way that is nearer to the root, too, is counted there. */
static bool enter_way(struct linking *l, uint32_t way)
{
    const struct link_inner *in = l->inner;
    bool ok = true;
    if (l->times[way]++)
        return true;
    for (uint64_t i = in->groups.off[way]; i < in->groups.off[way + 1]; i++) {
        struct sum *sum = &l->sum[in->groups.v[i]];
        sum->times++;
        sum->seen = true;
    }
    for (uint64_t i = in->alone_off[way]; ok && i < in->alone_off[way + 1]; i++)
        ok = enter_edge(l, in->alone.v[i].edge, in->alone.v[i].residual, true);
    return ok;
}

static void leave_way(struct linking *l, uint32_t way, int64_t value,
                      int64_t div)
{
    const struct link_inner *in = l->inner;
    if (--l->times[way])
        return;
    for (uint64_t i = in->alone_off[way]; i < in->alone_off[way + 1]; i++)
        leave_edge(l, in->alone.v[i].edge, value, div);
    for (uint64_t i = in->groups.off[way]; i < in->groups.off[way + 1]; i++) {
        struct sum *sum = &l->sum[in->groups.v[i]];
        if (--sum->times)
            continue;
        sum->value += value;
        sum->div += div;
    }
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
        if (last->key >= l->n_nodes)
            leave_way(l, (uint32_t)(last->key - l->n_nodes), value, div);
        if (last->edge != PROF_NONE)
            leave_edge(l, last->edge, value, div);
    }
    steps[n - 1].value += value;
    steps[n - 1].div += div;
    l->steps.n = n;
}

/* What one line of a location would be as a way. */
static struct link_way way_of(const struct linking *l, uint32_t key)
{
    if (key >= l->n_nodes)
        return l->inner->ways.v[key - l->n_nodes];
    bool kept = l->bits[key] & LINK_KEPT;
    uint32_t node = kept ? key : PROF_NONE;
    return (struct link_way){node, node, false, !kept};
}

/* Whether the step from here to that node is a call that is asked for. */
static bool is_call(const struct linking *l, const struct step *from,
                    uint32_t to)
{
    return to != PROF_NONE && l->bits[to] == LINK_ALL &&
           from->parent != PROF_NONE && from->parent != to;
}

/* A step, as yet without its edge; that is asked for. */
static void look_ahead(const struct linking *l, const struct step *from,
                       uint32_t key, struct step *next)
{
    struct link_way way = way_of(l, key);
    *next = (struct step){
        .key = key,
        .edge = PROF_NONE,
        .parent = way.last != PROF_NONE ? way.last : from->parent,
        .residual = way.residual,
    };
    if (is_call(l, from, way.first))
        link_find_soon(&l->edges, from->parent, way.first);
}

static bool take_step(struct linking *l, const struct step *from,
                      struct step *next)
{
    struct link_way way = way_of(l, next->key);
    if (is_call(l, from, way.first)) {
        next->edge = link_find(&l->edges, from->parent, way.first);
        if (next->edge == PROF_NONE ||
            !enter_edge(l, next->edge, way.inlined || from->residual,
                        way.inlined))
            return false;
    }
    return next->key < l->n_nodes ||
           enter_way(l, (uint32_t)(next->key - l->n_nodes));
}

static bool move(void *ctx, const struct stackwalk_move *m)
{
    struct linking *l = ctx;
    step_back(l, m->keep);
    if (!vec_reserve(&l->steps, m->n))
        return false;
    struct step *at = l->steps.v + l->steps.n - 1;
    for (size_t i = 0; i < m->n; i++)
        look_ahead(l, at + i, m->step[i], at + i + 1);
    for (size_t i = 0; i < m->n; i++)
        if (!take_step(l, at + i, at + i + 1))
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

/* The edges of *inner get what was summed up for their groups. */
static void settle(struct linking *l)
{
    for (uint32_t i = 0; i < l->inner->edges.v.n; i++) {
        const struct sum *sum = sum_of(l, i);
        if (!sum)
            continue;
        l->edges.v.v[i].weight += sum->value;
        l->edges.v.v[i].weight_div += sum->div;
        l->seen[i] |= sum->seen;
    }
}

/* Adds what a thread has found. */
static bool add(struct linking *to, const struct linking *l)
{
    for (size_t i = 0; i < l->edges.v.n; i++) {
        const struct graph_edge *e = &l->edges.v.v[i];
        uint32_t k = link_find(&to->edges, e->from, e->to);
        if (k == PROF_NONE)
            return false;
        struct graph_edge *sum = &to->edges.v.v[k];
        sum->weight += e->weight;
        sum->weight_div += e->weight_div;
        sum->residual |= e->residual;
        sum->inlined &= e->inlined;
        if (i < l->inner->edges.v.n)
            to->seen[k] |= l->seen[i];
    }
    return !l->failed;
}

/* The first thread's edges become those of the graph. */
static bool take_edges(struct graph *g, struct linking *l, unsigned threads)
{
    bool ok = !l[0].failed;
    /* What is done with goes before more is asked for. */
    for (unsigned i = 0; i < threads; i++) {
        settle(&l[i]);
        stackwalk_free(&l[i].walk);
        if (i)
            hashidx_free(&l[i].edges.index);
    }
    for (unsigned i = 1; ok && i < threads; i++) {
        ok = add(&l[0], &l[i]);
        vec_free(&l[i].edges.v);
    }
    g->edges = l[0].edges.v.v;
    for (size_t i = 0; i < l[0].edges.v.n; i++)
        if (i >= l->inner->edges.v.n || l[0].seen[i])
            g->edges[g->n_edges++] = g->edges[i];
    memset(&l[0].edges.v, 0, sizeof l[0].edges.v);
    return ok;
}

static bool linking_init(struct linking *l, const struct graph *g,
                         const uint8_t *bits, const struct link_inner *inner)
{
    const struct step nowhere = {.edge = PROF_NONE, .parent = PROF_NONE};
    const struct link_edges *e = &inner->edges;
    const struct stackwalk_opts opts = {
        .p = g->p,
        .key = inner->key,
        .type = g->type,
        .mean = g->mean,
        .table = bits,
        .size = sizeof *bits,
    };
    l->inner = inner;
    l->n_nodes = g->n;
    l->bits = bits;
    stackwalk_init(&l->walk, &opts);
    l->edges.seed = e->seed;
    l->sum = mem_zarray(inner->groups.n, sizeof *l->sum);
    l->times = mem_zarray(inner->ways.n, sizeof *l->times);
    l->seen = mem_zarray(e->v.n, sizeof *l->seen);
    bool ok = l->sum && l->times && l->seen && vec_push(&l->steps, nowhere);
    for (size_t i = 0; ok && i < e->v.n; i++)
        ok = link_find(&l->edges, e->v.v[i].from, e->v.v[i].to) != PROF_NONE;
    return ok;
}

static void linking_free(struct linking *l)
{
    stackwalk_free(&l->walk);
    link_edges_free(&l->edges);
    free(l->sum);
    free(l->times);
    free(l->seen);
    vec_free(&l->before);
    vec_free(&l->steps);
}

static bool link_all(struct graph *g, const uint8_t *bits, unsigned threads)
{
    size_t n = stackwalk_pieces(g->p);
    if (threads > n)
        threads = (unsigned)n;
    struct linking *l = mem_zarray(threads, sizeof *l);
    struct link_inner inner = {0};
    bool ok = l && link_inner_init(&inner, g, bits);
    for (unsigned i = 0; ok && i < threads; i++)
        ok = linking_init(&l[i], g, bits, &inner);
    if (ok)
        parallel_run(threads, n, link_piece, l);
    ok = ok && (!threads || take_edges(g, l, threads));
    for (unsigned i = 0; l && i < threads; i++)
        linking_free(&l[i]);
    link_inner_free(&inner);
    free(l);
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
    bool ok =
        bits && (!memchr(bits, LINK_ALL, g->n) || link_all(g, bits, threads));
    free(bits);
    return ok || err_nomem(err);
}
