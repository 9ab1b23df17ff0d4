/*
 * The functions of a profile as nodes of its call graph.
 *
 * Functions are told apart by mapping and linkage name and, where several
 * have one name (static functions), by address: one has no function of
 * another name, and not the entry of a second one, between its addresses.
 * The entry is where the frame of a callee is.
 */
#include "profile/estimate/estimate_maker.h"
#include "profile/text.h"

enum { USED = 1, CALLEE = 2, CALLER = 4 };

/* Functions of the profiling itself, which gprof leaves out. */
static bool is_profiling(const struct profile *p, uint32_t name)
{
    static const char *const names[] = {
        "mcount",        "_mcount",    "__mcount", "__mcount_internal",
        "_gprof_mcount", "__mcleanup",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_is(prof_text(p, name), names[i]))
            return true;
    return false;
}

/* The name of the function that the location is in; 0: it has none. */
static uint32_t name_of(const struct profile *p, uint32_t location)
{
    const struct prof_location *l = &p->locations[location];
    if (!l->n_lines)
        return 0;
    uint32_t f = p->lines[l->line_off + l->n_lines - 1].function;
    if (f == PROF_NONE)
        return 0;
    const struct prof_function *function = &p->functions[f];
    return function->system_name ? function->system_name : function->name;
}

/* What the locations are; returns how many are used. */
static size_t find_uses(const struct est_maker *m, uint8_t *use)
{
    size_t n = 0;
    for (size_t s = 0; s < m->in.n_samples; s++) {
        const uint32_t *frames = prof_stack(&m->in, s);
        size_t depth = prof_depth(&m->in, s);
        for (size_t i = 0; i < depth && i < 2; i++) {
            n += !use[frames[i]];
            use[frames[i]] |= USED;
            if (est_calls(m, s))
                use[frames[i]] |= i ? CALLER : CALLEE;
        }
    }
    return n;
}

static int by_address(const void *a, const void *b, void *ctx)
{
    const struct profile *p = ctx;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const struct prof_location *x = &p->locations[i], *y = &p->locations[k];
    if (x->mapping != y->mapping)
        return x->mapping < y->mapping ? -1 : 1;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (i > k) - (i < k);
}

/* Puts the location where it belongs, which may be a new node. */
static bool take_location(struct est_maker *m, uint32_t location, uint8_t use,
                          bool is_new, struct err *err)
{
    bool callee = use & CALLEE, arc = use & (CALLEE | CALLER);
    struct est_node *last = m->nodes.n ? &m->nodes.v[m->nodes.n - 1] : NULL;
    if (is_new || !last || (callee && last->is_callee)) {
        const struct est_node node = {
            location, callee, arc, is_profiling(m->p, name_of(m->p, location))};
        if (!vec_push(&m->nodes, node))
            return err_nomem(err);
    } else if ((callee && !last->is_callee) || (arc && !last->is_arc)) {
        last->location = location;
        last->is_callee = callee;
        last->is_arc = arc;
    }
    m->node_of[location] = (uint32_t)m->nodes.n - 1;
    return true;
}

/* order[0 .. n) are locations in order of addresses. */
static bool take_locations(struct est_maker *m, const uint32_t *order, size_t n,
                           const uint8_t *use, struct err *err)
{
    const struct profile *p = m->p;
    uint32_t name = 0, mapping = PROF_NONE;
    for (size_t i = 0; i < n; i++) {
        uint32_t location = order[i], at = p->locations[location].mapping;
        uint32_t its = name_of(p, location);
        if (!its)
            continue;
        if (!take_location(m, location, use[location],
                           its != name || at != mapping, err))
            return false;
        name = its;
        mapping = at;
    }
    return true;
}

bool est_find_nodes(struct est_maker *m, struct err *err)
{
    size_t n_locations = m->p->n_locations, n = 0;
    uint8_t *use = mem_zarray(n_locations, sizeof *use);
    m->node_of = mem_array(n_locations, sizeof *m->node_of);
    size_t used = use && m->node_of ? find_uses(m, use) : 0;
    uint32_t *order = mem_array(used, sizeof *order);
    bool ok = (use && m->node_of && order) || err_nomem(err);
    for (size_t i = 0; ok && i < n_locations; i++) {
        m->node_of[i] = EST_NO_NODE;
        if (use[i])
            order[n++] = (uint32_t)i;
    }
    if (ok && n)
        qsort_r(order, n, sizeof *order, by_address, m->p);
    ok = ok && take_locations(m, order, n, use, err);
    free(use);
    free(order);
    return ok;
}

/* The node of a frame in the graph, or EST_NO_NODE. */
static uint32_t graph_node(const struct est_maker *m, uint32_t location)
{
    uint32_t node = m->node_of[location];
    if (node != EST_NO_NODE && m->nodes.v[node].is_profiling)
        return EST_NO_NODE;
    return node;
}

/* Fills calls[]; how many, and how many samples there are for them. */
static size_t find_calls(const struct est_maker *m, struct est_call *calls,
                         size_t *n_arcs)
{
    size_t n = 0;
    *n_arcs = 0;
    for (size_t s = 0; s < m->in.n_samples; s++) {
        const uint32_t *frames = prof_stack(&m->in, s);
        if (!est_calls(m, s))
            continue;
        bool outside = prof_depth(&m->in, s) < 2;
        struct est_call call = {
            outside ? EST_OUTSIDE : graph_node(m, frames[1]),
            graph_node(m, frames[0]), (uint64_t)est_calls(m, s)};
        *n_arcs += 1;
        if (call.callee != EST_NO_NODE &&
            (outside || call.caller != EST_NO_NODE))
            calls[n++] = call;
    }
    return n;
}

bool est_make_graph(struct est_maker *m, struct err *err)
{
    size_t n_arcs = 0;
    struct est_call *calls = mem_array(m->in.n_samples, sizeof *calls);
    if (!calls)
        return err_nomem(err);
    size_t n = find_calls(m, calls, &n_arcs);
    bool ok = est_graph_make(&m->graph, (uint32_t)m->nodes.n, calls, n, err);
    free(calls);
    if (n < n_arcs)
        note_info(m->notes,
                  "%zu of %zu arcs lie outside known functions; their counts "
                  "are kept, but no time propagates along them",
                  n_arcs - n, n_arcs);
    return ok;
}
