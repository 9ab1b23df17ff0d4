#include "io/extent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BLOCK = 64 * 1024,
    START_7Z = 32,
    /* zip's end of the directory, the locator of zip64's, and that. */
    END = 22,
    LOCATOR = 20,
    END64 = 56,
    COMMENT_MAX = 0xffff,
    TAIL = COMMENT_MAX + END + LOCATOR + END64,
    VOLUME_MARK = 4,
    LOOK = 16000, /* where libarchive finds END surely */
};

static uint64_t le(const uint8_t *p, int bytes)
{
    uint64_t v = 0;
    while (bytes--)
        v = v << 8 | p[bytes];
    return v;
}

/* The n bytes at `at`, which the file has; what it has lost is zeros. */
static bool read_at(const struct extent_file *f, uint64_t at, uint8_t *to,
                    size_t n, struct err *err)
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

/* Whether all is zeros from `at` on. */
static bool only_zeros(const struct extent_file *f, uint64_t at, uint8_t *room,
                       bool *only, struct err *err)
{
    *only = true;
    while (*only && at < f->n) {
        size_t n = f->n - at < BLOCK ? (size_t)(f->n - at) : BLOCK;
        if (!read_at(f, at, room, n, err))
            return false;
        for (size_t i = 0; i < n; i++)
            *only = *only && !room[i];
        at += n;
    }
    return true;
}

/* The archive's end, from the header at its start. */
static bool end_of_7z(const struct extent_file *f, uint64_t *end,
                      struct err *err)
{
    uint8_t start[START_7Z];
    uint64_t size;
    *end = f->n;
    if (f->n < START_7Z)
        return true;
    if (!read_at(f, 0, start, START_7Z, err))
        return false;
    uint64_t offset = le(start + 12, 8);
    if (!__builtin_add_overflow(offset, le(start + 20, 8), &size) &&
        size < f->n - START_7Z)
        *end = START_7Z + size;
    return true;
}

/* The offset in the tail of the last end of a directory that fits; or n. */
static size_t find_end(const uint8_t *tail, size_t n)
{
    for (size_t at = n < END ? 0 : n - END + 1; at-- > 0;)
        if (memcmp(tail + at, "PK\5\6", 4) == 0 &&
            le(tail + at + 20, 2) <= n - at - END)
            return at;
    return n;
}

/* Where the directory ends by its own account; false: not known. */
static bool said_end(const uint8_t *tail, size_t *at, uint64_t *said)
{
    const uint8_t *end = tail + *at;
    if (*at >= LOCATOR + END64 && !memcmp(end - LOCATOR, "PK\6\7", 4)) {
        *at -= LOCATOR + END64;
        *said = le(end - LOCATOR + 8, 8);
        return memcmp(tail + *at, "PK\6\6", 4) == 0;
    }
    *said = le(end + 12, 4) + le(end + 16, 4);
    return true;
}

static bool extent_of_zip(struct extent *x, const struct extent_file *f,
                          uint8_t *tail, uint64_t *end, struct err *err)
{
    size_t n = f->n < TAIL ? (size_t)f->n : TAIL;
    uint64_t said, start = f->n - n;
    *end = f->n;
    if (!read_at(f, start, tail, n, err))
        return false;
    size_t at = find_end(tail, n);
    if (at == n)
        return true;
    if (n - at > LOOK)
        x->needed = start + at + END;
    *end = start + at + END + le(tail + at + 20, 2);
    if (!said_end(tail, &at, &said) || said > start + at)
        return true;
    x->before = start + at - said;
    if (x->before <= VOLUME_MARK)
        x->before = 0;
    return true;
}

bool extent_of(struct extent *x, enum sniff kind, const struct extent_file *f,
               struct err *err)
{
    uint64_t end;
    bool zeros = false;
    uint8_t *room = malloc(TAIL);
    *x = (struct extent){.needed = f->n};
    if (!room)
        return err_nomem(err);
    bool ok = (kind == SNIFF_ZIP ? extent_of_zip(x, f, room, &end, err)
                                 : end_of_7z(f, &end, err)) &&
              only_zeros(f, end, room, &zeros, err);
    if (ok && !zeros)
        x->behind = f->n - end;
    free(room);
    return ok;
}
