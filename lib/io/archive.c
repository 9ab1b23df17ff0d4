#include "io/archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* n less the zeros at the end of n bytes. */
static size_t without_zeros(const uint8_t *p, size_t n)
{
    while (n && !p[n - 1])
        n--;
    return n;
}

static la_ssize_t feed(struct archive *a, void *ctx, const void **block)
{
    struct archive_feed *f = ctx;
    ptrdiff_t n = f->from->read(f->from, f->block, ARCHIVE_BLOCK, &f->err);
    if (n < 0)
        f->la.archive_set_error(a, EIO, "%s", f->err.text);
    f->ended = n == 0;
    if (n > 0) {
        size_t filled = without_zeros(f->block, (size_t)n);
        if (filled)
            f->filled = f->given + (int64_t)filled;
        f->given += n;
    }
    *block = f->block;
    return n < 0 ? ARCHIVE_FATAL : (la_ssize_t)n;
}

/* A block of f->file; where that is in memory, all of it. */
static la_ssize_t feed_file(struct archive *a, void *ctx, const void **block)
{
    struct archive_feed *f = ctx;
    const struct extent_file *file = &f->file;
    uint64_t left = f->at < file->n ? file->n - f->at : 0;
    *block = f->block;
    if (file->fd < 0) {
        *block = file->data + file->n - left;
        f->at += left;
        return (la_ssize_t)left;
    }
    struct fd_stream from = fd_stream_of(file->fd);
    size_t n = left < ARCHIVE_BLOCK ? (size_t)left : ARCHIVE_BLOCK;
    ptrdiff_t k = 0;
    if (n && lseek(file->fd, (off_t)f->at, SEEK_SET) < 0) {
        (void)err_errno(&f->err, errno, "cannot read");
        k = -1;
    } else if (n) {
        k = from.stream.read(&from.stream, f->block, n, &f->err);
    }
    if (k < 0)
        f->la.archive_set_error(a, EIO, "%s", f->err.text);
    else
        f->at += (uint64_t)k;
    return k < 0 ? ARCHIVE_FATAL : (la_ssize_t)k;
}

/* To an offset of 0 or more. */
static la_int64_t seek_file(struct archive *a, void *ctx, la_int64_t by,
                            int whence)
{
    struct archive_feed *f = ctx;
    uint64_t base = whence == SEEK_SET   ? 0
                    : whence == SEEK_END ? f->file.n
                                         : f->at;
    int64_t to;
    if (__builtin_add_overflow(by, base, &to) || to < 0) {
        f->la.archive_set_error(a, EINVAL, "an offset outside of the file");
        return ARCHIVE_FATAL;
    }
    f->at = (uint64_t)to;
    return to;
}

static la_int64_t skip_file(struct archive *a, void *ctx, la_int64_t n)
{
    struct archive_feed *f = ctx;
    uint64_t left = f->at < f->file.n ? f->file.n - f->at : 0;
    (void)a;
    if ((uint64_t)n > left)
        n = (la_int64_t)left;
    f->at += (uint64_t)n;
    return n;
}

bool archive_begin(struct archive_feed *f, struct err *err)
{
    if (!la_load(&f->la, err))
        return false;
    /* Without memory for its entry it gives back what it has. */
    errno = 0;
    f->a = f->la.archive_read_new();
    return f->a ? err_check_errno(err) : err_nomem(err);
}

bool archive_open(struct archive_feed *f, enum sniff kind, struct err *err)
{
    const struct la *la = &f->la;
    f->block = malloc(ARCHIVE_BLOCK);
    if (!f->block)
        return err_nomem(err);
    errno = 0;
    bool ok = la->archive_read_set_callback_data(f->a, f) == ARCHIVE_OK;
    if (f->from)
        ok = ok && la->archive_read_set_read_callback(f->a, feed) == ARCHIVE_OK;
    else
        ok =
            ok &&
            la->archive_read_set_read_callback(f->a, feed_file) == ARCHIVE_OK &&
            la->archive_read_set_seek_callback(f->a, seek_file) == ARCHIVE_OK &&
            la->archive_read_set_skip_callback(f->a, skip_file) == ARCHIVE_OK;
    return (ok && la->archive_read_open1(f->a) == ARCHIVE_OK) ||
           archive_failed(f, kind, err);
}

bool archive_failed(const struct archive_feed *f, enum sniff kind,
                    struct err *err)
{
    if (f->err.kind) {
        *err = f->err;
        return false;
    }
    const char *text = f->la.archive_error_string(f->a);
    /* That is also what it calls a symbolic link of more than 1 MiB. */
    bool malformed = text && strstr(text, "malformed");
    if (f->la.archive_errno(f->a) == ENOMEM && !malformed)
        return err_nomem(err);
    /* It does not pass on what a descriptor says. */
    if (!err_check_errno(err))
        return false;
    return err_set(err, ERR_INPUT, "%s data is bad%s: %s", sniff_name(kind),
                   f->ended ? " or cut off" : "",
                   text ? text : "no reason given");
}

bool archive_padding(struct archive_feed *f, bool *only, struct err *err)
{
    *only = f->filled <= f->la.archive_filter_bytes(f->a, -1);
    while (*only) {
        ptrdiff_t n = f->from->read(f->from, f->block, ARCHIVE_BLOCK, err);
        if (n <= 0)
            return n == 0;
        *only = !without_zeros(f->block, (size_t)n);
        f->given += n;
    }
    return true;
}

void archive_end(struct archive_feed *f)
{
    if (f->a)
        (void)f->la.archive_read_free(f->a);
    free(f->block);
    f->a = NULL;
    f->block = NULL;
}
