/*
 * flamelimit.c - chooses the limit with which a flame graph has few enough
 * nodes
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
    uint64_t n_nodes;           /* of the tree that keeps all */
    uint64_t kept[LIMITS + 1];  /* [k]: nodes that only the first k keep */
    int64_t merged[LIMITS + 1]; /* [k]: nodes that merged ones become with
                                   limit k, minus those with limit k - 1 */
    VEC(struct segment) open;   /* from the root, which is [0] */
    VEC(int64_t) mass;          /* magnitudes so far, by segment and type */
};

void flame_set_least(const struct flame_tree *t, double limit, uint64_t *least)
{
    for (size_t i = 0; i < t->n_types; i++) {
        double v = ceil((double)t->total[i] * fmin(limit, 1));
        least[i] = (v < 1 ? 1 : (uint64_t)v) + (limit > 1);
    }
}

bool flame_is_light(const struct flame_tree *t, const int64_t *mass,
                    const uint64_t *least)
{
    for (size_t i = 0; i < t->n_types; i++)
        if ((uint64_t)mass[i] >= least[i])
            return false;
    return true;
}

static bool push_segment(struct counter *c, size_t depth)
{
    const struct segment s = {.depth = depth, .least_kept = c->n};
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
    while (k < c->n && !flame_is_light(c->t, mass, c->least + k * n))
        k++;
    if (s->least_kept < k) {
        c->merged[s->least_kept]++;
        c->merged[k]--;
    }
    if (depth > above->depth) {
        c->kept[k] += s->depth - depth;
        c->n_nodes += s->depth - depth;
        *s = (struct segment){depth, k, k};
        return;
    }
    c->kept[k] += s->depth - above->depth;
    c->n_nodes += s->depth - above->depth;
    above->most_kept = k > above->most_kept ? k : above->most_kept;
    above->least_kept = k < above->least_kept ? k : above->least_kept;
    for (size_t i = 0; i < n; i++)
        c->mass.v[c->mass.n - 2 * n + i] += mass[i];
    c->mass.n -= n;
    c->open.n--;
}

/*
 * Counts the nodes for each limit, except those of the last stack, which stay
 * open.
 */
static bool count_nodes(struct counter *c, const struct profile *p,
                        const struct sample_list *samples)
{
    const struct flame_tree *t = c->t;
    struct prof_stacks r;
    struct prof_err err; /* only memory can be out */
    bool ok = prof_stacks_init(&r, p, &err) && push_segment(c, 0);
    for (size_t i = 0; ok && i < samples->n; i++) {
        const size_t s = samples->v[i];
        stack_prefetch_next(p, samples->v, i, samples->n);
        sample_list_read(samples, i, &r);
        size_t depth = r.depth, keep = r.shared;
        /* Samples without frames come first; they share one node. */
        if (!depth) {
            depth = 1;
            keep = i ? 1 : 0;
        }
        while (c->open.v[c->open.n - 1].depth > keep)
            close_segment(c, keep);
        ok = depth == keep || push_segment(c, depth);
        const int64_t *v = p->values + s * p->n_types + t->first_type;
        for (size_t k = 0; ok && k < t->n_types; k++)
            c->mass.v[c->mass.n - t->n_types + k] += (int64_t)graph_abs(v[k]);
    }
    prof_stacks_free(&r);
    return ok;
}

bool flame_choose_limit(struct flame_tree *t, const struct profile *p,
                        const struct sample_list *samples, size_t most)
{
    struct counter c = {.t = t};
    c.least = mem_array(LIMITS * t->n_types, sizeof *c.least);
    if (!c.least)
        return false;
    double limit = t->limit;
    do {
        c.limit[c.n] = limit;
        flame_set_least(t, limit, c.least + c.n * t->n_types);
        limit = fmax(4 * limit, 1 / (double)most);
    } while (c.limit[c.n++] <= 1 && c.n < LIMITS);
    bool ok = count_nodes(&c, p, samples);
    uint64_t n_kept = c.n_nodes;
    int64_t n_merged = 0;
    for (size_t k = 0; k < c.n; k++) {
        t->limit = c.limit[k];
        n_kept -= c.kept[k];
        n_merged += c.merged[k];
        if (n_kept + (uint64_t)n_merged <= most)
            break;
    }
    free(c.least);
    vec_free(&c.open);
    vec_free(&c.mass);
    return ok;
}
