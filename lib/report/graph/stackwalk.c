/* stackwalk.c - iterates over all stacks; groups items by their locations */
#include <stdlib.h>
#include <string.h>

#include "profile/columns.h"
#include "report/graph/private.h"
#include "report/graph/stackrank.h"

/* --- the walk --- */

enum { PIECE = 1 << 14 }; /* samples */

void stackwalk_free(struct stackwalk *w)
{
    vec_free(&w->ahead);
    vec_free(&w->path);
}

size_t stackwalk_pieces(const struct profile *p)
{
    return p->n_samples / PIECE + (p->n_samples % PIECE != 0);
}

/*
 * Adds a stack to the batch: s.keep locations of the last one, then the first n
 * of its own, which begin with its leaf.
 */
static bool add_stack(struct stackwalk *w, const uint32_t *own, size_t n,
                      struct stackwalk_stack s)
{
    const struct stackwalk_opts *o = &w->opts;
    w->path.n = s.keep;
    if (!vec_reserve(&w->ahead, n) || !vec_reserve(&w->path, n))
        return false;
    uint32_t *to = w->ahead.v + w->ahead.n, *path = w->path.v + s.keep;
    w->ahead.n = s.end = w->ahead.n + n;
    while (n--) {
        uint32_t key = o->key ? o->key[own[n]] : own[n];
        __builtin_prefetch((const char *)o->table + key * o->size);
        *to++ = key;
        *path++ = own[n];
    }
    s.leaf = path[-1];
    if (o->leaf)
        __builtin_prefetch(o->leaf + s.leaf);
    w->batch[w->n++] = s;
    return true;
}

/* Passes each stack of the batch to fn. */
static bool hand_over(struct stackwalk *w, stackwalk_fn *fn, void *ctx)
{
    size_t at = 0;
    for (size_t i = 0; i < w->n; i++) {
        const struct stackwalk_stack *s = &w->batch[i];
        struct stackwalk_move move = {
            .keep = s->keep,
            .step = w->ahead.v + at,
            .n = s->end - at,
            .leaf = s->leaf,
            .value = s->value,
            .div = s->div,
        };
        if (!fn(ctx, &move))
            return false;
        at = s->end;
    }
    w->n = w->ahead.n = 0;
    return true;
}

bool stackwalk_piece(struct stackwalk *w, size_t piece, stackwalk_fn *fn,
                     void *ctx)
{
    const struct profile *p = w->opts.p;
    const size_t from = piece * PIECE, left = p->n_samples - from;
    const size_t end = left < PIECE ? p->n_samples : from + PIECE;
    const struct stackwalk_move back = {0};
    size_t s = from, next = s; /* after the last stack */
    struct prof_stacks r;
    struct prof_err err; /* only memory can be out */
    bool ok = prof_stacks_init(&r, p, &err);
    for (; ok && s < end; s++) {
        const int64_t *values = p->values + s * p->n_types;
        struct stackwalk_stack stack = {
            .value = values[w->opts.type],
            .div = w->opts.mean ? *values : 0,
        };
        size_t depth = prof_depth(p, s);
        if (s + STACK_AHEAD < end)
            stack_prefetch(p, s + STACK_AHEAD);
        if ((!stack.value && !stack.div) || !depth)
            continue;
        if (p->shared)
            stack.keep = prof_least_shared(p, next, s);
        else if (next > from)
            stack.keep = prof_common_stack(p, s, next - 1);
        size_t n = depth - stack.keep;
        ok = add_stack(w, prof_stacks_first(&r, s, n), n, stack) &&
             (w->n < STACKWALK_BATCH || hand_over(w, fn, ctx));
        next = s + 1;
    }
    prof_stacks_free(&r);
    return ok && hand_over(w, fn, ctx) && fn(ctx, &back);
}

/* --- groups --- */

/*
 * Visits one location after the other.  If a location has some items of a group
 * but not all, these become a new group.
 */

#define NO_GROUP UINT32_MAX

struct group {
    uint32_t size; /* items */
    /* Of the current location: */
    uint32_t here; /* items in it */
    uint32_t part; /* the new group for these items, or NO_GROUP */
};

struct splitting {
    const struct groups_items *items;
    uint32_t *of;        /* by item: its group in the result */
    uint64_t *seen;      /* by item, then group: last location, plus 1 */
    struct group *group; /* at most one per item */
    uint32_t *touched;   /* groups that have items in the location */
    size_t n, n_touched;
};

/* Splits each group that has only some of its items in location l. */
static void split_by(struct splitting *s, size_t l)
{
    const struct groups_items *t = s->items;
    s->n_touched = 0;
    for (uint64_t i = t->off[l]; i < t->off[l + 1]; i++) {
        uint32_t item = t->item[i], of = s->of[item];
        if (s->seen[item] == l + 1)
            continue;
        s->seen[item] = l + 1;
        if (!s->group[of].here++)
            s->touched[s->n_touched++] = of;
    }
    for (size_t i = 0; i < s->n_touched; i++) {
        struct group *g = &s->group[s->touched[i]];
        if (g->here == g->size)
            continue;
        g->part = (uint32_t)s->n;
        g->size -= g->here;
        s->group[s->n++] = (struct group){g->here, 0, NO_GROUP};
    }
    for (uint64_t i = t->off[l]; i < t->off[l + 1]; i++) {
        uint32_t *of = &s->of[t->item[i]];
        if (s->group[*of].part != NO_GROUP)
            *of = s->group[*of].part;
    }
    for (size_t i = 0; i < s->n_touched; i++) {
        s->group[s->touched[i]].here = 0;
        s->group[s->touched[i]].part = NO_GROUP;
    }
}

/* Lists the groups of each location. */
static bool list_groups(struct groups *g, const struct splitting *s)
{
    const struct groups_items *t = s->items;
    uint64_t n = 0;
    g->n = s->n;
    g->off = mem_array(t->n_locations + 1, sizeof *g->off);
    g->v = mem_array((size_t)t->off[t->n_locations], sizeof *g->v);
    if (!g->off || !g->v)
        return false;
    if (t->n)
        memset(s->seen, 0, t->n * sizeof *s->seen);
    for (size_t l = 0; l < t->n_locations; l++) {
        g->off[l] = n;
        for (uint64_t i = t->off[l]; i < t->off[l + 1]; i++) {
            uint32_t of = g->of[t->item[i]];
            if (s->seen[of] == l + 1)
                continue;
            s->seen[of] = l + 1;
            g->v[n++] = of;
        }
    }
    g->off[t->n_locations] = n;
    return true;
}

bool groups_init(struct groups *g, const struct groups_items *items)
{
    memset(g, 0, sizeof *g);
    g->of = mem_zarray(items->n, sizeof *g->of);
    struct splitting s = {
        .items = items,
        .of = g->of,
        .seen = mem_zarray(items->n, sizeof *s.seen),
        .group = mem_array(items->n, sizeof *s.group),
        .touched = mem_array(items->n, sizeof *s.touched),
    };
    bool ok = g->of && s.seen && s.group && s.touched;
    if (ok && items->n)
        s.group[s.n++] = (struct group){(uint32_t)items->n, 0, NO_GROUP};
    for (size_t l = 0; ok && l < items->n_locations; l++)
        split_by(&s, l);
    ok = ok && list_groups(g, &s);
    free(s.seen);
    free(s.group);
    free(s.touched);
    return ok;
}

void groups_free(struct groups *g)
{
    free(g->of);
    free(g->off);
    free(g->v);
    memset(g, 0, sizeof *g);
}
