/* gzip_zlib.c - gzip and deflate by zlib alone */
#include "io/private.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

enum {
    GZIP_ONLY = 16 + MAX_WBITS,
    MEM_LEVEL = 8,     /* zlib's default */
    MORE_ROOM = 65536, /* output space added at a time */
    RAW = -MAX_WBITS,  /* no header, no trailer */
};

const int gz_level_good = 4;

static void free_deflater(struct gz *gz)
{
    if (gz->out)
        (void)deflateEnd(gz->out);
    free(gz->out);
    gz->out = NULL;
}

static void codec_free(struct gz *gz)
{
    if (gz->in)
        (void)inflateEnd(gz->in);
    free(gz->in);
    free_deflater(gz);
}

/* Sets the input of z to the n bytes at data, at most UINT_MAX of them. */
static void feed(z_stream *z, const uint8_t *data, size_t n)
{
    z->next_in = (Bytef *)data;
    z->avail_in = n < UINT_MAX ? (uInt)n : UINT_MAX;
}

/* Returns a new or reset inflater, or null if there is no memory. */
static z_stream *inflater(struct gz *gz)
{
    z_stream *z = gz->in ? gz->in : calloc(1, sizeof *z);
    if (gz->in)
        return inflateReset2(z, GZIP_ONLY) == Z_OK ? z : NULL;
    if (z && inflateInit2(z, GZIP_ONLY) == Z_OK)
        return gz->in = z;
    free(z);
    return NULL;
}

static enum codec_result codec_inflate(struct gz *gz, struct codec_job *job)
{
    z_stream *z = inflater(gz);
    int got;
    if (!z)
        return CODEC_NO_MEMORY;
    job->used = job->made = 0;
    do {
        size_t room = job->room - job->made;
        feed(z, job->data + job->used, job->n - job->used);
        z->next_out = job->to + job->made;
        z->avail_out = room < UINT_MAX ? (uInt)room : UINT_MAX;
        uInt had_in = z->avail_in, had_out = z->avail_out;
        got = inflate(z, Z_NO_FLUSH);
        job->used += had_in - z->avail_in;
        job->made += had_out - z->avail_out;
    } while (got == Z_OK);
    if (got == Z_STREAM_END)
        return CODEC_OK;
    if (got == Z_BUF_ERROR && job->made == job->room)
        return CODEC_NO_ROOM;
    return got == Z_MEM_ERROR ? CODEC_NO_MEMORY : CODEC_BAD;
}

/* Returns a new or reset deflater for this level; null: no memory. */
static z_stream *deflater(struct gz *gz, int level)
{
    if (gz->out && gz->level == level && deflateReset(gz->out) == Z_OK)
        return gz->out;
    free_deflater(gz);
    gz->level = level;
    z_stream *z = calloc(1, sizeof *z);
    if (z && deflateInit2(z, level, Z_DEFLATED, RAW, MEM_LEVEL,
                          Z_DEFAULT_STRATEGY) == Z_OK)
        return gz->out = z;
    free(z);
    return NULL;
}

static bool codec_deflate(struct gz *gz, const struct codec_piece *p,
                          struct buf *out, struct prof_err *err)
{
    const size_t n = p->n;
    z_stream *z = deflater(gz, p->level > 9 ? 9 : p->level);
    if (!z)
        return err_nomem(err);
    if (!buf_reserve(out, deflateBound(z, n)))
        return err_nomem(err);
    size_t was = out->n, used = 0;
    /* A flush is complete when deflate() leaves some of the output space. */
    for (bool done = false; !done;) {
        if (!buf_reserve(out, MORE_ROOM)) {
            out->n = was;
            return err_nomem(err);
        }
        size_t room = out->cap - out->n;
        z->next_out = out->v + out->n;
        z->avail_out = room < UINT_MAX ? (uInt)room : UINT_MAX;
        feed(z, p->data + used, n - used);
        uInt had_in = z->avail_in, had_out = z->avail_out;
        int flush = had_in < n - used ? Z_NO_FLUSH
                    : p->last         ? Z_FINISH
                                      : Z_SYNC_FLUSH;
        int got = deflate(z, flush);
        used += had_in - z->avail_in;
        out->n += had_out - z->avail_out;
        done = p->last ? got == Z_STREAM_END : used == n && z->avail_out;
    }
    return true;
}

static uint32_t codec_crc(const uint8_t *data, size_t n)
{
    return (uint32_t)crc32_z(0, data, n);
}

const struct codec codec = {
    .inflate = codec_inflate,
    .deflate = codec_deflate,
    .crc = codec_crc,
    .free = codec_free,
};

bool zlib_inflate(const void *data, size_t n, void *to, size_t size)
{
    uLong used = (uLong)n;
    uLongf made = (uLongf)size;
    return used == n && made == size &&
           uncompress2(to, &made, data, &used) == Z_OK && used == n &&
           made == size;
}
