#include "io/frames.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 64 * 1024,
    MAGIC = 4,
    SKIPPABLE_HEADER = 8,
    /* The longest header of a frame with what an empty one has behind it. */
    HEADER_MAX = 32,
};

static const uint8_t zstd_magic[MAGIC] = {0x28, 0xb5, 0x2f, 0xfd};
static const uint8_t lz4_magic[MAGIC] = {0x04, 0x22, 0x4d, 0x18};
static const uint8_t skippable_magic[MAGIC] = {0x50, 0x2a, 0x4d, 0x18};

static uint32_t le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

static void put_le32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

/* There are 16 of them, and 4 bytes with a size follow. */
static bool is_skippable(const uint8_t *p)
{
    return (p[0] & 0xf0) == skippable_magic[0] &&
           memcmp(p + 1, skippable_magic + 1, MAGIC - 1) == 0;
}

uint64_t frames_to_skip(const uint8_t *data, size_t n)
{
    uint64_t at = 0;
    while (at < n && n - at >= SKIPPABLE_HEADER && is_skippable(data + at))
        at += SKIPPABLE_HEADER + (uint64_t)le32(data + at + MAGIC);
    return at;
}

/* Has `need` bytes at hand, or all there are. */
static bool look(struct frames_stream *f, size_t need, struct err *err)
{
    if (!f->block && !(f->block = malloc(BLOCK)))
        return err_nomem(err);
    while (!f->ended && f->n - f->at < need) {
        memmove(f->block, f->block + f->at, f->n - f->at);
        f->n -= f->at;
        f->at = 0;
        ptrdiff_t k =
            f->from->read(f->from, f->block + f->n, BLOCK - f->n, err);
        if (k < 0)
            return false;
        f->ended = k == 0;
        f->n += (size_t)k;
    }
    return true;
}

/* The frame's header has n bytes; false: these are not at hand. */
static bool begin_frame(struct frames_stream *f, size_t n)
{
    f->left = n;
    f->content = true;
    f->state = FRAMES_BLOCK;
    return f->n - f->at >= n;
}

/* False: not sound, or cut. */
static bool zstd_frame(struct frames_stream *f)
{
    static const uint8_t dictionary_sizes[] = {0, 1, 2, 4};
    static const uint8_t content_sizes[] = {0, 2, 4, 8};
    if (f->n - f->at <= MAGIC)
        return false;
    unsigned bits = f->block[f->at + MAGIC];
    bool single = bits & 0x20;
    size_t n = MAGIC + 1 + !single + dictionary_sizes[bits & 3] +
               content_sizes[bits >> 6] + (single && !(bits >> 6));
    f->frame_sum = bits & 4 ? 4 : 0;
    return begin_frame(f, n);
}

static bool zstd_block(struct frames_stream *f)
{
    enum { HEADER = 3, REPEATED = 1, RESERVED = 3 };
    const uint8_t *p = f->block + f->at;
    if (f->n - f->at < HEADER)
        return false;
    uint32_t bits = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
    unsigned type = bits >> 1 & 3;
    f->left = HEADER + (uint64_t)(type == REPEATED ? 1 : bits >> 3);
    if (bits & 1) {
        f->left += f->frame_sum;
        f->state = FRAMES_HEADER;
    }
    return type != RESERVED;
}

/* One without blocks, of n bytes. */
static void empty_lz4_frame(struct frames_stream *f, size_t n)
{
    uint8_t *p = f->block + f->at;
    memcpy(p, skippable_magic, MAGIC);
    put_le32(p + MAGIC, (uint32_t)(n - SKIPPABLE_HEADER));
    f->left = n;
    f->skip = !f->content;
}

static bool lz4_frame(struct frames_stream *f)
{
    enum { END = 4 };
    const uint8_t *p = f->block + f->at;
    size_t have = f->n - f->at;
    if (have <= MAGIC)
        return false;
    unsigned bits = p[MAGIC];
    size_t n = MAGIC + 3 + (bits & 8 ? 8 : 0) + (bits & 1 ? 4 : 0);
    f->block_sum = bits & 0x10 ? 4 : 0;
    f->frame_sum = bits & 4 ? 4 : 0;
    if (have >= n + END + f->frame_sum && !le32(p + n)) {
        empty_lz4_frame(f, n + END + f->frame_sum);
        return true;
    }
    return begin_frame(f, n);
}

static bool lz4_block(struct frames_stream *f)
{
    enum { HEADER = 4 };
    if (f->n - f->at < HEADER)
        return false;
    uint32_t size = le32(f->block + f->at);
    if (size) {
        f->left = HEADER + (uint64_t)(size & 0x7fffffff) + f->block_sum;
    } else {
        f->left = HEADER + f->frame_sum;
        f->state = FRAMES_HEADER;
    }
    return true;
}

/* A frame, or what stands behind the last one. */
static bool next_frame(struct frames_stream *f)
{
    const uint8_t *p = f->block + f->at;
    size_t have = f->n - f->at;
    bool is_magic = have >= MAGIC;
    if (is_magic && memcmp(p, f->is_lz4 ? lz4_magic : zstd_magic, MAGIC) == 0)
        return f->is_lz4 ? lz4_frame(f) : zstd_frame(f);
    if (is_magic && is_skippable(p)) {
        if (have < SKIPPABLE_HEADER)
            return false;
        f->left = SKIPPABLE_HEADER + (uint64_t)le32(p + MAGIC);
        f->skip = f->is_lz4 && !f->content;
        return true;
    }
    f->state = FRAMES_OVER;
    return true;
}

/* What comes next. */
static bool next(struct frames_stream *f, struct err *err)
{
    bool ok;
    if (!look(f, HEADER_MAX, err))
        return false;
    f->skip = false;
    if (f->state == FRAMES_HEADER)
        ok = next_frame(f);
    else
        ok = f->is_lz4 ? lz4_block(f) : zstd_block(f);
    if (!ok)
        f->state = FRAMES_AS_IT_IS;
    return true;
}

/* Up to n bytes of those at hand, or of the next ones. */
static bool take(struct frames_stream *f, uint8_t *to, size_t *n,
                 struct err *err)
{
    if (!look(f, 1, err))
        return false;
    if (*n > f->n - f->at)
        *n = f->n - f->at;
    if (!f->skip)
        memcpy(to, f->block + f->at, *n);
    f->at += *n;
    return true;
}

static ptrdiff_t frames_read(struct stream *self, void *to, size_t n,
                             struct err *err)
{
    struct frames_stream *f = (struct frames_stream *)self;
    for (;;) {
        bool headers = f->state == FRAMES_HEADER || f->state == FRAMES_BLOCK;
        if (headers && !f->left && !next(f, err))
            return -1;
        if (f->state == FRAMES_OVER)
            return 0;
        size_t k = n;
        if (f->state != FRAMES_AS_IT_IS && k > f->left)
            k = (size_t)f->left;
        if (!take(f, to, &k, err))
            return -1;
        if (f->state != FRAMES_AS_IT_IS)
            f->left -= k;
        if (!f->skip)
            return (ptrdiff_t)k;
        f->skipped += k;
        if (!k)
            return 0;
    }
}

struct frames_stream frames_stream_of(bool is_lz4, struct stream *from)
{
    return (struct frames_stream){
        .stream = {frames_read}, .from = from, .is_lz4 = is_lz4};
}

bool frames_are_cut(const struct frames_stream *f)
{
    return f->ended && f->at == f->n && f->state == FRAMES_HEADER && f->left;
}

void frames_go_on(struct frames_stream *f)
{
    f->state = FRAMES_AS_IT_IS;
}

void frames_free(struct frames_stream *f)
{
    free(f->block);
    f->block = NULL;
}
