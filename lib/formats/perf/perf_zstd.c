/*
 * perf_zstd.c - compressed records (perf record -z)
 *
 * All compressed records of a file are one zstd stream.  Each contains other
 * records; the last of these may continue in the next compressed record.
 */
#include <inttypes.h>
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
    uint64_t offset; /* of the last compressed record */
    ZSTD_inBuffer in;
    bool more;      /* there may be more to decompress */
    struct buf out; /* decompressed bytes */
    size_t at;      /* offset in `out` of the next record */
};

void perf_zstd_end(struct perf_reader *r, const struct perf_source *s)
{
    if (s->zstd && s->zstd->at < s->zstd->out.n)
        perf_set_cut(r, s->zstd->offset, s->part);
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

bool perf_zstd_begin(struct perf_source *s, const struct perf_record *r,
                     bool big, struct prof_err *err)
{
    struct perf_fields f = perf_fields_of(r, big);
    uint64_t n = perf_left(&f);
    struct perf_zstd *z = s->zstd;
    if (!z && !library_load(&libzstd, err))
        return false;
    if (!z && (!(z = s->zstd = mem_zarray(1, sizeof *z)) ||
               !(z->stream = zstd.ZSTD_createDStream())))
        return err_nomem(err);
    if (r->type == PERF_COMPRESSED2) {
        /*
         * The size of the data without padding.  If perf splits data into
         * several records, the first has the size of all of it.
         */
        n = perf_u64(&f);
        n = n < perf_left(&f) ? n : perf_left(&f);
    }
    z->offset = r->offset;
    z->in = (ZSTD_inBuffer){f.at, (size_t)n, 0};
    z->more = true;
    return true;
}

/* Drops the decompressed records that were read, and decompresses more. */
static bool decompress(struct perf_reader *r, struct perf_zstd *z,
                       struct prof_err *err)
{
    const size_t step = zstd.ZSTD_DStreamOutSize();
    const uint64_t max_size = r->in->max_size;
    struct buf *out = &z->out;
    if (z->at)
        memmove(out->v, out->v + z->at, out->n - z->at);
    out->n -= z->at;
    z->at = 0;
    if (!buf_reserve(out, step))
        return err_nomem(err);
    ZSTD_outBuffer to = {out->v + out->n, step, 0};
    size_t got = zstd.ZSTD_decompressStream(z->stream, &to, &z->in);
    if (zstd.ZSTD_isError(got))
        return err_input(err, "offset %" PRIu64 ": invalid compressed data: %s",
                         z->offset, zstd.ZSTD_getErrorName(got));
    out->n += to.pos;
    r->decompressed += to.pos;
    if (max_size && r->decompressed > max_size)
        return err_input(err,
                         "offset %" PRIu64
                         ": compressed records exceed %" PRIu64
                         " bytes (see --max-size)",
                         z->offset, max_size);
    z->more = z->in.pos < z->in.size || to.pos == step;
    return true;
}

int perf_zstd_next(struct perf_reader *r, struct perf_source *s,
                   struct perf_record *record, struct prof_err *err)
{
    struct perf_zstd *z = s->zstd;
    for (;;) {
        const size_t left = z->out.n - z->at;
        if (left >= PERF_HEADER_BYTES) {
            perf_record_at(record, z->out.v + z->at, r->about->big);
            record->offset = z->offset;
            if (record->n < PERF_HEADER_BYTES ||
                record->type == PERF_COMPRESSED ||
                record->type == PERF_COMPRESSED2) {
                (void)err_input(err,
                                "offset %" PRIu64
                                ": invalid record in compressed data",
                                z->offset);
                return -1;
            }
            if (record->n <= left) {
                z->at += record->n;
                return 1;
            }
        }
        if (!z->more)
            return 0;
        if (!decompress(r, z, err))
            return -1;
    }
}
