/*
 * perf_zstd.c - compressed records (perf record -z)
 *
 * All compressed records of a recording are one zstd stream.  The content of
 * each is other records, the last of which may continue in the next one.
 */
#include <stdio.h>
#include <zstd.h>

#include "base/library.h"
#include "formats/perf/private.h"

#define ZSTD_FUNCTIONS(X)                                                      \
    X(ZSTD_versionString)                                                      \
    X(ZSTD_createDStream)                                                      \
    X(ZSTD_freeDStream)                                                        \
    X(ZSTD_DStreamOutSize)                                                     \
    X(ZSTD_decompressStream)                                                   \
    X(ZSTD_isError)                                                            \
    X(ZSTD_getErrorName)

struct zstd {
    ZSTD_FUNCTIONS(LIBRARY_MEMBER)
};

static struct zstd zstd = LIBRARY_TABLE(ZSTD_FUNCTIONS);
static struct library libzstd =
    LIBRARY("libzstd", "libzstd.so.1", "libzstd1", ZSTD_FUNCTIONS, zstd);

static bool zstd_version(char text[LIBRARY_VERSION_MAX], struct prof_err *err)
{
    if (!library_load(&libzstd, err))
        return false;
    (void)snprintf(text, LIBRARY_VERSION_MAX, "%s", zstd.ZSTD_versionString());
    return true;
}

const struct library_about perf_library = {
    .name = "libzstd", .version = zstd_version, .on_demand = LIBRARY_ON_DEMAND};

struct perf_zstd {
    ZSTD_DStream *stream;
    struct buf out;  /* decompressed bytes that are not read yet */
    uint64_t offset; /* of the last compressed record */
};

/* Of the last record in the compressed data, a part is missing. */
void perf_zstd_end(struct perf *p, const struct perf_zstd *z, size_t part)
{
    if (!z || !z->out.n || p->cut)
        return;
    p->cut = true;
    p->cut_at = z->offset;
    p->cut_part = part;
}

void perf_zstd_free(struct perf_zstd *z)
{
    if (!z)
        return;
    if (z->stream)
        (void)zstd.ZSTD_freeDStream(z->stream);
    buf_free(&z->out);
    free(z);
}

static bool start(struct perf *p, struct prof_err *err)
{
    if (!library_load(&libzstd, err))
        return false;
    struct perf_zstd *z = p->zstd = mem_zarray(1, sizeof *z);
    return (z && (z->stream = zstd.ZSTD_createDStream())) || err_nomem(err);
}

/* Handles the complete records at the start of the decompressed bytes. */
static bool handle_records(struct perf *p, uint64_t offset,
                           perf_handle_fn *handle, struct prof_err *err)
{
    struct buf *out = &p->zstd->out;
    size_t at = 0;
    while (out->n - at >= PERF_HEADER_BYTES) {
        struct perf_record r;
        perf_record_at(&r, out->v + at, p->big);
        r.offset = offset;
        if (r.n < PERF_HEADER_BYTES || r.type == PERF_COMPRESSED ||
            r.type == PERF_COMPRESSED2)
            return err_set(err, PROF_ERR_INPUT,
                           "offset %llu: invalid record in compressed data",
                           (unsigned long long)offset);
        if (r.n > out->n - at)
            break;
        if (!handle(p, &r, err))
            return false;
        at += r.n;
    }
    memmove(out->v, out->v + at, out->n - at);
    out->n -= at;
    return true;
}

bool perf_decompress(struct perf *p, const struct perf_record *r,
                     perf_handle_fn *handle, struct prof_err *err)
{
    struct perf_fields f = perf_fields_of(r, p->big);
    uint64_t n = perf_left(&f);
    if (!p->zstd && !start(p, err))
        return false;
    p->zstd->offset = r->offset;
    size_t step = zstd.ZSTD_DStreamOutSize();
    if (r->type == PERF_COMPRESSED2) {
        /*
         * The size of the data, without padding.  If perf writes data in
         * several records at once, the first has the size of all of it.
         */
        n = perf_u64(&f);
        n = n < perf_left(&f) ? n : perf_left(&f);
    }
    ZSTD_inBuffer in = {f.at, (size_t)n, 0};
    struct buf *out = &p->zstd->out;
    for (bool full = true; in.pos < in.size || full;) {
        if (!buf_reserve(out, step))
            return err_nomem(err);
        ZSTD_outBuffer to = {out->v + out->n, step, 0};
        size_t got = zstd.ZSTD_decompressStream(p->zstd->stream, &to, &in);
        if (zstd.ZSTD_isError(got))
            return err_set(
                err, PROF_ERR_INPUT, "offset %llu: invalid compressed data: %s",
                (unsigned long long)r->offset, zstd.ZSTD_getErrorName(got));
        out->n += to.pos;
        p->decompressed += to.pos;
        if (p->max_size && p->decompressed > p->max_size)
            return err_set(err, PROF_ERR_INPUT,
                           "offset %llu: compressed records exceed %llu bytes "
                           "(see --max-size)",
                           (unsigned long long)r->offset,
                           (unsigned long long)p->max_size);
        full = to.pos == step;
        if (!handle_records(p, r->offset, handle, err))
            return false;
    }
    return true;
}
