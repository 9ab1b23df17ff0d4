/* samples.c - samples and their stacks as text, made by several threads */
#include "report/samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/system.h"

/* --- stacks --- */

/* Shorter pieces are copied as this many bytes, so that the size is constant.
 */
enum { SHORT = 16 };

void stacktext_use_nodes(struct stacktext *t, const struct nodes *nodes)
{
    size_t n_locations = nodes->p->n_locations;
    bool single = nodes->off[n_locations] == n_locations;
    t->off = single ? NULL : nodes->off;
    t->piece = nodes->of;
}

bool stacktext_piece(struct stacktext *t)
{
    return vec_push(&t->at, t->text.n) && buf_reserve(&t->text, SHORT);
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

/* Prefetches the text of a piece.  Returns its length. */
static size_t ask_for_piece(const struct stacktext *t, uint32_t piece)
{
    size_t n = piece_length(t, piece);
    const uint8_t *text = t->text.v + piece_start(t, piece);
    __builtin_prefetch(text);
    __builtin_prefetch(text + n);
    return n;
}

/* Prefetches the text of a location.  Returns its length. */
static size_t ask_for(const struct stacktext *t, uint32_t l)
{
    if (!t->off)
        return ask_for_piece(t, t->piece ? t->piece[l] : l);
    size_t n = 0;
    for (uint64_t i = t->off[l]; i < t->off[l + 1]; i++)
        n += ask_for_piece(t, t->piece[i]);
    return n;
}

/* Returns the length of a location's text. */
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

/* Copies a piece to *to, which needs SHORT bytes more than the piece has. */
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

/*
 * Sets the lengths of the text from the root to each location, from the first
 * location that is not shared.  Fails if they overflow.
 */
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

/*
 * Writes a long stack piece by piece.  Omits the last separator at once,
 * because text that was passed on cannot be cut.
 */
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
            bool last = i + 1 == depth && k + 1 == n;
            ok = buf_put(out, t->text.v + piece_start(t, piece),
                         piece_length(t, piece) - (last ? t->cut : 0)) &&
                 stacktext_flow(t);
        }
    }
    return ok;
}

/*
 * Writes a stack, leaf first.  Copies the shared part, up to the root, from the
 * end of the last text.
 */
static void put_from_leaf(const struct stacktext *t, const uint32_t *stack,
                          size_t n, size_t n_shared, struct buf *out)
{
    uint8_t *to = out->v + out->n;
    if (t->off)
        for (size_t i = 0; i < n; i++)
            for (uint64_t k = t->off[stack[i]]; k < t->off[stack[i] + 1]; k++)
                to = put_piece(t, t->piece[k], to);
    else
        for (size_t i = 0; i < n; i++)
            to = put_piece(t, t->piece ? t->piece[stack[i]] : stack[i], to);
    size_t size = n_shared ? t->tail.v[n_shared] - t->cut : 0;
    if (size)
        memcpy(to, out->v + t->end - size, size);
}

/*
 * Writes a stack, root first.  Copies the shared part from the beginning of the
 * last text.
 */
static void put_from_root(const struct stacktext *t, const uint32_t *stack,
                          size_t n, size_t n_shared, struct buf *out)
{
    uint8_t *to = out->v + out->n;
    size_t size = t->tail.v[n_shared];
    if (size)
        memcpy(to, out->v + t->begin, size);
    to += size;
    if (t->off)
        while (n--)
            for (uint64_t k = t->off[stack[n] + 1]; k-- > t->off[stack[n]];)
                to = put_piece(t, t->piece[k], to);
    else
        while (n--)
            to = put_piece(t, t->piece ? t->piece[stack[n]] : stack[n], to);
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
    /* The separator of the last leaf was cut, so it cannot be copied. */
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

/*
 * Estimates the size of a sample's text from the longest frame and label; adds
 * up the parts only if the estimate is not small.
 */
struct samplesize {
    const struct profile *p;
    const struct stacktext *stacks;
    size_t frame, label; /* the longest of each */
    size_t values;
};

enum {
    ENOUGH = 1 << 16, /* smaller estimates are used as they are */
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

static struct samplesize measure_samples(const struct profile *p,
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

static size_t sample_size(const struct samplesize *z, size_t sample)
{
    const struct profile *p = z->p;
    const uint32_t *stack = prof_stack(p, sample);
    size_t depth = prof_depth(p, sample);
    size_t frames = saturated_product(depth, z->frame);
    if (frames > ENOUGH) {
        frames = 0;
        for (size_t i = 0; i < depth; i++)
            frames =
                saturated_sum(frames, location_length(z->stacks, stack[i]));
    }
    uint64_t first = p->labelset_off[p->labelset[sample]];
    uint64_t end = p->labelset_off[p->labelset[sample] + 1];
    size_t labels = saturated_product((size_t)(end - first), z->label);
    if (labels > ENOUGH) {
        labels = 0;
        for (uint64_t i = first; i < end; i++)
            labels = saturated_sum(labels, label_size(p, &p->labels[i]));
    }
    return saturated_sum(z->values, saturated_sum(frames, labels));
}

/* --- pieces --- */

enum {
    PIECE = 1 << 14, /* frames */
    SAMPLE = 4,      /* the rest of a sample, in frames */
    FEW = 8,         /* too few pieces for another thread */
};

struct piece {
    size_t end; /* a sample, in their order */
    bool is_long;
};

struct pieces {
    struct report *r;
    const struct pieces_job *job;
    struct samplesize size;
    VEC(struct piece) v;
};

static bool end_piece(struct pieces *p, size_t end, bool is_long)
{
    size_t begin = p->v.n ? p->v.v[p->v.n - 1].end : 0;
    return end == begin || vec_push(&p->v, ((struct piece){end, is_long}));
}

static bool cut_pieces(struct pieces *p)
{
    const struct pieces_job *job = p->job;
    size_t frames = 0, bytes = 0;
    for (size_t i = 0; i < job->n; i++) {
        size_t s = job->order ? job->order[i] : i;
        size_t size = sample_size(&p->size, s);
        bool is_long = size > PIECES_LONG;
        if (is_long && !end_piece(p, i, false))
            return false;
        frames += prof_depth(p->r->p, s) + SAMPLE;
        bytes += size;
        if (frames < PIECE && bytes < PIECES_LONG && i + 1 < job->n)
            continue;
        if (!end_piece(p, i + 1, is_long))
            return false;
        frames = bytes = 0;
    }
    return true;
}

static bool make_text(const struct pieces *p, unsigned thread, size_t piece,
                      struct buf *text)
{
    size_t from = piece ? p->v.v[piece - 1].end : 0;
    return p->job->fn(p->job->ctx, thread, from, p->v.v[piece].end, text);
}

static bool format_samples(void *ctx, unsigned thread, size_t piece,
                           struct buf *text, struct prof_err *err)
{
    const struct pieces *p = ctx;
    return p->v.v[piece].is_long || make_text(p, thread, piece, text) ||
           err_nomem(err);
}

static bool write_piece(void *ctx, size_t piece, struct buf *text,
                        struct prof_err *err)
{
    const struct pieces *p = ctx;
    bool ok = p->v.v[piece].is_long
                  ? make_text(p, p->r->opts->threads, piece, p->r->out) &&
                        report_flush(p->r)
                  : report_put_piece(p->r, text);
    return ok || err_nomem(err);
}

bool report_pieces(struct report *r, const struct pieces_job *job)
{
    struct pieces p = {
        .r = r, .job = job, .size = measure_samples(r->p, job->stacks)};
    bool ok = cut_pieces(&p);
    struct inorder *in = inorder_new(p.v.n < FEW ? 1 : r->opts->threads);
    const struct inorder_job inorder = {
        .n = p.v.n, .make = format_samples, .take = write_piece, .ctx = &p};
    struct prof_err err; /* of memory, or else the report has it */
    ok = ok && in && inorder_run(in, &inorder, &err);
    inorder_free(in);
    vec_free(&p.v);
    return ok;
}

/* --- labels --- */

static int text_order(const void *a, const void *b, void *text)
{
    const struct labels_span *x = a, *y = b;
    size_t n = x->n < y->n ? x->n : y->n;
    int c = memcmp((char *)text + x->at, (char *)text + y->at, n);
    return c ? c : (x->n > y->n) - (x->n < y->n);
}

/* Makes a span of scratch->text for each key.  Sets *n to their number. */
static bool make_entries(const struct profile *p, uint32_t set,
                         const struct labels_style *style,
                         struct labels_scratch *scratch, size_t *n)
{
    const struct prof_label *v = p->labels + p->labelset_off[set];
    const struct prof_label *end = p->labels + p->labelset_off[set + 1];
    *n = 0;
    scratch->text.n = 0;
    while (v < end) {
        const struct prof_label *from = v++;
        while (v < end && v->key == from->key && !v->str == !from->str)
            v++;
        if (style->strings != (from->str != 0))
            continue;
        if (!vec_grow((void **)&scratch->span, &scratch->cap_span, *n + 1,
                      sizeof *scratch->span))
            return false;
        struct labels_span *span = &scratch->span[(*n)++];
        span->at = scratch->text.n;
        if (!style->entry(style->ctx, from, (size_t)(v - from), &scratch->text))
            return false;
        span->n = scratch->text.n - span->at;
    }
    return true;
}

bool labels_put(const struct profile *p, uint32_t set,
                const struct labels_style *style,
                struct labels_scratch *scratch, struct buf *to)
{
    size_t n;
    if (!make_entries(p, set, style, scratch, &n))
        return false;
    system_sort(scratch->span, n, sizeof *scratch->span, text_order,
                scratch->text.v);
    for (size_t i = 0; i < n; i++)
        if ((i && !buf_puts(to, style->between)) ||
            !buf_put(to, scratch->text.v + scratch->span[i].at,
                     scratch->span[i].n) ||
            (scratch->flow && !report_flush(scratch->flow)))
            return false;
    return true;
}

/* --- samples --- */

struct samples_job {
    struct sample_printer *printer; /* by thread; and one for long samples */
    sample_fn *fn;
};

static bool put_samples(void *ctx, unsigned thread, size_t from, size_t to,
                        struct buf *out)
{
    const struct samples_job *job = ctx;
    struct sample_printer *mine = &job->printer[thread];
    /* A copy on the stack avoids false sharing between threads. */
    struct sample_printer p = *mine;
    bool ok = true;
    p.report.out = out;
    p.stacks.stack = NULL; /* its text is not in *out */
    for (size_t s = from; ok && s < to; s++)
        ok = job->fn(&p, s);
    *mine = p;
    return ok;
}

bool report_samples(struct report *r, const struct stacktext *stacks,
                    sample_fn *fn, void *ctx)
{
    unsigned n = r->opts->threads + 1;
    struct samples_job job = {mem_zarray(n, sizeof *job.printer), fn};
    const struct pieces_job pieces = {
        .n = r->p->n_samples, .stacks = stacks, .fn = put_samples, .ctx = &job};
    bool ok = job.printer;
    for (unsigned i = 0; ok && i < n; i++) {
        struct sample_printer *p = &job.printer[i];
        p->ctx = ctx;
        p->report = *r;
        p->report.value_text = mem_array(r->value_text_size, 1);
        p->stacks = stacktext_twin(stacks);
        ok = p->report.value_text;
    }
    if (ok)
        job.printer[n - 1].stacks.flow = job.printer[n - 1].scratch.flow = r;
    ok = ok && report_pieces(r, &pieces);
    for (unsigned i = 0; job.printer && i < n; i++) {
        struct sample_printer *p = &job.printer[i];
        stacktext_free(&p->stacks);
        buf_free(&p->scratch.text);
        free(p->scratch.span);
        free(p->report.value_text);
    }
    free(job.printer);
    return ok;
}
