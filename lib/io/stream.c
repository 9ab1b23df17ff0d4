#include "io/stream.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { STEP = 64 * 1024 };

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
static bool head_more(struct head_stream *h, size_t n, struct err *err)
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
        if (!head_more(h, n - h->head.n, err))
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
        if (!head_more(h, b->cap - b->n, err))
            return false;
    }
    return b->n <= max || too_large(max, err);
}

void head_free(struct head_stream *h)
{
    buf_free(&h->head);
}
