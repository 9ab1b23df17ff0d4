/* linkinner.c - finds the calls between the lines of one location */
#include "report/graph/linkinner.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static uint32_t hash_of(const struct link_edges *e, uint32_t from, uint32_t to)
{
    return mix_fold(mix_pair(e->seed, from, to));
}

void link_find_soon(const struct link_edges *e, uint32_t from, uint32_t to)
{
    hashidx_prefetch(&e->index, hash_of(e, from, to));
}

uint32_t link_find(struct link_edges *e, uint32_t from, uint32_t to)
{
    uint32_t hash = hash_of(e, from, to), i;
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

void link_edges_free(struct link_edges *e)
{
    vec_free(&e->v);
    hashidx_free(&e->index);
}

/* The calls in all ways, each once for a way, as they are nearest the root. */
struct finding {
    struct link_inner *in;
    const struct graph *g;
    const uint8_t *bits;
    VEC(struct link_call) calls;
    VEC(uint64_t) off;  /* by way, and the end */
    VEC(uint32_t) seen; /* by edge: a way, plus 1 */
};

static bool add_call(struct finding *f, uint32_t from, uint32_t to,
                     bool residual)
{
    uint32_t edge = link_find(&f->in->edges, from, to);
    uint32_t way = (uint32_t)f->in->ways.n + 1;
    if (edge == PROF_NONE || (edge == f->seen.n && !vec_push(&f->seen, 0)))
        return false;
    if (f->seen.v[edge] == way)
        return true;
    f->seen.v[edge] = way;
    return vec_push(&f->calls, ((struct link_call){edge, residual}));
}

/* The lines of a location from the root. */
static bool add_way(struct finding *f, size_t l)
{
    const struct nodes *t = &f->g->nodes;
    struct link_way way = {.first = PROF_NONE, .last = PROF_NONE};
    bool skipped = false;
    for (uint64_t i = t->off[l + 1]; i-- > t->off[l];) {
        uint32_t node = t->of[i];
        if (!(f->bits[node] & LINK_KEPT)) {
            skipped = true;
            continue;
        }
        if (way.first == PROF_NONE) {
            way.first = node;
            way.inlined = skipped;
        } else if (way.last != node && f->bits[node] == LINK_ALL &&
                   !add_call(f, way.last, node, skipped)) {
            return false;
        }
        way.last = node;
        skipped = false;
    }
    way.residual = skipped;
    return vec_push(&f->in->ways, way) && vec_push(&f->off, f->calls.n);
}

static bool find_all(struct finding *f)
{
    const struct nodes *t = &f->g->nodes;
    struct link_inner *in = f->in;
    bool ok = vec_push(&f->off, 0);
    for (size_t l = 0; ok && l < t->p->n_locations; l++) {
        bool one = t->off[l] + 1 == t->off[l + 1];
        in->key[l] = one ? t->of[t->off[l]] : (uint32_t)(t->n + in->ways.n);
        ok = one || (t->n + in->ways.n < PROF_NONE && add_way(f, l));
    }
    return ok;
}

/* Edges that are never over nodes not kept, as what groups are made of. */
static bool make_groups(struct finding *f)
{
    struct link_inner *in = f->in;
    size_t n_edges = in->edges.v.n, n = 0;
    bool *alone = mem_zarray(n_edges, sizeof *alone);
    uint64_t *off = mem_array(in->ways.n + 1, sizeof *off);
    uint32_t *item = mem_array(f->calls.n, sizeof *item);
    in->alone_off = mem_array(in->ways.n + 1, sizeof *in->alone_off);
    bool ok = alone && off && item && in->alone_off;
    for (size_t i = 0; ok && i < f->calls.n; i++)
        alone[f->calls.v[i].edge] |= f->calls.v[i].residual;
    for (size_t w = 0; ok && w <= in->ways.n; w++) {
        off[w] = n;
        in->alone_off[w] = in->alone.n;
        for (uint64_t i = f->off.v[w];
             ok && w < in->ways.n && i < f->off.v[w + 1]; i++) {
            if (alone[f->calls.v[i].edge])
                ok = vec_push(&in->alone, f->calls.v[i]);
            else
                item[n++] = f->calls.v[i].edge;
        }
    }
    const struct groups_items items = {off, item, in->ways.n, n_edges};
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

bool link_inner_init(struct link_inner *in, const struct graph *g,
                     const uint8_t *bits)
{
    memset(in, 0, sizeof *in);
    in->edges.seed = prof_seed(g->p);
    in->key = mem_array(g->p->n_locations, sizeof *in->key);
    struct finding f = {.in = in, .g = g, .bits = bits};
    bool ok = in->key && find_all(&f) && make_groups(&f);
    vec_free(&f.calls);
    vec_free(&f.off);
    vec_free(&f.seen);
    return ok;
}

void link_inner_free(struct link_inner *in)
{
    free(in->key);
    vec_free(&in->ways);
    link_edges_free(&in->edges);
    groups_free(&in->groups);
    vec_free(&in->alone);
    free(in->alone_off);
    memset(in, 0, sizeof *in);
}
