/* pack.c - makes a gzip member, with several threads if it is large */
#include <stdlib.h>
#include <zlib.h>

#include "base/parallel.h"
#include "base/vec.h"
#include "io/private.h"

/* gzip header: deflate, no optional fields, no time, unknown system */
static const uint8_t header[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};

static bool put_header(struct buf *out, struct prof_err *err)
{
    return buf_put(out, header, sizeof header) || err_nomem(err);
}

/* The checksum and number of uncompressed bytes; all 0 for none. */
struct gzip_sum {
    uint32_t crc;
    uint64_t n;
};

static struct gzip_sum sum_of(const uint8_t *data, size_t n)
{
    return (struct gzip_sum){codec.crc(data, n), n};
}

static bool put_trailer(struct gzip_sum sum, struct buf *out,
                        struct prof_err *err)
{
    uint8_t trailer[8];
    for (size_t i = 0; i < 4; i++) {
        trailer[i] = (uint8_t)(sum.crc >> 8 * i);
        trailer[4 + i] = (uint8_t)(sum.n >> 8 * i);
    }
    return buf_put(out, trailer, sizeof trailer) || err_nomem(err);
}

bool gz_deflate(struct gz *gz, const uint8_t *data, size_t n, int level,
                struct buf *out, struct prof_err *err)
{
    size_t was = out->n;
    const struct codec_piece all = {data, n, level, true};
    if (put_header(out, err) && codec.deflate(gz, &all, out, err) &&
        put_trailer(sum_of(data, n), out, err))
        return true;
    out->n = was;
    return false;
}

/* --- several threads ------------------------------------------------------ */

/* Data of one thread. */
struct lane {
    struct gz *gz;
    struct buf raw;
};

struct pack {
    unsigned threads;
    struct lane *lanes; /* by thread: its data */
    struct inorder *inorder;
    const struct pack_job *job;
    struct gzip_sum *sums; /* by piece: its checksum and length */
    size_t cap_sums;
    struct gzip_sum sum; /* of the pieces taken so far */
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

static bool make_piece(void *ctx, unsigned thread, size_t piece,
                       struct buf *bytes, struct prof_err *err)
{
    struct pack *pack = ctx;
    const struct pack_job *job = pack->job;
    struct lane *lane = &pack->lanes[thread];
    if (!job->level)
        return job->make(job->make_ctx, piece, bytes, err);
    if (!lane->gz && !(lane->gz = gz_new()))
        return err_nomem(err);
    lane->raw.n = 0;
    if (!job->make(job->make_ctx, piece, &lane->raw, err) ||
        (!piece && !put_header(bytes, err)))
        return false;
    pack->sums[piece] = sum_of(lane->raw.v, lane->raw.n);
    const struct codec_piece p = {lane->raw.v, lane->raw.n, job->level,
                                  piece + 1 == job->n};
    return codec.deflate(lane->gz, &p, bytes, err);
}

static bool take_piece(void *ctx, size_t piece, struct buf *bytes,
                       struct prof_err *err)
{
    struct pack *pack = ctx;
    const struct pack_job *job = pack->job;
    if (job->level) {
        struct gzip_sum *sum = &pack->sum, next = pack->sums[piece];
        sum->crc = (uint32_t)crc32_combine(sum->crc, next.crc, (z_off_t)next.n);
        sum->n += next.n;
        if (piece + 1 == job->n && !put_trailer(pack->sum, bytes, err))
            return false;
    }
    return job->take(job->take_ctx, bytes, err);
}

bool pack_run(struct pack *pack, const struct pack_job *job,
              struct prof_err *err)
{
    const struct inorder_job steps = {
        .n = job->n, .make = make_piece, .take = take_piece, .ctx = pack};
    pack->job = job;
    pack->sum = (struct gzip_sum){0};
    return vec_grow((void **)&pack->sums, &pack->cap_sums, job->n,
                    sizeof *pack->sums)
               ? inorder_run(pack->inorder, &steps, err)
               : err_nomem(err);
}
