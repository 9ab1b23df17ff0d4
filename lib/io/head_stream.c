/* head_stream.c - reads streams ahead: their first bytes, all, or to a file */
#include "io/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/tempfile.h"

enum { BLOCK = 64 * 1024 }; /* bytes read at a time */

/* Reads once, up to n bytes, to the end of h->head, which must have room. */
static bool head_read_more(struct head_stream *h, size_t n,
                           struct prof_err *err)
{
    ptrdiff_t k = h->from->read(h->from, h->head.v + h->head.n, n, err);
    if (k < 0)
        return false;
    h->ended = k == 0;
    h->head.n += (size_t)k;
    return true;
}

/* As head_read_more(); makes the room.  Fails if too many bytes were kept. */
static bool head_keep_more(struct head_stream *h, size_t n,
                           struct prof_err *err)
{
    if (!buf_reserve(&h->head, n))
        return err_nomem(err);
    return head_read_more(h, n, err) &&
           (h->head.n <= h->keeps || stream_too_large(h->keeps, err));
}

static ptrdiff_t head_read(struct stream *self, void *to, size_t n,
                           struct prof_err *err)
{
    struct head_stream *h = (struct head_stream *)self;
    if (h->keeps && h->head.n == h->served && !h->ended &&
        !head_keep_more(h, n, err))
        return -1;
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
    return (struct head_stream){.stream = {.read = head_read}, .from = from};
}

bool head_fill(struct head_stream *h, size_t n, struct prof_err *err)
{
    if (n > h->head.n && !buf_reserve(&h->head, n - h->head.n))
        return err_nomem(err);
    while (!h->ended && h->head.n < n)
        if (!head_read_more(h, n - h->head.n, err))
            return false;
    return true;
}

bool stream_too_large(size_t max, struct prof_err *err)
{
    return err_input(err, "exceeds %zu bytes (see --max-size)", max);
}

bool head_fill_all(struct head_stream *h, size_t likely, size_t max,
                   struct prof_err *err)
{
    struct buf *b = &h->head;
    if (likely > max)
        return stream_too_large(max, err);
    /* One byte more, so that the end is found without growing the buffer. */
    if (!h->ended && likely >= b->n && !buf_reserve(b, likely - b->n + 1))
        return err_nomem(err);
    while (!h->ended && b->n <= max && !watch_stops(h->watch, b->v, b->n)) {
        if (b->n == b->cap && !buf_reserve(b, BLOCK))
            return err_nomem(err);
        if (!head_read_more(h, b->cap - b->n, err))
            return false;
    }
    return b->n <= max || stream_too_large(max, err);
}

void head_free(struct head_stream *h)
{
    buf_free(&h->head);
    h->served = h->keeps = 0;
}

bool stream_to_file(struct stream *from, size_t max, int *fd,
                    struct prof_err *err)
{
    struct tempfile file;
    *fd = -1;
    if (!tempfile_open(&file, err))
        return false;
    *fd = file.fd;
    uint8_t *block = malloc(BLOCK);
    bool ok = block || err_nomem(err);
    uint64_t total = 0;
    for (ptrdiff_t k = 1; ok && k > 0; total += (uint64_t)k) {
        k = from->read(from, block, BLOCK, err);
        if (k < 0)
            ok = false;
        else if ((uint64_t)k > max - total)
            ok = stream_too_large(max, err);
        else if (!fd_write(*fd, block, (size_t)k, err))
            ok = err_prefix(err, "temporary file: ");
    }
    free(block);
    return ok && (lseek(*fd, 0, SEEK_SET) == 0 ||
                  err_errno(err, errno, "cannot read the temporary file"));
}
