#include "io/gz_common.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "io/gz.h"

enum {
    WINDOW = 64 * 1024,
    GZIP_ONLY = 16 + MAX_WBITS,
    MIN_MEMBER = 18, /* header and trailer */
    FLAGS = 3,       /* where they are in the header; one of them: */
    HAS_CHECKSUM = 2,
};

/* Deflated, nothing optional, no time, system unknown. */
static const uint8_t header[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};

bool gz_is(const uint8_t *data, size_t n)
{
    return n >= 3 && data[0] == 0x1f && data[1] == 0x8b && data[2] == 8;
}

size_t gz_likely_size(const uint8_t *data, size_t n)
{
    if (n < MIN_MEMBER)
        return WINDOW;
    const uint8_t *t = data + n - 4;
    size_t said = (size_t)t[0] | (size_t)t[1] << 8 | (size_t)t[2] << 16 |
                  (size_t)t[3] << 24;
    return said / 32 < n ? said : WINDOW;
}

bool gz_too_big(size_t max, struct err *err)
{
    return err_set(err, ERR_INPUT,
                   "decompresses to more than %zu bytes (see --max-size)", max);
}

/* What has come into the window; zlib's verdict becomes ours at the end. */
static int keep(const z_stream *z, const uint8_t *window, size_t max,
                struct buf *out, int got)
{
    size_t made = WINDOW - z->avail_out, left = max > out->n ? max - out->n : 0;
    if (!buf_put(out, window, made < left ? made : left))
        return Z_MEM_ERROR;
    return made < left || got != Z_OK ? got : Z_BUF_ERROR;
}

/*
 * Inflates window by window, to *out as far as max goes if it is not null;
 * returns zlib's verdict and how far it came.
 */
static int dry_run(z_stream *z, const uint8_t *data, size_t n, uint8_t *window,
                   size_t max, struct buf *out, size_t *at)
{
    int got = Z_OK;
    size_t left = n;
    z->next_in = (Bytef *)data;
    while (got == Z_OK) {
        if (!z->avail_in && left) {
            z->avail_in = left < UINT_MAX ? (uInt)left : UINT_MAX;
            left -= z->avail_in;
        }
        z->next_out = window;
        z->avail_out = WINDOW;
        got = inflate(z, Z_NO_FLUSH);
        if (out)
            got = keep(z, window, max, out, got);
    }
    *at = n - left - z->avail_in;
    return got;
}

/* The same, and *err from the verdict. */
static bool run(const uint8_t *data, size_t n, size_t max, struct buf *out,
                struct err *err)
{
    z_stream z = {0};
    if (inflateInit2(&z, GZIP_ONLY) != Z_OK)
        return err_nomem(err);
    uint8_t *window = malloc(WINDOW);
    if (!window) {
        (void)inflateEnd(&z);
        return err_nomem(err);
    }
    size_t at;
    int got = dry_run(&z, data, n, window, max, out, &at);
    if (got == Z_MEM_ERROR)
        err_nomem(err);
    else if (got == Z_BUF_ERROR)
        err_set(err, ERR_INPUT, "gzip data is cut off after %zu bytes", n);
    else
        err_set(err, ERR_INPUT, "gzip data is corrupt after %zu bytes: %s", at,
                z.msg ? z.msg : "not what gzip writes");
    free(window);
    (void)inflateEnd(&z);
    return false;
}

bool gz_check_header(const uint8_t *data, size_t n, struct err *err)
{
    z_stream z = {0};
    uint8_t none;
    if (n < MIN_MEMBER || !(data[FLAGS] & HAS_CHECKSUM))
        return true;
    if (inflateInit2(&z, GZIP_ONLY) != Z_OK)
        return err_nomem(err);
    z.next_in = (Bytef *)data;
    z.avail_in = n < UINT_MAX ? (uInt)n : UINT_MAX;
    z.next_out = &none;
    int got = inflate(&z, Z_BLOCK); /* to the end of the header */
    (void)inflateEnd(&z);
    return got == Z_OK || got == Z_BUF_ERROR || gz_explain(data, n, err);
}

bool gz_explain(const uint8_t *data, size_t n, struct err *err)
{
    return run(data, n, 0, NULL, err);
}

bool gz_salvage(const uint8_t *data, size_t n, size_t max, struct buf *out,
                struct err *err)
{
    (void)run(data, n, max, out, err);
    return !err_is_nomem(err);
}

bool gz_begin(struct buf *out, struct err *err)
{
    return buf_put(out, header, sizeof header) || err_nomem(err);
}

struct gz_sum gz_sum_join(struct gz_sum first, struct gz_sum second)
{
    return (struct gz_sum){
        (uint32_t)crc32_combine(first.crc, second.crc, (z_off_t)second.n),
        first.n + second.n};
}

bool gz_end(struct gz_sum sum, struct buf *out, struct err *err)
{
    uint8_t trailer[8];
    for (size_t i = 0; i < 4; i++) {
        trailer[i] = (uint8_t)(sum.crc >> 8 * i);
        trailer[4 + i] = (uint8_t)(sum.n >> 8 * i);
    }
    return buf_put(out, trailer, sizeof trailer) || err_nomem(err);
}

bool gz_deflate(struct gz *gz, const uint8_t *data, size_t n, int level,
                struct buf *out, struct err *err)
{
    size_t was = out->n;
    if (gz_begin(out, err) &&
        gz_deflate_piece(gz, data, n, level, true, out, err) &&
        gz_end(gz_sum_of(data, n), out, err))
        return true;
    out->n = was;
    return false;
}
