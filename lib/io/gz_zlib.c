#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "io/gz.h"
#include "io/gz_common.h"

enum {
    GZIP_ONLY = 16 + MAX_WBITS,
    MEM_LEVEL = 8,     /* zlib's default */
    MORE_ROOM = 65536, /* for output, where the first was too small */
    RAW = -MAX_WBITS,  /* no header, no trailer */
};

const int gz_level_good = 4;

struct gz {
    z_stream in, out;
    bool has_in, has_out;
    int level; /* that `out` was made for */
};

struct gz *gz_new(void)
{
    return calloc(1, sizeof(struct gz));
}

void gz_free(struct gz *gz)
{
    if (!gz)
        return;
    if (gz->has_in)
        (void)inflateEnd(&gz->in);
    if (gz->has_out)
        (void)deflateEnd(&gz->out);
    free(gz);
}

/* Hands z the next of n bytes, as many as a uInt can say. */
static void feed(z_stream *z, const uint8_t *data, size_t n)
{
    z->next_in = (Bytef *)data;
    z->avail_in = n < UINT_MAX ? (uInt)n : UINT_MAX;
}

/* Output room for `want` bytes or more, but not past max in all. */
static bool room(z_stream *z, size_t want, size_t max, struct buf *out,
                 struct err *err)
{
    if (want > max - out->n)
        want = max - out->n;
    if (!buf_reserve(out, want))
        return err_nomem(err);
    size_t k = out->cap - out->n;
    if (k > max - out->n)
        k = max - out->n;
    z->next_out = out->v + out->n;
    z->avail_out = k < UINT_MAX ? (uInt)k : UINT_MAX;
    return true;
}

/* Inflates what fits into z's output room; returns zlib's verdict. */
static int step(z_stream *z, const uint8_t *data, size_t n, size_t *used,
                struct buf *out)
{
    feed(z, data + *used, n - *used);
    uInt had_in = z->avail_in, had_out = z->avail_out;
    int got = inflate(z, Z_NO_FLUSH);
    *used += had_in - z->avail_in;
    out->n += had_out - z->avail_out;
    return got;
}

/* The same with no room left: a byte that comes out is one too many. */
static int step_full(z_stream *z, const uint8_t *data, size_t n, size_t *used,
                     bool *over)
{
    uint8_t byte;
    struct buf none = {0};
    z->next_out = &byte;
    z->avail_out = 1;
    int got = step(z, data, n, used, &none);
    *over = none.n > 0;
    return got;
}

/* Inflates until zlib says other than Z_OK, in *got. */
static bool run(z_stream *z, const uint8_t *data, size_t n, size_t max,
                struct buf *out, size_t *used, int *got, struct err *err)
{
    /* A spare byte lets the end be seen without growing. */
    size_t want = gz_likely_size(data, n) + 1;
    bool over = false;
    do {
        if (out->n >= max) {
            *got = step_full(z, data, n, used, &over);
            if (over)
                return gz_too_big(max, err);
        } else {
            if (!room(z, want, max, out, err))
                return false;
            *got = step(z, data, n, used, out);
        }
        want = MORE_ROOM;
    } while (*got == Z_OK);
    return true;
}

bool gz_inflate(struct gz *gz, const uint8_t *data, size_t n, size_t max,
                struct buf *out, size_t *used, struct err *err)
{
    z_stream *z = &gz->in;
    int got =
        gz->has_in ? inflateReset2(z, GZIP_ONLY) : inflateInit2(z, GZIP_ONLY);
    if (got != Z_OK)
        return err_nomem(err);
    gz->has_in = true;
    size_t was = out->n;
    *used = 0;
    bool ok = run(z, data, n, max, out, used, &got, err);
    if (ok && got != Z_STREAM_END)
        ok = got == Z_MEM_ERROR ? err_nomem(err) : gz_explain(data, n, err);
    if (!ok)
        out->n = was;
    return ok;
}

/* A deflater for this level, made or made ready again. */
static z_stream *deflater(struct gz *gz, int level)
{
    z_stream *z = &gz->out;
    if (gz->has_out && gz->level == level && deflateReset(z) == Z_OK)
        return z;
    if (gz->has_out)
        (void)deflateEnd(z);
    memset(z, 0, sizeof *z);
    gz->level = level;
    gz->has_out = deflateInit2(z, level, Z_DEFLATED, RAW, MEM_LEVEL,
                               Z_DEFAULT_STRATEGY) == Z_OK;
    return gz->has_out ? z : NULL;
}

bool gz_deflate_piece(struct gz *gz, const uint8_t *data, size_t n, int level,
                      bool last, struct buf *out, struct err *err)
{
    z_stream *z = deflater(gz, level > 9 ? 9 : level);
    if (!z)
        return err_nomem(err);
    if (!buf_reserve(out, deflateBound(z, n)))
        return err_nomem(err);
    size_t was = out->n, used = 0;
    /* A flush is through when it leaves some of its room. */
    for (bool done = false; !done;) {
        if (!room(z, MORE_ROOM, SIZE_MAX, out, err)) {
            out->n = was;
            return false;
        }
        feed(z, data + used, n - used);
        uInt had_in = z->avail_in, had_out = z->avail_out;
        int flush = had_in < n - used ? Z_NO_FLUSH
                    : last            ? Z_FINISH
                                      : Z_SYNC_FLUSH;
        int got = deflate(z, flush);
        used += had_in - z->avail_in;
        out->n += had_out - z->avail_out;
        done = last ? got == Z_STREAM_END : used == n && z->avail_out;
    }
    return true;
}

struct gz_sum gz_sum_of(const uint8_t *data, size_t n)
{
    return (struct gz_sum){(uint32_t)crc32_z(0, data, n), n};
}

const char *gz_library(void)
{
    return "zlib " ZLIB_VERSION;
}
