/* arcs.c - functions, the calls between them, and time by gprof's model */
#include "report/graph/arcs.h"

#include <stdlib.h>
#include <string.h>

#include "base/components.h"
#include "base/sort.h"
#include "profile/columns.h"

/* Returns the function of a location, which has at most one line. */
static uint32_t function_of(const struct arcs *a, uint32_t location)
{
    return a->nodes.of[a->nodes.off[location]];
}

static int by_callee(const void *x, const void *y)
{
    const struct arc *a = x, *b = y;
    const int c = ORDER(a->to, b->to);
    return c ? c : ORDER(a->from, b->from);
}

/* Adds up self times and collects an arc for each sample with calls. */
static bool read_samples(struct arcs *a, size_t type, int calls,
                         struct prof_err *err)
{
    const struct profile *p = a->nodes.p;
    struct prof_stacks r;
    bool ok = prof_stacks_init(&r, p, err);
    for (size_t s = 0; ok && s < p->n_samples; s++) {
        const int64_t *values = p->values + s * p->n_types;
        prof_stacks_read(&r, s);
        if (!r.depth)
            continue;
        struct arc arc = {.from = PROF_NONE, .to = function_of(a, r.stack[0])};
        a->node[arc.to].self += (double)values[type];
        a->total += (double)values[type];
        if (calls < 0 || values[calls] <= 0)
            continue;
        if (r.depth > 1)
            arc.from = function_of(a, r.stack[1]);
        arc.calls = (uint64_t)values[calls];
        ok = vec_push(&a->list, arc) || err_nomem(err);
    }
    prof_stacks_free(&r);
    return ok;
}

/* Joins the arcs between the same two functions and counts calls. */
static bool join_arcs(struct arcs *a, struct prof_err *err)
{
    size_t n = 0;
    vec_sort(&a->list, by_callee);
    for (size_t i = 0; i < a->list.n; i++) {
        const struct arc arc = a->list.v[i];
        struct arc_node *node = &a->node[arc.to];
        uint64_t *calls = arc.from == arc.to ? &node->own_calls : &node->calls;
        if (__builtin_add_overflow(*calls, arc.calls, calls))
            return err_input(err, "the calls of a function exceed 64 bits");
        if (arc.from == arc.to)
            continue;
        if (n && by_callee(&a->list.v[n - 1], &arc) == 0)
            a->list.v[n - 1].calls += arc.calls;
        else
            a->list.v[n++] = arc;
    }
    a->list.n = n;
    return true;
}

/* Indexes the arcs by callee (in) and by caller (out, by_caller). */
static void index_arcs(struct arcs *a)
{
    const size_t n = a->nodes.n;
    for (size_t i = 0; i < a->list.n; i++) {
        a->in[a->list.v[i].to + 1]++;
        if (a->list.v[i].from != PROF_NONE)
            a->out[a->list.v[i].from + 1]++;
    }
    for (size_t f = 0; f < n; f++) {
        a->in[f + 1] += a->in[f];
        a->out[f + 1] += a->out[f];
    }
    /* The loop leaves in out[f] what belongs to out[f + 1]; shift it back. */
    for (size_t i = 0; i < a->list.n; i++)
        if (a->list.v[i].from != PROF_NONE)
            a->by_caller[a->out[a->list.v[i].from]++] = i;
    for (size_t f = n; f; f--)
        a->out[f] = a->out[f - 1];
    a->out[0] = 0;
}

/* Sets the components of functions, callees greater than their callers. */
static bool find_components(const struct arcs *a, uint32_t *component)
{
    const uint32_t n = (uint32_t)a->nodes.n;
    size_t *off = mem_array((size_t)n + 1, sizeof *off), k = 0;
    uint32_t *to = mem_array(a->list.n, sizeof *to);
    bool ok = off && to;
    for (uint32_t f = 0; ok && f < n; f++) {
        off[f] = k;
        for (size_t i = a->in[f]; i < a->in[f + 1]; i++)
            if (a->list.v[i].from != PROF_NONE)
                to[k++] = a->list.v[i].from;
    }
    if (ok)
        off[n] = k;
    ok = ok && components_find(n, off, to, component);
    free(off);
    free(to);
    return ok;
}

static bool same_cycle(const struct arcs *a, const struct arc *arc)
{
    uint32_t cycle = a->node[arc->to].cycle;
    return cycle && arc->from != PROF_NONE && a->node[arc->from].cycle == cycle;
}

/* Makes a cycle of each component of several functions and counts its calls. */
static bool make_cycles(struct arcs *a, const uint32_t *component,
                        struct prof_err *err)
{
    const size_t n = a->nodes.n;
    uint32_t *size = mem_zarray(n, sizeof *size);
    uint32_t *number = mem_zarray(n, sizeof *number);
    bool ok = size && number;
    for (size_t f = 0; ok && f < n; f++)
        size[component[f]]++;
    for (size_t f = 0; ok && f < n; f++) {
        const uint32_t c = component[f];
        if (size[c] > 1 && !number[c])
            number[c] = (uint32_t)++a->n_cycles;
        a->node[f].cycle = number[c];
    }
    free(size);
    free(number);
    a->cycle = mem_zarray(a->n_cycles, sizeof *a->cycle);
    if (!ok || !a->cycle)
        return err_nomem(err);
    for (size_t i = 0; i < a->list.n; i++) {
        const struct arc *arc = &a->list.v[i];
        const uint32_t c = a->node[arc->to].cycle;
        if (!c)
            continue;
        struct arc_cycle *cycle = &a->cycle[c - 1];
        uint64_t *calls =
            same_cycle(a, arc) ? &cycle->own_calls : &cycle->calls;
        if (__builtin_add_overflow(*calls, arc->calls, calls))
            return err_input(err, "the calls of a cycle exceed 64 bits");
    }
    return true;
}

/* Passes the time of a function, or of its whole cycle, on to its callers. */
static void pass_on(struct arcs *a, size_t function)
{
    const struct arc_node *node = &a->node[function];
    const struct arc_cycle *cycle =
        node->cycle ? &a->cycle[node->cycle - 1] : NULL;
    const double self = cycle ? cycle->self : node->self;
    const double child = cycle ? cycle->child : node->child;
    const double calls = (double)(cycle ? cycle->calls : node->calls);
    for (size_t i = a->in[function]; i < a->in[function + 1]; i++) {
        struct arc *arc = &a->list.v[i];
        if (same_cycle(a, arc))
            continue;
        arc->self = self * (double)arc->calls / calls;
        arc->child = child * (double)arc->calls / calls;
        if (arc->from != PROF_NONE)
            a->node[arc->from].child += arc->self + arc->child;
    }
}

/* Passes on the times of all functions, callees first. */
static bool propagate(struct arcs *a, const uint32_t *component)
{
    const size_t n = a->nodes.n;
    struct radix_item *item = mem_array(n, 2 * sizeof *item);
    if (!item)
        return false;
    for (size_t f = 0; f < n; f++)
        item[f] =
            (struct radix_item){.key = n - component[f], .id = (uint32_t)f};
    if (n)
        radix_sort(item, item + n, n);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && item[end].key == item[i].key; end++) {
            const struct arc_node *node = &a->node[item[end].id];
            if (node->cycle) {
                a->cycle[node->cycle - 1].self += node->self;
                a->cycle[node->cycle - 1].child += node->child;
            }
        }
        for (size_t k = i; k < end; k++)
            pass_on(a, item[k].id);
    }
    free(item);
    return true;
}

bool arcs_init(struct arcs *a, const struct profile *p, size_t type, int calls,
               struct prof_err *err)
{
    memset(a, 0, sizeof *a);
    if (!nodes_init(&a->nodes, p, true, err))
        return false;
    const size_t n = a->nodes.n;
    a->node = mem_zarray(n, sizeof *a->node);
    a->in = mem_zarray(n + 1, sizeof *a->in);
    a->out = mem_zarray(n + 1, sizeof *a->out);
    if (!a->node || !a->in || !a->out)
        return err_nomem(err);
    if (!read_samples(a, type, calls, err) || !join_arcs(a, err))
        return false;
    a->by_caller = mem_array(a->list.n, sizeof *a->by_caller);
    uint32_t *component = mem_array(n, sizeof *component);
    bool ok = (a->by_caller && component) || err_nomem(err);
    if (ok) {
        index_arcs(a);
        ok = (find_components(a, component) || err_nomem(err)) &&
             make_cycles(a, component, err) &&
             (propagate(a, component) || err_nomem(err));
    }
    free(component);
    return ok;
}

void arcs_free(struct arcs *a)
{
    nodes_free(&a->nodes);
    free(a->node);
    vec_free(&a->list);
    free(a->in);
    free(a->out);
    free(a->by_caller);
    free(a->cycle);
}
