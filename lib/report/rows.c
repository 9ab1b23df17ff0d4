#include "report/rows.h"

#include <stdlib.h>

#include "report/graph/node.h"
#include "report/pieces.h"
#include "report/samplesize.h"

struct rows {
    const struct row_maker *maker;
    struct row_thread *threads; /* and one for long samples */
    struct samplesize size;
};

static size_t size_of(const void *ctx, size_t sample)
{
    return samplesize(&((const struct rows *)ctx)->size, sample);
}

/* Piece k is node k. */
static bool make_pieces(const struct row_maker *m, struct nodes *nodes,
                        struct stacktext *stacks)
{
    struct buf name = {0};
    bool ok = true;
    for (size_t k = 0; ok && k < nodes->n; k++) {
        name.n = 0;
        ok = node_name(nodes, (uint32_t)k, &name) &&
             m->put_frame(m->ctx, name.v, name.n, &stacks->text) &&
             stacktext_piece(stacks);
    }
    buf_free(&name);
    bool single = nodes->off[nodes->p->n_locations] == nodes->p->n_locations;
    stacks->off = single ? NULL : nodes->off;
    stacks->piece = nodes->of;
    stacks->cut = m->between;
    return ok;
}

static bool put_some(void *ctx, unsigned thread, size_t from, size_t to,
                     struct buf *out)
{
    const struct rows *rows = ctx;
    struct row_thread *mine = &rows->threads[thread];
    /* Two in one cache line would make their threads wait for each other. */
    struct row_thread t = *mine;
    bool ok = true;
    stacktext_forget(&t.stacks);
    for (size_t s = from; ok && s < to; s++)
        ok = rows->maker->put_row(rows->maker->ctx, &t, s, out);
    *mine = t;
    return ok;
}

static bool put_all(struct report *r, const struct row_maker *maker,
                    const struct stacktext *stacks)
{
    unsigned n = r->opts->threads + 1;
    struct rows rows = {maker, mem_zarray(n, sizeof *rows.threads),
                        samplesize_of(r->p, stacks)};
    const struct pieces_job pieces = {
        .n = r->p->n_samples, .fn = put_some, .size = size_of, .ctx = &rows};
    if (!rows.threads)
        return false;
    for (unsigned i = 0; i < n; i++)
        rows.threads[i].stacks = stacktext_twin(stacks);
    rows.threads[n - 1].stacks.flow = r;
    bool ok = report_pieces(r, &pieces);
    for (unsigned i = 0; i < n; i++) {
        stacktext_free(&rows.threads[i].stacks);
        buf_free(&rows.threads[i].field);
        vec_free(&rows.threads[i].labels);
    }
    free(rows.threads);
    return ok;
}

bool rows_print(struct report *r, const struct row_maker *maker,
                struct err *err)
{
    struct nodes nodes;
    struct stacktext stacks = {.p = r->p};
    bool ok =
        nodes_init(&nodes, r->p, err) &&
        ((make_pieces(maker, &nodes, &stacks) && put_all(r, maker, &stacks)) ||
         err_nomem(err));
    stacktext_free(&stacks);
    nodes_free(&nodes);
    return ok;
}
