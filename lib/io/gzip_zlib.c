/* gzip_zlib.c - gzip and deflate by zlib alone */
#include "io/private.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    GZIP_ONLY = 16 + MAX_WBITS,
    MEM_LEVEL = 8,     /* zlib's default */
    MORE_ROOM = 65536, /* for output, where the first was too small */
    RAW = -MAX_WBITS,  /* no header, no trailer */
};

const int gz_level_good = 4;

struct codec {
    z_stream in, out;
    bool has_in, has_out;
    int level; /* that `out` was made for */
};

struct codec *codec_new(void)
{
    return calloc(1, sizeof(struct codec));
}

void codec_free(struct codec *c)
{
    if (!c)
        return;
    if (c->has_in)
        (void)inflateEnd(&c->in);
    if (c->has_out)
        (void)deflateEnd(&c->out);
    free(c);
}

/* Hands z the next of n bytes, as many as a uInt can say. */
static void feed(z_stream *z, const uint8_t *data, size_t n)
{
    z->next_in = (Bytef *)data;
    z->avail_in = n < UINT_MAX ? (uInt)n : UINT_MAX;
}

/* Output room for MORE_ROOM bytes at least. */
static bool make_room(z_stream *z, struct buf *out, struct err *err)
{
    if (!buf_reserve(out, MORE_ROOM))
        return err_nomem(err);
    size_t k = out->cap - out->n;
    z->next_out = out->v + out->n;
    z->avail_out = k < UINT_MAX ? (uInt)k : UINT_MAX;
    return true;
}

enum codec_result codec_inflate(struct codec *c, struct codec_job *job)
{
    z_stream *z = &c->in;
    int got =
        c->has_in ? inflateReset2(z, GZIP_ONLY) : inflateInit2(z, GZIP_ONLY);
    if (got != Z_OK)
        return CODEC_NO_MEMORY;
    c->has_in = true;
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

/* A deflater for this level, made or made ready again. */
static z_stream *deflater(struct codec *c, int level)
{
    z_stream *z = &c->out;
    if (c->has_out && c->level == level && deflateReset(z) == Z_OK)
        return z;
    if (c->has_out)
        (void)deflateEnd(z);
    memset(z, 0, sizeof *z);
    c->level = level;
    c->has_out = deflateInit2(z, level, Z_DEFLATED, RAW, MEM_LEVEL,
                              Z_DEFAULT_STRATEGY) == Z_OK;
    return c->has_out ? z : NULL;
}

bool codec_deflate(struct codec *c, const struct codec_piece *p,
                   struct buf *out, struct err *err)
{
    const size_t n = p->n;
    z_stream *z = deflater(c, p->level > 9 ? 9 : p->level);
    if (!z)
        return err_nomem(err);
    if (!buf_reserve(out, deflateBound(z, n)))
        return err_nomem(err);
    size_t was = out->n, used = 0;
    /* A flush is through when it leaves some of its room. */
    for (bool done = false; !done;) {
        if (!make_room(z, out, err)) {
            out->n = was;
            return false;
        }
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

uint32_t codec_crc(const uint8_t *data, size_t n)
{
    return (uint32_t)crc32_z(0, data, n);
}

const char *gz_library(void)
{
    return "zlib " ZLIB_VERSION;
}
