/* samples.c - writes samples and their stacks as text, in several threads */
#include "report/samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/system.h"
#include "report/graph/stackrank.h"

/* --- stacks --- */

enum {
    /* Short pieces are copied as a whole, so that the size is constant. */
    WHOLE_PIECE = sizeof(union stacktext_piece),
    AHEAD = 2,     /* prefetch texts of frames so many samples before */
    FAR_AHEAD = 8, /* and their places so many */
    /* Prefetching texts of fewer bytes than this takes longer than waiting. */
    CACHED = 4 << 20,
};

bool stacktext_use_nodes(struct stacktext *t, const struct nodes *nodes)
{
    const size_t n = nodes->p->n_locations;
    if (!t->pieces.n) /* no stack has a frame, but there may be locations */
        return true;
    if (nodes->off[n] != n) {
        t->off = nodes->off;
        t->of = nodes->of;
        return true;
    }
    /*
     * Each location has one piece: sort the pieces, so that the index of a
     * location is that of its piece.
     */
    union stacktext_piece *v = mem_array(n, sizeof *v);
    for (size_t l = 0; v && l < n; l++)
        v[l] = t->pieces.v[nodes->of[l]];
    if (!v)
        return false;
    free(t->pieces.v);
    t->pieces.v = v;
    t->pieces.n = t->pieces.cap = n;
    return true;
}

bool stacktext_piece(struct stacktext *t)
{
    union stacktext_piece piece = {.text = {.n = 0}};
    const uint64_t at = t->n_long, n = t->text.n - at;
    if (n <= sizeof piece.text.v) {
        if (n)
            memcpy(piece.text.v, t->text.v + at, (size_t)n);
        piece.text.n = (uint8_t)n;
        t->text.n = t->n_long;
        return vec_push(&t->pieces, piece);
    }
    if (at / STACKTEXT_UNIT > UINT32_MAX ||
        !buf_reserve(&t->text, sizeof n + STACKTEXT_UNIT))
        return false;
    piece.place.at = (uint32_t)(at / STACKTEXT_UNIT);
    piece.place.n =
        (uint16_t)(n < STACKTEXT_VERY_LONG ? n : STACKTEXT_VERY_LONG);
    piece.place.is_long = STACKTEXT_IS_LONG;
    if (n >= STACKTEXT_VERY_LONG) {
        uint8_t *text = t->text.v + at;
        memmove(text + sizeof n, text, (size_t)n);
        memcpy(text, &n, sizeof n);
        t->text.n += sizeof n;
    }
    t->text.n += (0 - t->text.n) % STACKTEXT_UNIT;
    t->n_long = t->text.n;
    return vec_push(&t->pieces, piece);
}

struct stacktext stacktext_twin(const struct stacktext *t)
{
    struct stacktext twin = *t;
    twin.is_twin = true;
    twin.next = 0;
    memset(&twin.stacks, 0, sizeof twin.stacks);
    memset(&twin.tail, 0, sizeof twin.tail);
    return twin;
}

void stacktext_free(struct stacktext *t)
{
    vec_free(&t->tail);
    prof_stacks_free(&t->stacks);
    if (t->is_twin)
        return;
    buf_free(&t->text);
    vec_free(&t->pieces);
}

bool stacktext_flow(const struct stacktext *t)
{
    return !t->flow || report_flush(t->flow);
}

/* Copies a piece to *to, which needs WHOLE_PIECE bytes more than it has. */
static inline uint8_t *put_piece(const struct stacktext *t, uint32_t k,
                                 uint8_t *to)
{
    const union stacktext_piece *piece = &t->pieces.v[k];
    if (piece->place.is_long != STACKTEXT_IS_LONG) {
        memcpy(to, piece, WHOLE_PIECE);
        return to + piece->text.n;
    }
    struct prof_slice s = stacktext_text_of(t, piece);
    memcpy(to, s.s, s.n);
    return to + s.n;
}

/*
 * Sets the lengths of the text from the root to each location, from the first
 * location that is not shared.  Fails if they overflow.
 */
static bool measure_tail(struct stacktext *t, const uint32_t *stack,
                         size_t depth, size_t k)
{
    if (depth >= t->tail.cap && !vec_grow((void **)&t->tail.v, &t->tail.cap,
                                          depth + 1, sizeof *t->tail.v))
        return false;
    size_t *tail = t->tail.v;
    uint64_t sum = k ? tail[k] : 0;
    tail[0] = 0;
    /*
     * The processor can wait for several pieces at once, as many as fit into
     * its window of instructions.  So the usual case has its own, shorter loop.
     */
    if (!t->off)
        for (; k < depth; k++)
            tail[k + 1] =
                (size_t)(sum += stacktext_ask_for(t, stack[depth - 1 - k]));
    for (; k < depth; k++) {
        uint64_t n = stacktext_length(t, stack[depth - 1 - k]);
        if (__builtin_add_overflow(sum, n, &sum))
            return false;
        tail[k + 1] = (size_t)sum;
    }
    return sum <= SIZE_MAX - WHOLE_PIECE;
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
        uint64_t n;
        const uint32_t *of = stacktext_pieces_of(
            t, &stack[t->root_first ? depth - 1 - i : i], &n);
        for (uint64_t k = 0; ok && k < n; k++) {
            uint32_t piece = of[t->root_first ? n - 1 - k : k];
            struct prof_slice s = stacktext_text_of(t, &t->pieces.v[piece]);
            bool last = i + 1 == depth && k + 1 == n;
            ok = buf_put(out, s.s, s.n - (last ? t->cut : 0)) &&
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
                to = put_piece(t, t->of[k], to);
    else
        for (size_t i = 0; i < n; i++)
            to = put_piece(t, stack[i], to);
    size_t size = n_shared ? t->tail.v[n_shared] - t->cut : 0;
    if (size)
        memcpy(to, out->v + t->end - size, size);
}

/*
 * Writes a stack, root first.  Copies the shared part from the beginning of the
 * last text, which may lack its last separator.
 */
static void put_from_root(const struct stacktext *t, const uint32_t *stack,
                          size_t n, size_t n_shared, struct buf *out)
{
    uint8_t *to = out->v + out->n;
    if (n_shared) {
        struct prof_slice any = stacktext_text_of(t, t->pieces.v);
        size_t size = t->tail.v[n_shared] - t->cut;
        memcpy(to, out->v + t->begin, size);
        memcpy(to + size, any.s + any.n - t->cut, t->cut);
        to += size + t->cut;
    }
    if (t->off)
        while (n--)
            for (uint64_t k = t->off[stack[n] + 1]; k-- > t->off[stack[n]];)
                to = put_piece(t, t->of[k], to);
    else
        while (n--)
            to = put_piece(t, stack[n], to);
}

/*
 * Returns how many frames, from the root, a stack has in common with the one
 * whose text is the last.
 */
static size_t shared_with_last(const struct stacktext *t, size_t sample)
{
    const struct profile *p = t->p;
    if (t->flow || !t->next || (p->shared && t->next > sample))
        return 0;
    if (p->shared)
        return prof_least_shared(p, t->next, sample);
    return prof_common_stack(p, sample, t->next - 1);
}

/*
 * Prefetches what samples after this one need, in steps, as each needs what the
 * one before fetched.  If stacks share no frames, most texts are in the cache
 * already.
 */
ALWAYS_INLINE static inline void prefetch_next(const struct stacktext *t,
                                               size_t sample)
{
    const struct profile *p = t->p;
    if (p->n_samples - sample <= FAR_AHEAD)
        return;
    if (!p->shared) {
        stack_prefetch(p, sample + FAR_AHEAD);
        return;
    }
    if (t->pieces.n * sizeof *t->pieces.v + t->text.n < CACHED)
        return;
    const uint64_t *at = p->frame_off + sample + FAR_AHEAD;
    for (uint64_t i = at[0]; i < at[1]; i++)
        if (t->off)
            __builtin_prefetch(&t->off[p->frames[i]]);
        else
            __builtin_prefetch(&t->pieces.v[p->frames[i]]);
    stacktext_prefetch(t, sample + AHEAD);
}

bool stacktext_put(struct stacktext *t, size_t sample, struct buf *out)
{
    size_t depth = prof_depth(t->p, sample);
    if (!depth)
        return true;
    struct prof_err err; /* not used: no memory */
    if (!t->stacks.p && !prof_stacks_init(&t->stacks, t->p, &err))
        return false;
    size_t k = shared_with_last(t, sample);
    t->next = sample + 1;
    return stacktext_put_frames(
        t, prof_stacks_first(&t->stacks, sample, depth - k), depth, k, out);
}

bool stacktext_put_frames(struct stacktext *t, const uint32_t *frames,
                          size_t depth, size_t k, struct buf *out)
{
    if (t->flow)
        return flow_stack(t, frames, depth, out);
    if (!measure_tail(t, frames, depth, k) ||
        !buf_reserve(out, t->tail.v[depth] + WHOLE_PIECE))
        return false;
    if (t->root_first)
        put_from_root(t, frames, depth - k, k, out);
    else
        put_from_leaf(t, frames, depth - k, k, out);
    t->begin = out->n;
    out->n += t->tail.v[depth] - t->cut;
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
    struct prof_stacks reader;
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

/* Sets *z; z->reader is to be freed in any case. */
static bool measure_samples(struct samplesize *z, const struct profile *p,
                            const struct stacktext *stacks)
{
    struct prof_err err; /* not used: no memory */
    *z = (struct samplesize){.p = p, .stacks = stacks};
    /* If there is no `off`, each piece is the text of a frame. */
    size_t n_frames = stacks->off ? p->n_locations : stacks->pieces.n;
    for (uint32_t l = 0; l < n_frames; l++) {
        size_t n = (size_t)stacktext_length(stacks, l);
        z->frame = n > z->frame ? n : z->frame;
    }
    for (size_t i = 0; i < p->n_labels; i++) {
        size_t n = label_size(p, &p->labels[i]);
        z->label = n > z->label ? n : z->label;
    }
    for (size_t i = 0; i < p->n_types; i++)
        z->values = saturated_sum(
            z->values, VALUE + strtab_len(&p->strings, p->types[i].type) +
                           strtab_len(&p->strings, p->types[i].unit));
    return prof_stacks_init(&z->reader, p, &err);
}

static size_t sample_size(struct samplesize *z, size_t sample)
{
    const struct profile *p = z->p;
    size_t depth = prof_depth(p, sample);
    size_t frames = saturated_product(depth, z->frame);
    if (frames > ENOUGH) {
        prof_stacks_read(&z->reader, sample);
        frames = 0;
        for (size_t i = 0; i < depth; i++)
            frames = saturated_sum(
                frames, stacktext_length(z->stacks, z->reader.stack[i]));
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
    PIECE = 1 << 14,         /* frames in a piece */
    PIECE_BYTES = 256 << 10, /* about a quarter of a cache of level 2 */
    SAMPLE = 4, /* cost of a sample besides its frames, in frames */
    FEW = 8,    /* too few pieces for another thread */
};

struct piece {
    size_t end; /* index after its last sample, in the order of the job */
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
        if (frames < PIECE && bytes < PIECE_BYTES && i + 1 < job->n)
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
    struct pieces p = {.r = r, .job = job};
    bool ok = measure_samples(&p.size, r->p, job->stacks) && cut_pieces(&p);
    struct inorder *in = inorder_new(p.v.n < FEW ? 1 : r->opts->threads);
    const struct inorder_job inorder = {
        .n = p.v.n, .make = format_samples, .take = write_piece, .ctx = &p};
    struct prof_err err; /* not used: no memory, or the report has it */
    ok = ok && in && inorder_run(in, &inorder, &err);
    inorder_free(in);
    prof_stacks_free(&p.size.reader);
    vec_free(&p.v);
    return ok;
}

/* --- labels --- */

static int text_order(const void *a, const void *b, void *text)
{
    const struct labels_span *x = a, *y = b;
    return slice_compare((struct prof_slice){(char *)text + x->at, x->n},
                         (struct prof_slice){(char *)text + y->at, y->n});
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
    struct sample_printer *printer; /* one per thread, one for long samples */
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
    p.stacks.next = 0; /* the text of the last one is not in *out */
    for (size_t s = from; ok && s < to; s++) {
        prefetch_next(&p.stacks, s);
        ok = job->fn(&p, s);
    }
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
