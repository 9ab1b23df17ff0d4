/* graph.c - the graph of a profile: its total, and the values of its nodes */
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "profile/columns.h"
#include "report/graph/private.h"

/* Adds |v| to *sum; false when the result needs more than 63 bits. */
static bool add_abs(uint64_t *sum, int64_t v)
{
    uint64_t a = graph_abs(v);
    if (a > INT64_MAX || *sum > INT64_MAX - a)
        return false;
    *sum += a;
    return true;
}

bool graph_base_sets(const struct profile *p, bool **is_base)
{
    uint32_t key, yes;
    *is_base = NULL;
    if (!strtab_find(&p->strings, GRAPH_BASE_KEY, strlen(GRAPH_BASE_KEY),
                     &key) ||
        !strtab_find(&p->strings, GRAPH_BASE_VALUE, strlen(GRAPH_BASE_VALUE),
                     &yes))
        return true;
    for (size_t set = 0; set < p->n_labelsets; set++)
        for (uint64_t i = p->labelset_off[set]; i < p->labelset_off[set + 1];
             i++) {
            if (p->labels[i].key != key || p->labels[i].str != yes)
                continue;
            if (!*is_base)
                *is_base = mem_zarray(p->n_labelsets, sizeof **is_base);
            if (!*is_base)
                return false;
            (*is_base)[set] = true;
        }
    return true;
}

bool graph_total(const struct profile *p, size_t type, bool mean,
                 int64_t *total, struct prof_err *err)
{
    uint64_t sum = 0, div_abs = 0, base_sum = 0;
    int64_t div = 0, base_div = 0;
    bool *is_base; /* by label set: of the base; null: none is */
    if (type >= p->n_types)
        return err_input(err, "the profile has no sample types");
    if (!graph_base_sets(p, &is_base))
        return err_nomem(err);
    size_t s = 0;
    for (; s < p->n_samples; s++) {
        int64_t v = p->values[s * p->n_types + type];
        int64_t d = mean ? p->values[s * p->n_types] : 0;
        if (!add_abs(&sum, v) || !add_abs(&div_abs, d))
            break;
        div += d;
        if (is_base && is_base[p->labelset[s]]) {
            base_sum += graph_abs(v);
            base_div += d;
        }
    }
    free(is_base);
    *total = base_sum ? graph_mean((int64_t)base_sum, base_div)
                      : graph_mean((int64_t)sum, div);
    return s == p->n_samples ||
           err_input(err, "sample %zu: the sum of %s exceeds 64 bits here", s,
                     prof_show(p, p->types[type].type).text);
}

/* --- sums over all stacks --- */

/*
 * A node's cumulative value is what all samples add up to while the node is in
 * the current stack.  So the walk over all stacks subtracts the value of all
 * samples so far from a node's sum when the node enters the stack, and adds it
 * when the node leaves.  Nodes that always occur in the same locations share
 * one sum, so the cost of a step depends little on the number of its nodes.
 * Each thread sums some pieces of the samples; the sums of the threads are
 * added at the end.
 */

/* The sum of a group over the samples of one thread. */
struct group_sum {
    uint64_t cum; /* wraps while the group is in the stack */
    bool is_in;   /* the stack */
};

/* Shared by all threads.  If each location has one node, keys are nodes. */
struct keys {
    size_t n;             /* groups, or nodes */
    struct groups groups; /* or zeroed */
    /* By location: its only group; n or more: it has several. */
    uint32_t *key;         /* or null */
    VEC(uint32_t) several; /* locations of keys n and more */
};

struct summing {
    const struct keys *keys;
    struct stackwalk walk;
    struct group_sum *sum; /* by group, with room for all keys, for which it
                              is prefetched */
    int64_t *flat;  /* by location: the sum of samples whose leaf it is */
    uint64_t total; /* of the samples so far */
    /* The groups of the current stack, each once, in the order from the root,
     * and by location of the stack: where its groups end. */
    VEC(uint32_t) stack;
    VEC(size_t) end;
    bool failed; /* out of memory */
};

/*
 * Puts groups on top of a stack of n groups, but for those that it has.
 * Returns how many it has then.
 */
static inline size_t enter(const struct summing *s, size_t n,
                           const uint32_t *group, const uint32_t *end)
{
    const uint64_t total = s->total;
    uint32_t *stack = s->stack.v;
    for (; group < end; group++) {
        struct group_sum *sum = &s->sum[*group];
        if (sum->is_in)
            continue;
        sum->is_in = true;
        sum->cum -= total;
        stack[n++] = *group;
    }
    return n;
}

static bool sum_move(void *ctx, const struct stackwalk_move *m)
{
    struct summing *s = ctx;
    const struct keys *const keys = s->keys;
    const uint64_t total = s->total;
    s->end.n = m->keep;
    if (!vec_reserve(&s->end, m->n))
        return false;
    size_t *end = s->end.v, n = m->keep ? end[m->keep - 1] : 0;
    for (size_t i = s->stack.n; i-- > n;) {
        struct group_sum *sum = &s->sum[s->stack.v[i]];
        sum->is_in = false;
        sum->cum += total;
    }
    for (size_t i = 0; i < m->n; i++) {
        uint32_t key = m->step[i];
        if (key < keys->n) {
            n = enter(s, n, &key, &key + 1);
        } else {
            const uint32_t *v = keys->groups.v;
            const uint64_t *off =
                &keys->groups.off[keys->several.v[key - keys->n]];
            n = enter(s, n, v + off[0], v + off[1]);
        }
        end[m->keep + i] = n;
    }
    s->stack.n = n;
    if (m->keep + m->n) {
        s->flat[m->leaf] += m->value;
        s->total += (uint64_t)m->value;
    }
    return true;
}

static void sum_piece(void *ctx, unsigned thread, size_t piece)
{
    struct summing *mine = (struct summing *)ctx + thread;
    /* A copy on the stack avoids false sharing between threads. */
    struct summing s = *mine;
    s.failed = s.failed || !stackwalk_piece(&s.walk, piece, sum_move, &s);
    *mine = s;
}

static bool keys_init(struct keys *p, const struct nodes *t)
{
    const struct groups_items items = {t->off, t->of, t->p->n_locations, t->n};
    p->n = items.n;
    if (t->off[items.n_locations] == items.n_locations)
        return true;
    p->key = mem_array(items.n_locations, sizeof *p->key);
    bool ok = p->key && groups_init(&p->groups, &items);
    const struct groups *g = &p->groups;
    p->n = g->n;
    for (size_t l = 0; ok && l < items.n_locations; l++) {
        bool one = g->off[l] + 1 == g->off[l + 1];
        p->key[l] = one ? g->v[g->off[l]] : (uint32_t)(g->n + p->several.n);
        ok = one || (g->n + p->several.n < UINT32_MAX &&
                     vec_push(&p->several, (uint32_t)l));
    }
    return ok;
}

/* Adds to the values, or to the divisors, of a node. */
static void add_sums(struct graph_value *to, bool divisors, int64_t flat,
                     int64_t cum)
{
    *(divisors ? &to->flat_div : &to->flat) += flat;
    *(divisors ? &to->cum_div : &to->cum) += cum;
}

/* Adds what a thread has summed. */
static void add_thread(struct graph *g, bool divisors, const struct summing *s)
{
    const struct nodes *t = &g->nodes;
    const uint32_t *group = s->keys->groups.of;
    for (size_t l = 0; l < g->p->n_locations; l++)
        add_sums(&g->value[t->of[t->off[l]]], divisors, s->flat[l], 0);
    for (size_t k = 0; k < g->n; k++)
        add_sums(&g->value[k], divisors, 0,
                 (int64_t)s->sum[group ? group[k] : k].cum);
}

static bool summing_init(struct summing *s, const struct graph *g, size_t type,
                         const struct keys *keys)
{
    s->keys = keys;
    s->sum = mem_zarray(keys->n + keys->several.n, sizeof *s->sum);
    s->flat = mem_zarray(g->p->n_locations, sizeof *s->flat);
    s->walk.opts = (struct stackwalk_opts){
        .p = g->p,
        .key = keys->key ? keys->key : g->nodes.of,
        .type = type,
        .table = s->sum,
        .size = sizeof *s->sum,
        .leaf = s->flat,
    };
    return s->sum && s->flat && vec_reserve(&s->stack, keys->n);
}

/*
 * Sums the values of `type`, as the values or the divisors of all nodes.  The
 * sum of their magnitudes must fit in 63 bits, so no sum can overflow.
 */
static bool sum_nodes(struct graph *g, size_t type, bool divisors)
{
    size_t n = stackwalk_pieces(g->p);
    unsigned threads = g->opts.threads < n ? g->opts.threads : (unsigned)n;
    struct summing *all = mem_zarray(threads, sizeof *all);
    struct keys keys = {0};
    bool ok = all && keys_init(&keys, &g->nodes);
    for (unsigned i = 0; ok && i < threads; i++)
        ok = summing_init(&all[i], g, type, &keys);
    if (ok)
        parallel_run(threads, n, sum_piece, all);
    for (unsigned i = 0; ok && i < threads; i++) {
        add_thread(g, divisors, &all[i]);
        ok = !all[i].failed;
    }
    for (unsigned i = 0; all && i < threads; i++) {
        stackwalk_free(&all[i].walk);
        free(all[i].sum);
        free(all[i].flat);
        vec_free(&all[i].stack);
        vec_free(&all[i].end);
    }
    free(all);
    groups_free(&keys.groups);
    free(keys.key);
    vec_free(&keys.several);
    return ok;
}

/* --- the graph --- */

bool graph_make(struct graph *g, const struct profile *p,
                const struct graph_opts *opts, struct prof_err *err)
{
    *g = (struct graph){.p = p, .opts = *opts};
    if (!graph_total(p, opts->type, opts->mean, &g->total, err) ||
        !nodes_init(&g->nodes, p, opts->exact, err))
        return false;
    if (opts->call_tree)
        return tree_build(g, err);
    g->n = g->nodes.n;
    g->value = mem_zarray(g->n, sizeof *g->value);
    return (g->value && sum_nodes(g, opts->type, false) &&
            (!opts->mean || sum_nodes(g, 0, true))) ||
           err_nomem(err);
}

void graph_free(struct graph *g)
{
    nodes_free(&g->nodes);
    free(g->place);
    free(g->parent);
    free(g->inlined);
    free(g->value);
    free(g->edges);
    memset(g, 0, sizeof *g);
}
