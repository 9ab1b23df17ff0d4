/* pack_profile.c - encodes a profile, and compresses it piece by piece */
#include "io/gzip.h"

struct packing {
    const struct prof_encoder *encoder;
    const struct pack_job *how; /* the caller's */
};

static bool make(void *ctx, size_t piece, struct buf *raw, struct prof_err *err)
{
    const struct packing *pk = ctx;
    struct prof_bytes bytes = {raw->v, raw->n, raw->cap};
    bool ok = prof_encoder_piece(pk->encoder, piece, &bytes, err);
    *raw = (struct buf){bytes.v, bytes.n, bytes.room};
    return ok;
}

static bool take(void *ctx, struct buf *bytes, struct prof_err *err)
{
    const struct packing *pk = ctx;
    return pk->how->take(pk->how->ctx, bytes, err);
}

bool pack_profile(struct pack *pack, const struct profile *p,
                  const struct pack_job *how, struct prof_err *err)
{
    struct prof_encoder *encoder = prof_encoder_new(p, err);
    if (!encoder)
        return false;
    struct packing pk = {encoder, how};
    const struct pack_job job = {
        .n = prof_encoder_pieces(encoder),
        .level = how->level < 0 ? gz_default_level(prof_encoder_size(encoder))
                                : how->level,
        .make = make,
        .take = take,
        .ctx = &pk};
    bool ok = pack_run(pack, &job, err);
    prof_encoder_free(encoder);
    return ok;
}
