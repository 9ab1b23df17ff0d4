/*
 * The calls between the nodes of a graph.
 *
 * There are about as many look-ups as frames in all samples, in a table that
 * no cache holds.  So each sample's calls are listed first and their slots
 * prefetched; by the time they are added up, most have arrived.
 */
#include <stdlib.h>

#include "base/vec.h"
#include "report/graph.h"

/* Open addressing; edges live in their slots until all are known. */
struct edge_set {
    struct graph_edge *slot; /* mark 0 is free */
    size_t n_slots, n;       /* n_slots is a power of two */
};

struct call {
    uint32_t from, to;
    bool residual, inlined;
};

typedef VEC(struct call) call_vec;

static struct graph_edge *first_slot(const struct edge_set *set, uint32_t from,
                                     uint32_t to)
{
    uint64_t h = ((uint64_t)from << 32 | to) * 0x9e3779b97f4a7c15u;
    return &set->slot[(h ^ h >> 32) & (set->n_slots - 1)];
}

static struct graph_edge *find_slot(const struct edge_set *set, uint32_t from,
                                    uint32_t to)
{
    struct graph_edge *e = first_slot(set, from, to);
    while (e->mark && (e->to != to || e->from != from))
        e = e + 1 < set->slot + set->n_slots ? e + 1 : set->slot;
    return e;
}

/* Room for k more edges with half of the slots left free. */
static bool reserve(struct edge_set *set, size_t k)
{
    size_t n_slots = set->n_slots ? set->n_slots : 1024;
    while (n_slots / 2 < set->n + k)
        n_slots *= 2;
    if (n_slots == set->n_slots)
        return true;
    struct edge_set more = {.n_slots = n_slots, .n = set->n};
    more.slot = mem_zarray(n_slots, sizeof *more.slot);
    if (!more.slot)
        return false;
    for (size_t i = 0; i < set->n_slots; i++) {
        const struct graph_edge *e = &set->slot[i];
        if (e->mark)
            *find_slot(&more, e->from, e->to) = *e;
    }
    free(set->slot);
    *set = more;
    return true;
}

/* What is asked of a node, as bits. */
enum { KEPT = 1, WANTED = 2 };

static uint8_t *mark_nodes(const struct graph *g, const bool *kept,
                           const bool *to)
{
    uint8_t *bits = mem_array(g->nodes.n, sizeof *bits);
    for (size_t k = 0; bits && k < g->nodes.n; k++)
        bits[k] = (uint8_t)((!kept || kept[k] ? KEPT : 0) |
                            (!to || to[k] ? WANTED : 0));
    return bits;
}

/* Where k more calls go behind n; null when memory is out. */
static struct call *room(call_vec *calls, size_t n, size_t k)
{
    if ((calls->cap - n < k || !calls->v) &&
        !vec_grow((void **)&calls->v, &calls->cap, n + k, sizeof *calls->v))
        return NULL;
    return calls->v + n;
}

/*
 * The wanted calls of sample s from the root on, past nodes that are not
 * kept.  Written without branches on the bits, which no processor guesses:
 * each call is put down, and stays if it counts.
 */
static bool list_calls(const struct graph *g, const uint8_t *bits, size_t s,
                       call_vec *calls)
{
    const uint32_t *stack = prof_stack(g->p, s);
    uint32_t parent = PROF_NONE;
    bool residual = false;
    calls->n = 0;
    for (size_t i = prof_depth(g->p, s); i--;) {
        uint64_t first = g->nodes.off[stack[i]];
        uint64_t end = g->nodes.off[stack[i] + 1];
        struct call *at = room(calls, calls->n, (size_t)(end - first));
        if (!at)
            return false;
        for (uint64_t k = end; k-- > first;) {
            uint32_t node = g->nodes.of[k];
            bool kept = bits[node] & KEPT;
            *at = (struct call){parent, node, residual, k + 1 != end};
            at += (bits[node] == (KEPT | WANTED)) & (parent != node) &
                  (parent != PROF_NONE);
            parent = kept ? node : parent;
            residual = !kept;
        }
        calls->n = (size_t)(at - calls->v);
    }
    return true;
}

/* Adds up the calls of one sample, equal ones once. */
static bool add_calls(struct edge_set *set, const call_vec *calls, size_t s,
                      int64_t value, int64_t div)
{
    if (!reserve(set, calls->n))
        return false;
    for (size_t i = 0; i < calls->n; i++)
        __builtin_prefetch(first_slot(set, calls->v[i].from, calls->v[i].to),
                           1);
    uint32_t mark = (uint32_t)s + 1;
    for (size_t i = 0; i < calls->n; i++) {
        const struct call *c = &calls->v[i];
        struct graph_edge *e = find_slot(set, c->from, c->to);
        if (e->mark == mark)
            continue;
        if (!e->mark) {
            *e = (struct graph_edge){
                .from = c->from, .to = c->to, .inlined = true};
            set->n++;
        }
        e->mark = mark;
        e->weight += value;
        e->weight_div += div;
        e->residual |= c->residual;
        e->inlined &= c->inlined;
    }
    return true;
}

/* Moves the edges together; the array becomes that of the graph. */
static void take_edges(struct graph *g, struct edge_set *set)
{
    size_t n = 0;
    for (size_t i = 0; i < set->n_slots; i++)
        if (set->slot[i].mark)
            set->slot[n++] = set->slot[i];
    g->edges = set->slot;
    g->n_edges = n;
}

bool graph_link(struct graph *g, const struct graph_cut *cut, const bool *to,
                struct err *err)
{
    const struct profile *p = g->p;
    struct edge_set set = {0};
    call_vec calls = {0};
    uint8_t *bits = mark_nodes(g, cut->kept, to);
    bool ok = bits;
    for (size_t s = 0; ok && s < p->n_samples; s++) {
        int64_t v = p->values[s * p->n_types + g->type];
        int64_t d = g->mean ? p->values[s * p->n_types] : 0;
        if (v || d)
            ok = list_calls(g, bits, s, &calls) &&
                 add_calls(&set, &calls, s, v, d);
    }
    free(bits);
    vec_free(&calls);
    take_edges(g, &set);
    return ok || err_nomem(err);
}
