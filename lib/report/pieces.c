#include "report/pieces.h"

#include "base/inorder.h"
#include "base/vec.h"

enum {
    PIECE = 1 << 14, /* frames */
    SAMPLE = 4,      /* as many frames is what else there is of a sample */
    FEW = 8,         /* pieces that are not worth a thread */
};

struct pieces {
    struct report *r;
    pieces_fn *fn;
    void *ctx;
    VEC(size_t) end; /* of each piece */
};

static bool cut(struct pieces *p, const uint32_t *order, size_t n)
{
    const struct profile *of = p->r->p;
    size_t frames = 0;
    for (size_t i = 0; i < n; i++) {
        frames += prof_depth(of, order ? order[i] : i) + SAMPLE;
        if (frames < PIECE && i + 1 < n)
            continue;
        if (!vec_push(&p->end, i + 1))
            return false;
        frames = 0;
    }
    return true;
}

static bool make(void *ctx, unsigned thread, size_t piece, struct buf *text,
                 struct err *err)
{
    const struct pieces *p = ctx;
    size_t from = piece ? p->end.v[piece - 1] : 0;
    return p->fn(p->ctx, thread, from, p->end.v[piece], text) || err_nomem(err);
}

static bool take(void *ctx, size_t piece, struct buf *text, struct err *err)
{
    const struct pieces *p = ctx;
    (void)piece;
    return report_put_piece(p->r, text) || err_nomem(err);
}

bool report_pieces(struct report *r, const uint32_t *order, size_t n,
                   pieces_fn *fn, void *ctx)
{
    struct pieces p = {.r = r, .fn = fn, .ctx = ctx};
    bool ok = cut(&p, order, n);
    struct inorder *in = inorder_new(p.end.n < FEW ? 1 : r->opts->threads);
    const struct inorder_job job = {
        .n = p.end.n, .make = make, .take = take, .ctx = &p};
    struct err err; /* of memory, or else the report has it */
    ok = ok && in && inorder_run(in, &job, &err);
    inorder_free(in);
    vec_free(&p.end);
    return ok;
}
