#include "io/pack.h"

#include <stdlib.h>

#include "base/parallel.h"
#include "base/vec.h"
#include "io/gz.h"

/* A thread's own. */
struct lane {
    struct gz *gz;
    struct buf raw;
};

struct pack {
    unsigned threads;
    struct lane *lanes; /* by thread */
    struct inorder *inorder;
    const struct pack_job *job;
    struct gz_sum *sums; /* by piece */
    size_t cap_sums;
    struct gz_sum sum; /* of what was taken */
};

struct pack *pack_new(unsigned threads)
{
    struct pack *pack = calloc(1, sizeof *pack);
    if (!pack)
        return NULL;
    pack->threads = threads ? threads : 1;
    pack->lanes = mem_zarray(pack->threads, sizeof *pack->lanes);
    pack->inorder = inorder_new(pack->threads);
    if (pack->lanes && pack->inorder)
        return pack;
    pack_free(pack);
    return NULL;
}

void pack_free(struct pack *pack)
{
    if (!pack)
        return;
    for (unsigned i = 0; pack->lanes && i < pack->threads; i++) {
        gz_free(pack->lanes[i].gz);
        buf_free(&pack->lanes[i].raw);
    }
    inorder_free(pack->inorder);
    free(pack->lanes);
    free(pack->sums);
    free(pack);
}

static bool make(void *ctx, unsigned thread, size_t piece, struct buf *bytes,
                 struct err *err)
{
    struct pack *pack = ctx;
    const struct pack_job *job = pack->job;
    struct lane *lane = &pack->lanes[thread];
    if (!job->level)
        return job->make(job->ctx, piece, bytes, err);
    if (!lane->gz && !(lane->gz = gz_new()))
        return err_nomem(err);
    lane->raw.n = 0;
    if (!job->make(job->ctx, piece, &lane->raw, err) ||
        (!piece && !gz_begin(bytes, err)))
        return false;
    pack->sums[piece] = gz_sum_of(lane->raw.v, lane->raw.n);
    return gz_deflate_piece(lane->gz, lane->raw.v, lane->raw.n, job->level,
                            piece + 1 == job->n, bytes, err);
}

static bool take(void *ctx, size_t piece, struct buf *bytes, struct err *err)
{
    struct pack *pack = ctx;
    const struct pack_job *job = pack->job;
    if (job->level) {
        pack->sum = gz_sum_join(pack->sum, pack->sums[piece]);
        if (piece + 1 == job->n && !gz_end(pack->sum, bytes, err))
            return false;
    }
    return job->take(job->ctx, bytes, err);
}

bool pack_run(struct pack *pack, const struct pack_job *job, struct err *err)
{
    const struct inorder_job steps = {
        .n = job->n, .make = make, .take = take, .ctx = pack};
    pack->job = job;
    pack->sum = (struct gz_sum){0};
    return vec_grow((void **)&pack->sums, &pack->cap_sums, job->n,
                    sizeof *pack->sums)
               ? inorder_run(pack->inorder, &steps, err)
               : err_nomem(err);
}
