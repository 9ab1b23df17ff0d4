/*
 * flamelimit.c - which nodes of a flame graph are kept, and the limit with
 * which they are few enough
 *
 * Nodes are counted for several limits in one pass over the samples in the
 * order of their stacks, and no tree is made.  A limit keeps all nodes that a
 * greater one keeps, and with each node its ancestors.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/columns.h"
#include "report/flame/private.h"
#include "report/graph/graph.h"

/* Each limit is four times the one before: enough for any number of nodes. */
enum { LIMITS = 32 };

/*
 * Nodes on the path to the current sample, each the only child of the one
 * before, so all have the same weight.
 */
struct segment {
    size_t depth; /* of the last node, from 1 */
    size_t first; /* the first sample that has the node */
    /*
     * How many limits keep a child of the last node: the greatest and the least
     * number.
     */
    size_t most_kept, least_kept;
};

struct counter {
    const struct flame_tree *t;
    size_t n;                   /* number of limits */
    double limit[LIMITS];       /* ascending */
    uint64_t *least;            /* by limit and type: the lightest to keep */
    uint64_t kept[LIMITS + 1];  /* [k]: nodes that only the first k keep */
    int64_t merged[LIMITS + 1]; /* [k]: nodes that merged ones become with
                                   limit k, minus those with limit k - 1 */
    VEC(struct segment) open;   /* from the root, which is [0] */
    VEC(int64_t) mass;          /* magnitudes so far, by segment and type */
    uint32_t *deepest;          /* as in struct flame_stacks; or null */
};

/* Sets least[], by type, to the least magnitude that a limit keeps. */
static void set_least(const struct flame_tree *t, double limit, uint64_t *least)
{
    for (size_t i = 0; i < t->n_types; i++) {
        double v = ceil((double)t->total[i] * fmin(limit, 1));
        least[i] = (v < 1 ? 1 : (uint64_t)v) + (limit > 1);
    }
}

/* Returns whether a subtree with the magnitudes mass[], by type, is below the
 * least in all types. */
static bool is_light(const struct flame_tree *t, const int64_t *mass,
                     const uint64_t *least)
{
    for (size_t i = 0; i < t->n_types; i++)
        if ((uint64_t)mass[i] >= least[i])
            return false;
    return true;
}

static bool push_segment(struct counter *c, size_t depth, size_t first)
{
    const struct segment s = {depth, first, 0, c->n};
    const size_t n = c->t->n_types;
    if (!vec_reserve(&c->mass, n) || !vec_push(&c->open, s))
        return false;
    memset(c->mass.v + c->mass.n, 0, n * sizeof *c->mass.v);
    c->mass.n += n;
    return true;
}

/* Counts the nodes of the last segment that are deeper than `depth`. */
static void close_segment(struct counter *c, size_t depth)
{
    const size_t n = c->t->n_types;
    struct segment *s = &c->open.v[c->open.n - 1], *above = s - 1;
    const int64_t *mass = c->mass.v + c->mass.n - n;
    size_t k = s->most_kept;
    while (k < c->n && !is_light(c->t, mass, c->least + k * n))
        k++;
    if (s->least_kept < k) {
        c->merged[s->least_kept]++;
        c->merged[k]--;
    }
    if (c->deepest && k && !c->deepest[s->first])
        c->deepest[s->first] = (uint32_t)s->depth;
    depth = depth > above->depth ? depth : above->depth;
    c->kept[k] += s->depth - depth;
    if (depth > above->depth) {
        *s = (struct segment){depth, s->first, k, k};
        return;
    }
    above->most_kept = k > above->most_kept ? k : above->most_kept;
    above->least_kept = k < above->least_kept ? k : above->least_kept;
    for (size_t i = 0; i < n; i++)
        c->mass.v[c->mass.n - 2 * n + i] += mass[i];
    c->mass.n -= n;
    c->open.n--;
}

/* Closes all segments that are deeper than `depth`. */
static void close_segments(struct counter *c, size_t depth)
{
    while (c->open.v[c->open.n - 1].depth > depth)
        close_segment(c, depth);
}

/*
 * Counts the nodes for each limit, except those of the last stack, which stay
 * open.
 */
static bool count_nodes(struct counter *c, const struct profile *p,
                        const struct flame_stacks *stacks)
{
    const struct sample_list *list = &stacks->list;
    const int64_t *values = p->values + c->t->first_type;
    const size_t n = c->t->n_types;
    bool ok = push_segment(c, 0, 0);
    for (size_t i = 0; ok && i < list->n; i++) {
        if (i + STACK_AHEAD < list->n)
            __builtin_prefetch(values + list->v[i + STACK_AHEAD] * p->n_types);
        close_segments(c, list->shared[i]);
        ok = stacks->depth[i] == list->shared[i] ||
             push_segment(c, stacks->depth[i], i);
        const int64_t *v = values + list->v[i] * p->n_types;
        int64_t *mass = c->mass.v + c->mass.n - n;
        for (size_t k = 0; ok && k < n; k++)
            mass[k] += (int64_t)graph_abs(v[k]);
    }
    return ok;
}

static void free_counter(struct counter *c)
{
    free(c->least);
    vec_free(&c->open);
    vec_free(&c->mass);
}

bool flame_choose_limit(struct flame_tree *t, const struct profile *p,
                        const struct flame_stacks *stacks, size_t most)
{
    struct counter c = {.t = t};
    c.least = mem_array(LIMITS * t->n_types, sizeof *c.least);
    if (!c.least)
        return false;
    double limit = t->limit;
    do {
        c.limit[c.n] = limit;
        set_least(t, limit, c.least + c.n * t->n_types);
        limit = fmax(4 * limit, 1 / (double)most);
    } while (c.limit[c.n++] <= 1 && c.n < LIMITS);
    bool ok = count_nodes(&c, p, stacks);
    uint64_t n_kept = 0;
    int64_t n_merged = 0;
    for (size_t k = 0; k <= c.n; k++)
        n_kept += c.kept[k];
    for (size_t k = 0; k < c.n; k++) {
        t->limit = c.limit[k];
        n_kept -= c.kept[k];
        n_merged += c.merged[k];
        if (n_kept + (uint64_t)n_merged <= most)
            break;
    }
    free_counter(&c);
    return ok;
}

bool flame_keep(const struct flame_tree *t, const struct profile *p,
                struct flame_stacks *stacks)
{
    struct counter c = {.t = t, .n = 1};
    c.least = mem_array(t->n_types, sizeof *c.least);
    c.deepest = mem_zarray(stacks->list.n, sizeof *c.deepest);
    stacks->deepest = c.deepest;
    if (c.least)
        set_least(t, t->limit, c.least);
    bool ok = c.least && c.deepest && count_nodes(&c, p, stacks);
    if (ok)
        close_segments(&c, 0);
    /* The root stays open: the light nodes below it become one, too. */
    stacks->n_small = (uint64_t)c.merged[0] + (ok && !c.open.v->least_kept);
    stacks->n_kept = c.kept[1] + stacks->n_small;
    free_counter(&c);
    return ok;
}
