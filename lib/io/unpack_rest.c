/*
 * What libarchive keeps back of damaged data.
 *
 * It hands out blocks of 64 or 128 KiB, and when it finds the damage none of
 * the one it is at: of a small profile with nothing wrong but its checksum,
 * nothing.  But streams may follow each other, and blocks do not end where
 * streams do: with so many zeros before it, in a stream of their own, that a
 * block ends where the bytes in question do, they come.  How many can be had
 * is searched for by halves.
 */
#include <stdlib.h>
#include <string.h>

#include "io/archive.h"

enum {
    BLOCK = 128 * 1024,      /* of zstd; twice that of xz and bzip2 */
    PACKED_ZEROS = 16 * 1024 /* BLOCK zeros are less, however compressed */
};

struct rest {
    struct la la;
    enum sniff kind;
    const uint8_t *data; /* the damaged stream */
    size_t n;
    size_t max;
    uint8_t *zeros;
};

static int add_filter(const struct rest *r, struct archive *a)
{
    switch (r->kind) {
    case SNIFF_ZSTD:
        return r->la.archive_write_add_filter_zstd(a);
    case SNIFF_XZ:
        return r->la.archive_write_add_filter_xz(a);
    default:
        return r->la.archive_write_add_filter_bzip2(a);
    }
}

/* Writes n zeros to what has been opened. */
static bool write_zeros(const struct rest *r, struct archive *a, size_t n)
{
    const struct la *la = &r->la;
    struct archive_entry *entry = la->archive_entry_new();
    if (!entry)
        return false;
    la->archive_entry_set_filetype(entry, AE_IFREG);
    bool ok = la->archive_write_header(a, entry) == ARCHIVE_OK &&
              la->archive_write_data(a, r->zeros, n) == (la_ssize_t)n;
    la->archive_entry_free(entry);
    return ok && la->archive_write_close(a) == ARCHIVE_OK;
}

/* Appends a stream of n zeros. */
static bool pack_zeros(const struct rest *r, size_t n, struct buf *to)
{
    const struct la *la = &r->la;
    size_t used = 0;
    struct archive *a = la->archive_write_new();
    bool ok =
        a && buf_reserve(to, PACKED_ZEROS) && add_filter(r, a) == ARCHIVE_OK &&
        la->archive_write_set_format_raw(a) == ARCHIVE_OK &&
        la->archive_write_set_filter_option(a, NULL, "compression-level",
                                            "1") == ARCHIVE_OK &&
        la->archive_write_set_bytes_in_last_block(a, 1) == ARCHIVE_OK &&
        la->archive_write_open_memory(a, to->v + to->n, PACKED_ZEROS, &used) ==
            ARCHIVE_OK &&
        write_zeros(r, a, n);
    if (a)
        (void)la->archive_write_free(a);
    to->n += ok ? used : 0;
    return ok;
}

/* *out is what comes with n zeros before it; false: no memory. */
static bool unpack_behind(const struct rest *r, size_t n, struct buf *out)
{
    struct buf joined = {0};
    struct err why = {0};
    bool ok =
        (!n || pack_zeros(r, n, &joined)) && buf_put(&joined, r->data, r->n);
    struct mem_stream mem = mem_stream_of(joined.v, joined.n);
    struct unpack_stream unpack = unpack_stream_of(r->kind, &mem.stream);
    struct head_stream all = head_stream_of(&unpack.stream);
    if (ok)
        (void)head_fill_all(&all, 0, r->max + BLOCK, &why);
    unpack_free(&unpack);
    buf_free(&joined);
    *out = all.head;
    return ok && why.kind == ERR_INPUT;
}

/* As many more bytes as there are, less than a block of them. */
static bool search(const struct rest *r, struct buf *out)
{
    size_t lo = out->n, hi = lo + BLOCK;
    while (hi - lo > 1) {
        size_t at = lo + (hi - lo) / 2, n = (BLOCK - at % BLOCK) % BLOCK;
        struct buf got = {0};
        bool ok = unpack_behind(r, n, &got);
        if (ok && got.n >= n + at) {
            lo = got.n - n;
            out->n = 0;
            ok = buf_put(out, got.v + n, lo);
        } else {
            hi = at;
        }
        buf_free(&got);
        if (!ok)
            return false;
    }
    return true;
}

bool unpack_rest(enum sniff kind, const uint8_t *data, size_t n, size_t max,
                 struct buf *out, struct err *err)
{
    struct rest r = {.kind = kind, .data = data, .n = n, .max = max};
    if (kind == SNIFF_LZ4 || out->n > UNPACK_REST_MAX || n > UNPACK_REST_MAX)
        return true;
    if (!la_load(&r.la, err))
        return false;
    r.zeros = calloc(1, BLOCK);
    bool ok = r.zeros && search(&r, out);
    free(r.zeros);
    if (!ok)
        return err_nomem(err);
    return out->n <= max ||
           err_set(err, ERR_INPUT, "more than %zu bytes (see --max-size)", max);
}
