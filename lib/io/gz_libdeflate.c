#include <libdeflate.h>
#include <stdlib.h>

#include "io/gz.h"
#include "io/gz_common.h"

struct gz {
    struct libdeflate_decompressor *in;
    struct libdeflate_compressor *out;
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
    if (gz->in)
        libdeflate_free_decompressor(gz->in);
    if (gz->out)
        libdeflate_free_compressor(gz->out);
    free(gz);
}

bool gz_inflate(struct gz *gz, const uint8_t *data, size_t n, size_t max,
                struct buf *out, size_t *used, struct err *err)
{
    if (!gz->in)
        gz->in = libdeflate_alloc_decompressor();
    if (!gz->in)
        return err_nomem(err);
    size_t left = max > out->n ? max - out->n : 0;
    size_t room = gz_likely_size(data, n);
    for (;;) {
        if (room > left)
            room = left;
        /* One byte at least: the library wants an address. */
        if (!buf_reserve(out, room ? room : 1))
            return err_nomem(err);
        if (room < out->cap - out->n)
            room = out->cap - out->n < left ? out->cap - out->n : left;
        size_t made;
        enum libdeflate_result got = libdeflate_gzip_decompress_ex(
            gz->in, data, n, out->v + out->n, room, used, &made);
        if (got == LIBDEFLATE_SUCCESS) {
            out->n += made;
            return true;
        }
        if (got != LIBDEFLATE_INSUFFICIENT_SPACE)
            return gz_explain(data, n, err);
        if (room == left)
            return gz_too_big(max, err);
        room = room < left / 2 ? room * 2 : left;
    }
}

bool gz_deflate(struct gz *gz, const uint8_t *data, size_t n, int level,
                struct buf *out, struct err *err)
{
    if (gz->out && gz->level != level) {
        libdeflate_free_compressor(gz->out);
        gz->out = NULL;
    }
    if (!gz->out)
        gz->out = libdeflate_alloc_compressor(level);
    if (!gz->out)
        return err_nomem(err);
    gz->level = level;
    size_t room = libdeflate_gzip_compress_bound(gz->out, n);
    if (!buf_reserve(out, room))
        return err_nomem(err);
    size_t made = libdeflate_gzip_compress(gz->out, data, n, out->v + out->n,
                                           out->cap - out->n);
    if (!made)
        return err_set(err, ERR_SYSTEM, "libdeflate does not compress");
    out->n += made;
    return true;
}

const char *gz_library(void)
{
    return "libdeflate " LIBDEFLATE_VERSION_STRING;
}
