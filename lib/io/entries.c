#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io/archive.h"
#include "io/entry_name.h"

enum {
    FIRST_ROOM = 16 * 1024 * 1024, /* at most, on an entry's word */
};

static int support(const struct archive_feed *f, enum sniff kind, bool streamed)
{
    switch (kind) {
    case SNIFF_CPIO:
        return f->la.archive_read_support_format_cpio(f->a);
    case SNIFF_ZIP:
        return streamed ? f->la.archive_read_support_format_zip_streamable(f->a)
                        : f->la.archive_read_support_format_zip_seekable(f->a);
    case SNIFF_7Z:
        return f->la.archive_read_support_format_7zip(f->a);
    default:
        return f->la.archive_read_support_format_tar(f->a);
    }
}

static bool prepare(struct entries *e, enum sniff kind, bool streamed,
                    struct err *err)
{
    struct archive_feed *f = &e->feed;
    *e = (struct entries){.kind = kind};
    errno = 0;
    if (!archive_begin(f, err) || !entry_name_begin(e, err))
        return false;
    if (support(f, kind, streamed) != ARCHIVE_OK)
        return err_check_errno(err) &&
               err_set(err, ERR_SYSTEM, "this libarchive does not read %s",
                       sniff_name(kind));
    if (kind == SNIFF_TAR) /* `cat a.tar b.tar` is both */
        (void)f->la.archive_read_set_format_option(
            f->a, "tar", "read_concatenated_archives", "1");
    return true;
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
    bool ok = prepare(e, kind, true, err);
    e->feed.from = from;
    return opened(e, ok && archive_open(&e->feed, kind, err));
}

bool entries_open_file(struct entries *e, enum sniff kind,
                       const struct extent_file *file, struct err *err)
{
    struct archive_feed *f = &e->feed;
    bool ok =
        prepare(e, kind, false, err) && extent_of(&e->outside, kind, file, err);
    f->file = *file;
    f->file.n = e->outside.needed;
    return opened(e, ok && archive_open(f, kind, err));
}

/* Whether the entry is another name of one whose content is elsewhere. */
static bool is_hardlink(const struct entries *e, struct archive_entry *entry,
                        const struct notes *notes)
{
    const struct la *la = &e->feed.la;
    const char *link = la->archive_entry_hardlink(entry);
    bool empty = !la->archive_entry_size_is_set(entry) ||
                 la->archive_entry_size(entry) == 0;
    if (!empty)
        return false;
    if (link)
        note_warn(notes, "%s: left out: another name of %s", e->name, link);
    if (link)
        return true;
    /* cpio has the content of several names with the last of them. */
    if (e->kind != SNIFF_CPIO || la->archive_entry_nlink(entry) < 2 ||
        la->archive_entry_filetype(entry) != AE_IFREG)
        return false;
    note_info(notes, "%s: left out: its content has another name", e->name);
    return true;
}

static const char *kind_of_entry(const struct la *la,
                                 struct archive_entry *entry)
{
    switch (la->archive_entry_filetype(entry)) {
    case AE_IFLNK:
        return "a symbolic link";
    case AE_IFIFO:
        return "a FIFO";
    case AE_IFSOCK:
        return "a socket";
    case AE_IFBLK:
    case AE_IFCHR:
        return "a device";
    default:
        return "no regular file";
    }
}

/*
 * Whether the entry has content of its own to read, or is wanted without.
 */
static bool is_wanted(struct entries *e, struct archive_entry *entry,
                      const struct notes *notes)
{
    const struct la *la = &e->feed.la;
    e->irregular = e->link = NULL;
    if (is_hardlink(e, entry, e->all ? NULL : notes)) {
        e->irregular = "a hard link";
        e->link = la->archive_entry_hardlink(entry);
        return e->all;
    }
    unsigned type = la->archive_entry_filetype(entry);
    if (type == AE_IFREG)
        return true;
    if (e->all && type != AE_IFDIR) {
        e->irregular = kind_of_entry(la, entry);
        return true;
    }
    note_info(notes, "%s: left out: not a regular file", e->name);
    return false;
}

/*
 * Whether it is what GNU tar has for the rest of a file that did not fit on the
 * volume before: a type of its own, of which libarchive makes none, as it does
 * of hard links; in pax archives a file below a directory GNUFileParts (once
 * GNUFileParts.PID).
 */
static bool is_rest(const struct entries *e, struct archive_entry *entry)
{
    static const char parts[] = "GNUFileParts";
    if (e->kind != SNIFF_TAR)
        return false;
    const char *at = strstr(e->name, parts);
    bool named = at && (at == e->name || at[-1] == '/') &&
                 (at[sizeof parts - 1] == '/' || at[sizeof parts - 1] == '.');
    return named || (!e->feed.la.archive_entry_filetype(entry) &&
                     !e->feed.la.archive_entry_hardlink(entry));
}

/* A failure of libarchive; that of the system is no damage. */
static bool failed(struct entries *e, int got, struct err *err)
{
    e->over = got == ARCHIVE_FATAL;
    (void)archive_failed(&e->feed, e->kind, err);
    e->damaged = err->kind == ERR_INPUT;
    return false;
}

/* n bytes that belong `at` in the content; holes before them are zeros. */
static bool put_block(struct entries *e, const void *block, size_t n,
                      int64_t at, size_t max, struct buf *data, struct err *err)
{
    e->damaged = at < 0 || (uint64_t)at < data->n;
    if (e->damaged)
        return err_set(err, ERR_INPUT, "%s data is bad: out of order",
                       sniff_name(e->kind));
    if ((uint64_t)at > max || n > max - (size_t)at)
        return err_set(err, ERR_INPUT, "more than %zu bytes (see --max-size)",
                       max);
    size_t hole = (size_t)at - data->n;
    if (!buf_reserve(data, hole + n))
        return err_nomem(err);
    if (hole)
        memset(data->v + data->n, 0, hole);
    data->n += hole;
    return buf_put(data, block, n) || err_nomem(err);
}

/* All of it, or in *data what stands before the damage. */
static bool read_content(struct entries *e, struct archive_entry *entry,
                         size_t max, struct buf *data, struct err *err)
{
    const struct archive_feed *f = &e->feed;
    int64_t size = 0;
    if (f->la.archive_entry_size_is_set(entry))
        size = f->la.archive_entry_size(entry);
    if (size > 0 &&
        !buf_reserve(data, size > FIRST_ROOM ? FIRST_ROOM : (size_t)size))
        return err_nomem(err);
    for (;;) {
        const void *block = NULL;
        size_t n = 0;
        la_int64_t at = 0;
        errno = 0;
        int got = f->la.archive_read_data_block(f->a, &block, &n, &at);
        if (got != ARCHIVE_EOF && got != ARCHIVE_OK)
            return failed(e, got, err);
        /* A sparse file may end in a hole, of which no block tells. */
        if (got == ARCHIVE_EOF)
            return e->kind != SNIFF_TAR || size <= (int64_t)data->n ||
                   put_block(e, "", 0, size, max, data, err);
        if (n && !put_block(e, block, n, at, max, data, err))
            return false;
    }
}

/* What is not in the directory of a zip or 7z archive. */
static bool check_outside(struct entries *e, struct err *err)
{
    const struct extent *x = &e->outside;
    uint64_t n = x->before ? x->before : x->behind;
    e->trailing = e->damaged = n;
    return !n ||
           err_set(err, ERR_INPUT,
                   "%llu bytes of something else %s the %s archive",
                   (unsigned long long)n, x->before ? "in front of" : "behind",
                   sniff_name(e->kind));
}

/* A tar archive that was cut between two entries is whole to libarchive. */
static void look_for_end(const struct entries *e, const struct notes *notes)
{
    enum { END = 1024 }; /* of zeros */
    const struct archive_feed *f = &e->feed;
    if (e->kind == SNIFF_TAR && f->given - f->filled < END)
        note_loss(notes, "the tar archive does not end in zeros: it may have "
                         "been cut, and entries be missing");
}

/*
 * The archive is over, or what a zip archive has before its directory.  Padding
 * may follow, anything else is not dropped silently.
 */
static bool check_end(struct entries *e, const struct notes *notes,
                      struct err *err)
{
    struct archive_feed *f = &e->feed;
    bool only;
    if (!f->from || e->kind == SNIFF_ZIP)
        return check_outside(e, err);
    if (!archive_padding(f, &only, err)) {
        e->damaged = err->kind == ERR_INPUT;
        return false;
    }
    e->trailing = e->damaged = !only;
    if (only)
        look_for_end(e, notes);
    return only ||
           err_set(err, ERR_INPUT, "data after the end of the %s archive",
                   sniff_name(e->kind));
}

/* The end of the archive, or of what can be read of it. */
static int no_entry(struct entries *e, int got, const struct notes *notes,
                    struct err *err)
{
    free(e->name);
    e->name = NULL;
    if (got != ARCHIVE_EOF)
        return failed(e, got, err) ? 0 : -1;
    e->over = true;
    return check_end(e, notes, err) ? 0 : -1;
}

int entries_next(struct entries *e, size_t max, struct buf *data,
                 const struct notes *notes, struct err *err)
{
    const struct la *la = &e->feed.la;
    struct archive_entry *entry;
    e->damaged = e->trailing = false;
    while (!e->over) {
        errno = 0;
        int got = entry_name_next(e, &entry, notes);
        if (got != ARCHIVE_OK && got != ARCHIVE_WARN)
            return no_entry(e, got, notes, err);
        /* A name that there is no memory for is none. */
        if (!err_check_errno(err))
            return -1;
        data->n = 0;
        if (is_rest(e, entry)) {
            err_set(err, ERR_INPUT,
                    "the rest of a file that began in another volume of the "
                    "archive");
            return -1;
        }
        if (!is_wanted(e, entry, notes))
            continue;
        if (e->irregular)
            return 1;
        if (la->archive_entry_is_data_encrypted(entry)) {
            err_set(err, ERR_INPUT, "the entry is encrypted");
            return -1;
        }
        return read_content(e, entry, max, data, err) ? 1 : -1;
    }
    return 0;
}

void entries_free(struct entries *e)
{
    archive_end(&e->feed);
    entry_name_end(e);
    free(e->name);
    *e = (struct entries){.over = true};
}
