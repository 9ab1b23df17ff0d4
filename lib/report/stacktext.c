#include "report/stacktext.h"

#include <string.h>

/* Short pieces are copied by so many bytes, whatever their length. */
enum { SHORT = 16 };

bool stacktext_piece(struct stacktext *t)
{
    return vec_push(&t->at, t->text.n) && buf_reserve(&t->text, SHORT);
}

void stacktext_forget(struct stacktext *t)
{
    t->stack = NULL;
}

struct stacktext stacktext_twin(const struct stacktext *t)
{
    struct stacktext twin = *t;
    twin.is_twin = true;
    twin.stack = NULL;
    memset(&twin.tail, 0, sizeof twin.tail);
    return twin;
}

void stacktext_free(struct stacktext *t)
{
    vec_free(&t->tail);
    if (t->is_twin)
        return;
    buf_free(&t->text);
    vec_free(&t->at);
}

static uint64_t piece_start(const struct stacktext *t, uint32_t piece)
{
    return piece ? t->at.v[piece - 1] : 0;
}

static size_t piece_length(const struct stacktext *t, uint32_t piece)
{
    return (size_t)(t->at.v[piece] - piece_start(t, piece));
}

/* The length of a piece whose text is going to be needed. */
static size_t ask_for_piece(const struct stacktext *t, uint32_t piece)
{
    size_t n = piece_length(t, piece);
    const uint8_t *text = t->text.v + piece_start(t, piece);
    __builtin_prefetch(text);
    __builtin_prefetch(text + n);
    return n;
}

/* The same for a location. */
static size_t ask_for(const struct stacktext *t, uint32_t l)
{
    if (!t->off)
        return ask_for_piece(t, t->piece ? t->piece[l] : l);
    size_t n = 0;
    for (uint64_t i = t->off[l]; i < t->off[l + 1]; i++)
        n += ask_for_piece(t, t->piece[i]);
    return n;
}

size_t stacktext_length(const struct stacktext *t, uint32_t l)
{
    if (!t->off)
        return piece_length(t, t->piece ? t->piece[l] : l);
    size_t n = 0;
    for (uint64_t i = t->off[l]; i < t->off[l + 1]; i++)
        n += piece_length(t, t->piece[i]);
    return n;
}

bool stacktext_flow(const struct stacktext *t)
{
    return !t->flow || report_flush(t->flow);
}

/* There is room for SHORT bytes more than the piece has. */
static uint8_t *put_piece(const struct stacktext *t, uint32_t piece,
                          uint8_t *to)
{
    const uint8_t *from = t->text.v + piece_start(t, piece);
    size_t n = piece_length(t, piece);
    if (n <= SHORT)
        memcpy(to, from, SHORT);
    else
        memcpy(to, from, n);
    return to + n;
}

static uint8_t *put_location(const struct stacktext *t, uint32_t l, uint8_t *to)
{
    if (!t->off)
        return put_piece(t, t->piece ? t->piece[l] : l, to);
    for (uint64_t i = t->off[l]; i < t->off[l + 1]; i++)
        to = put_piece(t, t->piece[i], to);
    return to;
}

/* How many locations the stack shares with the last, from the root. */
static size_t shared(const struct stacktext *t, const uint32_t *stack,
                     size_t depth)
{
    if (!t->stack)
        return 0;
    size_t k = 0, n = depth < t->depth ? depth : t->depth;
    const uint32_t *a = stack + depth, *b = t->stack + t->depth;
    while (k < n && *--a == *--b)
        k++;
    return k;
}

/* The lengths from the first location that is not shared on. */
static bool measure(struct stacktext *t, const uint32_t *stack, size_t depth,
                    size_t k)
{
    if (!vec_grow((void **)&t->tail.v, &t->tail.cap, depth + 1,
                  sizeof *t->tail.v))
        return false;
    size_t *tail = t->tail.v;
    tail[0] = 0;
    for (; k < depth; k++) {
        size_t n = ask_for(t, stack[depth - 1 - k]);
        if (__builtin_add_overflow(tail[k], n, &tail[k + 1]))
            return false;
    }
    return tail[depth] <= SIZE_MAX - SHORT;
}

static bool flow_piece(const struct stacktext *t, uint32_t piece, bool last,
                       struct buf *out)
{
    return buf_put(out, t->text.v + piece_start(t, piece),
                   piece_length(t, piece) - (last ? t->cut : 0)) &&
           stacktext_flow(t);
}

/* What is left out at the end must not have been handed on. */
static bool flow_stack(const struct stacktext *t, const uint32_t *stack,
                       size_t depth, struct buf *out)
{
    bool ok = true;
    for (size_t i = 0; ok && i < depth; i++) {
        uint32_t l = stack[i];
        bool root = i + 1 == depth;
        if (!t->off) {
            ok = flow_piece(t, t->piece ? t->piece[l] : l, root, out);
            continue;
        }
        for (uint64_t k = t->off[l]; ok && k < t->off[l + 1]; k++)
            ok =
                flow_piece(t, t->piece[k], root && k + 1 == t->off[l + 1], out);
    }
    return ok;
}

bool stacktext_put(struct stacktext *t, size_t sample, struct buf *out)
{
    const uint32_t *stack = prof_stack(t->p, sample);
    size_t depth = prof_depth(t->p, sample);
    if (!depth)
        return true;
    if (t->flow)
        return flow_stack(t, stack, depth, out);
    size_t k = shared(t, stack, depth);
    if (!measure(t, stack, depth, k) ||
        !buf_reserve(out, t->tail.v[depth] + SHORT))
        return false;
    uint8_t *to = out->v + out->n;
    for (size_t i = 0; i < depth - k; i++)
        to = put_location(t, stack[i], to);
    if (k) {
        size_t n = t->tail.v[k] - t->cut;
        memcpy(to, out->v + t->end - n, n);
    }
    out->n += t->tail.v[depth] - t->cut;
    t->stack = stack;
    t->depth = depth;
    t->end = out->n;
    return true;
}
