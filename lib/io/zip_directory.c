/* zip_directory.c - reads the directory of a zip file, record by record */
#include "base/bytes.h"
#include "io/private.h"

#include <stdlib.h>
#include <string.h>

enum {
    RECORD = 46, /* bytes of a directory record's fixed part */
    LOCAL = 30,  /* of the header in front of an entry's content */
    END = 22,    /* of the end record */
    LOCATOR = 20,
    END64 = 56,
    COMMENT_MAX = 0xffff,
    TAIL = COMMENT_MAX + END + LOCATOR + END64,
    WINDOW = 256 * 1024, /* more than a record has */
    STRIDE = 4096,
    VOLUME_MARK = 4,        /* in front of it, is part of the archive */
    PART_MAX = 1024 * 1024, /* bytes of records for libarchive at a time */
    EXTRA64 = 1,
    ALL16 = 0xffff,
};
#define ALL32 UINT32_MAX

static const uint8_t record_mark[] = {'P', 'K', 1, 2},
                     local_mark[] = {'P', 'K', 3, 4},
                     signature_mark[] = {'P', 'K', 5, 5},
                     end_mark[] = {'P', 'K', 5, 6},
                     end64_mark[] = {'P', 'K', 6, 6},
                     locator_mark[] = {'P', 'K', 6, 7};

static bool is_marked(const uint8_t *p, const uint8_t *mark)
{
    return memcmp(p, mark, 4) == 0;
}

/* Bytes of the file at hand, for reading on. */
struct window {
    const struct seekable *file;
    uint64_t end; /* of the directory's records */
    uint8_t *v;
    uint64_t at;
    size_t n;
};

/* The n bytes at `at`, n of at most WINDOW; null: the file ends before. */
static const uint8_t *look(struct window *w, uint64_t at, size_t n,
                           struct prof_err *err)
{
    if (at > w->file->n || n > w->file->n - at)
        return NULL;
    if (at < w->at || at - w->at > w->n || n > w->n - (size_t)(at - w->at)) {
        uint64_t left = w->file->n - at;
        w->n = 0;
        w->at = at;
        if (!seekable_read(w->file, at, w->v, left < WINDOW ? left : WINDOW,
                           err))
            return NULL;
        w->n = left < WINDOW ? (size_t)left : WINDOW;
    }
    return w->v + (at - w->at);
}

/* What the end record, or that of zip64, says. */
struct end {
    uint64_t at;    /* where the directory's records end */
    uint64_t after; /* where the archive does */
    uint64_t entries, size, offset;
    bool is64;
};

/* The offset in the tail of the last end record that fits; or n. */
static size_t find_end(const uint8_t *tail, size_t n)
{
    for (size_t at = n < END ? 0 : n - END + 1; at-- > 0;)
        if (is_marked(tail + at, end_mark) &&
            le_bytes(tail + at + 20, 2) <= n - at - END)
            return at;
    return n;
}

/* zip64's end record, which stands before its locator. */
static void take_end64(struct end *end, const struct seekable *f)
{
    uint8_t b[END64 + LOCATOR];
    struct prof_err err;
    if (end->at < sizeof b ||
        !seekable_read(f, end->at - sizeof b, b, sizeof b, &err) ||
        !is_marked(b + END64, locator_mark) || !is_marked(b, end64_mark))
        return;
    end->at -= sizeof b;
    end->entries = le_bytes(b + 32, 8);
    end->size = le_bytes(b + 40, 8);
    end->offset = le_bytes(b + 48, 8);
    end->is64 = true;
}

/* False without *err: there is none. */
static bool read_end(struct end *end, const struct seekable *f,
                     struct prof_err *err)
{
    size_t n = f->n < TAIL ? (size_t)f->n : TAIL;
    uint8_t *tail = malloc(TAIL);
    if (!tail)
        return err_nomem(err);
    size_t at = n;
    if (seekable_read(f, f->n - n, tail, n, err))
        at = find_end(tail, n);
    bool ok = at < n;
    if (ok) {
        const uint8_t *p = tail + at;
        end->at = f->n - n + at;
        end->after = end->at + END + le_bytes(p + 20, 2);
        end->entries = le_bytes(p + 10, 2);
        end->size = le_bytes(p + 12, 4);
        end->offset = le_bytes(p + 16, 4);
        take_end64(end, f);
    }
    free(tail);
    return ok;
}

/* Where zip64 has an offset that 32 bits do not hold. */
static uint64_t offset64(const uint8_t *record, const uint8_t *extra, size_t n)
{
    size_t at = 0;
    for (int field = 20; field <= 24; field += 4)
        at += le_bytes(record + field, 4) == ALL32 ? 8 : 0;
    while (n >= 4) {
        size_t size = le_bytes(extra + 2, 2);
        if (size > n - 4)
            break;
        if (le_bytes(extra, 2) == EXTRA64 && size >= at + 8)
            return le_bytes(extra + 4 + at, 8);
        extra += 4 + size;
        n -= 4 + size;
    }
    return ALL32;
}

/*
 * The record at `at`, of which the fixed part ends by `end`; and, in *next,
 * where it says that it ends.
 */
static bool read_record(struct window *w, uint64_t at, struct zip_record *r,
                        uint64_t *next, struct prof_err *err)
{
    const uint8_t *p =
        at <= w->end && w->end - at >= RECORD ? look(w, at, RECORD, err) : NULL;
    if (!p || !is_marked(p, record_mark))
        return false;
    *r = (struct zip_record){.offset = le_bytes(p + 42, 4),
                             .at = at,
                             .n_name = (uint32_t)le_bytes(p + 28, 2),
                             .n_extra = (uint32_t)le_bytes(p + 30, 2)};
    size_t n = RECORD + r->n_name + r->n_extra; /* < WINDOW */
    *next = at + n + le_bytes(p + 32, 2);
    if (r->offset == ALL32 && (p = look(w, at, n, err)))
        r->offset = offset64(p, p + RECORD + r->n_name, r->n_extra);
    return !err->kind;
}

/* Whether a record is at `at`, and its entry in the archive from `start` on. */
static bool is_sound(struct window *w, uint64_t at, uint64_t start,
                     struct prof_err *err)
{
    struct zip_record r;
    uint64_t next, entry;
    if (!read_record(w, at, &r, &next, err) ||
        __builtin_add_overflow(start, r.offset, &entry))
        return false;
    const uint8_t *p = look(w, entry, 4, err);
    return p && is_marked(p, local_mark);
}

/*
 * Where the directory is, as an offset in the file.  Its size says so, since
 * the end record follows it, and its offset, which also says how much is in
 * front of the archive.  If one is wrong, the other is used.
 */
static uint64_t locate(struct zip_directory *d, struct window *w,
                       const struct end *end, struct prof_err *err)
{
    uint64_t by_size = end->size <= end->at ? end->at - end->size : end->at;
    d->origin = end->offset <= by_size ? by_size - end->offset : 0;
    if (!end->entries || is_sound(w, by_size, d->origin, err))
        return by_size;
    bool at_offset = is_sound(w, end->offset, 0, err);
    if (at_offset || is_sound(w, by_size, 0, err))
        d->origin = 0;
    return at_offset ? end->offset : by_size;
}

/* Where the next record may begin, after something else. */
static uint64_t resync(struct window *w, uint64_t at, uint64_t end,
                       struct prof_err *err)
{
    while (++at < end && end - at >= RECORD) {
        uint64_t n = end - at < STRIDE ? end - at : STRIDE;
        const uint8_t *p = look(w, at, (size_t)n, err);
        const uint8_t *q = p ? bytes_find(p, (size_t)n, record_mark, 4) : NULL;
        if (q)
            return at + (uint64_t)(q - p);
        if (!p)
            break;
        at += n - 4;
    }
    return end;
}

/* Whether the directory ends in its own signature or, in zip64, at it. */
static bool is_end(struct window *w, uint64_t at, struct prof_err *err)
{
    const uint8_t *p = look(w, at, 4, err);
    return p && (is_marked(p, signature_mark) || is_marked(p, end64_mark));
}

/* Whether a record, or what may follow the last one, is at `at`. */
static bool is_next(struct window *w, uint64_t at, uint64_t end,
                    struct prof_err *err)
{
    const uint8_t *p = at < end ? look(w, at, 4, err) : NULL;
    return at == end ||
           (p && (is_marked(p, record_mark) || is_end(w, at, err)));
}

/* Looks for the record after *r, of which the length is wrong. */
static uint64_t after_bad_record(struct window *w, struct zip_record *r,
                                 uint64_t end, struct prof_err *err)
{
    uint64_t at = resync(w, r->at, end, err);
    uint64_t room = at - r->at < RECORD ? 0 : at - r->at - RECORD;
    if (r->n_name > room)
        r->n_name = (uint32_t)room;
    if (r->n_extra > room - r->n_name)
        r->n_extra = 0;
    return at;
}

static bool read_records(struct zip_directory *d, struct window *w, uint64_t at,
                         uint64_t end, struct prof_err *err)
{
    struct zip_record r;
    uint64_t next = 0;
    err->kind = PROF_ERR_NONE;
    while (at < end && !err->kind) {
        if (read_record(w, at, &r, &next, err)) {
            if (!is_next(w, next, end, err))
                next = after_bad_record(w, &r, end, err);
            if (!vec_push(&d->records, r))
                return err_nomem(err);
        } else if (!err->kind) {
            if (is_end(w, at, err))
                break;
            next = resync(w, at, end, err);
        }
        at = next;
    }
    return !err->kind;
}

static int by_offset(const void *a, const void *b)
{
    const struct zip_record *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Whether the record and its entry have one name. */
static bool is_namesake(const struct zip_directory *d,
                        const struct zip_record *r, struct prof_err *err)
{
    uint64_t at, n = r->n_name;
    if (__builtin_add_overflow(d->origin + LOCAL, r->offset, &at) ||
        at > d->file.n || n > d->file.n - at)
        return false;
    uint8_t *names = malloc(2 * n + 1);
    if (!names)
        return err_nomem(err);
    bool same = seekable_read(&d->file, r->at + RECORD, names, n, err) &&
                seekable_read(&d->file, at, names + n, n, err) &&
                memcmp(names, names + n, n) == 0;
    free(names);
    return same;
}

/* Of the records of one entry, all but one of which are wrong, one stays. */
static bool sort_records(struct zip_directory *d, struct prof_err *err)
{
    struct zip_record *v = d->records.v;
    size_t n = 0;
    if (!d->records.n)
        return true;
    qsort(v, d->records.n, sizeof *v, by_offset);
    for (size_t i = 1; i < d->records.n; i++) {
        if (v[i].offset != v[n].offset)
            v[++n] = v[i];
        else if (is_namesake(d, &v[i], err))
            v[n] = v[i];
    }
    d->records.n = n + 1;
    return !err->kind;
}

static bool read_directory(struct zip_directory *d, const struct end *end,
                           struct prof_err *err)
{
    struct window w = {.file = &d->file, .end = end->at, .v = malloc(WINDOW)};
    if (!w.v)
        return err_nomem(err);
    err->kind = PROF_ERR_NONE;
    uint64_t at = locate(d, &w, end, err);
    bool ok = !err->kind && read_records(d, &w, at, end->at, err) &&
              sort_records(d, err);
    free(w.v);
    if (!ok)
        return false;
    d->start = at - d->origin;
    d->before = d->origin > VOLUME_MARK ? d->origin : 0;
    d->declared = end->entries;
    /* Writers without zip64 leave out what 16 bits do not hold. */
    uint64_t n = end->is64 ? d->records.n : d->records.n & ALL16;
    d->damaged = n != end->entries;
    return true;
}

bool zip_directory_read(struct zip_directory *d, const struct seekable *f,
                        struct prof_err *err)
{
    struct end end = {0};
    *d = (struct zip_directory){.file = *f};
    err->kind = PROF_ERR_NONE;
    bool ok = read_end(&end, f, err) && read_directory(d, &end, err) &&
              (d->records.n || !d->damaged);
    if (!ok)
        return err->kind ? false
                         : err_set(err, PROF_ERR_INPUT,
                                   "the directory at the end of the zip "
                                   "archive is missing or corrupt");
    return seekable_trailing(f, end.after, &d->after, err);
}

static void put_le(uint8_t *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static bool put_end(struct buf *to, size_t entries, uint64_t start)
{
    uint8_t b[END64 + LOCATOR + END] = {0}, *locator = b + END64,
                                *end = locator + LOCATOR;
    uint64_t size = to->n;
    memcpy(b, end64_mark, 4);
    put_le(b + 4, END64 - 12, 8);
    put_le(b + 12, 45, 2); /* version 4.5, which has zip64 */
    put_le(b + 14, 45, 2);
    put_le(b + 24, entries, 8);
    put_le(b + 32, entries, 8);
    put_le(b + 40, size, 8);
    put_le(b + 48, start, 8);
    memcpy(locator, locator_mark, 4);
    put_le(locator + 8, start + size, 8);
    put_le(locator + 16, 1, 4);
    memcpy(end, end_mark, 4);
    put_le(end + 8, entries, 2);
    put_le(end + 10, entries, 2);
    put_le(end + 12, size, 4);
    put_le(end + 16, start < ALL32 ? start : ALL32, 4);
    return buf_put(to, b, sizeof b);
}

bool zip_directory_part(const struct zip_directory *d, size_t from, size_t *n,
                        struct buf *to, struct prof_err *err)
{
    size_t k = 0;
    to->n = 0;
    for (; k < *n && from + k < d->records.n && to->n < PART_MAX; k++) {
        const struct zip_record *r = &d->records.v[from + k];
        size_t size = RECORD + r->n_name + r->n_extra;
        if (!buf_reserve(to, size))
            return err_nomem(err);
        uint8_t *p = to->v + to->n;
        if (!seekable_read(&d->file, r->at, p, size, err))
            return false;
        put_le(p + 28, r->n_name, 2);
        put_le(p + 30, r->n_extra, 2);
        put_le(p + 32, 0, 2); /* no comment */
        to->n += size;
    }
    *n = k;
    return put_end(to, k, d->start) || err_nomem(err);
}

char *zip_directory_name(const struct zip_directory *d, size_t i,
                         struct prof_err *err)
{
    const struct zip_record *r = &d->records.v[i];
    char *name = calloc(1, r->n_name + 1);
    if (!name)
        err_nomem(err);
    else if (!seekable_read(&d->file, r->at + RECORD, (uint8_t *)name,
                            r->n_name, err)) {
        free(name);
        name = NULL;
    }
    return name;
}
