#include "report/pieces.h"

#include "base/parallel.h"
#include "base/vec.h"

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

static bool cut(struct pieces *p)
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

static bool make_now(const struct pieces *p, unsigned thread, size_t piece,
                     struct buf *text)
{
    size_t from = piece ? p->v.v[piece - 1].end : 0;
    return p->job->fn(p->job->ctx, thread, from, p->v.v[piece].end, text);
}

static bool make(void *ctx, unsigned thread, size_t piece, struct buf *text,
                 struct err *err)
{
    const struct pieces *p = ctx;
    return p->v.v[piece].is_long || make_now(p, thread, piece, text) ||
           err_nomem(err);
}

static bool take(void *ctx, size_t piece, struct buf *text, struct err *err)
{
    const struct pieces *p = ctx;
    bool ok = p->v.v[piece].is_long
                  ? make_now(p, p->r->opts->threads, piece, p->r->out) &&
                        report_flush(p->r)
                  : report_put_piece(p->r, text);
    return ok || err_nomem(err);
}

bool report_pieces(struct report *r, const struct pieces_job *job)
{
    struct pieces p = {.r = r, .job = job};
    bool ok = cut(&p);
    struct inorder *in = inorder_new(p.v.n < FEW ? 1 : r->opts->threads);
    const struct inorder_job inorder = {
        .n = p.v.n, .make = make, .take = take, .ctx = &p};
    struct err err; /* of memory, or else the report has it */
    ok = ok && in && inorder_run(in, &inorder, &err);
    inorder_free(in);
    vec_free(&p.v);
    return ok;
}
