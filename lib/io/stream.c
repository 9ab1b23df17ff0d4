/* stream.c - bytes read in order or at any offset */
#include "io/private.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/output.h"
#include "io/tempfile.h"

enum { STEP = 64 * 1024 }; /* bytes at a time */

static ptrdiff_t fd_read(struct stream *self, void *to, size_t n,
                         struct err *err)
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
    return (struct fd_stream){{fd_read}, fd, 0};
}

static ptrdiff_t mem_read(struct stream *self, void *to, size_t n,
                          struct err *err)
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
    return (struct mem_stream){{mem_read}, data, n};
}

static ptrdiff_t head_read(struct stream *self, void *to, size_t n,
                           struct err *err)
{
    struct head_stream *h = (struct head_stream *)self;
    size_t left = h->head.n - h->served;
    if (!left)
        return h->ended ? 0 : h->from->read(h->from, to, n, err);
    if (n > left)
        n = left;
    memcpy(to, h->head.v + h->served, n);
    h->served += n;
    return (ptrdiff_t)n;
}

struct head_stream head_stream_of(struct stream *from)
{
    return (struct head_stream){.stream = {head_read}, .from = from};
}

/* One read of up to n bytes to the end of head, which has the room. */
static bool head_read_more(struct head_stream *h, size_t n, struct err *err)
{
    ptrdiff_t k = h->from->read(h->from, h->head.v + h->head.n, n, err);
    if (k < 0)
        return false;
    h->ended = k == 0;
    h->head.n += (size_t)k;
    return true;
}

bool head_fill(struct head_stream *h, size_t n, struct err *err)
{
    if (n > h->head.n && !buf_reserve(&h->head, n - h->head.n))
        return err_nomem(err);
    while (!h->ended && h->head.n < n)
        if (!head_read_more(h, n - h->head.n, err))
            return false;
    return true;
}

static bool too_large(size_t max, struct err *err)
{
    return err_set(err, ERR_INPUT, "more than %zu bytes (see --max-size)", max);
}

bool head_fill_all(struct head_stream *h, size_t likely, size_t max,
                   struct err *err)
{
    struct buf *b = &h->head;
    if (likely > max)
        return too_large(max, err);
    /* A spare byte, so that the end shows without growing. */
    if (!h->ended && likely >= b->n && !buf_reserve(b, likely - b->n + 1))
        return err_nomem(err);
    while (!h->ended && b->n <= max) {
        if (b->n == b->cap && !buf_reserve(b, STEP))
            return err_nomem(err);
        if (!head_read_more(h, b->cap - b->n, err))
            return false;
    }
    return b->n <= max || too_large(max, err);
}

void head_free(struct head_stream *h)
{
    buf_free(&h->head);
}

/* --- into a temporary file ------------------------------------------------ */

static bool copy(struct stream *from, size_t max, uint8_t *block, int fd,
                 struct err *err)
{
    uint64_t total = 0;
    for (;;) {
        ptrdiff_t k = from->read(from, block, STEP, err);
        if (k <= 0)
            return k == 0;
        total += (uint64_t)k;
        if (total > max)
            return err_set(err, ERR_INPUT,
                           "more than %zu bytes (see --max-size)", max);
        if (!fd_write(fd, block, (size_t)k, err))
            return err_prefix(err, "temporary file: ");
    }
}

bool stream_to_file(struct stream *from, size_t max, int *fd, struct err *err)
{
    struct tempfile file;
    *fd = -1;
    if (!tempfile_open(&file, err))
        return false;
    *fd = file.fd;
    uint8_t *block = malloc(STEP);
    bool ok = block ? copy(from, max, block, *fd, err) : err_nomem(err);
    free(block);
    return ok && (lseek(*fd, 0, SEEK_SET) == 0 ||
                  err_errno(err, errno, "cannot read the temporary file"));
}

/* --- bytes at any offset -------------------------------------------------- */

bool seekable_read(const struct seekable *f, uint64_t at, uint8_t *to, size_t n,
                   struct err *err)
{
    if (f->fd < 0) {
        memcpy(to, f->data + at, n);
        return true;
    }
    memset(to, 0, n);
    for (size_t got = 0; got < n;) {
        ssize_t k = pread(f->fd, to + got, n - got, (off_t)(at + got));
        if (k < 0 && errno != EINTR)
            return err_errno(err, errno, "cannot read");
        if (k == 0)
            break;
        got += k > 0 ? (size_t)k : 0;
    }
    return true;
}

bool seekable_trailing(const struct seekable *f, uint64_t at,
                       uint64_t *trailing, struct err *err)
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

/* --- gzip ----------------------------------------------------------------- */

enum { GZIP_ONLY = 16 + MAX_WBITS };

static bool corrupt(const struct gunzip_stream *g, const char *what,
                    struct err *err)
{
    return err_set(err, ERR_INPUT, "offset %llu: %s",
                   (unsigned long long)(g->offset - g->z.avail_in), what);
}

static bool start_gunzip(struct gunzip_stream *g, struct err *err)
{
    g->block = malloc(STEP);
    if (!g->block || inflateInit2(&g->z, GZIP_ONLY) != Z_OK) {
        free(g->block);
        g->block = NULL;
        return err_nomem(err);
    }
    g->started = g->in_member = true;
    return true;
}

/* Compressed bytes at hand, unless the stream below is at its end. */
static bool fill_block(struct gunzip_stream *g, struct err *err)
{
    if (g->z.avail_in)
        return true;
    ptrdiff_t k = g->from->read(g->from, g->block, STEP, err);
    if (k < 0)
        return false;
    g->z.next_in = g->block;
    g->z.avail_in = (uInt)k;
    g->offset += (uint64_t)k;
    return true;
}

/* Zeros fill the last block of what goes to a pipe or a tape. */
static bool skip_padding(struct gunzip_stream *g, struct err *err)
{
    while (fill_block(g, err)) {
        if (!g->z.avail_in || *g->z.next_in)
            return true;
        while (g->z.avail_in && !*g->z.next_in) {
            g->z.next_in++;
            g->z.avail_in--;
        }
    }
    return false;
}

/* Between members: another one follows, or the end, or what it should not. */
static bool next_member(struct gunzip_stream *g, struct err *err)
{
    if (!fill_block(g, err))
        return false;
    bool padded = g->z.avail_in && !*g->z.next_in;
    if (padded && !skip_padding(g, err))
        return false;
    if (!g->z.avail_in) {
        g->ended = true;
        return true;
    }
    g->trailing = padded || *g->z.next_in != 0x1f;
    if (g->trailing)
        return corrupt(g, "data after the end of the gzip data", err);
    g->in_member = true;
    return inflateReset(&g->z) == Z_OK || err_nomem(err);
}

static bool inflate_step(struct gunzip_stream *g, struct err *err)
{
    if (!fill_block(g, err))
        return false;
    if (!g->z.avail_in)
        return corrupt(g, "gzip data is cut off", err);
    int got = inflate(&g->z, Z_NO_FLUSH);
    g->in_member = got != Z_STREAM_END;
    if (got == Z_OK || got == Z_STREAM_END)
        return true;
    if (got == Z_MEM_ERROR)
        return err_nomem(err);
    return corrupt(g, "gzip data is corrupt", err);
}

/* What comes before an error comes first; the error comes again. */
static ptrdiff_t gunzip_read(struct stream *self, void *to, size_t n,
                             struct err *err)
{
    struct gunzip_stream *g = (struct gunzip_stream *)self;
    if (!g->started && !start_gunzip(g, err))
        return -1;
    uInt room = n < STEP ? (uInt)n : STEP;
    g->z.next_out = to;
    g->z.avail_out = room;
    while (!g->ended && g->z.avail_out == room)
        if (!(g->in_member ? inflate_step(g, err) : next_member(g, err)) &&
            g->z.avail_out == room)
            return -1;
    return (ptrdiff_t)(room - g->z.avail_out);
}

struct gunzip_stream gunzip_stream_of(struct stream *from)
{
    return (struct gunzip_stream){.stream = {gunzip_read}, .from = from};
}

void gunzip_free(struct gunzip_stream *g)
{
    if (g->started)
        (void)inflateEnd(&g->z);
    free(g->block);
    g->block = NULL;
    g->started = false;
}
