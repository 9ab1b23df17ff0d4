/* stacktext.c - the stacks of samples as text, and about how long they are */
#include <string.h>

#include "report/samples.h"

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

/* The length of a location's text. */
static size_t location_length(const struct stacktext *t, uint32_t l)
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
static inline uint8_t *put_piece(const struct stacktext *t, uint32_t piece,
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

/* A location of several pieces, from the leaf. */
static uint8_t *put_pieces(const struct stacktext *t, uint32_t l, uint8_t *to)
{
    for (uint64_t i = t->off[l]; i < t->off[l + 1]; i++)
        to = put_piece(t, t->piece[i], to);
    return to;
}

/* The same from the root. */
static uint8_t *put_pieces_back(const struct stacktext *t, uint32_t l,
                                uint8_t *to)
{
    for (uint64_t i = t->off[l + 1]; i-- > t->off[l];)
        to = put_piece(t, t->piece[i], to);
    return to;
}

/* The lengths from the first location that is not shared on. */
static bool measure_tail(struct stacktext *t, const uint32_t *stack,
                         size_t depth, size_t k)
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
        uint32_t l = stack[t->root_first ? depth - 1 - i : i];
        uint64_t first = t->off ? t->off[l] : 0;
        uint64_t n = t->off ? t->off[l + 1] - first : 1;
        for (uint64_t k = 0; ok && k < n; k++) {
            uint64_t line = first + (t->root_first ? n - 1 - k : k);
            uint32_t piece = t->off     ? t->piece[line]
                             : t->piece ? t->piece[l]
                                        : l;
            ok = flow_piece(t, piece, i + 1 == depth && k + 1 == n, out);
        }
    }
    return ok;
}

/* What is shared ends with the root: it is the end of the last text. */
static void put_from_leaf(const struct stacktext *t, const uint32_t *stack,
                          size_t n, size_t n_shared, struct buf *out)
{
    uint8_t *to = out->v + out->n;
    if (t->off)
        for (size_t i = 0; i < n; i++)
            to = put_pieces(t, stack[i], to);
    else
        for (size_t i = 0; i < n; i++)
            to = put_piece(t, t->piece ? t->piece[stack[i]] : stack[i], to);
    size_t size = n_shared ? t->tail.v[n_shared] - t->cut : 0;
    if (size)
        memcpy(to, out->v + t->end - size, size);
}

/* What is shared begins with the root: it is the begin of the last text. */
static void put_from_root(const struct stacktext *t, const uint32_t *stack,
                          size_t n, size_t n_shared, struct buf *out)
{
    uint8_t *to = out->v + out->n;
    size_t size = t->tail.v[n_shared];
    if (size)
        memcpy(to, out->v + t->begin, size);
    to += size;
    while (n--)
        to = t->off
                 ? put_pieces_back(t, stack[n], to)
                 : put_piece(t, t->piece ? t->piece[stack[n]] : stack[n], to);
}

bool stacktext_put(struct stacktext *t, size_t sample, struct buf *out)
{
    const uint32_t *stack = prof_stack(t->p, sample);
    size_t depth = prof_depth(t->p, sample);
    if (!depth)
        return true;
    if (t->flow)
        return flow_stack(t, stack, depth, out);
    size_t k = t->stack ? nodes_shared(stack, depth, t->stack, t->depth) : 0;
    /* The end of the last leaf was cut. */
    if (t->root_first && k && k == t->depth)
        k--;
    if (!measure_tail(t, stack, depth, k) ||
        !buf_reserve(out, t->tail.v[depth] + SHORT))
        return false;
    if (t->root_first)
        put_from_root(t, stack, depth - k, k, out);
    else
        put_from_leaf(t, stack, depth - k, k, out);
    t->begin = out->n;
    out->n += t->tail.v[depth] - t->cut;
    t->stack = stack;
    t->depth = depth;
    t->end = out->n;
    return true;
}

/* --- the size of a sample's text --- */

enum {
    ENOUGH = 1 << 16, /* less is not added up */
    VALUE = 24,       /* a number and what is around it */
};

static size_t saturated_product(size_t a, size_t b)
{
    size_t n;
    return __builtin_mul_overflow(a, b, &n) ? SIZE_MAX : n;
}

static size_t saturated_sum(size_t a, size_t b)
{
    size_t n;
    return __builtin_add_overflow(a, b, &n) ? SIZE_MAX : n;
}

static size_t label_size(const struct profile *p, const struct prof_label *l)
{
    return strtab_len(&p->strings, l->key) + strtab_len(&p->strings, l->str) +
           strtab_len(&p->strings, l->unit) + VALUE;
}

struct samplesize samplesize_of(const struct profile *p,
                                const struct stacktext *stacks)
{
    struct samplesize z = {.p = p, .stacks = stacks};
    bool named = stacks->off || stacks->piece; /* else a frame is a piece */
    size_t n_frames = named ? p->n_locations : stacks->at.n;
    for (uint32_t l = 0; l < n_frames; l++) {
        size_t n = location_length(stacks, l);
        z.frame = n > z.frame ? n : z.frame;
    }
    for (size_t i = 0; i < p->n_labels; i++) {
        size_t n = label_size(p, &p->labels[i]);
        z.label = n > z.label ? n : z.label;
    }
    for (size_t i = 0; i < p->n_types; i++)
        z.values = saturated_sum(
            z.values, VALUE + strtab_len(&p->strings, p->types[i].type) +
                          strtab_len(&p->strings, p->types[i].unit));
    return z;
}

static size_t stack_size(const struct samplesize *z, size_t s)
{
    size_t depth = prof_depth(z->p, s), n = saturated_product(depth, z->frame);
    if (n <= ENOUGH)
        return n;
    n = 0;
    for (size_t i = 0; i < depth; i++)
        n = saturated_sum(n,
                          location_length(z->stacks, prof_stack(z->p, s)[i]));
    return n;
}

static size_t labels_size(const struct samplesize *z, size_t s)
{
    const struct profile *p = z->p;
    uint64_t i = p->labelset_off[p->labelset[s]];
    uint64_t end = p->labelset_off[p->labelset[s] + 1];
    size_t n = saturated_product((size_t)(end - i), z->label);
    if (n <= ENOUGH)
        return n;
    for (n = 0; i < end; i++)
        n = saturated_sum(n, label_size(p, &p->labels[i]));
    return n;
}

size_t samplesize(const struct samplesize *z, size_t sample)
{
    return saturated_sum(z->values, saturated_sum(stack_size(z, sample),
                                                  labels_size(z, sample)));
}
