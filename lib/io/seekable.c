/* seekable.c - reading at any offset of a file or of bytes in memory */
#include "io/seekable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 64 * 1024 };

bool seekable_read(const struct seekable *f, uint64_t at, uint8_t *to, size_t n,
                   struct err *err)
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

bool seekable_trailing(const struct seekable *f, uint64_t at,
                       uint64_t *trailing, struct err *err)
{
    uint8_t *room = malloc(BLOCK);
    bool only_zeros = true, ok = room || err_nomem(err);
    *trailing = at < f->n ? f->n - at : 0;
    while (ok && only_zeros && at < f->n) {
        size_t n = f->n - at < BLOCK ? (size_t)(f->n - at) : BLOCK;
        ok = seekable_read(f, at, room, n, err);
        for (size_t i = 0; ok && i < n; i++)
            only_zeros = only_zeros && !room[i];
        at += n;
    }
    if (only_zeros)
        *trailing = 0;
    free(room);
    return ok;
}
