/*
 * Cycles as functions that are named by their members, so that the same
 * cycle of two profiles is one function and different ones are not.
 *
 *   name         <cycle of 2: apple>: how many there are, and the first by
 *                name
 *   system_name  the same and a hash of all members: linkage name, file and
 *                start line of each, in order of names
 *
 * Where two cycles of a program have the same members by that, those of
 * static functions without debug information, the address of the first tells
 * them apart.
 */
#include <inttypes.h>
#include <string.h>

#include <xxhash.h>

#include "base/buf.h"
#include "profile/estimate/estimate_maker.h"

struct member {
    uint32_t cycle; /* from 0 */
    uint32_t node;
};

struct cycle {
    const struct member *members; /* in order of names */
    size_t n_members;
    uint32_t mapping;
    uint64_t address; /* the least of the members', within the mapping */
    XXH128_hash_t hash;
};

struct namer {
    struct est_maker *m;
    struct member *members;
    struct cycle *cycles;
    struct cycle **order;
    struct buf text;
};

static const struct prof_function *function_of(const struct est_maker *m,
                                               uint32_t node)
{
    const struct profile *p = m->p;
    const struct prof_location *l = &p->locations[m->nodes.v[node].location];
    return &p->functions[p->lines[l->line_off + l->n_lines - 1].function];
}

static uint64_t address_of(const struct est_maker *m, uint32_t node)
{
    const struct prof_location *l = &m->p->locations[m->nodes.v[node].location];
    uint64_t start =
        l->mapping == PROF_NONE ? 0 : m->p->mappings[l->mapping].start;
    return l->address - start;
}

static int by_name(const void *a, const void *b, void *ctx)
{
    const struct est_maker *m = ctx;
    const struct strtab *t = &m->p->strings;
    const struct member *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    const struct prof_function *f = function_of(m, x->node);
    const struct prof_function *g = function_of(m, y->node);
    int c = strtab_cmp(t, f->name, g->name);
    c = c ? c : strtab_cmp(t, f->system_name, g->system_name);
    c = c ? c : strtab_cmp(t, f->filename, g->filename);
    if (c || f->start_line != g->start_line)
        return c ? c : f->start_line < g->start_line ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* By how much two cycles differ for those who see the hash. */
static int by_hash(const void *a, const void *b)
{
    const struct cycle *x = *(struct cycle *const *)a;
    const struct cycle *y = *(struct cycle *const *)b;
    if (x->mapping != y->mapping)
        return x->mapping < y->mapping ? -1 : 1;
    if (x->hash.high64 != y->hash.high64)
        return x->hash.high64 < y->hash.high64 ? -1 : 1;
    return (x->hash.low64 > y->hash.low64) - (x->hash.low64 < y->hash.low64);
}

/* Members in order of cycle and name, and the cycles that they make. */
static void group(struct namer *n)
{
    struct est_maker *m = n->m;
    const struct est_graph *g = &m->graph;
    size_t k = 0;
    for (uint32_t i = 0; i < g->n_funcs; i++)
        if (g->cycle[i])
            n->members[k++] = (struct member){g->cycle[i] - 1, i};
    if (k)
        qsort_r(n->members, k, sizeof *n->members, by_name, m);
    for (size_t i = 0; i < k; i++) {
        struct cycle *c = &n->cycles[n->members[i].cycle];
        uint32_t node = n->members[i].node;
        uint64_t address = address_of(m, node);
        if (!c->n_members++) {
            c->members = &n->members[i];
            c->mapping = m->p->locations[m->nodes.v[node].location].mapping;
            c->address = address;
        } else if (address < c->address) {
            c->address = address;
        }
    }
}

/* A string in a text that ends where its length says. */
static bool put_string(struct buf *text, const struct strtab *t, uint32_t id)
{
    return buf_printf(text, "%zu:", strtab_len(t, id)) &&
           buf_put(text, strtab_str(t, id), strtab_len(t, id));
}

static bool hash_members(struct namer *n, struct cycle *c, bool addresses,
                         struct err *err)
{
    const struct strtab *t = &n->m->p->strings;
    bool ok = true;
    n->text.n = 0;
    for (size_t i = 0; ok && i < c->n_members; i++) {
        const struct prof_function *f = function_of(n->m, c->members[i].node);
        ok = put_string(&n->text, t,
                        f->system_name ? f->system_name : f->name) &&
             put_string(&n->text, t, f->filename) &&
             buf_printf(&n->text, "%" PRId64 ";", f->start_line);
    }
    if (addresses)
        ok = ok && buf_printf(&n->text, "at %" PRIx64, c->address);
    if (!ok)
        return err_nomem(err);
    c->hash = XXH3_128bits(n->text.v, n->text.n);
    return true;
}

/* Hashes that differ for any two cycles of a program. */
static bool hash_cycles(struct namer *n, struct err *err)
{
    uint32_t n_cycles = n->m->graph.n_cycles;
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

/* A location that has no address, but a name. */
static bool add_cycle(struct namer *n, const struct cycle *c,
                      uint32_t *location, struct err *err)
{
    struct profile *p = n->m->p;
    const struct strtab *t = &p->strings;
    const struct prof_location l = {.mapping = PROF_NONE};
    struct prof_function f = {0};
    struct prof_line line = {0};
    uint32_t first = function_of(n->m, c->members[0].node)->name;
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

bool est_add_cycles(struct est_maker *m, struct err *err)
{
    uint32_t n_cycles = m->graph.n_cycles, n_funcs = m->graph.n_funcs;
    struct namer n = {.m = m};
    n.members = mem_array(n_funcs, sizeof *n.members);
    n.cycles = mem_zarray(n_cycles, sizeof *n.cycles);
    n.order = mem_array(n_cycles, sizeof(struct cycle *));
    bool ok = (n.members && n.cycles && n.order) || err_nomem(err);
    if (ok)
        group(&n);
    ok = ok && hash_cycles(&n, err);
    for (uint32_t i = 0; ok && i < n_cycles; i++)
        ok = add_cycle(&n, &n.cycles[i], &m->entry[n_funcs + i], err);
    free(n.members);
    free(n.cycles);
    free(n.order);
    buf_free(&n.text);
    return ok;
}
