#include "io/archive.h"

#include <archive.h>
#include <errno.h>
#include <stdlib.h>

static la_ssize_t feed(struct archive *a, void *ctx, const void **block)
{
    struct archive_feed *f = ctx;
    ptrdiff_t n = f->from->read(f->from, f->block, ARCHIVE_BLOCK, &f->err);
    if (n < 0)
        archive_set_error(a, EIO, "%s", f->err.text);
    f->ended = n == 0;
    if (n > 0) {
        f->last = (size_t)n;
        f->given += n;
    }
    *block = f->block;
    return n < 0 ? ARCHIVE_FATAL : (la_ssize_t)n;
}

/* What went wrong: below libarchive if it was there, else in it. */
bool archive_failed(struct archive *a, enum sniff kind,
                    const struct archive_feed *f, struct err *err)
{
    if (f->err.kind) {
        *err = f->err;
        return false;
    }
    if (archive_errno(a) == ENOMEM)
        return err_nomem(err);
    const char *text = archive_error_string(a);
    return err_set(err, ERR_INPUT, "%s data is bad%s: %s", sniff_name(kind),
                   f->ended ? " or cut off" : "",
                   text ? text : "no reason given");
}

bool archive_open_feed(struct archive *a, enum sniff kind,
                       struct archive_feed *f, struct err *err)
{
    f->block = malloc(ARCHIVE_BLOCK);
    if (!f->block)
        return err_nomem(err);
    return archive_read_open(a, f, NULL, feed, NULL) == ARCHIVE_OK ||
           archive_failed(a, kind, f, err);
}

const char *archive_library(void)
{
    return archive_version_string();
}
