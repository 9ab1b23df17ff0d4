/* gzip_isal.c - inflates gzip data by ISA-L, which is loaded for large data */
#include "io/private.h"

#include <isa-l/igzip_lib.h>
#include <stdio.h>
#include <stdlib.h>

#define ISAL_FUNCTIONS(X)                                                      \
    X(isal_inflate_init)                                                       \
    X(isal_inflate)

struct isal {
    ISAL_FUNCTIONS(LIBRARY_MEMBER)
};

static struct isal isal = LIBRARY_TABLE(ISAL_FUNCTIONS);
static struct library library =
    LIBRARY("ISA-L", "libisal.so.2", "libisal2", ISAL_FUNCTIONS, isal);

/* No function returns the version: this is that of the interface. */
static bool version(char text[LIBRARY_VERSION_MAX], struct prof_err *err)
{
    if (!library_load(&library, err))
        return false;
    (void)snprintf(text, LIBRARY_VERSION_MAX, "2");
    return true;
}

const struct library_about gz_isal = {
    .name = "ISA-L", .version = version, .on_demand = LIBRARY_ON_DEMAND};

enum { STEP = 256 * 1024 }; /* compressed bytes at a time */

struct member_state {
    struct inflate_state isal;
    uint8_t in[STEP];
    bool ended;
};

/* Returns -1: the caller reads the data in another way, and notes `what`. */
static ptrdiff_t refuse(const char *what, struct prof_err *err)
{
    (void)err_input(err, "%s", what);
    return -1;
}

/* Reads compressed bytes if none are left.  Returns 1, or as read() does. */
static ptrdiff_t fill(struct member_stream *m, struct prof_err *err)
{
    struct inflate_state *z = &m->state->isal;
    if (z->avail_in)
        return 1;
    ptrdiff_t k = m->from->read(m->from, m->state->in, STEP, err);
    z->next_in = m->state->in;
    z->avail_in = k > 0 ? (uint32_t)k : 0;
    return k;
}

static ptrdiff_t member_read(struct stream *self, void *to, size_t n,
                             struct prof_err *err)
{
    struct member_stream *m = (struct member_stream *)self;
    struct inflate_state *z = &m->state->isal;
    const uint32_t room = n < INT32_MAX ? (uint32_t)n : INT32_MAX;
    z->next_out = to;
    z->avail_out = room;
    while (!m->state->ended && z->avail_out == room) {
        ptrdiff_t k = fill(m, err);
        /*
         * ISA-L reads up to 8 bytes ahead, as many as the trailer has, so some
         * are left while a complete member has more content.
         */
        if (k <= 0)
            return k ? -1 : refuse(TEXT("unexpected end of gzip data"), err);
        const uint8_t *at = z->next_in;
        int got = isal.isal_inflate(z);
        m->state->ended = z->block_state == ISAL_BLOCK_FINISH;
        if (got < 0 || got == ISAL_NEED_DICT ||
            (z->next_in == at && z->avail_out == room && !m->state->ended))
            return refuse(TEXT("invalid gzip data"), err);
    }
    if (z->avail_out < room)
        return (ptrdiff_t)(room - z->avail_out);
    ptrdiff_t k = fill(m, err);
    return k <= 0 ? k : refuse(TEXT("data after the gzip member"), err);
}

bool member_stream_open(struct member_stream *m, struct stream *from)
{
    struct prof_err none;
    *m = (struct member_stream){.stream = {.read = member_read}, .from = from};
    if (!library_load(&library, &none) ||
        !(m->state = malloc(sizeof *m->state)))
        return false;
    isal.isal_inflate_init(&m->state->isal);
    m->state->isal.crc_flag = ISAL_GZIP;
    m->state->isal.avail_in = 0;
    m->state->ended = false;
    return true;
}

void member_stream_free(struct member_stream *m)
{
    free(m->state);
    m->state = NULL;
}
