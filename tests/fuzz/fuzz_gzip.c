/*
 * gzip by whole buffers: what is inflated is what zlib makes of it, whichever
 * library does it; and what is deflated comes back.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "fuzz.h"
#include "io/gzip.h"
#include "io/private.h"

enum { MAX = 1 << 16, GZIP_ONLY = 16 + MAX_WBITS };

/* Whether zlib finds a member of at most MAX bytes, and what is in it. */
static bool by_zlib(const uint8_t *data, size_t n, uint8_t *out, size_t *made,
                    size_t *used)
{
    z_stream z = {0};
    FUZZ_CHECK(inflateInit2(&z, GZIP_ONLY) == Z_OK);
    z.next_in = (Bytef *)data;
    z.avail_in = (uInt)n;
    z.next_out = out;
    z.avail_out = MAX + 1;
    int got = inflate(&z, Z_FINISH);
    *made = MAX + 1 - z.avail_out;
    *used = n - z.avail_in;
    (void)inflateEnd(&z);
    return got == Z_STREAM_END && *made <= MAX;
}

static void inflate_both(struct gz *gz, const uint8_t *data, size_t n)
{
    static uint8_t expected[MAX + 1];
    struct buf out = {0};
    struct prof_err err = {0};
    size_t made, used, got;
    bool good = by_zlib(data, n, expected, &made, &used);
    bool ok = gz_inflate(gz, data, n, MAX, &out, &got, &err);
    if (ok != good)
        fuzz_fail(__FILE__, __LINE__, "taken: %d, by zlib: %d: %s", ok, good,
                  ok ? "" : err.text);
    if (ok) {
        FUZZ_CHECK(gz_begins(data, n) && got == used && out.n == made);
        FUZZ_CHECK(made == 0 || memcmp(out.v, expected, made) == 0);
    } else {
        fuzz_refused(&err);
        FUZZ_CHECK(out.n == 0);
    }
    buf_free(&out);
}

struct halves {
    const uint8_t *data;
    size_t n;
    struct buf *out;
};

static bool make_half(void *ctx, size_t i, struct buf *raw,
                      struct prof_err *err)
{
    const struct halves *h = ctx;
    size_t half = h->n / 2;
    return buf_put(raw, h->data + (i ? half : 0), i ? h->n - half : half) ||
           err_nomem(err);
}

static bool take_half(void *ctx, struct buf *bytes, struct prof_err *err)
{
    struct halves *h = ctx;
    return buf_put(h->out, bytes->v, bytes->n) || err_nomem(err);
}

static bool deflate_halves(struct halves *h, int level, struct prof_err *err)
{
    const struct pack_job job = {.n = 2,
                                 .level = level,
                                 .make = make_half,
                                 .take = take_half,
                                 .make_ctx = h,
                                 .take_ctx = h};
    struct pack *pack = pack_new(1);
    bool ok = pack ? pack_run(pack, &job, err) : err_nomem(err);
    pack_free(pack);
    return ok;
}

/* As one member, or as two pieces of one. */
static void deflate_back(struct gz *gz, const uint8_t *data, size_t n)
{
    struct buf out = {0}, back = {0};
    struct prof_err err = {0};
    unsigned c = fuzz_choice(data, n);
    int level = (int)(c % 10);
    size_t used;
    struct halves halves = {data, n, &out};
    bool ok = c & 128 && level ? deflate_halves(&halves, level, &err)
                               : gz_deflate(gz, data, n, level, &out, &err);
    if (!ok || !gz_inflate(gz, out.v, out.n, n, &back, &used, &err))
        fuzz_fail(__FILE__, __LINE__, "%s", err.text);
    FUZZ_CHECK(used == out.n && back.n == n);
    FUZZ_CHECK(n == 0 || memcmp(back.v, data, n) == 0);
    buf_free(&out);
    buf_free(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct deflate_end end;
    struct gz *gz = gz_new();
    FUZZ_CHECK(gz);
    inflate_both(gz, data, n);
    deflate_back(gz, data, n);
    if (deflate_find_end(data, n, &end))
        FUZZ_CHECK(end.last < end.end && end.end <= 8 * n);
    gz_free(gz);
    return 0;
}
