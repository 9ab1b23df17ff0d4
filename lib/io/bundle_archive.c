#include "io/bundle_archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

enum filter { NONE, GZIP, ZSTD, XZ, BZIP2, LZ4, ZIP };

static const struct {
    const char *suffix;
    enum filter filter;
} suffixes[] = {
    {".tar", NONE},   {".tar.gz", GZIP}, {".tgz", GZIP}, {".tar.zst", ZSTD},
    {".tzst", ZSTD},  {".tar.xz", XZ},   {".txz", XZ},   {".tar.bz2", BZIP2},
    {".tbz2", BZIP2}, {".tar.lz4", LZ4}, {".zip", ZIP},
};

static bool filter_of(const char *path, enum filter *filter, struct err *err)
{
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t k = strlen(suffixes[i].suffix);
        if (n >= k && strcmp(path + n - k, suffixes[i].suffix) == 0) {
            *filter = suffixes[i].filter;
            return true;
        }
    }
    return err_set(err, ERR_USAGE,
                   "what to write shows in the name: a directory, with '/' at "
                   "the end if it is not there yet, or one of .tar .tar.gz "
                   ".tar.zst .tar.xz .tar.bz2 .tar.lz4 .zip");
}

/*
 * libarchive frees all that it has only if it could close, so it is told of
 * no failure: what comes behind one goes nowhere.
 */
static la_ssize_t put(struct archive *archive, void *ctx, const void *bytes,
                      size_t n)
{
    struct bundle_archive *a = ctx;
    (void)archive;
    if (!a->err.kind && !a->given_up)
        (void)sink_write(output_sink(a->out), bytes, n, &a->err);
    return (la_ssize_t)n;
}

/* Whether all went well so far, in the output and in libarchive. */
static bool check(const struct bundle_archive *a, int got, struct err *err)
{
    if (a->err.kind) {
        *err = a->err;
        return false;
    }
    if (got == ARCHIVE_OK)
        return true;
    const char *text = a->la.archive_error_string(a->a);
    if (a->la.archive_errno(a->a) == ENOMEM)
        return err_nomem(err);
    return err_set(err, ERR_SYSTEM, "cannot write the archive: %s",
                   text ? text : "no reason given");
}

static int add_filter(const struct bundle_archive *a, enum filter filter)
{
    const struct la *la = &a->la;
    switch (filter) {
    case GZIP: /* without the time of day */
        (void)la->archive_write_add_filter_gzip(a->a);
        return la->archive_write_set_filter_option(a->a, "gzip", "timestamp",
                                                   NULL);
    case ZSTD:
        return la->archive_write_add_filter_zstd(a->a);
    case XZ:
        return la->archive_write_add_filter_xz(a->a);
    case BZIP2:
        return la->archive_write_add_filter_bzip2(a->a);
    case LZ4:
        return la->archive_write_add_filter_lz4(a->a);
    default:
        return ARCHIVE_OK;
    }
}

static int set_format(const struct bundle_archive *a, bool compressed)
{
    const struct la *la = &a->la;
    if (!a->is_zip) /* names of any bytes and length */
        return la->archive_write_set_format_gnutar(a->a);
    int got = la->archive_write_set_format_zip(a->a);
    if (got == ARCHIVE_OK && compressed)
        got = la->archive_write_zip_set_compression_store(a->a);
    if (got == ARCHIVE_OK)
        got = la->archive_write_set_format_option(a->a, "zip", "hdrcharset",
                                                  "UTF-8");
    return got;
}

static bool prepare(struct bundle_archive *a, enum filter filter,
                    bool compressed, struct err *err)
{
    const struct la *la = &a->la;
    a->is_zip = filter == ZIP;
    a->a = la->archive_write_new();
    a->entry = la->archive_entry_new();
    if (!a->a || !a->entry)
        return err_nomem(err);
    /* A warning would mean that libarchive wants to start a program. */
    if (add_filter(a, filter) != ARCHIVE_OK ||
        set_format(a, compressed) != ARCHIVE_OK)
        return err_set(err, ERR_SYSTEM,
                       "this libarchive does not write such archives");
    /* No padding behind compressed data. */
    (void)la->archive_write_set_bytes_in_last_block(a->a, 1);
    return true;
}

static void release(struct bundle_archive *a)
{
    if (a->entry)
        a->la.archive_entry_free(a->entry);
    if (a->a)
        (void)a->la.archive_write_free(a->a);
    a->entry = NULL;
    a->a = NULL;
}

bool bundle_archive_open(struct bundle_archive *a,
                         const struct bundle_opts *opts, struct err *err)
{
    enum filter filter;
    if (!filter_of(opts->output.path, &filter, err) || !la_load(&a->la, err))
        return false;
    bool ok = prepare(a, filter, opts->compressed, err) &&
              output_open(&a->out, &opts->output, err);
    ok =
        ok && check(a, a->la.archive_write_open(a->a, a, NULL, put, NULL), err);
    if (!ok && a->out)
        bundle_archive_abort(a);
    else if (!ok)
        release(a);
    return ok;
}

/* zip says of names that they are UTF-8; tar says nothing. */
static bool set_name(struct bundle_archive *a, const char *name,
                     struct err *err)
{
    size_t n = strlen(name), k = 0;
    if (!a->is_zip) {
        a->la.archive_entry_set_pathname(a->entry, name);
        return true;
    }
    for (size_t at = 0; at < n; at += k)
        if (!(k = utf8_char((const uint8_t *)name + at, n - at, NULL)))
            return err_set(err, ERR_INPUT,
                           "the name is not UTF-8, as it must be in zip");
    /* Whether the locale has such characters is of no interest. */
    (void)a->la.archive_entry_update_pathname_utf8(a->entry, name);
    return true;
}

bool bundle_archive_add(struct bundle_archive *a, const char *name,
                        int64_t mtime, const void *data, size_t n,
                        struct err *err)
{
    const struct la *la = &a->la;
    errno = 0;
    struct archive_entry *e = la->archive_entry_clear(a->entry);
    if (n > PTRDIFF_MAX)
        return err_nomem(err);
    if (!set_name(a, name, err))
        return false;
    la->archive_entry_set_filetype(e, AE_IFREG);
    la->archive_entry_set_perm(e, 0644);
    la->archive_entry_set_size(e, (int64_t)n);
    /* zip's times go by the time zone of whoever writes it. */
    if (!a->is_zip)
        la_set_mtime(la, e, mtime);
    /* A name that there was no memory for would be left out. */
    if (!err_check_errno(err) ||
        !check(a, la->archive_write_header(a->a, e), err))
        return false;
    for (size_t at = 0; at < n;) {
        la_ssize_t k =
            la->archive_write_data(a->a, (const char *)data + at, n - at);
        if (!check(a, k > 0 ? ARCHIVE_OK : ARCHIVE_FATAL, err))
            return false;
        at += (size_t)k;
    }
    return check(a, la->archive_write_finish_entry(a->a), err);
}

bool bundle_archive_commit(struct bundle_archive *a, struct err *err)
{
    if (!check(a, a->la.archive_write_close(a->a), err)) {
        bundle_archive_abort(a);
        return false;
    }
    release(a);
    return output_commit(a->out, err);
}

void bundle_archive_abort(struct bundle_archive *a)
{
    a->given_up = true;
    release(a);
    output_abort(a->out);
}
