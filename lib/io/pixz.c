#include "io/pixz.h"

#include <string.h>

enum {
    TAR_BLOCK = 512,
    OFFSET = 8,
    STEP = 64 * 1024,
    NAME_LIMIT = 64 * 1024,
    INDEX_MAX = 64 * 1024 * 1024,
};

static const uint8_t magic[] = {0xa6, 0x4c, 0x32, 0x2e, 0xd6, 0x14, 0xae, 0xdb};

enum answer { NO, NOT_YET, YES };

/* Whether it begins like an index, as far as it goes. */
static bool may_begin(const uint8_t *p, size_t n)
{
    return memcmp(p, magic, n < sizeof magic ? n : sizeof magic) == 0;
}

/*
 * Whether what is held is an index, of which *at has been looked at.  The
 * offsets are those of headers.
 */
static enum answer is_index(const struct buf *b, size_t *at)
{
    if (!may_begin(b->v, b->n))
        return NO;
    if (!*at)
        *at = sizeof magic;
    while (*at < b->n) {
        const uint8_t *name = b->v + *at;
        size_t left = b->n - *at;
        const uint8_t *end = memchr(name, 0, left);
        if ((end ? (size_t)(end - name) : left) > NAME_LIMIT)
            return NO;
        if (!end || left - (size_t)(end - name) <= OFFSET)
            return NOT_YET;
        if ((end[1] | end[2] << 8) % TAR_BLOCK)
            return NO;
        *at += (size_t)(end - name) + 1 + OFFSET;
        if (end == name)
            return *at == b->n ? YES : NO;
    }
    return NOT_YET;
}

/*
 * Reads on until it is known whether what is held is an index with nothing
 * behind it; if so it is forgotten.
 */
static bool decide(struct pixz_stream *p, struct err *err)
{
    struct buf *b = &p->held;
    size_t looked = 0;
    enum answer answer;
    ptrdiff_t k;
    do {
        answer = is_index(b, &looked);
        if (answer == NO || b->n >= INDEX_MAX)
            break;
        if (!buf_reserve(b, STEP))
            return err_nomem(err);
        k = p->from->read(p->from, b->v + b->n, STEP, err);
        if (k < 0)
            return false;
        b->n += (size_t)k;
        p->at += (size_t)k;
    } while (k);
    p->holding = false;
    if (answer != YES)
        return true;
    note_info(p->notes,
              "the index of %zu bytes that pixz put behind the archive is "
              "left out",
              b->n);
    b->n = 0;
    return true;
}

/* Holds what may be an index in the k bytes; how many come before it. */
static bool look(struct pixz_stream *p, const uint8_t *data, size_t *k,
                 struct err *err)
{
    size_t n = *k;
    size_t i = (size_t)(-p->at % TAR_BLOCK);
    p->at += n;
    while (i < n && !may_begin(data + i, n - i))
        i += TAR_BLOCK;
    if (i >= n)
        return true;
    *k = i;
    p->holding = true;
    p->served = p->held.n = 0;
    return buf_put(&p->held, data + i, n - i) || err_nomem(err);
}

static ptrdiff_t pixz_read(struct stream *self, void *to, size_t n,
                           struct err *err)
{
    struct pixz_stream *p = (struct pixz_stream *)self;
    for (;;) {
        if (p->holding && !decide(p, err))
            return -1;
        size_t left = p->held.n - p->served;
        if (left) {
            n = n < left ? n : left;
            memcpy(to, p->held.v + p->served, n);
            p->served += n;
            return (ptrdiff_t)n;
        }
        ptrdiff_t got = p->from->read(p->from, to, n, err);
        size_t k = got > 0 ? (size_t)got : 0;
        if (!k)
            return got;
        if (!look(p, to, &k, err))
            return -1;
        if (k)
            return (ptrdiff_t)k;
    }
}

struct pixz_stream pixz_stream_of(struct stream *from,
                                  const struct notes *notes)
{
    return (struct pixz_stream){
        .stream = {pixz_read}, .from = from, .notes = notes};
}

void pixz_free(struct pixz_stream *p)
{
    buf_free(&p->held);
}
