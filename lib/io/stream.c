/* stream.c - reads and decompresses streams, and reads at any offset */
#include "io/private.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

enum {
    STEP = 64 * 1024, /* bytes at a time */
    GZIP_ONLY = 16 + MAX_WBITS,
};

static ptrdiff_t fd_read(struct stream *self, void *to, size_t n,
                         struct prof_err *err)
{
    struct fd_stream *f = (struct fd_stream *)self;
    for (;;) {
        ssize_t k = read(f->fd, to, n);
        if (k >= 0) {
            f->total += (uint64_t)k;
            return k;
        }
        if (errno == EAGAIN) {
            struct pollfd wait = {.fd = f->fd, .events = POLLIN};
            (void)poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            err_errno(err, errno, "cannot read");
            return -1;
        }
    }
}

struct fd_stream fd_stream_of(int fd)
{
    return (struct fd_stream){{.read = fd_read}, fd, 0};
}

static ptrdiff_t mem_read(struct stream *self, void *to, size_t n,
                          struct prof_err *err)
{
    struct mem_stream *m = (struct mem_stream *)self;
    (void)err;
    if (n > m->n)
        n = m->n;
    if (n)
        memcpy(to, m->data, n);
    m->data += n;
    m->n -= n;
    return (ptrdiff_t)n;
}

struct mem_stream mem_stream_of(const uint8_t *data, size_t n)
{
    return (struct mem_stream){{.read = mem_read}, data, n};
}

/* --- bytes at any offset -------------------------------------------------- */

bool seekable_read(const struct seekable *f, uint64_t at, uint8_t *to, size_t n,
                   struct prof_err *err)
{
    if (f->fd < 0) {
        memcpy(to, f->data + at, n);
        return true;
    }
    memset(to, 0, n);
    return file_read_at(f->fd, to, n, (off_t)at) >= 0 ||
           err_errno(err, errno, "cannot read");
}

bool seekable_trailing(const struct seekable *f, uint64_t at,
                       uint64_t *trailing, struct prof_err *err)
{
    uint8_t *room = malloc(STEP);
    bool only_zeros = true, ok = room || err_nomem(err);
    *trailing = at < f->n ? f->n - at : 0;
    while (ok && only_zeros && at < f->n) {
        size_t n = f->n - at < STEP ? (size_t)(f->n - at) : STEP;
        ok = seekable_read(f, at, room, n, err);
        for (size_t i = 0; ok && i < n; i++)
            only_zeros = only_zeros && !room[i];
        at += n;
    }
    if (only_zeros)
        *trailing = 0;
    free(room);
    return ok;
}

/* --- gzip, by zlib -------------------------------------------------------- */

static bool corrupt(const struct unpack_stream *u, const char *what,
                    struct prof_err *err)
{
    return err_input(err, "offset %llu: %s",
                     (unsigned long long)(u->offset - u->z.avail_in), what);
}

static bool start_gunzip(struct unpack_stream *u, struct prof_err *err)
{
    u->in = malloc(STEP);
    if (!u->in || inflateInit2(&u->z, GZIP_ONLY) != Z_OK) {
        free(u->in);
        u->in = NULL;
        return err_nomem(err);
    }
    u->started = u->in_member = true;
    return true;
}

/* Reads compressed bytes if none are left; at the end there are still none. */
static bool fill_block(struct unpack_stream *u, struct prof_err *err)
{
    if (u->z.avail_in)
        return true;
    ptrdiff_t k = u->feed.from->read(u->feed.from, u->in, STEP, err);
    if (k < 0)
        return false;
    u->z.next_in = u->in;
    u->z.avail_in = (uInt)k;
    u->offset += (uint64_t)k;
    return true;
}

/* Skips zeros: they may fill the last block of what was written to a tape. */
static bool skip_padding(struct unpack_stream *u, struct prof_err *err)
{
    while (fill_block(u, err)) {
        if (!u->z.avail_in || *u->z.next_in)
            return true;
        while (u->z.avail_in && !*u->z.next_in) {
            u->z.next_in++;
            u->z.avail_in--;
        }
    }
    return false;
}

/* Begins the next gzip member or sets u->ended; trailing data is an error. */
static bool next_member(struct unpack_stream *u, struct prof_err *err)
{
    if (!fill_block(u, err))
        return false;
    bool padded = u->z.avail_in && !*u->z.next_in;
    if (padded && !skip_padding(u, err))
        return false;
    if (!u->z.avail_in) {
        u->ended = true;
        return true;
    }
    u->trailing = padded || *u->z.next_in != 0x1f;
    if (u->trailing)
        return corrupt(
            u, TEXT("unexpected data after the end of the gzip data"), err);
    u->in_member = true;
    return inflateReset(&u->z) == Z_OK || err_nomem(err);
}

static bool inflate_step(struct unpack_stream *u, struct prof_err *err)
{
    if (!fill_block(u, err))
        return false;
    if (!u->z.avail_in)
        return corrupt(u, TEXT("unexpected end of gzip data"), err);
    int got = inflate(&u->z, Z_NO_FLUSH);
    u->in_member = got != Z_STREAM_END;
    if (got == Z_OK || got == Z_STREAM_END)
        return true;
    if (got == Z_MEM_ERROR)
        return err_nomem(err);
    return corrupt(u, TEXT("invalid gzip data"), err);
}

/* Returns the bytes that precede an error; the next call returns the error. */
static ptrdiff_t gunzip_read(struct stream *self, void *to, size_t n,
                             struct prof_err *err)
{
    struct unpack_stream *u = (struct unpack_stream *)self;
    if (!u->started && !start_gunzip(u, err))
        return -1;
    uInt room = n < STEP ? (uInt)n : STEP;
    u->z.next_out = to;
    u->z.avail_out = room;
    while (!u->ended && u->z.avail_out == room)
        if (!(u->in_member ? inflate_step(u, err) : next_member(u, err)) &&
            u->z.avail_out == room)
            return -1;
    return (ptrdiff_t)(room - u->z.avail_out);
}

/* --- zstd, xz, bzip2 and lz4, by libarchive ------------------------------- */

static bool start_unpack(struct unpack_stream *u, struct prof_err *err)
{
    struct archive_feed *f = &u->feed;
    struct archive_entry *entry;
    if (!archive_open(f, u->kind, err))
        return false;
    int got = la.archive_read_next_header(f->a, &entry);
    u->ended = got == ARCHIVE_EOF;
    if (got != ARCHIVE_OK)
        return u->ended || archive_failed(f, u->kind, err);
    /* libarchive reads lz4 data with an invalid header as uncompressed. */
    return la.archive_filter_code(f->a, 0) != ARCHIVE_FILTER_NONE ||
           err_input(err, "invalid %s data%s: no valid header",
                     sniff_name(u->kind), f->ended ? " (or truncated)" : "");
}

/* Returns how many compressed bytes libarchive has read. */
static long long offset(const struct unpack_stream *u)
{
    int64_t taken = la.archive_filter_bytes(u->feed.a, -1);
    return taken > 0 ? taken : 0;
}

/* Reads the next block; at the end, anything but padding is an error. */
static bool next_block(struct unpack_stream *u, struct prof_err *err)
{
    struct archive_feed *f = &u->feed;
    const void *block = NULL;
    size_t n = 0;
    la_int64_t at;
    if (!f->a && !start_unpack(u, err))
        return false;
    if (!u->ended) {
        int got = la.archive_read_data_block(f->a, &block, &n, &at);
        u->block = mem_stream_of(block, got == ARCHIVE_OK ? n : 0);
        u->ended = got == ARCHIVE_EOF;
        if (got != ARCHIVE_OK && !u->ended)
            return archive_failed(f, u->kind, err);
    }
    if (!u->ended)
        return true;
    /* libarchive stops where compressed data ends; only padding may follow. */
    bool only;
    if (!archive_padding(f, &only, err))
        return false;
    u->trailing = !only;
    return only ||
           err_input(
               err, "offset %lld: unexpected data after the end of the %s data",
               offset(u), sniff_name(u->kind));
}

static ptrdiff_t unpack_read(struct stream *self, void *to, size_t n,
                             struct prof_err *err)
{
    struct unpack_stream *u = (struct unpack_stream *)self;
    while (!u->block.n && !u->failed.kind && !u->ended)
        /* Errors of the stream below already have an offset. */
        if (!next_block(u, &u->failed) && u->failed.kind == PROF_ERR_INPUT &&
            !u->trailing && !u->feed.err.kind)
            (void)err_prefix(&u->failed, "offset %lld: ", offset(u));
    if (u->block.n)
        return u->block.stream.read(&u->block.stream, to, n, err);
    if (u->failed.kind)
        *err = u->failed;
    return u->failed.kind ? -1 : 0;
}

struct unpack_stream unpack_stream_of(enum sniff kind, struct stream *from)
{
    return (struct unpack_stream){
        .stream = {.read = kind == SNIFF_GZIP ? gunzip_read : unpack_read},
        .kind = kind,
        .feed = {.from = from}};
}

void unpack_free(struct unpack_stream *u)
{
    if (u->started)
        (void)inflateEnd(&u->z);
    free(u->in);
    u->in = NULL;
    u->started = false;
    archive_end(&u->feed);
}

bool unxz(const void *data, size_t n, size_t max, struct buf *out,
          struct prof_err *err)
{
    struct mem_stream mem = mem_stream_of(data, n);
    struct unpack_stream unpack = unpack_stream_of(SNIFF_XZ, &mem.stream);
    size_t had = out->n;
    ptrdiff_t k = 0;
    bool ok;
    do {
        out->n += (size_t)k;
        ok = out->n - had <= max ? buf_reserve(out, STEP) || err_nomem(err)
                                 : err_input(err, "it exceeds %zu bytes", max);
        k = ok ? unpack.stream.read(&unpack.stream, out->v + out->n, STEP, err)
               : -1;
    } while (k > 0);
    unpack_free(&unpack);
    return k == 0;
}
