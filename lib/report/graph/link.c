/* link.c - the calls between the nodes of a graph */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/parallel.h"
#include "profile/columns.h"
#include "report/graph/private.h"

/*
 * A call is a step of the walk over all stacks.  It is counted as nodes are in
 * graph.c: by what the samples add up to when it enters the stack and when it
 * leaves.  Each thread has its own edges.  Every sample with a location also
 * has the calls between the lines of that location, so these are found once,
 * before the walk.  Calls that occur in exactly the same locations share one
 * sum (a group), so that a location is entered once, not once per call.  A call
 * that skips nodes that are not kept is in no group: it is counted on its own,
 * because whether it is residual differs between stacks.
 */

/* Properties of a node, as bits. */
enum { IS_KEPT = 1, IS_WANTED = 2, IS_BOTH = 3 };

/* Edges by their ends. */
struct edge_set {
    uint64_t seed; /* of hashes */
    VEC(struct graph_edge) v;
    struct hashidx index;
};

/* A location of several lines. */
struct line_path {
    uint32_t first, last; /* kept nodes, from the root; PROF_NONE: none */
    bool inlined;         /* the first is not the outermost line */
    bool residual;        /* the last is not the innermost line */
};

struct inner_call {
    uint32_t edge;
    bool residual; /* skips nodes that are not kept */
};

struct inner_calls {
    /* By location: its only node, or else nodes.n and the number of a path. */
    uint32_t *key;
    VEC(struct line_path) paths; /* [0]: of locations without kept nodes */
    struct edge_set edges;       /* their sums are 0 */
    uint32_t *group;             /* by edge: its group; PROF_NONE: in none */
    struct groups groups;        /* whose locations are paths */
    /* The calls of path i that are in no group: alone[from alone_off[i]]. */
    VEC(struct inner_call) alone;
    uint64_t *alone_off;
};

/* --- calls between the lines of one location --- */

static uint32_t edge_hash(const struct edge_set *e, uint32_t from, uint32_t to)
{
    return hash_fold(hash_pair(e->seed, from, to));
}

/*
 * Returns the index of the edge with this hash, which it adds if it is new, or
 * PROF_NONE without memory.  2^32 - 1 edges, too many for an index, count
 * as that: they take 137 GB.
 */
static uint32_t find_hashed(struct edge_set *e, uint32_t hash, uint32_t from,
                            uint32_t to)
{
    uint32_t i;
    if (!hashidx_room(&e->index))
        return PROF_NONE;
    size_t at = hashidx_start(&e->index, hash);
    while ((i = hashidx_next(&e->index, hash, &at)) != HASHIDX_NONE)
        if (e->v.v[i].to == to && e->v.v[i].from == from)
            return i;
    struct graph_edge new = {.from = from, .to = to, .inlined = true};
    if (e->v.n >= PROF_NONE || !vec_push(&e->v, new))
        return PROF_NONE;
    i = (uint32_t)(e->v.n - 1);
    hashidx_put(&e->index, at, hash, i);
    return i;
}

static uint32_t find_edge(struct edge_set *e, uint32_t from, uint32_t to)
{
    return find_hashed(e, edge_hash(e, from, to), from, to);
}

static void edge_set_free(struct edge_set *e)
{
    vec_free(&e->v);
    hashidx_free(&e->index);
}

/*
 * The calls in all paths.  A call that repeats in a path is listed once, where
 * it is nearest to the root.
 */
struct finding {
    struct inner_calls *in;
    const struct graph *g;
    const uint8_t *bits;
    VEC(struct inner_call) calls;
    VEC(uint64_t) off;  /* by path: its first call in `calls`; then the end */
    VEC(uint32_t) seen; /* by edge: the last path that has it, plus 1 */
};

static bool add_call(struct finding *f, uint32_t from, uint32_t to,
                     bool residual)
{
    uint32_t edge = find_edge(&f->in->edges, from, to);
    uint32_t path = (uint32_t)f->in->paths.n + 1;
    if (edge == PROF_NONE || (edge == f->seen.n && !vec_push(&f->seen, 0)))
        return false;
    if (f->seen.v[edge] == path)
        return true;
    f->seen.v[edge] = path;
    return vec_push(&f->calls, ((struct inner_call){edge, residual}));
}

/* Sets the key of location l, and adds its lines, from the root, as a path. */
static bool add_path(struct finding *f, size_t l)
{
    const struct nodes *t = &f->g->nodes;
    uint32_t *key = &f->in->key[l];
    struct line_path path = {.first = PROF_NONE, .last = PROF_NONE};
    bool skipped = false;
    for (uint64_t i = t->off[l + 1]; i-- > t->off[l];) {
        uint32_t node = t->of[i];
        if (!(f->bits[node] & IS_KEPT)) {
            skipped = true;
            continue;
        }
        if (path.first == PROF_NONE) {
            path.first = node;
            path.inlined = skipped;
        } else if (path.last != node && f->bits[node] == IS_BOTH &&
                   !add_call(f, path.last, node, skipped)) {
            return false;
        }
        path.last = node;
        skipped = false;
    }
    path.residual = skipped;
    size_t n = path.first == PROF_NONE ? 0 : f->in->paths.n;
    *key = (uint32_t)(t->n + n);
    return !n || (t->n + n < PROF_NONE && vec_push(&f->in->paths, path) &&
                  vec_push(&f->off, f->calls.n));
}

/*
 * Makes groups of the edges that never skip a node.  Lists the others in
 * `alone`.
 */
static bool make_groups(struct finding *f)
{
    struct inner_calls *in = f->in;
    size_t n_edges = in->edges.v.n, n = 0;
    bool *alone = mem_zarray(n_edges, sizeof *alone);
    uint64_t *off = mem_array(in->paths.n + 1, sizeof *off);
    uint32_t *item = mem_array(f->calls.n, sizeof *item);
    in->alone_off = mem_array(in->paths.n + 1, sizeof *in->alone_off);
    bool ok = alone && off && item && in->alone_off;
    for (size_t i = 0; ok && i < f->calls.n; i++)
        alone[f->calls.v[i].edge] |= f->calls.v[i].residual;
    for (size_t w = 0; ok && w <= in->paths.n; w++) {
        off[w] = n;
        in->alone_off[w] = in->alone.n;
        for (uint64_t i = f->off.v[w];
             ok && w < in->paths.n && i < f->off.v[w + 1]; i++) {
            if (alone[f->calls.v[i].edge])
                ok = vec_push(&in->alone, f->calls.v[i]);
            else
                item[n++] = f->calls.v[i].edge;
        }
    }
    const struct groups_items items = {off, item, in->paths.n, n_edges};
    ok = ok && groups_init(&in->groups, &items);
    in->group = in->groups.of;
    for (size_t i = 0; ok && i < n_edges; i++)
        if (alone[i])
            in->group[i] = PROF_NONE;
    free(alone);
    free(off);
    free(item);
    return ok;
}

/*
 * Finds the calls in all locations.  `bits` has the properties by node.  The
 * caller frees *in, also on failure.  Returns false without memory.
 */
static bool inner_calls_init(struct inner_calls *in, const struct graph *g,
                             const uint8_t *bits)
{
    const struct nodes *t = &g->nodes;
    memset(in, 0, sizeof *in);
    in->edges.seed = prof_seed(g->p);
    in->key = mem_array(g->p->n_locations, sizeof *in->key);
    struct finding f = {.in = in, .g = g, .bits = bits};
    const struct line_path none = {.first = PROF_NONE, .last = PROF_NONE};
    bool ok = in->key && vec_push(&f.off, 0) && vec_push(&f.off, 0) &&
              vec_push(&in->paths, none);
    for (size_t l = 0; ok && l < g->p->n_locations; l++) {
        in->key[l] = t->of[t->off[l]];
        if (t->off[l] + 1 != t->off[l + 1] || !(bits[in->key[l]] & IS_KEPT))
            ok = add_path(&f, l);
    }
    ok = ok && make_groups(&f);
    vec_free(&f.calls);
    vec_free(&f.off);
    vec_free(&f.seen);
    return ok;
}

/* --- calls in all stacks --- */

/* A location with kept nodes.  The others have no steps. */
struct step {
    size_t depth; /* of the location in the stack, from 1 at the root */
    uint32_t key;
    uint32_t edge; /* to the location; PROF_NONE: no call to count */
    uint32_t hash; /* of the edge, if is_call */
    bool is_call;  /* it is a call that the caller wants */
    struct line_path path;
};

/* The sum of the calls of a group. */
struct sum {
    uint64_t value, div; /* wrap while `times` is not 0 */
    uint32_t times; /* number of locations in the current stack that contain the
                       group */
    bool seen;
};

/* The state of a thread.  Its edges begin with those of *inner. */
struct linking {
    const struct inner_calls *inner;
    size_t n_nodes;      /* keys from here on are paths, this one empty */
    const uint8_t *bits; /* by key: properties of the node; 0 for paths */
    struct stackwalk walk;
    struct edge_set edges;
    uint64_t value, div;    /* of the samples so far */
    struct sum *sum;        /* by group: the sum of its calls */
    uint32_t *times;        /* by path: how often the current stack has it */
    bool *seen;             /* by edge of *inner: not only in a group */
    VEC(struct step) steps; /* the first is the root of all stacks */
    bool failed;            /* out of memory */
};

/* Returns the sum of an edge's group, or null. */
static struct sum *sum_of(const struct linking *l, uint32_t edge)
{
    if (edge >= l->inner->edges.v.n || l->inner->group[edge] == PROF_NONE)
        return NULL;
    return &l->sum[l->inner->group[edge]];
}

/*
 * Adds to an edge `sign` times the samples so far without those that its group
 * has counted, so that nothing counts twice.
 */
static void count_edge(const struct linking *l, struct graph_edge *e,
                       const struct sum *sum, uint64_t sign)
{
    uint64_t value = l->value - (sum ? sum->value : 0);
    uint64_t div = l->div - (sum ? sum->div : 0);
    e->weight = (int64_t)((uint64_t)e->weight + sign * value);
    e->weight_div = (int64_t)((uint64_t)e->weight_div + sign * div);
}

/*
 * Enters an edge, unless it also occurs nearer to the root, where it is
 * counted.
 */
static void enter_edge(struct linking *l, uint32_t edge, bool residual,
                       bool inlined)
{
    struct graph_edge *e = &l->edges.v.v[edge];
    const struct sum *sum = sum_of(l, edge);
    if (e->times++ || (sum && sum->times))
        return;
    e->residual |= residual;
    e->inlined &= inlined;
    if (edge < l->inner->edges.v.n)
        l->seen[edge] = true;
    count_edge(l, e, sum, (uint64_t)-1);
}

static void leave_edge(struct linking *l, uint32_t edge)
{
    struct graph_edge *e = &l->edges.v.v[edge];
    const struct sum *sum = sum_of(l, edge);
    if (--e->times || (sum && sum->times))
        return;
    count_edge(l, e, sum, 1);
}

/*
 * Enters a path, unless it also occurs nearer to the root, where it is counted.
 */
static void enter_path(struct linking *l, uint32_t path)
{
    const struct inner_calls *in = l->inner;
    if (l->times[path]++)
        return;
    for (uint64_t i = in->groups.off[path]; i < in->groups.off[path + 1]; i++) {
        struct sum *sum = &l->sum[in->groups.v[i]];
        sum->seen = true;
        if (sum->times++)
            continue;
        sum->value -= l->value;
        sum->div -= l->div;
    }
    for (uint64_t i = in->alone_off[path]; i < in->alone_off[path + 1]; i++)
        enter_edge(l, in->alone.v[i].edge, in->alone.v[i].residual, true);
}

static void leave_path(struct linking *l, uint32_t path)
{
    const struct inner_calls *in = l->inner;
    if (--l->times[path])
        return;
    for (uint64_t i = in->alone_off[path]; i < in->alone_off[path + 1]; i++)
        leave_edge(l, in->alone.v[i].edge);
    for (uint64_t i = in->groups.off[path]; i < in->groups.off[path + 1]; i++) {
        struct sum *sum = &l->sum[in->groups.v[i]];
        if (--sum->times)
            continue;
        sum->value += l->value;
        sum->div += l->div;
    }
}

/* Leaves the steps deeper than `keep`. */
static void leave_steps(struct linking *l, size_t keep)
{
    const struct step *steps = l->steps.v;
    size_t n = l->steps.n;
    for (; steps[n - 1].depth > keep; n--) {
        const struct step *last = &steps[n - 1];
        if (last->key > l->n_nodes)
            leave_path(l, (uint32_t)(last->key - l->n_nodes));
        if (last->edge != PROF_NONE)
            leave_edge(l, last->edge);
    }
    l->steps.n = n;
}

/* Whether the step to `to` is a call that the caller wants. */
static bool is_call(const struct linking *l, const struct step *to)
{
    uint32_t from = to[-1].path.last;
    return l->bits[to->path.first] == IS_BOTH && from != PROF_NONE &&
           from != to->path.first;
}

/*
 * Appends the steps of a move.  Asks for the edges of all before it reads one:
 * first for their slots in the index, then for themselves.
 */
static void make_steps(struct linking *l, const struct stackwalk_move *m)
{
    const struct hashidx *index = &l->edges.index;
    struct step *first = l->steps.v + l->steps.n, *end = first;
    for (size_t i = 0; i < m->n; i++) {
        uint32_t key = m->step[i];
        if (key == l->n_nodes)
            continue;
        *end = (struct step){.depth = m->keep + i + 1,
                             .key = key,
                             .edge = PROF_NONE,
                             .path = {.first = key, .last = key}};
        if (key > l->n_nodes)
            end->path = l->inner->paths.v[key - l->n_nodes];
        end->is_call = is_call(l, end);
        if (end->is_call) {
            end->hash =
                edge_hash(&l->edges, end[-1].path.last, end->path.first);
            hashidx_prefetch(index, end->hash);
        }
        end++;
    }
    for (const struct step *to = first; to < end; to++) {
        uint32_t edge = HASHIDX_NONE;
        if (to->is_call)
            edge = hashidx_peek(index, to->hash);
        if (edge != HASHIDX_NONE)
            __builtin_prefetch(&l->edges.v.v[edge]);
    }
    l->steps.n += (size_t)(end - first);
}

static bool link_move(void *ctx, const struct stackwalk_move *m)
{
    struct linking *l = ctx;
    leave_steps(l, m->keep);
    if (!vec_reserve(&l->steps, m->n))
        return false;
    size_t n = l->steps.n;
    make_steps(l, m);
    for (; n < l->steps.n; n++) {
        struct step *to = &l->steps.v[n];
        const struct step *from = to - 1;
        if (to->is_call) {
            to->edge = find_hashed(&l->edges, to->hash, from->path.last,
                                   to->path.first);
            if (to->edge == PROF_NONE)
                return false;
            bool residual = to->path.inlined || from->path.residual ||
                            to->depth != from->depth + 1;
            enter_edge(l, to->edge, residual, to->path.inlined);
        }
        if (to->key > l->n_nodes)
            enter_path(l, (uint32_t)(to->key - l->n_nodes));
    }
    l->value += (uint64_t)m->value;
    l->div += (uint64_t)m->div;
    return true;
}

static void link_piece(void *ctx, unsigned thread, size_t piece)
{
    struct linking *mine = (struct linking *)ctx + thread;
    /* A copy on the stack avoids false sharing between threads. */
    struct linking l = *mine;
    l.failed = l.failed || !stackwalk_piece(&l.walk, piece, link_move, &l);
    *mine = l;
}

/* Adds the edges of a thread to those of *to. */
static bool add_thread(struct linking *to, const struct linking *l)
{
    for (size_t i = 0; i < l->edges.v.n; i++) {
        const struct graph_edge *e = &l->edges.v.v[i];
        uint32_t k = find_edge(&to->edges, e->from, e->to);
        if (k == PROF_NONE)
            return false;
        struct graph_edge *sum = &to->edges.v.v[k];
        sum->weight += e->weight;
        sum->weight_div += e->weight_div;
        sum->residual |= e->residual;
        sum->inlined &= e->inlined;
        if (i < l->inner->edges.v.n)
            to->seen[k] |= l->seen[i];
    }
    return !l->failed;
}

/*
 * Adds the edges of all threads to those of the first, which become those of
 * the graph.
 */
static bool collect_edges(struct graph *g, struct linking *all,
                          unsigned threads)
{
    const struct inner_calls *in = all->inner;
    bool ok = !all[0].failed;
    for (unsigned i = 0; i < threads; i++) {
        struct linking *l = &all[i];
        /* Edges of *in also get the sums of their groups. */
        for (uint32_t k = 0; k < in->edges.v.n; k++) {
            const struct sum *sum = sum_of(l, k);
            if (!sum)
                continue;
            l->edges.v.v[k].weight += (int64_t)sum->value;
            l->edges.v.v[k].weight_div += (int64_t)sum->div;
            l->seen[k] |= sum->seen;
        }
        /* Free this state before the next step allocates memory. */
        stackwalk_free(&l->walk);
        if (i)
            hashidx_free(&l->edges.index);
    }
    for (unsigned i = 1; ok && i < threads; i++) {
        ok = add_thread(&all[0], &all[i]);
        vec_free(&all[i].edges.v);
    }
    g->edges = all[0].edges.v.v;
    for (size_t i = 0; i < all[0].edges.v.n; i++)
        if (i >= in->edges.v.n || all[0].seen[i])
            g->edges[g->n_edges++] = g->edges[i];
    memset(&all[0].edges.v, 0, sizeof all[0].edges.v);
    return ok;
}

static bool linking_init(struct linking *l, const struct graph *g,
                         const uint8_t *bits, const struct inner_calls *inner)
{
    const struct step nowhere = {.edge = PROF_NONE, .path = inner->paths.v[0]};
    const struct edge_set *e = &inner->edges;
    l->walk.opts = (struct stackwalk_opts){
        .p = g->p,
        .key = inner->key,
        .type = g->opts.type,
        .mean = g->opts.mean,
        .table = bits,
        .size = sizeof *bits,
    };
    l->inner = inner;
    l->n_nodes = g->n;
    l->bits = bits;
    l->edges.seed = e->seed;
    l->sum = mem_zarray(inner->groups.n, sizeof *l->sum);
    l->times = mem_zarray(inner->paths.n, sizeof *l->times);
    l->seen = mem_zarray(e->v.n, sizeof *l->seen);
    bool ok = l->sum && l->times && l->seen && vec_push(&l->steps, nowhere);
    for (size_t i = 0; ok && i < e->v.n; i++)
        ok = find_edge(&l->edges, e->v.v[i].from, e->v.v[i].to) != PROF_NONE;
    return ok;
}

static bool link_nodes(struct graph *g, const uint8_t *bits, unsigned threads)
{
    size_t n = stackwalk_pieces(g->p);
    if (threads > n)
        threads = (unsigned)n;
    struct linking *l = mem_zarray(threads, sizeof *l);
    struct inner_calls inner = {0};
    bool ok = l && inner_calls_init(&inner, g, bits);
    for (unsigned i = 0; ok && i < threads; i++)
        ok = linking_init(&l[i], g, bits, &inner);
    if (ok)
        parallel_run(threads, n, link_piece, l);
    ok = ok && (!threads || collect_edges(g, l, threads));
    for (unsigned i = 0; l && i < threads; i++) {
        stackwalk_free(&l[i].walk);
        edge_set_free(&l[i].edges);
        free(l[i].sum);
        free(l[i].times);
        free(l[i].seen);
        vec_free(&l[i].steps);
    }
    free(inner.key);
    vec_free(&inner.paths);
    edge_set_free(&inner.edges);
    groups_free(&inner.groups);
    vec_free(&inner.alone);
    free(inner.alone_off);
    free(l);
    return ok;
}

bool graph_link(struct graph *g, const struct graph_cut *cut, const bool *to,
                struct prof_err *err)
{
    free(g->edges);
    g->edges = NULL;
    g->n_edges = 0;
    if (g->parent)
        return tree_link(g, cut->kept) || err_nomem(err);
    uint8_t *bits = mem_zarray(g->n + g->p->n_locations + 1, sizeof *bits);
    for (size_t k = 0; bits && k < g->n; k++)
        bits[k] = (uint8_t)((!cut->kept || cut->kept[k] ? IS_KEPT : 0) |
                            (!to || to[k] ? IS_WANTED : 0));
    bool ok = bits && (!memchr(bits, IS_BOTH, g->n) ||
                       link_nodes(g, bits, g->opts.threads));
    free(bits);
    return ok || err_nomem(err);
}
