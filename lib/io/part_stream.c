/* part_stream.c - parts of an input that are streams */
#include "io/private.h"

#include <errno.h>
#include <unistd.h>

static ptrdiff_t part_read(struct stream *self, void *to, size_t n,
                           struct prof_err *err)
{
    struct part_stream *p = (struct part_stream *)self;
    ptrdiff_t k = p->from->stream.read(&p->from->stream, to, n, err);
    if (k < 0 && p->entries && p->entries->damaged && p->entries->unread)
        entries_say_unread(p->entries, err);
    if (k <= 0)
        return k;
    p->total += (size_t)k;
    return p->total <= p->max || stream_too_large(p->max, err) ? k : -1;
}

static ptrdiff_t part_read_at(struct stream *self, uint64_t at, void *to,
                              size_t n, struct prof_err *err)
{
    const struct part_stream *p = (const struct part_stream *)self;
    if (at > INT64_MAX - (uint64_t)p->start)
        return 0;
    for (;;) {
        ssize_t k = pread(p->fd, to, n, p->start + (off_t)at);
        if (k >= 0)
            return k;
        if (errno != EINTR) {
            (void)err_errno(err, errno, "cannot read");
            return -1;
        }
    }
}

void part_stream_init(struct part_stream *p)
{
    p->stream.read = part_read;
    if (p->start >= 0)
        p->stream.read_at = part_read_at;
}
