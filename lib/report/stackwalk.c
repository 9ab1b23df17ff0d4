#include "report/stackwalk.h"

#include <string.h>

enum {
    PIECE = 1 << 14, /* samples */
    AHEAD = 8,       /* samples from asking for a stack to reading it */
    LINE = 16,       /* frames that come into a cache at once */
};

#define PREFETCH(p) __builtin_prefetch(p)

void stackwalk_init(struct stackwalk *w, const struct stackwalk_opts *opts)
{
    memset(w, 0, sizeof *w);
    w->opts = *opts;
}

void stackwalk_free(struct stackwalk *w)
{
    vec_free(&w->ahead);
}

size_t stackwalk_pieces(const struct profile *p)
{
    return p->n_samples / PIECE + (p->n_samples % PIECE != 0);
}

/* How many locations two stacks share, from the root. */
static size_t shared(const struct stackwalk_stack *a,
                     const struct stackwalk_stack *b)
{
    size_t k = 0, n = a->depth < b->depth ? a->depth : b->depth;
    while (k < n && a->v[a->depth - 1 - k] == b->v[b->depth - 1 - k])
        k++;
    return k;
}

/* The steps to the n locations next to the leaf, from the root. */
static bool list_steps(struct stackwalk *w, struct stackwalk_stack *s, size_t n)
{
    const struct stackwalk_opts *o = &w->opts;
    if (!vec_reserve(&w->ahead, n))
        return false;
    s->keep = s->depth - n;
    while (n--) {
        uint32_t key = o->key ? o->key[s->v[n]] : s->v[n];
        PREFETCH((const char *)o->table + key * o->size);
        w->ahead.v[w->ahead.n++] = key;
    }
    s->end = w->ahead.n;
    return true;
}

static bool look_at(struct stackwalk *w, const uint32_t *v, size_t depth,
                    int64_t value, int64_t div)
{
    struct stackwalk_stack *s = &w->batch[++w->n];
    s->value = value;
    s->div = div;
    s->v = v;
    s->depth = depth;
    return list_steps(w, s, depth - shared(s, s - 1));
}

/* Hands the batch to fn. */
static bool move_on(struct stackwalk *w, stackwalk_fn *fn, void *ctx)
{
    size_t at = 0;
    for (size_t i = 1; i <= w->n; i++) {
        const struct stackwalk_stack *s = &w->batch[i];
        struct stackwalk_move move = {
            .keep = s->keep,
            .step = w->ahead.v + at,
            .n = s->end - at,
            .leaf = s->v[0],
            .value = s->value,
            .div = s->div,
        };
        if (!fn(ctx, &move))
            return false;
        at = s->end;
    }
    w->batch[0] = w->batch[w->n];
    w->n = w->ahead.n = 0;
    return true;
}

bool stackwalk_piece(struct stackwalk *w, size_t piece, stackwalk_fn *fn,
                     void *ctx)
{
    const struct profile *p = w->opts.p;
    size_t n = p->n_samples, s = piece * PIECE;
    size_t end = n - s < PIECE ? n : s + PIECE;
    const struct stackwalk_move back = {0};
    w->batch[0].depth = 0;
    for (; s < end; s++) {
        const int64_t *values = p->values + s * p->n_types;
        int64_t value = values[w->opts.type], div = w->opts.mean ? *values : 0;
        size_t depth = prof_depth(p, s);
        /* No function for this: gcc would find that it has no effect. */
        if (s + AHEAD < end)
            for (uint64_t i = p->frame_off[s + AHEAD];
                 i < p->frame_off[s + AHEAD + 1]; i += LINE)
                PREFETCH(&p->frames[i]);
        if (!depth || (!value && !div))
            continue;
        if (!look_at(w, prof_stack(p, s), depth, value, div) ||
            (w->n == STACKWALK_BATCH && !move_on(w, fn, ctx)))
            return false;
    }
    return move_on(w, fn, ctx) && fn(ctx, &back);
}
