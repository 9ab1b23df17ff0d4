/* gzip.c - gzip members in memory, and one made by several threads */
#include "io/gzip.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/parallel.h"
#include "base/vec.h"
#include "io/private.h"

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

/*
 * How much room to begin with for what the n bytes at data hold.  The last
 * trailer says it where there is only one member; it is believed as far as
 * ordinary data compresses.
 */
size_t gz_likely_size(const uint8_t *data, size_t n)
{
    if (n < MIN_MEMBER)
        return WINDOW;
    const uint8_t *t = data + n - 4;
    size_t said = (size_t)t[0] | (size_t)t[1] << 8 | (size_t)t[2] << 16 |
                  (size_t)t[3] << 24;
    return said / 32 < n ? said : WINDOW;
}

static bool too_big(size_t max, struct err *err)
{
    return err_set(err, ERR_INPUT,
                   "decompresses to more than %zu bytes (see --max-size)", max);
}

/* A damaged member, inflated window by window. */
struct trial {
    const uint8_t *data;
    size_t n;
    struct buf *out; /* null: what is inflated is of no interest */
    size_t max;      /* bytes of *out */
    size_t at;       /* of data, how far it came */
};

/* What has come into the window; zlib's verdict becomes ours at the end. */
static int keep(const struct trial *t, const z_stream *z, const uint8_t *window,
                int got)
{
    struct buf *out = t->out;
    size_t made = WINDOW - z->avail_out;
    size_t left = t->max > out->n ? t->max - out->n : 0;
    if (!buf_put(out, window, made < left ? made : left))
        return Z_MEM_ERROR;
    return made < left || got != Z_OK ? got : Z_BUF_ERROR;
}

/* zlib's verdict. */
static int inflate_windows(struct trial *t, z_stream *z, uint8_t *window)
{
    int got = Z_OK;
    size_t left = t->n;
    z->next_in = (Bytef *)t->data;
    while (got == Z_OK) {
        if (!z->avail_in && left) {
            z->avail_in = left < UINT_MAX ? (uInt)left : UINT_MAX;
            left -= z->avail_in;
        }
        z->next_out = window;
        z->avail_out = WINDOW;
        got = inflate(z, Z_NO_FLUSH);
        if (t->out)
            got = keep(t, z, window, got);
    }
    t->at = t->n - left - z->avail_in;
    return got;
}

/* Returns false with *err from zlib's verdict. */
static bool try_to_inflate(struct trial *t, struct err *err)
{
    z_stream z = {0};
    if (inflateInit2(&z, GZIP_ONLY) != Z_OK)
        return err_nomem(err);
    uint8_t *window = malloc(WINDOW);
    if (!window) {
        (void)inflateEnd(&z);
        return err_nomem(err);
    }
    int got = inflate_windows(t, &z, window);
    if (got == Z_MEM_ERROR)
        err_nomem(err);
    else if (got == Z_BUF_ERROR)
        err_set(err, ERR_INPUT, "gzip data is cut off after %zu bytes", t->n);
    else
        err_set(err, ERR_INPUT, "gzip data is corrupt after %zu bytes: %s",
                t->at, z.msg ? z.msg : "not what gzip writes");
    free(window);
    (void)inflateEnd(&z);
    return false;
}

/*
 * Puts into *err what is wrong with the member at data, and after how many
 * of its bytes: cut off, wrong checksum, corrupt.  Returns false.
 */
static bool explain(const uint8_t *data, size_t n, struct err *err)
{
    struct trial t = {.data = data, .n = n};
    return try_to_inflate(&t, err);
}

/*
 * False, with *err, unless the header of the member at data has no checksum of
 * its own (FHCRC) or the right one: libdeflate does not look.
 */
static bool check_header(const uint8_t *data, size_t n, struct err *err)
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
    return got == Z_OK || got == Z_BUF_ERROR || explain(data, n, err);
}

bool gz_salvage(const uint8_t *data, size_t n, size_t max, struct buf *out,
                struct err *err)
{
    struct trial t = {.data = data, .n = n, .out = out, .max = max};
    (void)try_to_inflate(&t, err);
    return !err_is_nomem(err);
}

/* --- members -------------------------------------------------------------- */

struct gz {
    struct codec *codec;
};

struct gz *gz_new(void)
{
    struct gz *gz = calloc(1, sizeof *gz);
    if (gz && (gz->codec = codec_new()))
        return gz;
    gz_free(gz);
    return NULL;
}

void gz_free(struct gz *gz)
{
    if (gz)
        codec_free(gz->codec);
    free(gz);
}

bool gz_inflate(struct gz *gz, const uint8_t *data, size_t n, size_t max,
                struct buf *out, size_t *used, struct err *err)
{
    size_t left = max > out->n ? max - out->n : 0;
    size_t room = gz_likely_size(data, n);
    if (!check_header(data, n, err))
        return false;
    for (;;) {
        if (room > left)
            room = left;
        /* One byte at least: libdeflate wants an address. */
        if (!buf_reserve(out, room ? room : 1))
            return err_nomem(err);
        if (room < out->cap - out->n)
            room = out->cap - out->n < left ? out->cap - out->n : left;
        struct codec_job job = {data, n, out->v + out->n, room, 0, 0};
        switch (codec_inflate(gz->codec, &job)) {
        case CODEC_OK:
            out->n += job.made;
            *used = job.used;
            return true;
        case CODEC_NO_ROOM:
            if (room == left)
                return too_big(max, err);
            break;
        case CODEC_NO_MEMORY:
            return err_nomem(err);
        default:
            return explain(data, n, err);
        }
        room = room < left / 2 ? room * 2 : left;
    }
}

static bool put_header(struct buf *out, struct err *err)
{
    return buf_put(out, header, sizeof header) || err_nomem(err);
}

/* The checksum and number of the bytes so far; zero before the first. */
struct gzip_sum {
    uint32_t crc;
    uint64_t n;
};

static struct gzip_sum sum_of(const uint8_t *data, size_t n)
{
    return (struct gzip_sum){codec_crc(data, n), n};
}

static struct gzip_sum join_sums(struct gzip_sum first, struct gzip_sum second)
{
    return (struct gzip_sum){
        (uint32_t)crc32_combine(first.crc, second.crc, (z_off_t)second.n),
        first.n + second.n};
}

static bool put_trailer(struct gzip_sum sum, struct buf *out, struct err *err)
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
    const struct codec_piece all = {data, n, level, true};
    if (put_header(out, err) && codec_deflate(gz->codec, &all, out, err) &&
        put_trailer(sum_of(data, n), out, err))
        return true;
    out->n = was;
    return false;
}

/* --- several threads ------------------------------------------------------ */

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
    struct gzip_sum *sums; /* by piece */
    size_t cap_sums;
    struct gzip_sum sum; /* of what was taken */
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
                       struct buf *bytes, struct err *err)
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
        (!piece && !put_header(bytes, err)))
        return false;
    pack->sums[piece] = sum_of(lane->raw.v, lane->raw.n);
    const struct codec_piece p = {lane->raw.v, lane->raw.n, job->level,
                                  piece + 1 == job->n};
    return codec_deflate(lane->gz->codec, &p, bytes, err);
}

static bool take_piece(void *ctx, size_t piece, struct buf *bytes,
                       struct err *err)
{
    struct pack *pack = ctx;
    const struct pack_job *job = pack->job;
    if (job->level) {
        pack->sum = join_sums(pack->sum, pack->sums[piece]);
        if (piece + 1 == job->n && !put_trailer(pack->sum, bytes, err))
            return false;
    }
    return job->take(job->ctx, bytes, err);
}

bool pack_run(struct pack *pack, const struct pack_job *job, struct err *err)
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
