/* archive.c - libarchive: loading, feeding, and decompression */
#include "io/private.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Every libarchive 3 on Linux has had this name, since 2013. */
#ifndef LIBARCHIVE_SONAME
#define LIBARCHIVE_SONAME "libarchive.so.13"
#endif

/* ISO C has no cast from an object's address to a function's. */
static bool find_function(void *lib, const char *name, void *function,
                          size_t size)
{
    void *address = dlsym(lib, name);
    memcpy(function, &address, size);
    return address != NULL;
}

bool la_load(struct la *la, struct err *err)
{
    /* It stays, so that the next one to ask finds it loaded. */
    void *lib = dlopen(LIBARCHIVE_SONAME, RTLD_NOW | RTLD_NODELETE);
    bool ok = lib != NULL;
#define FIND(f) ok = ok && find_function(lib, #f, &la->f, sizeof la->f);
    LA_FUNCTIONS(FIND)
#undef FIND
    const char *why = ok ? NULL : dlerror();
    if (!ok)
        err_set(err, ERR_SYSTEM, "libarchive is needed for this: %s",
                why ? why : "it lacks a function");
    if (lib)
        (void)dlclose(lib);
    return ok;
}

/* n less the zeros at the end of n bytes. */
static size_t without_zeros(const uint8_t *p, size_t n)
{
    while (n && !p[n - 1])
        n--;
    return n;
}

static la_ssize_t feed_stream(struct archive *a, void *ctx, const void **block)
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

/* The part of the archive that is in the file. */
static uint64_t in_file(const struct archive_feed *f)
{
    return f->file.n - f->origin;
}

static la_ssize_t read_block(struct archive_feed *f, size_t n)
{
    struct fd_stream from = fd_stream_of(f->file.fd);
    if (lseek(f->file.fd, (off_t)(f->origin + f->at), SEEK_SET) < 0) {
        (void)err_errno(&f->err, errno, "cannot read");
        return -1;
    }
    return from.stream.read(&from.stream, f->block, n, &f->err);
}

/* A block of f->file, all of it where that is in memory; then f->tail. */
static la_ssize_t feed_file(struct archive *a, void *ctx, const void **block)
{
    struct archive_feed *f = ctx;
    uint64_t n = in_file(f), left = f->at < n ? n - f->at : 0;
    la_ssize_t k = (la_ssize_t)left;
    *block = f->block;
    if (!left && f->at - n < f->tail.n) {
        *block = f->tail.v + (f->at - n);
        k = (la_ssize_t)(f->tail.n - (f->at - n));
    } else if (left && f->file.fd < 0) {
        *block = f->file.data + f->origin + f->at;
    } else if (left) {
        k = read_block(f, left < ARCHIVE_BLOCK ? (size_t)left : ARCHIVE_BLOCK);
    }
    if (k < 0)
        f->la.archive_set_error(a, EIO, "%s", f->err.text);
    else
        f->at += (uint64_t)k;
    return k < 0 ? ARCHIVE_FATAL : k;
}

/* To an offset of 0 or more. */
static la_int64_t seek_file(struct archive *a, void *ctx, la_int64_t by,
                            int whence)
{
    struct archive_feed *f = ctx;
    uint64_t base = whence == SEEK_SET   ? 0
                    : whence == SEEK_END ? in_file(f) + f->tail.n
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
    uint64_t size = in_file(f) + f->tail.n;
    uint64_t left = f->at < size ? size - f->at : 0;
    (void)a;
    if ((uint64_t)n > left)
        n = (la_int64_t)left;
    f->at += (uint64_t)n;
    return n;
}

bool archive_begin(struct archive_feed *f, struct err *err)
{
    if (!f->la.archive_read_new && !la_load(&f->la, err))
        return false;
    if (f->a)
        (void)f->la.archive_read_free(f->a);
    f->a = NULL;
    f->at = 0;
    /* Without memory for its entry it gives back what it has. */
    errno = 0;
    f->a = f->la.archive_read_new();
    return f->a ? err_check_errno(err) : err_nomem(err);
}

bool archive_open(struct archive_feed *f, enum sniff kind, struct err *err)
{
    const struct la *la = &f->la;
    if (!f->block)
        f->block = malloc(ARCHIVE_BLOCK);
    if (!f->block)
        return err_nomem(err);
    errno = 0;
    bool ok = la->archive_read_set_callback_data(f->a, f) == ARCHIVE_OK;
    if (f->from)
        ok = ok && la->archive_read_set_read_callback(f->a, feed_stream) ==
                       ARCHIVE_OK;
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
    text = text ? text : "no reason given";
    return err_set(err, ERR_INPUT, "%s data is bad%s: %.*s", sniff_name(kind),
                   f->ended ? " or cut off" : "", (int)strcspn(text, "\n"),
                   text); /* some end in a newline */
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
    buf_free(&f->tail);
    f->a = NULL;
    f->block = NULL;
}

static int support_filter(const struct archive_feed *f, enum sniff kind)
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

static bool start_unpack(struct unpack_stream *u, struct err *err)
{
    struct archive_feed *f = &u->feed;
    struct archive_entry *entry;
    if (!archive_begin(f, err))
        return false;
    errno = 0;
    /* A warning would mean that libarchive wants to start a program. */
    if (support_filter(f, u->kind) != ARCHIVE_OK)
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
static bool check_trailing(struct unpack_stream *u, struct err *err)
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
    if (!f->a && !start_unpack(u, err))
        return false;
    if (!u->ended) {
        int got = f->la.archive_read_data_block(f->a, &block, &n, &at);
        u->block = mem_stream_of(block, got == ARCHIVE_OK ? n : 0);
        u->ended = got == ARCHIVE_EOF;
        if (got != ARCHIVE_OK && !u->ended)
            return archive_failed(f, u->kind, err);
    }
    return !u->ended || check_trailing(u, err);
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

bool unxz(const void *data, size_t n, size_t max, struct buf *out,
          struct err *err)
{
    struct mem_stream mem = mem_stream_of(data, n);
    struct unpack_stream unpack = unpack_stream_of(SNIFF_XZ, &mem.stream);
    size_t had = out->n;
    ptrdiff_t k = 0;
    bool ok;
    do {
        out->n += (size_t)k;
        ok = out->n - had <= max
                 ? buf_reserve(out, ARCHIVE_BLOCK) || err_nomem(err)
                 : err_set(err, ERR_INPUT, "it holds more than %zu bytes", max);
        k = ok ? unpack.stream.read(&unpack.stream, out->v + out->n,
                                    ARCHIVE_BLOCK, err)
               : -1;
    } while (k > 0);
    unpack_free(&unpack);
    return k == 0;
}
