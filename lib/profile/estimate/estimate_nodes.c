/*
 * estimate_nodes.c - makes the call graph of a profile: its functions, the
 * calls between them, and functions that stand for cycles
 */
#include <inttypes.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/buf.h"
#include "base/sort.h"
#include "base/system.h"
#include "profile/columns.h"
#include "profile/estimate/private.h"

/*
 * Functions
 *
 * Functions are distinguished by mapping and linkage name.  If several have
 * one name (static functions), addresses distinguish them: in the order of
 * addresses, a function ends before a location of another name or a second
 * entry.  Clones, which the compiler put elsewhere (f.isra.0, f.cold), are
 * joined with their function.
 */

struct function {
    uint32_t location; /* stands for it as a caller: its entry, else the first
                          from which it calls, else its first location */
    bool is_callee, is_arc; /* how the profile uses that location */
    bool is_profiling;      /* mcount etc.: not in the graph */
};

struct functions {
    struct function *v; /* in order of addresses */
    size_t n, cap;
};

/* How the profile uses a location. */
enum { USED = 1, CALLEE = 2, CALLER = 4 };

/*
 * Returns whether the function belongs to profiling itself: gprof hides these.
 */
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

/* Returns the name of the function that the location is in, or 0. */
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

/* Returns the calls of a sample. */
static int64_t calls_of(const struct estimate *e, size_t sample)
{
    return e->in.values[sample * e->p->n_types + e->at.calls];
}

static int by_address(const void *a, const void *b, void *ctx)
{
    const struct profile *p = ctx;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const struct prof_location *x = &p->locations[i], *y = &p->locations[k];
    int c = ORDER(x->mapping, y->mapping);
    c = c ? c : ORDER(x->address, y->address);
    return c ? c : ORDER(i, k);
}

/*
 * Makes functions of the locations order[0 .. n), which are sorted by address.
 */
static bool group_locations(struct estimate *e, struct functions *funcs,
                            const uint32_t *order, size_t n, const uint8_t *use)
{
    const struct profile *p = e->p;
    uint32_t name = 0, mapping = PROF_NONE;
    for (size_t i = 0; i < n; i++) {
        uint32_t location = order[i], at = p->locations[location].mapping;
        uint32_t its = name_of(p, location);
        if (!its)
            continue;
        bool callee = use[location] & CALLEE;
        bool arc = use[location] & (CALLEE | CALLER);
        struct function *last = funcs->n ? &funcs->v[funcs->n - 1] : NULL;
        if (!last || its != name || at != mapping ||
            (callee && last->is_callee)) {
            const struct function func = {location, callee, arc,
                                          is_profiling(p, its)};
            if (!vec_push(funcs, func))
                return false;
        } else if (callee || (arc && !last->is_arc)) {
            last->location = location;
            last->is_callee = callee;
            last->is_arc = arc;
        }
        e->node_of[location] = (uint32_t)funcs->n - 1;
        name = its;
        mapping = at;
    }
    return true;
}

/*
 * A function, to be grouped with its clones.  The members of a group have the
 * same mapping, name, base and start line.
 */
struct part {
    uint32_t node, mapping, name;
    struct prof_slice symbol;
    size_t base; /* length without the suffix of a clone */
    int64_t start_line;
};

static int by_group(const struct part *x, const struct part *y)
{
    int c = ORDER(x->mapping, y->mapping);
    c = c ? c : ORDER(x->name, y->name);
    c = c ? c : ORDER(x->start_line, y->start_line);
    return c ? c
             : slice_compare(slice_to(x->symbol, x->base),
                             slice_to(y->symbol, y->base));
}

/* Sorts by group; a function comes before its clones. */
static int by_part(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    int c = by_group(x, y);
    c = c ? c : slice_compare(x->symbol, y->symbol);
    return c ? c : ORDER(x->node, y->node);
}

/* Joins each clone with its function, and renumbers the functions. */
static bool join_clones(struct estimate *e, struct functions *funcs)
{
    size_t n = 0;
    struct part *v = mem_array(funcs->n, sizeof *v);
    uint32_t *to = mem_array(funcs->n, sizeof *to);
    uint32_t *row = mem_array(funcs->n, sizeof *row);
    bool ok = v && to && row;
    for (uint32_t i = 0; ok && i < funcs->n; i++) {
        const struct prof_location *l = &e->p->locations[funcs->v[i].location];
        const struct prof_function *f =
            &e->p->functions[e->p->lines[l->line_off + l->n_lines - 1]
                                 .function];
        struct prof_slice symbol = prof_text(e->p, f->system_name);
        size_t base = prof_base_length(symbol);
        v[i] =
            (struct part){i, l->mapping, f->name, symbol, base, f->start_line};
        to[i] = i;
    }
    if (ok && funcs->n)
        qsort(v, funcs->n, sizeof *v, by_part);
    /*
     * Join a group with its first function, unless two have the same symbol:
     * then it is unknown which function a clone belongs to.
     */
    for (size_t i = 0, end; ok && i < funcs->n; i = end) {
        bool differ = true;
        for (end = i + 1; end < funcs->n && by_group(&v[i], &v[end]) == 0;
             end++)
            differ = differ && !slice_same(v[end - 1].symbol, v[end].symbol);
        for (size_t k = i + 1; differ && k < end; k++)
            to[v[k].node] = v[i].node;
    }
    for (uint32_t i = 0; ok && i < funcs->n; i++) {
        struct function *f = &funcs->v[to[i]];
        if (funcs->v[i].is_arc && !f->is_arc) {
            f->location = funcs->v[i].location;
            f->is_arc = true;
        }
    }
    for (uint32_t i = 0; ok && i < funcs->n; i++)
        if (to[i] == i) {
            row[i] = (uint32_t)n;
            funcs->v[n++] = funcs->v[i];
        }
    for (size_t i = 0; ok && i < e->p->n_locations; i++)
        if (e->node_of[i] != EST_NO_NODE)
            e->node_of[i] = row[to[e->node_of[i]]];
    funcs->n = ok ? n : funcs->n;
    free(v);
    free(to);
    free(row);
    return ok;
}

static bool find_functions(struct estimate *e, struct functions *funcs)
{
    size_t n_locations = e->p->n_locations, n = 0;
    uint8_t *use = mem_zarray(n_locations, sizeof *use);
    uint32_t *order = mem_array(n_locations, sizeof *order);
    e->node_of = mem_array(n_locations, sizeof *e->node_of);
    bool ok = use && e->node_of && order;
    for (size_t s = 0; ok && s < e->in.n_samples; s++) {
        const uint32_t *frames = prof_stack(&e->in, s);
        size_t depth = prof_depth(&e->in, s);
        for (size_t i = 0; i < depth && i < 2; i++) {
            use[frames[i]] |= USED;
            if (calls_of(e, s))
                use[frames[i]] |= i ? CALLER : CALLEE;
        }
    }
    for (size_t i = 0; ok && i < n_locations; i++) {
        e->node_of[i] = EST_NO_NODE;
        if (use[i])
            order[n++] = (uint32_t)i;
    }
    if (ok && n)
        system_sort(order, n, sizeof *order, by_address, e->p);
    ok =
        ok && group_locations(e, funcs, order, n, use) && join_clones(e, funcs);
    free(use);
    free(order);
    return ok;
}

/*
 * Calls
 */

/* Returns the node of the function of a frame, or EST_NO_NODE. */
static uint32_t graph_node(const struct estimate *e,
                           const struct functions *funcs, uint32_t location)
{
    uint32_t node = e->node_of[location];
    return node < funcs->n && !funcs->v[node].is_profiling ? node : EST_NO_NODE;
}

static bool make_graph(struct estimate *e, const struct functions *funcs,
                       struct prof_err *err)
{
    size_t n = 0, n_arcs = 0;
    struct est_call *calls = mem_array(e->in.n_samples, sizeof *calls);
    if (!calls)
        return err_nomem(err);
    for (size_t s = 0; s < e->in.n_samples; s++) {
        const uint32_t *frames = prof_stack(&e->in, s);
        if (!calls_of(e, s))
            continue;
        bool outside = prof_depth(&e->in, s) < 2;
        struct est_call call = {
            outside ? EST_OUTSIDE : graph_node(e, funcs, frames[1]),
            graph_node(e, funcs, frames[0]), (uint64_t)calls_of(e, s)};
        n_arcs++;
        if (call.callee != EST_NO_NODE &&
            (outside || call.caller != EST_NO_NODE))
            calls[n++] = call;
    }
    bool ok = est_graph_make(&e->graph, (uint32_t)funcs->n, calls, n, err);
    free(calls);
    if (n < n_arcs)
        note_info(
            e->notes,
            "%zu of %zu arcs lie outside known functions; their counts are "
            "kept, but no time propagates along them",
            n_arcs - n, n_arcs);
    return ok;
}

/*
 * Cycles
 *
 * A cycle becomes a function that is named by its members, so that the same
 * cycle of two profiles is one function and different ones are not.
 *
 *   name         <cycle of 2: apple>: how many members, and the first by name
 *   system_name  the same and a hash of all members: linkage name, file and
 *                start line of each, in order of names
 *
 * Cycles of static functions without debug information may be equal by this:
 * the lowest address of a member then distinguishes them.
 */
struct member {
    uint32_t cycle; /* from 0 */
    uint32_t node;
};

struct cycle {
    const struct member *members; /* in order of names */
    size_t n_members;
    uint32_t mapping;
    uint64_t address; /* the least of its members', relative to the mapping */
    XXH128_hash_t hash;
};

struct namer {
    struct estimate *e;
    struct member *members;
    struct cycle *cycles;
    struct cycle **order;
    struct buf text;
};

static const struct prof_function *function_of(const struct estimate *e,
                                               uint32_t node)
{
    const struct profile *p = e->p;
    const struct prof_location *l = &p->locations[e->entry[node]];
    return &p->functions[p->lines[l->line_off + l->n_lines - 1].function];
}

static int by_name(const void *a, const void *b, void *ctx)
{
    const struct estimate *e = ctx;
    const struct strtab *t = &e->p->strings;
    const struct member *x = a, *y = b;
    int c = ORDER(x->cycle, y->cycle);
    if (c)
        return c;
    const struct prof_function *f = function_of(e, x->node);
    const struct prof_function *g = function_of(e, y->node);
    c = strtab_cmp(t, f->name, g->name);
    c = c ? c : strtab_cmp(t, f->system_name, g->system_name);
    c = c ? c : strtab_cmp(t, f->filename, g->filename);
    c = c ? c : ORDER(f->start_line, g->start_line);
    return c ? c : ORDER(x->node, y->node);
}

/* Compares cycles by mapping and hash. */
static int by_hash(const void *a, const void *b)
{
    const struct cycle *x = *(struct cycle *const *)a;
    const struct cycle *y = *(struct cycle *const *)b;
    int c = ORDER(x->mapping, y->mapping);
    c = c ? c : ORDER(x->hash.high64, y->hash.high64);
    return c ? c : ORDER(x->hash.low64, y->hash.low64);
}

/* Sorts the members by cycle and name, and sets the cycles that they form. */
static void group_members(struct namer *n)
{
    struct estimate *e = n->e;
    const struct est_graph *g = &e->graph;
    size_t k = 0;
    for (uint32_t i = 0; i < g->n_funcs; i++)
        if (g->cycle[i])
            n->members[k++] = (struct member){g->cycle[i] - 1, i};
    system_sort(n->members, k, sizeof *n->members, by_name, e);
    for (size_t i = 0; i < k; i++) {
        struct cycle *c = &n->cycles[n->members[i].cycle];
        uint32_t node = n->members[i].node;
        const struct prof_location *l = &e->p->locations[e->entry[node]];
        uint64_t address = l->address;
        if (l->mapping != PROF_NONE)
            address -= e->p->mappings[l->mapping].start;
        if (!c->n_members++) {
            c->members = &n->members[i];
            c->mapping = l->mapping;
            c->address = address;
        } else if (address < c->address) {
            c->address = address;
        }
    }
}

/* Appends a string after its length, so that its end is unambiguous. */
static bool put_text(struct buf *text, const struct strtab *t, uint32_t id)
{
    return buf_printf(text, "%zu:", strtab_len(t, id)) &&
           buf_put(text, strtab_str(t, id), strtab_len(t, id));
}

static bool hash_members(struct namer *n, struct cycle *c, bool addresses,
                         struct prof_err *err)
{
    const struct strtab *t = &n->e->p->strings;
    bool ok = true;
    n->text.n = 0;
    for (size_t i = 0; ok && i < c->n_members; i++) {
        const struct prof_function *f = function_of(n->e, c->members[i].node);
        ok = put_text(&n->text, t, f->system_name ? f->system_name : f->name) &&
             put_text(&n->text, t, f->filename) &&
             buf_printf(&n->text, "%" PRId64 ";", f->start_line);
    }
    if (addresses)
        ok = ok && buf_printf(&n->text, "at %" PRIx64, c->address);
    if (!ok)
        return err_nomem(err);
    c->hash = XXH3_128bits(n->text.v, n->text.n);
    return true;
}

/* Sets hashes that differ for any two cycles of a program. */
static bool hash_cycles(struct namer *n, struct prof_err *err)
{
    uint32_t n_cycles = n->e->graph.n_cycles;
    for (uint32_t i = 0; i < n_cycles; i++) {
        n->order[i] = &n->cycles[i];
        if (!hash_members(n, &n->cycles[i], false, err))
            return false;
    }
    if (n_cycles)
        qsort(n->order, n_cycles, sizeof(struct cycle *), by_hash);
    for (uint32_t i = 0, k; i < n_cycles; i = k) {
        const struct cycle first = *n->order[i], *same = &first;
        for (k = i + 1; k < n_cycles && by_hash(&same, &n->order[k]) == 0; k++)
            if (!hash_members(n, n->order[k], true, err))
                return false;
        if (k > i + 1 && !hash_members(n, n->order[i], true, err))
            return false;
    }
    return true;
}

/* Adds a location for a cycle: with a name, but without an address. */
static bool add_cycle(struct namer *n, const struct cycle *c,
                      uint32_t *location, struct prof_err *err)
{
    struct profile *p = n->e->p;
    const struct strtab *t = &p->strings;
    const struct prof_location l = {.mapping = PROF_NONE};
    struct prof_function f = {0};
    struct prof_line line = {0};
    uint32_t first = function_of(n->e, c->members[0].node)->name;
    XXH128_canonical_t hash;
    XXH128_canonicalFromHash(&hash, c->hash);
    n->text.n = 0;
    if (!buf_printf(&n->text, "<cycle of %zu: ", c->n_members) ||
        !buf_put(&n->text, strtab_str(t, first), strtab_len(t, first)) ||
        !buf_putc(&n->text, '>'))
        return err_nomem(err);
    size_t shown = n->text.n;
    bool ok = buf_putc(&n->text, ' ');
    for (size_t i = 0; ok && i < sizeof hash.digest; i++)
        ok = buf_printf(&n->text, "%02x", hash.digest[i]);
    const char *text = (const char *)n->text.v;
    return (ok || err_nomem(err)) && prof_strn(p, text, shown, &f.name, err) &&
           prof_strn(p, text, n->text.n, &f.system_name, err) &&
           prof_add_function(p, &f, &line.function, err) &&
           prof_add_location(p, &l, &line, 1, location, err);
}

static bool add_cycles(struct estimate *e, struct prof_err *err)
{
    uint32_t n_cycles = e->graph.n_cycles, n_funcs = e->graph.n_funcs;
    struct namer n = {.e = e};
    n.members = mem_array(n_funcs, sizeof *n.members);
    n.cycles = mem_zarray(n_cycles, sizeof *n.cycles);
    n.order = mem_array(n_cycles, sizeof(struct cycle *));
    bool ok = (n.members && n.cycles && n.order) || err_nomem(err);
    if (ok)
        group_members(&n);
    ok = ok && hash_cycles(&n, err);
    for (uint32_t i = 0; ok && i < n_cycles; i++)
        ok = add_cycle(&n, &n.cycles[i], &e->entry[n_funcs + i], err);
    free(n.members);
    free(n.cycles);
    free(n.order);
    buf_free(&n.text);
    return ok;
}

bool est_find_nodes(struct estimate *e, struct prof_err *err)
{
    struct functions funcs = {0};
    bool ok = (find_functions(e, &funcs) || err_nomem(err)) &&
              make_graph(e, &funcs, err);
    e->entry = mem_array(est_graph_nodes(&e->graph), sizeof *e->entry);
    for (size_t i = 0; ok && e->entry && i < funcs.n; i++)
        e->entry[i] = funcs.v[i].location;
    vec_free(&funcs);
    return ok && (e->entry || err_nomem(err)) && add_cycles(e, err);
}
