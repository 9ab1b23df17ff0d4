#include <errno.h>

#include "io/archive.h"

static int support(const struct archive_feed *f, enum sniff kind)
{
    switch (kind) {
    case SNIFF_ZSTD:
        return f->la.archive_read_support_filter_zstd(f->a);
    case SNIFF_XZ:
        return f->la.archive_read_support_filter_xz(f->a);
    case SNIFF_BZIP2:
        return f->la.archive_read_support_filter_bzip2(f->a);
    default:
        return f->la.archive_read_support_filter_lz4(f->a);
    }
}

static bool start(struct unpack_stream *u, struct err *err)
{
    struct archive_feed *f = &u->feed;
    struct archive_entry *entry;
    if (!archive_begin(f, err))
        return false;
    errno = 0;
    /* A warning would mean that libarchive wants to start a program. */
    if (support(f, u->kind) != ARCHIVE_OK)
        return err_check_errno(err) &&
               err_set(err, ERR_SYSTEM, "this libarchive does not read %s",
                       sniff_name(u->kind));
    if (f->la.archive_read_support_format_raw(f->a) != ARCHIVE_OK ||
        f->la.archive_read_support_format_empty(f->a) != ARCHIVE_OK)
        return err_nomem(err);
    if (!archive_open(f, u->kind, err))
        return false;
    int got = f->la.archive_read_next_header(f->a, &entry);
    u->ended = got == ARCHIVE_EOF;
    if (got != ARCHIVE_OK)
        return u->ended || archive_failed(f, u->kind, err);
    /* By a header that it does not like it takes lz4 for uncompressed. */
    return f->la.archive_filter_code(f->a, 0) != ARCHIVE_FILTER_NONE ||
           err_set(err, ERR_INPUT, "%s data is bad%s: no sound header",
                   sniff_name(u->kind), f->ended ? " or cut off" : "");
}

/* How far libarchive has come in what the stream is made of. */
static long long offset(const struct unpack_stream *u)
{
    int64_t taken = u->feed.la.archive_filter_bytes(u->feed.a, -1);
    return taken > 0 ? taken : 0;
}

/* libarchive is content, but did it take everything but padding? */
static bool check_end(struct unpack_stream *u, struct err *err)
{
    struct archive_feed *f = &u->feed;
    bool only;
    if (!archive_padding(f, &only, err))
        return false;
    u->trailing = !only;
    return only || err_set(err, ERR_INPUT,
                           "offset %lld: data after the end of the %s data",
                           offset(u), sniff_name(u->kind));
}

/* One more block, unless this is the end. */
static bool next_block(struct unpack_stream *u, struct err *err)
{
    struct archive_feed *f = &u->feed;
    const void *block = NULL;
    size_t n = 0;
    la_int64_t at;
    if (!f->a && !start(u, err))
        return false;
    if (!u->ended) {
        int got = f->la.archive_read_data_block(f->a, &block, &n, &at);
        u->block = mem_stream_of(block, got == ARCHIVE_OK ? n : 0);
        u->ended = got == ARCHIVE_EOF;
        if (got != ARCHIVE_OK && !u->ended)
            return archive_failed(f, u->kind, err);
    }
    return !u->ended || check_end(u, err);
}

/* Where it failed: what is below says so itself. */
static void say_where(struct unpack_stream *u)
{
    const struct archive_feed *f = &u->feed;
    if (u->failed.kind != ERR_INPUT || u->trailing || f->err.kind)
        return;
    (void)err_prefix(&u->failed, "offset %lld: ", offset(u));
}

static ptrdiff_t unpack_read(struct stream *self, void *to, size_t n,
                             struct err *err)
{
    struct unpack_stream *u = (struct unpack_stream *)self;
    while (!u->block.n && !u->failed.kind && !u->ended)
        if (!next_block(u, &u->failed))
            say_where(u);
    if (u->block.n)
        return u->block.stream.read(&u->block.stream, to, n, err);
    if (u->failed.kind)
        *err = u->failed;
    return u->failed.kind ? -1 : 0;
}

struct unpack_stream unpack_stream_of(enum sniff kind, struct stream *from)
{
    return (struct unpack_stream){
        .stream = {unpack_read}, .kind = kind, .feed = {.from = from}};
}

void unpack_free(struct unpack_stream *u)
{
    archive_end(&u->feed);
}
