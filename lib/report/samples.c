/* samples.c - the samples of a report as text, made by several threads */
#include "report/samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"

/* --- pieces --- */

enum {
    PIECE = 1 << 14, /* frames */
    SAMPLE = 4,      /* as many frames is what else there is of a sample */
    FEW = 8,         /* pieces that are not worth a thread */
};

struct piece {
    size_t end; /* a sample, in their order */
    bool is_long;
};

struct pieces {
    struct report *r;
    const struct pieces_job *job;
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
        size_t size = job->size ? job->size(job->ctx, s) : 0;
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

static bool make_piece(void *ctx, unsigned thread, size_t piece,
                       struct buf *text, struct err *err)
{
    const struct pieces *p = ctx;
    return p->v.v[piece].is_long || make_text(p, thread, piece, text) ||
           err_nomem(err);
}

static bool write_piece(void *ctx, size_t piece, struct buf *text,
                        struct err *err)
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
    bool ok = cut_pieces(&p);
    struct inorder *in = inorder_new(p.v.n < FEW ? 1 : r->opts->threads);
    const struct inorder_job inorder = {
        .n = p.v.n, .make = make_piece, .take = write_piece, .ctx = &p};
    struct err err; /* of memory, or else the report has it */
    ok = ok && in && inorder_run(in, &inorder, &err);
    inorder_free(in);
    vec_free(&p.v);
    return ok;
}

/* --- labels --- */

static void labels_scratch_free(struct labels_scratch *s)
{
    buf_free(&s->text);
    free(s->span);
    s->span = NULL;
    s->cap_span = 0;
}

static int text_order(const void *a, const void *b, void *text)
{
    const struct labels_span *x = a, *y = b;
    size_t n = x->n < y->n ? x->n : y->n;
    int c = memcmp((char *)text + x->at, (char *)text + y->at, n);
    return c ? c : (x->n > y->n) - (x->n < y->n);
}

/* One span of scratch->text per key; *n of them. */
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
    if (n > 1)
        qsort_r(scratch->span, n, sizeof *scratch->span, text_order,
                scratch->text.v);
    for (size_t i = 0; i < n; i++)
        if ((i && !buf_puts(to, style->between)) ||
            !buf_put(to, scratch->text.v + scratch->span[i].at,
                     scratch->span[i].n) ||
            (scratch->flow && !report_flush(scratch->flow)))
            return false;
    return true;
}

/* --- samples with their stacks --- */

struct samples_job {
    struct sample_printer *printer; /* by thread; and one for long samples */
    sample_fn *fn;
    struct samplesize size;
};

static size_t size_of(const void *ctx, size_t sample)
{
    return samplesize(&((const struct samples_job *)ctx)->size, sample);
}

static bool put_samples(void *ctx, unsigned thread, size_t from, size_t to,
                        struct buf *out)
{
    const struct samples_job *job = ctx;
    struct sample_printer *mine = &job->printer[thread];
    /* Two in one cache line would make their threads wait for each other. */
    struct sample_printer p = *mine;
    bool ok = true;
    p.report.out = out;
    stacktext_forget(&p.stacks);
    for (size_t s = from; ok && s < to; s++)
        ok = job->fn(&p, s);
    *mine = p;
    return ok;
}

static bool printer_init(struct sample_printer *p, const struct report *r,
                         const struct stacktext *stacks, void *ctx)
{
    p->ctx = ctx;
    p->report = *r;
    p->report.value_text = NULL;
    p->stacks = stacktext_twin(stacks);
    return !r->value_text_size ||
           (p->report.value_text = mem_array(r->value_text_size, 1)) != NULL;
}

static void printer_free(struct sample_printer *p)
{
    stacktext_free(&p->stacks);
    labels_scratch_free(&p->scratch);
    free(p->report.value_text);
}

bool report_samples(struct report *r, const struct stacktext *stacks,
                    sample_fn *fn, void *ctx)
{
    unsigned n = r->opts->threads + 1;
    struct samples_job job = {mem_zarray(n, sizeof *job.printer), fn,
                              samplesize_of(r->p, stacks)};
    const struct pieces_job pieces = {
        .n = r->p->n_samples, .fn = put_samples, .size = size_of, .ctx = &job};
    bool ok = job.printer;
    for (unsigned i = 0; ok && i < n; i++)
        ok = printer_init(&job.printer[i], r, stacks, ctx);
    if (ok)
        job.printer[n - 1].stacks.flow = job.printer[n - 1].scratch.flow = r;
    ok = ok && report_pieces(r, &pieces);
    for (unsigned i = 0; job.printer && i < n; i++)
        printer_free(&job.printer[i]);
    free(job.printer);
    return ok;
}
