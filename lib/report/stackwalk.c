#include "report/stackwalk.h"

#include <string.h>

enum {
    PIECE = 1 << 14, /* samples */
    AHEAD = 8,       /* samples from asking for a stack to reading it */
    LINE = 16,       /* frames that come into a cache at once */
};

#define PREFETCH(p) __builtin_prefetch(p)

uint32_t *stackwalk_only(const struct nodes *t)
{
    size_t n = t->p->n_locations;
    uint32_t *only = mem_array(n, sizeof *only);
    for (size_t l = 0; only && l < n; l++) {
        uint64_t at = t->off[l];
        only[l] = at + 1 == t->off[l + 1] ? t->of[at] : PROF_NONE;
    }
    return only;
}

bool stackwalk_init(struct stackwalk *w, const struct stackwalk_opts *opts)
{
    memset(w, 0, sizeof *w);
    w->opts = *opts;
    return vec_push(&w->first, 0);
}

void stackwalk_free(struct stackwalk *w)
{
    vec_free(&w->first);
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

/* The steps of a location that has several, from the root. */
static bool list_lines(struct stackwalk *w, uint32_t l)
{
    const struct nodes *t = w->opts.nodes;
    uint64_t first = t->off[l], end = t->off[l + 1];
    if (!vec_reserve(&w->ahead, (size_t)(end - first)))
        return false;
    for (uint64_t i = end; i-- > first;) {
        PREFETCH((const char *)w->opts.table + t->of[i] * w->opts.size);
        w->ahead.v[w->ahead.n++] =
            (struct stackwalk_step){t->of[i], i + 1 != end};
    }
    return true;
}

/* The steps to the n frames next to the leaf, from the root. */
static bool list_steps(struct stackwalk *w, struct stackwalk_stack *s, size_t n)
{
    const struct stackwalk_opts *o = &w->opts;
    size_t was = w->ahead.n, *first = w->first.v + s->depth - n;
    if (!vec_reserve(&w->ahead, n))
        return false;
    s->keep = *first;
    while (n--) {
        uint32_t node = o->only[s->v[n]];
        if (node != PROF_NONE) {
            PREFETCH((const char *)o->table + node * o->size);
            w->ahead.v[w->ahead.n++] = (struct stackwalk_step){node, false};
        } else if (!list_lines(w, s->v[n]) || !vec_reserve(&w->ahead, n)) {
            return false;
        }
        *++first = s->keep + w->ahead.n - was;
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
    return vec_grow((void **)&w->first.v, &w->first.cap, depth + 1,
                    sizeof *w->first.v) &&
           list_steps(w, s, depth - shared(s, s - 1));
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
    const struct profile *p = w->opts.nodes->p;
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
