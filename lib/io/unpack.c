#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>

#include "io/archive.h"

static int support(struct archive *a, enum sniff kind)
{
    switch (kind) {
    case SNIFF_ZSTD:
        return archive_read_support_filter_zstd(a);
    case SNIFF_XZ:
        return archive_read_support_filter_xz(a);
    case SNIFF_BZIP2:
        return archive_read_support_filter_bzip2(a);
    default:
        return archive_read_support_filter_lz4(a);
    }
}

static bool start(struct unpack_stream *u, struct err *err)
{
    struct archive_entry *entry;
    u->a = archive_read_new();
    if (!u->a)
        return err_nomem(err);
    /* A warning would mean that libarchive wants to start a program. */
    if (support(u->a, u->kind) != ARCHIVE_OK)
        return err_set(err, ERR_SYSTEM, "this libarchive does not read %s",
                       sniff_name(u->kind));
    (void)archive_read_support_format_raw(u->a);
    (void)archive_read_support_format_empty(u->a);
    if (!archive_open_feed(u->a, u->kind, &u->feed, err))
        return false;
    int got = archive_read_next_header(u->a, &entry);
    if (got == ARCHIVE_EOF)
        u->ended = true;
    return got == ARCHIVE_OK || got == ARCHIVE_EOF ||
           archive_failed(u->a, u->kind, &u->feed, err);
}

/* libarchive is content, but did it take everything? */
static bool check_end(struct unpack_stream *u, struct err *err)
{
    struct archive_feed *f = &u->feed;
    int64_t taken = archive_filter_bytes(u->a, -1);
    uint8_t byte;
    if (taken == f->given && !f->ended) {
        ptrdiff_t n = f->from->read(f->from, &byte, 1, err);
        if (n < 0)
            return false;
        f->given += n;
    }
    u->ended = true;
    return taken == f->given ||
           err_set(err, ERR_INPUT,
                   "offset %lld: data after the end of the %s data",
                   (long long)taken, sniff_name(u->kind));
}

static ptrdiff_t unpack_read(struct stream *self, void *to, size_t n,
                             struct err *err)
{
    struct unpack_stream *u = (struct unpack_stream *)self;
    if (!u->a && !start(u, err))
        return -1;
    la_ssize_t k = u->ended ? 0 : archive_read_data(u->a, to, n);
    if (k < 0)
        archive_failed(u->a, u->kind, &u->feed, err);
    if (k < 0 || (k == 0 && !check_end(u, err)))
        return -1;
    return k;
}

struct unpack_stream unpack_stream_of(enum sniff kind, struct stream *from)
{
    return (struct unpack_stream){
        .stream = {unpack_read}, .kind = kind, .feed = {.from = from}};
}

void unpack_free(struct unpack_stream *u)
{
    if (u->a)
        (void)archive_read_free(u->a);
    free(u->feed.block);
    u->a = NULL;
    u->feed.block = NULL;
}
