#include "profile/estimate/estimate_sweep.h"

#include <stdlib.h>

#include "base/sort.h"
#include "base/wide.h"

#define NO_CUT UINT32_MAX

struct sweeper {
    struct est_sweep *s;
    const struct est_paths *p;
    const struct est_graph *g;
    struct est_cuts *cuts;
    bool by_count;
    uint32_t *first; /* cut of each node, the others by next */
    uint32_t *order; /* nodes, callees before callers */
    /* Of the node at work, by caller, and one for the outside: */
    double *came; /* what may go to this one and those after it */
    uint64_t *part;
    struct radix_item *spare;
    size_t at; /* the caller whose part is being filled */
    size_t n_parts;
    uint64_t left; /* of its part */
};

static uint64_t value_of(const struct sweeper *w, const struct est_cut *c)
{
    return w->by_count ? c->count : c->amount;
}

/* Kahn's order of the nodes: a node comes when all its callees have. */
static bool sort_nodes(struct sweeper *w)
{
    const struct est_graph *g = w->g;
    uint32_t n = est_graph_nodes(g), done = 0;
    size_t *callees = mem_zarray(n, sizeof *callees);
    if (!callees)
        return false;
    for (size_t i = 0; i < g->up_off[n]; i++)
        callees[g->up[i].node]++;
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!callees[i])
            w->order[found++] = i;
    for (; done < found; done++) {
        uint32_t node = w->order[done];
        for (size_t i = g->up_off[node]; i < g->up_off[node + 1]; i++)
            if (!--callees[g->up[i].node])
                w->order[found++] = g->up[i].node;
    }
    free(callees);
    return true;
}

/* What came to the node, and parts of it for each caller and the outside. */
static void divide(struct sweeper *w, uint32_t node)
{
    const struct est_up *up = w->g->up + w->g->up_off[node];
    size_t n = w->n_parts - 1;
    uint64_t sum = 0, calls = w->g->calls[node];
    for (size_t i = 0; i <= n; i++)
        w->came[i] = 0;
    for (uint32_t i = w->first[node]; i != NO_CUT; i = w->cuts->v[i].next) {
        const struct est_cut *c = &w->cuts->v[i];
        bool started = c->link == EST_NO_STEP;
        w->came[started ? w->p->v[c->step].n_ups : 0] += (double)value_of(w, c);
        sum += value_of(w, c);
    }
    /* Callers that a step has been led to already get no more of it. */
    double rate = 0, scale = 0;
    for (size_t i = 0; i <= n; i++) {
        uint64_t count = i < n ? up[i].count : w->g->outside[node];
        if (w->came[i] > 0 && calls)
            rate += w->came[i] / (double)calls;
        w->came[i] = (double)count * rate;
        scale += w->came[i];
        calls -= count;
    }
    for (size_t i = 0; i <= n; i++)
        w->part[i] = scale > 0 ? (uint64_t)(w->came[i] / scale * 0x1p52) : !i;
    apportion(sum, w->part, n + 1, w->part, w->spare);
}

/* The first caller whose part is not full, from here on, or the last. */
static void next_part(struct sweeper *w)
{
    while (!w->left && w->at + 1 < w->n_parts)
        w->left = w->part[++w->at];
}

/* The last link made is this one: pieces of one cut share it. */
static bool is_made(const struct est_cuts *cuts, const struct est_link *link)
{
    if (!cuts->links.n || link->below == EST_NO_STEP)
        return false;
    const struct est_link *last = &cuts->links.v[cuts->links.n - 1];
    return last->below == link->below && last->node == link->node;
}

/* One more frame. */
static bool lead_to(struct sweeper *w, uint32_t node, struct est_cut *c,
                    struct err *err)
{
    const struct est_link above = {node, c->link};
    if (!is_made(w->cuts, &above) && !vec_push(&w->cuts->links, above))
        return err_nomem(err);
    c->link = (uint32_t)w->cuts->links.n - 1;
    c->depth++;
    return true;
}

/* Takes the cut to the caller at work; it stays if there is no room. */
static bool move(struct sweeper *w, uint32_t node, uint32_t cut,
                 struct err *err)
{
    struct est_cut *c = &w->cuts->v[cut];
    if (w->at + 1 == w->n_parts && w->g->outside[node])
        return true;
    size_t i = w->g->up_off[node] + (w->at + 1 < w->n_parts ? w->at : 0);
    uint32_t to = w->g->up[i].node;
    if (!w->s->frames || w->cuts->links.n >= EST_NO_STEP) {
        w->s->missed += (double)value_of(w, c);
        return true;
    }
    w->s->frames--;
    if (!lead_to(w, to, c, err))
        return false;
    c->next = w->first[to];
    w->first[to] = cut;
    return true;
}

/* Cuts off what fills the part; the rest becomes a cut of its own. */
static bool split(struct sweeper *w, uint32_t *cut, struct err *err)
{
    struct est_cut *c = &w->cuts->v[*cut];
    uint64_t whole = value_of(w, c), depth = c->depth;
    struct est_cut rest = *c;
    if (!w->s->stacks || w->s->frames < depth || w->cuts->n >= NO_CUT)
        return true;
    w->s->stacks--;
    w->s->frames -= depth;
    c->amount = apportion_cut(c->amount, w->left, whole);
    c->count = apportion_cut(c->count, w->left, whole);
    rest.amount -= c->amount;
    rest.count -= c->count;
    *cut = (uint32_t)w->cuts->n;
    return vec_push(w->cuts, rest) || err_nomem(err);
}

/* All of a cut, piece by piece. */
static bool deal(struct sweeper *w, uint32_t node, uint32_t cut,
                 struct err *err)
{
    for (;;) {
        next_part(w);
        uint32_t piece = cut;
        uint64_t whole = value_of(w, &w->cuts->v[cut]);
        if (whole <= w->left) {
            w->left -= whole;
            return move(w, node, cut, err);
        }
        if (!split(w, &cut, err))
            return false;
        if (cut == piece)
            break;
        w->left = 0;
        if (!move(w, node, piece, err))
            return false;
    }
    /* No room to split it: what is over is missing in the next parts. */
    uint64_t over = value_of(w, &w->cuts->v[cut]) - w->left;
    w->s->missed += (double)over;
    if (!move(w, node, cut, err))
        return false;
    for (w->left = 0; over;) {
        next_part(w);
        uint64_t taken = over < w->left ? over : w->left;
        w->left -= taken;
        over -= taken;
        if (!taken)
            break;
    }
    return true;
}

static bool sweep_node(struct sweeper *w, uint32_t node, struct err *err)
{
    uint32_t cut = w->first[node];
    w->n_parts = est_graph_ups(w->g, node) + 1;
    if (cut == NO_CUT || w->n_parts == 1)
        return true;
    divide(w, node);
    w->at = 0;
    w->left = w->part[0];
    while (cut != NO_CUT) {
        uint32_t next = w->cuts->v[cut].next;
        if (!deal(w, node, cut, err))
            return false;
        cut = next;
    }
    return true;
}

static bool begin(struct sweeper *w)
{
    uint32_t n = est_graph_nodes(w->g);
    size_t most = 0;
    for (uint32_t i = 0; i < n; i++)
        if (est_graph_ups(w->g, i) > most)
            most = est_graph_ups(w->g, i);
    w->first = mem_array(n, sizeof *w->first);
    w->order = mem_array(n, sizeof *w->order);
    w->came = mem_array(most + 1, sizeof *w->came);
    w->part = mem_array(most + 1, sizeof *w->part);
    w->spare = mem_array(most + 1, 2 * sizeof *w->spare);
    if (!w->first || !w->order || !w->came || !w->part || !w->spare)
        return false;
    for (uint32_t i = 0; i < n; i++)
        w->first[i] = NO_CUT;
    w->by_count = true;
    for (size_t i = w->cuts->n; i-- > 0;) {
        struct est_cut *c = &w->cuts->v[i];
        uint32_t node = w->p->v[c->step].node;
        w->by_count = w->by_count && !c->amount;
        c->next = w->first[node];
        w->first[node] = (uint32_t)i;
    }
    return sort_nodes(w);
}

bool est_cut_add(struct est_cuts *cuts, const struct est_paths *p,
                 uint32_t leaf, uint32_t step, uint64_t count, uint64_t amount)
{
    struct est_cut c = {.count = count,
                        .amount = amount,
                        .leaf = leaf,
                        .step = step,
                        .link = EST_NO_STEP,
                        .depth = p->v[step].depth};
    return vec_push(cuts, c);
}

void est_cuts_free(struct est_cuts *cuts)
{
    vec_free(cuts);
    vec_free(&cuts->links);
}

bool est_sweep(struct est_sweep *s, const struct est_paths *p,
               const struct est_graph *g, struct est_cuts *cuts,
               struct err *err)
{
    struct sweeper w = {.s = s, .p = p, .g = g, .cuts = cuts};
    s->missed = 0;
    if (!cuts->n)
        return true;
    bool ok = begin(&w) || err_nomem(err);
    for (uint32_t i = 0; ok && i < est_graph_nodes(g); i++)
        ok = sweep_node(&w, w.order[i], err);
    free(w.first);
    free(w.order);
    free(w.came);
    free(w.part);
    free(w.spare);
    return ok;
}
