/* entries.c - reads the entries of an archive, one after another */
#include "io/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char unnamed[] = "?";

/* Whether libarchive warns of bytes between cpio entries; see is_gap(). */
static bool is_cpio_gap(const struct entries *e)
{
    const char *text = la.archive_error_string(e->feed.a);
    return e->kind == SNIFF_CPIO && text && strstr(text, "Skipped ");
}

/*
 * Reads the next header and returns libarchive's result.  After ARCHIVE_OK and
 * ARCHIVE_WARN, e->name and e->mtime are set; the name has the archive's bytes,
 * in UTF-8 or an unknown encoding, or is "?" if it cannot be read.  Reports
 * warnings. errno must be 0, and is set if there was no memory.
 */
static int read_named_header(struct entries *e, struct archive_entry **entry,
                             const struct prof_notes *notes)
{
    locale_t before = uselocale(e->utf8); /* 0 changes nothing */
    int got = la.archive_read_next_header(e->feed.a, entry);
    if (got == ARCHIVE_OK || got == ARCHIVE_WARN) {
        const char *name = la.archive_entry_pathname(*entry);
        if (!name)
            name = la.archive_entry_pathname_utf8(*entry);
        free(e->name);
        e->name = strdup(name ? name : unnamed);
        e->mtime = 0;
        if (la.archive_entry_mtime_is_set(*entry))
            e->mtime = la_mtime(*entry);
    }
    int why = errno;
    /* Names are kept as bytes, so ignore that the locale lacks characters. */
    const char *text = la.archive_error_string(e->feed.a);
    if (got == ARCHIVE_WARN && e->name && text && !is_cpio_gap(e) &&
        (strcmp(e->name, unnamed) == 0 || !strstr(text, "current locale")))
        note_loss(notes, "%s: %s", e->name, text);
    (void)uselocale(before);
    errno = why;
    return got;
}

enum {
    FIRST_ROOM = 16 * 1024 * 1024, /* most to reserve for an entry */
    HEAD = 64 * 1024, /* bytes of an entry that its format is detected from */
    STEP = 64 * 1024, /* bytes to read at a time */
};

static bool open_zip(struct entries *e, const struct seekable *file,
                     struct prof_err *err)
{
    enum { VOLUME_MARK = 4 }; /* bytes of a mark that belongs to the archive */
    if (!zip_end_read(&e->zip, file, err))
        return false;
    e->feed.origin = e->zip.before;
    if (e->zip.before <= VOLUME_MARK)
        e->zip.before = 0;
    /* Hides the comment: libarchive finds no end record before a long one. */
    e->feed.file.n = e->zip.end;
    return archive_open(&e->feed, SNIFF_ZIP, err);
}

/*
 * Opens a 7z archive. libarchive ignores bytes after its end, so counts them in
 * e->after.  The archive ends with its directory: see "SignatureHeader" in
 * 7zFormat.txt of the LZMA SDK.
 */
static bool open_7z(struct entries *e, const struct seekable *file,
                    struct prof_err *err)
{
    enum { HEADER = 32, OFFSET = 12, SIZE = 20 };
    uint8_t header[HEADER];
    uint64_t end;
    if (file->n >= HEADER) {
        if (!seekable_read(file, 0, header, HEADER, err))
            return false;
        if (!__builtin_add_overflow(le64(header + OFFSET), le64(header + SIZE),
                                    &end) &&
            end < file->n - HEADER &&
            !seekable_trailing(file, HEADER + end, &e->after, err))
            return false;
    }
    return archive_open(&e->feed, SNIFF_7Z, err);
}

bool entries_open(struct entries *e, enum sniff kind, struct stream *from,
                  const struct seekable *file, struct prof_err *err)
{
    *e = (struct entries){.kind = kind, .feed = {.from = from}};
    if (file)
        e->feed.file = *file;
    bool ok = la_load(err);
    if (ok && (kind == SNIFF_ZIP || kind == SNIFF_7Z)) {
        /*
         * Names in these formats are in Unicode, and libarchive converts them
         * to the character set of the current locale.  The tools run in the C
         * locale (ASCII), so read headers in one that has all characters.
         */
        errno = 0;
        e->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
        ok = e->utf8 || err_check_errno(err);
    }
    if (ok && !file)
        ok = archive_open(&e->feed, kind, err);
    else if (ok)
        ok = kind == SNIFF_ZIP ? open_zip(e, file, err) : open_7z(e, file, err);
    if (!ok)
        entries_free(e);
    return ok;
}

/*
 * Opens a zip archive again and skips to the entry after one with damaged
 * content, since libarchive reads nothing more after that.  Limits how many
 * headers are read again, as all entries may be damaged.
 */
static bool reopen_zip(struct entries *e, struct prof_err *err)
{
    enum { RECORD = 46, REREAD_MAX = 1 << 20 };
    struct archive_entry *entry;
    e->stopped = false;
    e->n_reread += e->zip.size / RECORD + 1;
    if (e->n_reread > REREAD_MAX)
        return err_input(err, "too many damaged entries");
    if (!archive_open(&e->feed, SNIFF_ZIP, err))
        return false;
    for (uint64_t i = 0; i < e->n_headers; i++)
        if (la.archive_read_next_header(e->feed.a, &entry) < ARCHIVE_WARN)
            return archive_failed(&e->feed, SNIFF_ZIP, err);
    return true;
}

/* Whether more than the trailer's header precedes the end of a cpio archive. */
static bool is_far_end(const struct entries *e, int got)
{
    enum { OF_ODC = 87, OF_NEWC = 124, OF_OTHERS = 128 }; /* most bytes */
    const struct archive_feed *f = &e->feed;
    if (e->kind != SNIFF_CPIO || got != ARCHIVE_EOF)
        return false;
    int64_t n = la.archive_filter_bytes(f->a, 0) -
                la.archive_read_header_position(f->a);
    switch (la.archive_format(f->a)) {
    case ARCHIVE_FORMAT_CPIO_POSIX:
        return n > OF_ODC;
    case ARCHIVE_FORMAT_CPIO_SVR4_NOCRC:
    case ARCHIVE_FORMAT_CPIO_SVR4_CRC:
        return n > OF_NEWC;
    default:
        return n > OF_OTHERS;
    }
}

/* Whether bytes other than entries precede this header; then sets *err. */
static bool is_gap(struct entries *e, int got, size_t skipped,
                   struct prof_err *err)
{
    const char *kind = sniff_name(e->kind);
    if (skipped)
        return !err_input(err,
                          "invalid %s data: skipped %zu blocks of 512 bytes "
                          "before a valid header",
                          kind, skipped);
    if (is_far_end(e, got))
        return !err_input(
            err, "invalid %s data: no valid header before the end", kind);
    if (got != ARCHIVE_WARN || !is_cpio_gap(e))
        return false;
    return !err_input(err, "invalid %s data: %s", kind,
                      la.archive_error_string(e->feed.a));
}

/*
 * Reads the next header.  If other bytes precede it, sets *err, keeps the
 * header in e->ahead for the next call and returns ARCHIVE_RETRY.
 */
static int next_header(struct entries *e, struct archive_entry **entry,
                       const struct prof_notes *notes, struct prof_err *err)
{
    size_t skipped = 0;
    if (e->ahead.held) {
        e->ahead.held = false;
        free(e->name);
        e->name = e->ahead.name;
        *entry = e->ahead.entry;
        return e->ahead.got;
    }
    int got = ARCHIVE_FATAL;
    errno = 0;
    if (!e->stopped || reopen_zip(e, &e->feed.err))
        /* ARCHIVE_RETRY means a tar block that is not a header. */
        while ((got = read_named_header(e, entry, notes)) == ARCHIVE_RETRY)
            skipped++;
    e->n_headers += got != ARCHIVE_EOF && got != ARCHIVE_FATAL;
    if (!is_gap(e, got, skipped, err))
        return got;
    e->ahead.held = e->damaged = true;
    e->ahead.got = got;
    e->ahead.entry = *entry;
    e->ahead.name = e->name;
    e->name = NULL;
    return ARCHIVE_RETRY;
}

/* Whether the entry is a hard link, with its content in another entry. */
static bool is_hardlink(const struct entries *e, struct archive_entry *entry,
                        const struct prof_notes *notes)
{
    const char *link = la.archive_entry_hardlink(entry);
    bool empty = !la.archive_entry_size_is_set(entry) ||
                 la.archive_entry_size(entry) == 0;
    if (!empty)
        return false;
    if (link)
        note_warn(notes, "%s: skipped: hard link to %s", e->name, link);
    if (link)
        return true;
    /* In cpio archives, the last of several links has the content. */
    if (e->kind != SNIFF_CPIO || la.archive_entry_nlink(entry) < 2 ||
        la.archive_entry_filetype(entry) != AE_IFREG)
        return false;
    note_info(notes, "%s: skipped: hard link to another entry", e->name);
    return true;
}

static const char *kind_of_entry(struct archive_entry *entry)
{
    switch (la.archive_entry_filetype(entry)) {
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
        return "a special file";
    }
}

/*
 * Returns whether an entry that is not a regular file has the content of one,
 * because its header is damaged. tar headers have a checksum, and directories
 * in tar archives may have content, so always returns false for tar.
 */
static bool has_content(const struct entries *e, struct archive_entry *entry)
{
    if (e->kind == SNIFF_TAR)
        return false;
    if (la.archive_entry_filetype(entry) != AE_IFLNK)
        return la.archive_entry_size_is_set(entry) &&
               la.archive_entry_size(entry) > 0;
    const char *target = la.archive_entry_symlink(entry);
    for (; target && *target; target++)
        if ((unsigned char)*target < ' ')
            return true;
    return !target;
}

/* Whether the caller gets this entry: a regular file, or any with e->all. */
static bool is_wanted(struct entries *e, struct archive_entry *entry,
                      const struct prof_notes *notes)
{
    e->irregular = e->link = NULL;
    if (is_hardlink(e, entry, e->all ? NULL : notes)) {
        e->irregular = "a hard link";
        e->link = la.archive_entry_hardlink(entry);
        return e->all;
    }
    unsigned type = la.archive_entry_filetype(entry);
    if (type == AE_IFREG)
        return true;
    if (e->all && type != AE_IFDIR) {
        e->irregular = kind_of_entry(entry);
        return true;
    }
    if (!e->all && has_content(e, entry))
        note_loss(notes,
                  "%s: skipped: not a regular file, although it has content",
                  e->name);
    else
        note_info(notes, "%s: skipped: not a regular file", e->name);
    return false;
}

/*
 * Returns whether the entry is the rest of a file that GNU tar split between
 * volumes.  Its type is one that libarchive reports as 0, as it does for hard
 * links; in pax archives it is a file in a directory GNUFileParts or
 * GNUFileParts.PID.
 */
static bool is_rest(const struct entries *e, struct archive_entry *entry)
{
    static const char parts[] = "GNUFileParts";
    if (e->kind != SNIFF_TAR)
        return false;
    const char *at = strstr(e->name, parts);
    bool named = at && (at == e->name || at[-1] == '/') &&
                 (at[sizeof parts - 1] == '/' || at[sizeof parts - 1] == '.');
    return named || (!la.archive_entry_filetype(entry) &&
                     !la.archive_entry_hardlink(entry));
}

/*
 * Sets *err to libarchive's error and returns false.  Sets e->damaged unless
 * the system failed.  If a zip archive is seekable, reading can continue with
 * the next entry after damaged content, as the directory gives its place;
 * otherwise the archive ends here (e->over).
 */
static bool failed(struct entries *e, int got, bool in_content,
                   struct prof_err *err)
{
    bool seekable_zip = e->kind == SNIFF_ZIP && !e->feed.from;
    (void)archive_failed(&e->feed, e->kind, err);
    e->damaged = err->kind == PROF_ERR_INPUT;
    if (got != ARCHIVE_FATAL)
        return false;
    e->stopped = seekable_zip && in_content && e->damaged;
    if (e->stopped)
        return false;
    e->over = e->unread = true;
    e->n_entries = seekable_zip ? e->zip.entries : 0;
    if (e->n_entries > e->n_headers)
        e->n_unread = e->n_entries - e->n_headers;
    return false;
}

/*
 * Reads the next block of content into e->content, and the size of the hole
 * before it; at the end, sets `ended` and the size of a final hole.
 */
static bool next_block(struct entries *e, struct prof_err *err)
{
    struct content *c = &e->content;
    const void *block = NULL;
    la_int64_t at = 0;
    errno = 0;
    int got = la.archive_read_data_block(e->feed.a, &block, &c->n, &at);
    c->block = block;
    c->ended = got != ARCHIVE_OK;
    if (c->ended)
        c->n = 0;
    if (c->ended && got != ARCHIVE_EOF)
        return failed(e, got, true, err);
    /* A sparse file may end in a hole, which has no block. */
    if (c->ended)
        at = e->kind == SNIFF_TAR && c->size > (int64_t)c->at ? c->size
                                                              : (int64_t)c->at;
    e->damaged = at < 0 || (uint64_t)at < c->at;
    if (e->damaged) {
        c->ended = true;
        c->n = 0;
        return err_input(err, "invalid %s data: blocks out of order",
                         sniff_name(e->kind));
    }
    c->hole = c->n || c->ended ? (uint64_t)at - c->at : 0;
    if ((uint64_t)at <= e->max && c->n <= e->max - (size_t)at)
        return true;
    /* The entry is too large: read no more of it. */
    c->ended = true;
    c->n = c->hole = 0;
    return stream_too_large(e->max, err);
}

/* Reads the content of an entry as a stream; holes are read as zeros. */
static ptrdiff_t read_content(struct stream *self, void *to, size_t n,
                              struct prof_err *err)
{
    struct content *c = (struct content *)self;
    while (!c->hole && !c->n) {
        if (c->ended)
            return 0;
        if (!next_block(c->entries, err))
            return -1;
    }
    if (c->hole) {
        n = n < c->hole ? n : (size_t)c->hole;
        memset(to, 0, n);
        c->hole -= n;
    } else {
        n = n < c->n ? n : c->n;
        memcpy(to, c->block, n);
        c->block += n;
        c->n -= n;
    }
    c->at += n;
    return (ptrdiff_t)n;
}

/* Adds up to n bytes of content to e->data.  Sets *end if there are no more. */
static bool add_content(struct entries *e, size_t n, bool *end,
                        struct prof_err *err)
{
    struct stream *stream = &e->content.stream;
    struct buf *data = e->data;
    *end = false;
    bool raw = data->n && e->watch && sniff(data->v, data->n) == SNIFF_RAW;
    while (n && !*end && !(raw && watch_stops(e->watch, data->v, data->n))) {
        size_t step = n < STEP ? n : STEP;
        if (!buf_reserve(data, step))
            return err_nomem(err);
        ptrdiff_t k = stream->read(stream, data->v + data->n, step, err);
        if (k < 0)
            return false;
        *end = k == 0;
        data->n += (size_t)k;
        n -= (size_t)k;
    }
    return true;
}

bool entries_read_rest(struct entries *e, struct prof_err *err)
{
    struct buf *data = e->data;
    int64_t left = e->content.size - (int64_t)data->n;
    bool end;
    e->more = false;
    if (left > 0 &&
        !buf_reserve(data, left > FIRST_ROOM ? FIRST_ROOM : (size_t)left))
        return err_nomem(err);
    return add_content(e, SIZE_MAX, &end, err);
}

/* Fails if data precedes or follows the archive, or entries are missing. */
static bool check_outside(struct entries *e, struct prof_err *err)
{
    const struct zip_end *zip = &e->zip;
    uint64_t after = e->kind == SNIFF_ZIP ? zip->after : e->after;
    uint64_t n = zip->before ? zip->before : after;
    /* e->zip is all 0 for a 7z archive and one without entries. */
    bool missing = zip->mask && (e->n_headers & zip->mask) != zip->entries;
    e->damaged = missing || n;
    if (missing)
        return err_input(err,
                         "the directory of the zip archive is corrupt: %llu "
                         "entries found, %llu expected",
                         (unsigned long long)e->n_headers,
                         (unsigned long long)zip->entries);
    e->trailing = n;
    return !n ||
           err_input(err, "unexpected data %s the %s archive (%llu bytes)",
                     zip->before ? "before" : "after", sniff_name(e->kind),
                     (unsigned long long)n);
}

/* Checks what follows the last entry: padding may, other data is an error. */
static bool check_archive_end(struct entries *e, const struct prof_notes *notes,
                              struct prof_err *err)
{
    enum { END_OF_TAR = 1024 }; /* zero bytes */
    struct archive_feed *f = &e->feed;
    bool only;
    if (!f->from || e->kind == SNIFF_ZIP)
        return check_outside(e, err);
    if (!archive_padding(f, &only, err)) {
        e->damaged = err->kind == PROF_ERR_INPUT;
        return false;
    }
    e->trailing = e->damaged = !only;
    /* libarchive accepts tar archives truncated between two entries. */
    if (only && e->kind == SNIFF_TAR && f->n_read - f->n_content < END_OF_TAR)
        note_loss(notes, "the tar archive has no end marker; it may be "
                         "truncated and entries may be missing");
    return only ||
           err_input(err, "unexpected data after the end of the %s archive",
                     sniff_name(e->kind));
}

/*
 * Handles a result that comes without an entry: the end of the archive, an
 * error, or bytes before the next header.  Returns 0 at the end, or -1 with
 * *err.
 */
static int no_entry(struct entries *e, int got, const struct prof_notes *notes,
                    struct prof_err *err)
{
    if (got == ARCHIVE_RETRY)
        return -1;
    free(e->name);
    e->name = NULL;
    if (got != ARCHIVE_EOF)
        return failed(e, got, false, err) ? 0 : -1;
    e->over = true;
    return check_archive_end(e, notes, err) ? 0 : -1;
}

int entries_next(struct entries *e, size_t max, struct buf *data,
                 const struct prof_notes *notes, struct prof_err *err)
{
    struct archive_entry *entry;
    bool end;
    e->damaged = e->trailing = e->unread = e->more = false;
    e->max = max;
    e->data = data;
    while (!e->over) {
        data->n = 0;
        int got = next_header(e, &entry, notes, err);
        if (got != ARCHIVE_OK && got != ARCHIVE_WARN)
            return no_entry(e, got, notes, err);
        /* libarchive omits a name if memory is out; see errno. */
        if (!err_check_errno(err))
            return -1;
        if (is_rest(e, entry)) {
            err_input(err, "split archives are not supported: entry continues "
                           "from another volume");
            return -1;
        }
        if (!is_wanted(e, entry, notes))
            continue;
        if (e->irregular)
            return 1;
        if (la.archive_entry_is_data_encrypted(entry)) {
            err_input(err, "encrypted entries are not supported");
            return -1;
        }

        /* Read all of the content, or with e->heads its first bytes. */
        e->content =
            (struct content){.stream = {.read = read_content}, .entries = e};
        if (la.archive_entry_size_is_set(entry))
            e->content.size = la.archive_entry_size(entry);
        if (!add_content(e, HEAD, &end, err))
            return -1;
        e->more = e->heads;
        return end || e->more || entries_read_rest(e, err) ? 1 : -1;
    }
    return 0;
}

void entries_say_unread(const struct entries *e, struct prof_err *err)
{
    struct prof_err why = *err;
    if (e->n_unread)
        (void)err_set(err, why.kind, "%s; %llu of %llu entries are not read",
                      why.text, (unsigned long long)e->n_unread,
                      (unsigned long long)e->n_entries);
    else
        (void)err_set(err, why.kind, "%s; the rest of the archive is not read",
                      why.text);
}

void entries_free(struct entries *e)
{
    archive_end(&e->feed);
    if (e->utf8)
        freelocale(e->utf8);
    free(e->name);
    if (e->ahead.held)
        free(e->ahead.name);
    *e = (struct entries){.over = true};
}
