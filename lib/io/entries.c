#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>

#include "io/archive.h"

enum {
    STEP = ARCHIVE_BLOCK,
    FIRST_ROOM = 16 * 1024 * 1024, /* at most, on an entry's word */
};

static bool prepare(struct entries *e, enum sniff kind, struct err *err)
{
    *e = (struct entries){.kind = kind, .a = archive_read_new()};
    if (!e->a)
        return err_nomem(err);
    int got = ARCHIVE_OK;
    switch (kind) {
    case SNIFF_CPIO:
        got = archive_read_support_format_cpio(e->a);
        break;
    case SNIFF_ZIP:
        got = archive_read_support_format_zip_seekable(e->a);
        break;
    case SNIFF_7Z:
        got = archive_read_support_format_7zip(e->a);
        break;
    default:
        got = archive_read_support_format_tar(e->a);
        /* `cat a.tar b.tar` is both. */
        (void)archive_read_set_format_option(e->a, "tar",
                                             "read_concatenated_archives", "1");
        break;
    }
    return got == ARCHIVE_OK ||
           err_set(err, ERR_SYSTEM, "this libarchive does not read %s",
                   sniff_name(kind));
}

/* Frees what was prepared when opening fails. */
static bool opened(struct entries *e, bool ok)
{
    if (!ok)
        entries_free(e);
    return ok;
}

bool entries_open(struct entries *e, enum sniff kind, struct stream *from,
                  struct err *err)
{
    bool ok = prepare(e, kind, err);
    e->feed.from = from;
    return opened(e, ok && archive_open_feed(e->a, kind, &e->feed, err));
}

bool entries_open_fd(struct entries *e, enum sniff kind, int fd,
                     struct err *err)
{
    return opened(e, prepare(e, kind, err) &&
                         (archive_read_open_fd(e->a, fd, STEP) == ARCHIVE_OK ||
                          archive_failed(e->a, kind, &e->feed, err)));
}

bool entries_open_mem(struct entries *e, enum sniff kind, const uint8_t *data,
                      size_t n, struct err *err)
{
    return opened(e,
                  prepare(e, kind, err) &&
                      (archive_read_open_memory(e->a, data, n) == ARCHIVE_OK ||
                       archive_failed(e->a, kind, &e->feed, err)));
}

/* The name as the archive has it, in whatever encoding. */
static const char *name_of(struct archive_entry *entry)
{
    const char *name = archive_entry_pathname(entry);
    if (!name)
        name = archive_entry_pathname_utf8(entry);
    return name ? name : "?";
}

static bool keep_name(struct entries *e, struct archive_entry *entry,
                      struct err *err)
{
    free(e->name);
    e->name = strdup(name_of(entry));
    e->mtime =
        archive_entry_mtime_is_set(entry) ? archive_entry_mtime(entry) : 0;
    return e->name || err_nomem(err);
}

/* Whether the entry has content of its own to read. */
static bool is_wanted(const struct entries *e, struct archive_entry *entry,
                      const struct notes *notes)
{
    const char *link = archive_entry_hardlink(entry);
    bool empty =
        !archive_entry_size_is_set(entry) || archive_entry_size(entry) == 0;
    if (link && empty) {
        note_warn(notes, "%s: left out: another name of %s", e->name, link);
        return false;
    }
    /* cpio has the content of several names with the last of them. */
    if (e->kind == SNIFF_CPIO && empty && archive_entry_nlink(entry) > 1) {
        note_info(notes, "%s: left out: its content has another name", e->name);
        return false;
    }
    if (archive_entry_filetype(entry) == AE_IFREG)
        return true;
    note_info(notes, "%s: left out: not a regular file", e->name);
    return false;
}

static bool read_content(struct entries *e, struct archive_entry *entry,
                         size_t max, struct buf *data, struct err *err)
{
    int64_t size =
        archive_entry_size_is_set(entry) ? archive_entry_size(entry) : 0;
    size_t want = size > FIRST_ROOM ? FIRST_ROOM : (size_t)(size + 1);
    data->n = 0;
    for (;;) {
        if (!buf_reserve(data, want))
            return err_nomem(err);
        la_ssize_t k =
            archive_read_data(e->a, data->v + data->n, data->cap - data->n);
        if (k < 0)
            e->over = k == ARCHIVE_FATAL;
        if (k < 0)
            return archive_failed(e->a, e->kind, &e->feed, err);
        if (k == 0)
            return true;
        data->n += (size_t)k;
        if (data->n > max)
            return err_set(err, ERR_INPUT,
                           "more than %zu bytes (see --max-size)", max);
        want = data->n == data->cap ? STEP : 0;
    }
}

/*
 * The archive is over; padding may follow, anything else is not dropped
 * silently.  Bytes that libarchive was given but did not take are the last
 * of the feed's block.
 */
static bool check_end(struct entries *e, struct err *err)
{
    struct archive_feed *f = &e->feed;
    if (!f->from)
        return true;
    int64_t left = f->given - archive_filter_bytes(e->a, -1);
    size_t at = left < (int64_t)f->last ? f->last - (size_t)left : 0;
    size_t n = f->last;
    for (;;) {
        while (at < n && !f->block[at])
            at++;
        if (at < n)
            return err_set(err, ERR_INPUT,
                           "data after the end of the %s archive",
                           sniff_name(e->kind));
        ptrdiff_t k = f->from->read(f->from, f->block, STEP, err);
        if (k <= 0)
            return k == 0;
        at = 0;
        n = (size_t)k;
    }
}

/* libarchive warns of names that the locale has no characters for. */
static void pass_warning(const struct entries *e, const struct notes *notes)
{
    const char *text = archive_error_string(e->a);
    if (text && !strstr(text, "current locale"))
        note_warn(notes, "%s: %s", e->name, text);
}

int entries_next(struct entries *e, size_t max, struct buf *data,
                 const struct notes *notes, struct err *err)
{
    struct archive_entry *entry;
    while (!e->over) {
        int got = archive_read_next_header(e->a, &entry);
        if (got == ARCHIVE_EOF) {
            e->over = true;
            free(e->name);
            e->name = NULL;
            return check_end(e, err) ? 0 : -1;
        }
        if (got != ARCHIVE_OK && got != ARCHIVE_WARN) {
            e->over = got == ARCHIVE_FATAL;
            archive_failed(e->a, e->kind, &e->feed, err);
            return -1;
        }
        if (!keep_name(e, entry, err))
            return -1;
        if (got == ARCHIVE_WARN)
            pass_warning(e, notes);
        if (!is_wanted(e, entry, notes))
            continue;
        if (archive_entry_is_data_encrypted(entry)) {
            err_set(err, ERR_INPUT, "the entry is encrypted");
            return -1;
        }
        return read_content(e, entry, max, data, err) ? 1 : -1;
    }
    return 0;
}

void entries_free(struct entries *e)
{
    if (e->a)
        (void)archive_read_free(e->a);
    free(e->feed.block);
    free(e->name);
    *e = (struct entries){.over = true};
}
