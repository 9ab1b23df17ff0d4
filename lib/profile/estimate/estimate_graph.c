/*
 * estimate_graph.c - makes the call graph, with cycles of functions as nodes
 *
 * Functions that call each other, directly or through others, form a cycle.
 * Calls within a cycle, and those of a function to itself, pass on no time.
 * The remaining calls form no cycles, and each node's callers share its time
 * in proportion to their calls.
 */
#include <stdlib.h>
#include <string.h>

#include "base/components.h"
#include "base/sort.h"
#include "profile/estimate/private.h"

/* `node` is called by `up`; `count` is the number of calls. */
struct link {
    uint32_t node, up;
    uint64_t count;
};

static int by_callee(const void *a, const void *b)
{
    const struct est_call *x = a, *y = b;
    const int c = ORDER(x->callee, y->callee);
    return c ? c : ORDER(x->caller, y->caller);
}

static int by_node(const void *a, const void *b)
{
    const struct link *x = a, *y = b;
    const int c = ORDER(x->node, y->node);
    return c ? c : ORDER(x->up, y->up);
}

static int by_count(const void *a, const void *b)
{
    const struct est_up *x = a, *y = b;
    const int c = ORDER(y->count, x->count);
    return c ? c : ORDER(x->node, y->node);
}

/*
 * Numbers the components of more than one function as cycles, in the order of
 * their first functions.
 */
static bool number_cycles(struct est_graph *g, const uint32_t *component)
{
    uint32_t *size = mem_zarray(g->n_funcs, sizeof *size);
    uint32_t *number = mem_zarray(g->n_funcs, sizeof *number);
    bool ok = size && number;
    for (uint32_t f = 0; ok && f < g->n_funcs; f++)
        size[component[f]]++;
    for (uint32_t f = 0; ok && f < g->n_funcs; f++) {
        uint32_t c = component[f];
        if (size[c] > 1 && !number[c])
            number[c] = ++g->n_cycles;
        g->cycle[f] = number[c];
    }
    free(size);
    free(number);
    return ok;
}

/*
 * Sorts nodes so that callees come first: a component's number is not less than
 * that of its callers.
 */
static bool order_nodes(struct est_graph *g, const uint32_t *component)
{
    uint32_t n = est_graph_nodes(g);
    struct radix_item *item = mem_array(n, 2 * sizeof *item);
    g->order = mem_array(n, sizeof *g->order);
    bool ok = item && g->order;
    for (uint32_t f = 0; ok && f < g->n_funcs; f++) {
        uint64_t key = 2 * (uint64_t)(g->n_funcs - component[f]);
        uint32_t cycle = g->cycle[f];
        item[f] = (struct radix_item){.key = key, .id = f};
        if (cycle) /* a cycle comes after its members */
            item[g->n_funcs + cycle - 1] = (struct radix_item){
                .key = key + 1, .id = g->n_funcs + cycle - 1};
    }
    if (ok && n)
        radix_sort(item, item + n, n);
    for (uint32_t i = 0; ok && i < n; i++)
        g->order[i] = item[i].id;
    free(item);
    return ok;
}

/* Finds the cycles of the graph.  calls[] must be sorted by callee. */
static bool find_cycles(struct est_graph *g, const struct est_call *calls,
                        size_t n, struct prof_err *err)
{
    size_t *off = mem_array((size_t)g->n_funcs + 1, sizeof *off);
    uint32_t *to = mem_array(n, sizeof *to);
    uint32_t *component = mem_array(g->n_funcs, sizeof *component);
    g->cycle = mem_array(g->n_funcs, sizeof *g->cycle);
    bool ok = off && to && component && g->cycle;
    if (ok) {
        /* Edges from functions to their callers. */
        size_t i = 0, k = 0;
        for (uint32_t func = 0; func < g->n_funcs; func++) {
            off[func] = k;
            for (; i < n && calls[i].callee == func; i++)
                if (calls[i].caller != EST_OUTSIDE)
                    to[k++] = calls[i].caller;
        }
        off[g->n_funcs] = k;
        ok = components_find(g->n_funcs, off, to, component) &&
             number_cycles(g, component) && order_nodes(g, component);
    }
    free(off);
    free(to);
    free(component);
    return ok || err_nomem(err);
}

/* Groups the links by node.  links[] must be sorted by node and caller. */
static bool group_links(struct est_graph *g, const struct link *links, size_t n,
                        struct prof_err *err)
{
    size_t k = 0, n_up = 0;
    for (uint32_t node = 0; node < est_graph_nodes(g); node++) {
        g->up_off[node] = n_up;
        for (; k < n && links[k].node == node; k++) {
            const struct link *l = &links[k];
            if (__builtin_add_overflow(g->calls[node], l->count,
                                       &g->calls[node]))
                return err_input(err, "the calls of a function exceed 64 bits");
            if (l->up == EST_OUTSIDE)
                g->outside[node] += l->count;
            else if (n_up > g->up_off[node] && g->up[n_up - 1].node == l->up)
                g->up[n_up - 1].count += l->count;
            else
                g->up[n_up++] = (struct est_up){l->up, l->count};
        }
        if (n_up > g->up_off[node])
            qsort(g->up + g->up_off[node], n_up - g->up_off[node],
                  sizeof *g->up, by_count);
    }
    g->up_off[est_graph_nodes(g)] = n_up;
    return true;
}

/*
 * Makes links of the calls that pass on time, and of functions to their cycles.
 */
static bool link_nodes(struct est_graph *g, const struct est_call *calls,
                       size_t n, struct prof_err *err)
{
    size_t most = n + g->n_funcs, nodes = est_graph_nodes(g), k = 0;
    struct link *links = mem_array(most, sizeof *links);
    g->up = mem_array(most, sizeof *g->up);
    g->up_off = mem_array(nodes + 1, sizeof *g->up_off);
    g->calls = mem_zarray(nodes, sizeof *g->calls);
    g->outside = mem_zarray(nodes, sizeof *g->outside);
    bool ok = (links && g->up && g->up_off && g->calls && g->outside) ||
              err_nomem(err);
    for (size_t i = 0; ok && i < n; i++) {
        const struct est_call *c = &calls[i];
        uint32_t cycle = g->cycle[c->callee];
        bool within =
            c->caller == c->callee ||
            (cycle && c->caller != EST_OUTSIDE && cycle == g->cycle[c->caller]);
        if (c->count && !within)
            links[k++] =
                (struct link){cycle ? g->n_funcs + cycle - 1 : c->callee,
                              c->caller, c->count};
    }
    for (uint32_t f = 0; ok && f < g->n_funcs; f++)
        if (g->cycle[f])
            links[k++] = (struct link){f, g->n_funcs + g->cycle[f] - 1, 1};
    if (k)
        qsort(links, k, sizeof *links, by_node);
    ok = ok && group_links(g, links, k, err);
    free(links);
    return ok;
}

bool est_graph_make(struct est_graph *g, uint32_t n_funcs,
                    struct est_call *calls, size_t n, struct prof_err *err)
{
    memset(g, 0, sizeof *g);
    g->n_funcs = n_funcs;
    if (n)
        qsort(calls, n, sizeof *calls, by_callee);
    return find_cycles(g, calls, n, err) && link_nodes(g, calls, n, err);
}

void est_graph_free(struct est_graph *g)
{
    free(g->cycle);
    free(g->up_off);
    free(g->up);
    free(g->calls);
    free(g->outside);
    free(g->order);
    memset(g, 0, sizeof *g);
}
