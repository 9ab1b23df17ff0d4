/* pack_profile.c - encodes a profile, and compresses it piece by piece */
#include "io/gzip.h"

static bool make(void *ctx, size_t piece, struct buf *raw, struct prof_err *err)
{
    struct prof_bytes bytes = {raw->v, raw->n, raw->cap};
    bool ok = prof_encoder_piece(ctx, piece, &bytes, err);
    *raw = (struct buf){bytes.v, bytes.n, bytes.room};
    return ok;
}

bool pack_profile(struct pack *pack, const struct profile *p,
                  const struct pack_job *how, struct prof_err *err)
{
    struct prof_encoder *encoder = prof_encoder_new(p, err);
    if (!encoder)
        return false;
    struct pack_job job = *how;
    job.n = prof_encoder_pieces(encoder);
    if (job.level < 0)
        job.level = gz_default_level(prof_encoder_size(encoder));
    job.make = make;
    job.make_ctx = encoder;
    bool ok = pack_run(pack, &job, err);
    prof_encoder_free(encoder);
    return ok;
}
