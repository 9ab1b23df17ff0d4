/* archive.c - loads libarchive and passes it the bytes of an archive */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "io/private.h"

struct la la = LIBRARY_TABLE(LA_FUNCTIONS);

/* All releases of libarchive 3 on Linux since 2013 have this soname. */
static struct library libarchive =
    LIBRARY("libarchive", "libarchive.so.13", "libarchive13", LA_FUNCTIONS, la);

bool la_load(struct prof_err *err)
{
    return library_load(&libarchive, err);
}

enum { BLOCK = 64 * 1024 }; /* bytes passed to libarchive at a time */

/* Returns n minus the number of zero bytes at the end of the n bytes at p. */
static size_t without_zeros(const uint8_t *p, size_t n)
{
    while (n && !p[n - 1])
        n--;
    return n;
}

static la_ssize_t feed_stream(struct archive *a, void *ctx, const void **block)
{
    struct archive_feed *f = ctx;
    ptrdiff_t n = f->from->read(f->from, f->block, BLOCK, &f->err);
    if (n < 0)
        la.archive_set_error(a, EIO, "%s", f->err.text);
    f->ended = n == 0;
    if (n > 0) {
        size_t filled = without_zeros(f->block, (size_t)n);
        if (filled)
            f->n_content = f->n_read + (int64_t)filled;
        f->n_read += n;
    }
    *block = f->block;
    return n < 0 ? ARCHIVE_FATAL : (la_ssize_t)n;
}

/* Returns the size of the archive in f->file, from f->origin on. */
static uint64_t in_file(const struct archive_feed *f)
{
    return f->file.n - f->origin;
}

/* Returns the next block; if the file is in memory, all that is left. */
static la_ssize_t feed_file(struct archive *a, void *ctx, const void **block)
{
    struct archive_feed *f = ctx;
    uint64_t n = in_file(f), left = f->at < n ? n - f->at : 0;
    la_ssize_t k = (la_ssize_t)left;
    *block = f->block;
    if (left && f->file.fd < 0) {
        *block = f->file.data + f->origin + f->at;
    } else if (left) {
        /* lseek(), not pread(): progress is shown from the file's offset. */
        k = lseek(f->file.fd, (off_t)(f->origin + f->at), SEEK_SET);
        if (k >= 0)
            k = file_read(f->file.fd, f->block,
                          left < BLOCK ? (size_t)left : BLOCK);
    }
    if (k < 0) {
        (void)err_errno(&f->err, errno, "cannot read");
        la.archive_set_error(a, EIO, "%s", f->err.text);
        return ARCHIVE_FATAL;
    }
    f->at += (uint64_t)k;
    return k;
}

/* Seeks in f->file; offsets may be past the end, but not negative. */
static la_int64_t seek_file(struct archive *a, void *ctx, la_int64_t by,
                            int whence)
{
    struct archive_feed *f = ctx;
    uint64_t base = whence == SEEK_SET   ? 0
                    : whence == SEEK_END ? in_file(f)
                                         : f->at;
    int64_t to;
    if (__builtin_add_overflow(by, base, &to) || to < 0) {
        la.archive_set_error(a, EINVAL, TEXT("an offset outside the file"));
        return ARCHIVE_FATAL;
    }
    f->at = (uint64_t)to;
    return to;
}

static la_int64_t skip_file(struct archive *a, void *ctx, la_int64_t n)
{
    struct archive_feed *f = ctx;
    uint64_t size = in_file(f);
    uint64_t left = f->at < size ? size - f->at : 0;
    (void)a;
    if ((uint64_t)n > left)
        n = (la_int64_t)left;
    f->at += (uint64_t)n;
    return n;
}

/* Enables the format or filter of libarchive that reads `kind`. */
static int support(const struct archive_feed *f, enum sniff kind)
{
    switch (kind) {
    case SNIFF_ZSTD:
        return la.archive_read_support_filter_zstd(f->a);
    case SNIFF_XZ:
        return la.archive_read_support_filter_xz(f->a);
    case SNIFF_BZIP2:
        return la.archive_read_support_filter_bzip2(f->a);
    case SNIFF_LZ4:
        return la.archive_read_support_filter_lz4(f->a);
    case SNIFF_CPIO:
        return la.archive_read_support_format_cpio(f->a);
    case SNIFF_ZIP:
        return f->from ? la.archive_read_support_format_zip_streamable(f->a)
                       : la.archive_read_support_format_zip_seekable(f->a);
    case SNIFF_7Z:
        return la.archive_read_support_format_7zip(f->a);
    default:
        return la.archive_read_support_format_tar(f->a);
    }
}

/* Sets f->a to a new libarchive reader that supports this format only. */
static bool begin(struct archive_feed *f, enum sniff kind, struct prof_err *err)
{
    if (f->a)
        (void)la.archive_read_free(f->a);
    f->at = 0;
    /* Without memory, this may return an incomplete reader, and set errno. */
    errno = 0;
    f->a = la.archive_read_new();
    if (!f->a)
        return err_nomem(err);
    if (!err_check_errno(err))
        return false;
    /* A warning would mean that libarchive wants to start a program. */
    if (support(f, kind) != ARCHIVE_OK)
        return err_check_errno(err) && err_set(err, PROF_ERR_SYSTEM,
                                               "this version of libarchive "
                                               "cannot read %s",
                                               sniff_name(kind));
    if (kind == SNIFF_TAR) /* `cat a.tar b.tar` contains the entries of both */
        (void)la.archive_read_set_format_option(
            f->a, "tar", "read_concatenated_archives", "1");
    return !sniff_is_packed(kind) ||
           (la.archive_read_support_format_raw(f->a) == ARCHIVE_OK &&
            la.archive_read_support_format_empty(f->a) == ARCHIVE_OK) ||
           err_nomem(err);
}

bool archive_open(struct archive_feed *f, enum sniff kind, struct prof_err *err)
{
    if (!la_load(err) || !begin(f, kind, err))
        return false;
    if (!f->block)
        f->block = malloc(BLOCK);
    if (!f->block)
        return err_nomem(err);
    errno = 0;
    bool ok = la.archive_read_set_callback_data(f->a, f) == ARCHIVE_OK;
    if (f->from)
        ok = ok &&
             la.archive_read_set_read_callback(f->a, feed_stream) == ARCHIVE_OK;
    else
        ok = ok &&
             la.archive_read_set_read_callback(f->a, feed_file) == ARCHIVE_OK &&
             la.archive_read_set_seek_callback(f->a, seek_file) == ARCHIVE_OK &&
             la.archive_read_set_skip_callback(f->a, skip_file) == ARCHIVE_OK;
    return (ok && la.archive_read_open1(f->a) == ARCHIVE_OK) ||
           archive_failed(f, kind, err);
}

bool archive_failed(const struct archive_feed *f, enum sniff kind,
                    struct prof_err *err)
{
    if (f->err.kind) {
        *err = f->err;
        return false;
    }
    const char *text = la.archive_error_string(f->a);
    /* libarchive also sets ENOMEM for "malformed" symbolic links over 1 MiB. */
    bool malformed = text && strstr(text, "malformed");
    if (la.archive_errno(f->a) == ENOMEM && !malformed)
        return err_nomem(err);
    /* libarchive drops the errors of some system calls, so check errno. */
    if (!err_check_errno(err))
        return false;
    text = text ? text : TEXT("no reason given");
    return err_input(err, "invalid %s data%s: %.*s", sniff_name(kind),
                     f->ended ? " (or truncated)" : "",
                     (int)strcspn(text, "\n"),
                     text); /* some end in a newline */
}

bool archive_padding(struct archive_feed *f, bool *only, struct prof_err *err)
{
    *only = f->n_content <= la.archive_filter_bytes(f->a, -1);
    while (*only) {
        ptrdiff_t n = f->from->read(f->from, f->block, BLOCK, err);
        if (n <= 0)
            return n == 0;
        *only = !without_zeros(f->block, (size_t)n);
        f->n_read += n;
    }
    return true;
}

void archive_end(struct archive_feed *f)
{
    if (f->a)
        (void)la.archive_read_free(f->a);
    free(f->block);
    f->a = NULL;
    f->block = NULL;
}
