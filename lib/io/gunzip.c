#include <stdlib.h>

#include "io/stream.h"

enum { BLOCK = 64 * 1024, GZIP_ONLY = 16 + MAX_WBITS };

static bool corrupt(const struct gunzip_stream *g, const char *what,
                    struct err *err)
{
    return err_set(err, ERR_INPUT, "offset %llu: %s",
                   (unsigned long long)(g->offset - g->z.avail_in), what);
}

static bool start(struct gunzip_stream *g, struct err *err)
{
    g->block = malloc(BLOCK);
    if (!g->block || inflateInit2(&g->z, GZIP_ONLY) != Z_OK) {
        free(g->block);
        g->block = NULL;
        return err_nomem(err);
    }
    g->started = g->in_member = true;
    return true;
}

/* Compressed bytes at hand, unless the stream below is at its end. */
static bool more(struct gunzip_stream *g, struct err *err)
{
    if (g->z.avail_in)
        return true;
    ptrdiff_t k = g->from->read(g->from, g->block, BLOCK, err);
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
    while (more(g, err)) {
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
    if (!more(g, err))
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

static bool step(struct gunzip_stream *g, struct err *err)
{
    if (!more(g, err))
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
    if (!g->started && !start(g, err))
        return -1;
    uInt room = n < BLOCK ? (uInt)n : BLOCK;
    g->z.next_out = to;
    g->z.avail_out = room;
    while (!g->ended && g->z.avail_out == room)
        if (!(g->in_member ? step(g, err) : next_member(g, err)) &&
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
