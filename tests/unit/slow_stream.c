#include "slow_stream.h"

static ptrdiff_t slow_read(struct stream *self, void *to, size_t n,
                           struct err *err)
{
    struct slow_stream *s = (struct slow_stream *)self;
    if (n > s->step)
        n = s->step;
    return s->mem.stream.read(&s->mem.stream, to, n, err);
}

struct slow_stream slow_stream_of(const void *bytes, size_t n, size_t step)
{
    return (struct slow_stream){{slow_read}, mem_stream_of(bytes, n), step};
}
