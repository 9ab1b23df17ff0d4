#include "io/extent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BLOCK = 64 * 1024,
    START_7Z = 32,
};

uint64_t extent_le(const uint8_t *p, int bytes)
{
    uint64_t v = 0;
    while (bytes--)
        v = v << 8 | p[bytes];
    return v;
}

bool extent_read(const struct extent_file *f, uint64_t at, uint8_t *to,
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

bool extent_behind(const struct extent_file *f, uint64_t at, uint64_t *behind,
                   struct err *err)
{
    uint8_t *room = malloc(BLOCK);
    bool only = true, ok = room || err_nomem(err);
    *behind = at < f->n ? f->n - at : 0;
    while (ok && only && at < f->n) {
        size_t n = f->n - at < BLOCK ? (size_t)(f->n - at) : BLOCK;
        ok = extent_read(f, at, room, n, err);
        for (size_t i = 0; ok && i < n; i++)
            only = only && !room[i];
        at += n;
    }
    if (only)
        *behind = 0;
    free(room);
    return ok;
}

bool extent_of_7z(const struct extent_file *f, uint64_t *end, struct err *err)
{
    uint8_t start[START_7Z];
    uint64_t size;
    *end = f->n;
    if (f->n < START_7Z)
        return true;
    if (!extent_read(f, 0, start, START_7Z, err))
        return false;
    uint64_t offset = extent_le(start + 12, 8);
    if (!__builtin_add_overflow(offset, extent_le(start + 20, 8), &size) &&
        size < f->n - START_7Z)
        *end = START_7Z + size;
    return true;
}
