/* input.c - opens an input by what its first bytes are, and reads its parts */
#include "io/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/parallel.h"
#include "base/vec.h"

/* --- gzip members --------------------------------------------------------- */

/* A blob in memory as parts: gzip members, or itself. */
struct members {
    const uint8_t *data; /* the blob, not owned */
    size_t n, at;        /* its length; how much has been read */
    size_t max;          /* for the sum of all members: the caller's */
    unsigned threads;    /* to inflate a large one: the caller's; 0 is 1 */
    bool salvage;        /* damaged members too: the caller's */
    bool join;           /* as one part: the caller's */
    bool is_gzip, nested;
    bool pending;  /* parts, or an error, are still to come */
    size_t count;  /* members so far */
    size_t total;  /* their bytes */
    struct gz *gz; /* kept from blob to blob */
    struct buf out;
    struct err damage; /* of the last part, with `salvage` */
};

enum {
    LARGE = 8 * 1024 * 1024, /* output that is worth a second thread */
    STEP = 2 * 1024 * 1024,  /* of memory at a time */
    ORDINARY = 4,            /* times as large as the input */
};

/* Zero *m before the first blob.  `data` must outlive the parts. */
static bool members_begin(struct members *m, const uint8_t *data, size_t n,
                          bool nested, struct err *err)
{
    m->data = data;
    m->n = n;
    m->nested = nested;
    m->at = m->count = m->total = 0;
    m->pending = true;
    m->damage.kind = ERR_NONE;
    m->is_gzip = gz_is(data, n) && !nested;
    if (m->is_gzip && !m->gz)
        m->gz = gz_new();
    return !m->is_gzip || m->gz || err_nomem(err);
}

/*
 * bgzip writes blocks, and ends a file with one that is empty.  This is the
 * end of what came before it, not a member that has nothing to say.
 */
static const uint8_t bgzf_end[] = {
    0x1f, 0x8b, 8,    4, 0, 0, 0, 0, 0, 0xff, 6, 0, 0x42, 0x43,
    2,    0,    0x1b, 0, 3, 0, 0, 0, 0, 0,    0, 0, 0,    0};

static void skip_bgzf_end(struct members *m)
{
    while (m->n - m->at >= sizeof bgzf_end &&
           memcmp(m->data + m->at, bgzf_end, sizeof bgzf_end) == 0)
        m->at += sizeof bgzf_end;
}

/*
 * A large member is inflated into memory that the kernel has yet to provide,
 * which takes it a fifth of the time that inflating takes.  A second thread
 * asks for it ahead.
 */
struct inflation {
    struct members *m;
    size_t max, used;
    uint8_t *room; /* to be asked for */
    size_t n;
    atomic_bool done;
    bool ok;
    struct err *err;
};

static void ask_for_memory(const struct inflation *in)
{
    for (size_t at = 0; at + STEP <= in->n && !in->done; at += STEP)
        if (!pages_ask(in->room + at, STEP))
            break;
}

static void do_part(void *ctx, unsigned thread, size_t part)
{
    struct inflation *in = ctx;
    struct members *m = in->m;
    (void)thread;
    if (part == 1) {
        ask_for_memory(in);
        return;
    }
    in->ok = gz_inflate(m->gz, m->data + m->at, m->n - m->at, in->max, &m->out,
                        &in->used, in->err);
    in->done = true;
}

/*
 * The room is reserved first, as far as the input is ordinary: it stays.  Of
 * several members only the first has a thread: what is likely is the size of
 * the last, and those before it may be a million that are small.
 */
static bool gunzip_member(struct members *m, size_t max, size_t *used,
                          struct err *err)
{
    struct inflation in = {.m = m, .max = max, .err = err};
    const uint8_t *data = m->data + m->at;
    size_t left = m->n - m->at, likely = gz_likely_size(data, left);
    bool large = !m->at && m->threads > 1 && likely >= LARGE &&
                 likely / ORDINARY <= left && likely <= max - m->out.n;
    if (large) {
        if (!buf_reserve(&m->out, likely))
            return err_nomem(err);
        in.room = m->out.v + m->out.n;
        in.n = likely;
    }
    parallel_run(m->threads, large ? 2 : 1, do_part, &in);
    *used = in.used;
    return in.ok;
}

/* Whether what may be another member stands somewhere in the n bytes. */
static bool has_member(const uint8_t *p, size_t n)
{
    enum { HEADER = 10, DEFLATE = 8, FLAGS = 0x1f, SYSTEMS = 13 };
    const uint8_t *end = p + n;
    for (; n >= HEADER && (p = memchr(p, 0x1f, n)); n = (size_t)(end - ++p))
        if (end - p >= HEADER && gz_is(p, (size_t)(end - p)) &&
            p[2] == DEFLATE && p[3] <= FLAGS &&
            (p[9] <= SYSTEMS || p[9] == UINT8_MAX))
            return true;
    return false;
}

/*
 * Where the member at `at` ends is not known if it is damaged.  *err says so
 * where others may follow.
 */
static bool damaged_member(const struct members *m, size_t at, struct err *err)
{
    struct err why = *err;
    bool more =
        why.kind == ERR_INPUT && has_member(m->data + at + 1, m->n - at - 1);
    return err_set(err, why.kind, "offset %zu: %s%s", at, why.text,
                   more ? "; members after it are not read" : "");
}

/* The damaged member up to the damage; what follows is not searched. */
static bool salvage_member(struct members *m, size_t max, size_t at,
                           struct err *err)
{
    if (!gz_salvage(m->data + at, m->n - at, max, &m->out, &m->damage))
        return err_nomem(err);
    if (m->out.n >= max) /* it was too much, as *err says */
        return err_prefix(err, "offset %zu: ", at);
    (void)damaged_member(m, at, &m->damage);
    m->at = m->n;
    return true;
}

/* One more member, to the end of m->out. */
static bool inflate_member(struct members *m, struct err *err)
{
    size_t had = m->out.n, used, at = m->at;
    m->count++;
    if (!gunzip_member(m, m->max, &used, err)) {
        m->pending = false;
        if (m->salvage && !err_is_nomem(err))
            return salvage_member(m, m->max, at, err);
        return damaged_member(m, at, err);
    }
    m->total += m->out.n - had;
    if (m->total > m->max) {
        m->pending = false;
        return err_set(err, ERR_INPUT,
                       "offset %zu: decompresses, with the members before it, "
                       "to more than %zu bytes (see --max-size)",
                       at, m->max);
    }
    m->at += used;
    skip_bgzf_end(m);
    return true;
}

static bool more_members(const struct members *m)
{
    return gz_is(m->data + m->at, m->n - m->at);
}

/* Behind the last member: nothing is good, anything else is an error. */
static int check_trailing(struct members *m, struct err *err)
{
    size_t at = m->at, left = m->n - at;
    m->pending = false;
    if (!left)
        return 0;
    while (at < m->n && !m->data[at])
        at++;
    err_set(err, ERR_INPUT, "offset %zu: %zu %s after the gzip data", m->at,
            left, at < m->n ? "bytes of something else" : "bytes of zeros");
    return -1;
}

/* What is wrong with the part that was inflated, or follows it as the end. */
static void report_damage(struct members *m, struct input_part *part)
{
    if (!m->salvage)
        return;
    if (part->last_member && m->pending)
        part->trailing = check_trailing(m, &m->damage) < 0;
    if (m->damage.kind)
        part->damage = m->damage.text;
}

static int whole_blob(struct members *m, struct input_part *part)
{
    m->pending = false;
    part->data = m->data;
    part->n = m->n;
    part->nested = m->nested;
    part->last_member = true;
    return 1;
}

/* As input_next(), but sets only what members know. */
static int members_next(struct members *m, struct input_part *part,
                        struct err *err)
{
    if (!m->pending)
        return 0;
    if (!m->is_gzip)
        return whole_blob(m, part);
    if (m->count && !more_members(m))
        return check_trailing(m, err);
    m->out.n = 0;
    do {
        if (!inflate_member(m, err)) {
            part->member = m->count > 1 ? m->count : 0;
            return -1;
        }
    } while (m->join && more_members(m));
    part->data = m->out.v;
    part->n = m->out.n;
    part->last_member = !more_members(m);
    if (!m->join && !(m->count == 1 && part->last_member))
        part->member = m->count;
    report_damage(m, part);
    return 1;
}

static void members_free(struct members *m)
{
    gz_free(m->gz);
    buf_free(&m->out);
}

/* Whether all of the blob has been inflated, and may be freed. */
static bool members_spent(struct members *m)
{
    if (!m->is_gzip || m->at < m->n)
        return false;
    m->data = NULL;
    m->at = m->n = 0;
    return true;
}

/* Frees the bytes of the last part, if they are many. */
static void members_release(struct members *m)
{
    if (m->out.cap >= LARGE)
        buf_free(&m->out);
}

/* --- inputs --------------------------------------------------------------- */

/*
 * Bytes come from `file`, perhaps through `gunzip` or `unpack` (and then
 * `inner`), to `entries` or, whole, to `members`.
 */
struct input {
    struct input_opts opts;
    const char *path;
    size_t max;
    const struct notes *notes;
    int fd;
    bool owns_fd;
    int spilled;   /* a file without a name, or -1 */
    uint64_t size; /* of the file, 0 if unknown */
    struct fd_stream raw;
    struct head_stream file;
    struct gunzip_stream gunzip;
    struct unpack_stream unpack;
    struct head_stream inner;
    bool is_archive;
    struct entries entries;
    struct buf entry;    /* content of the present entry */
    struct buf unpacked; /* the same without its compression */
    struct members members;
    struct err damage; /* of the blob or archive, with `salvage` */
    bool trailing;     /* the damage is only that other data follows */
    bool unopened;     /* the archive: its damage is not reported yet */
};

enum {
    PEEK = 64 * 1024,
    MAX_LAYERS = 4,               /* of compression around one blob */
    IN_MEMORY = 16 * 1024 * 1024, /* of a pipe that has to be read whole */
};

static const char refused[] =
    "Permission denied, but not by its mode: another file than when the tool "
    "began (see Isolation in profutils(7)), or a sandbox around the tool";

/* What permissions do not forbid, isolation does (cli/isolate.h), or others. */
static bool cannot_open(const char *path, struct err *err)
{
    int why = errno;
    if (why == EACCES && access(path, R_OK) == 0)
        return err_set(err, ERR_SYSTEM, "cannot open: %s", refused);
    return err_errno(err, why, "cannot open");
}

static bool open_descriptor(struct input *in, const char *path, struct err *err)
{
    struct stat st;
    bool is_stdin = strcmp(path, "-") == 0;
    in->fd = is_stdin ? STDIN_FILENO : file_open(path, O_RDONLY | O_NOCTTY);
    if (in->fd < 0)
        return cannot_open(path, err);
    in->owns_fd = !is_stdin;
    if (fstat(in->fd, &st) != 0)
        return err_errno(err, errno, "cannot read");
    if (S_ISDIR(st.st_mode))
        return err_set(err, ERR_INPUT, "is a directory");
    in->size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
    return true;
}

/* What the gzip data at the start of a file holds. */
static bool sniff_inside(const uint8_t *data, size_t n, enum sniff *kind,
                         struct err *err)
{
    struct err why = {0};
    struct mem_stream mem = mem_stream_of(data, n);
    struct gunzip_stream gunzip = gunzip_stream_of(&mem.stream);
    struct head_stream head = head_stream_of(&gunzip.stream);
    /* Whether the data is bad is of no interest yet; what came is. */
    if (head_fill(&head, SNIFF_HEADER, &why) && head.head.n && !head.head.v[0])
        (void)head_fill(&head, SNIFF_BYTES, &why);
    *kind = sniff(head.head.v, head.head.n);
    head_free(&head);
    gunzip_free(&gunzip);
    if (why.kind == ERR_SYSTEM)
        *err = why;
    return why.kind != ERR_SYSTEM;
}

static bool is_streamed(const struct input *in, enum sniff kind)
{
    return !in->opts.no_archives && (kind == SNIFF_TAR || kind == SNIFF_CPIO);
}

/*
 * Whether the n bytes that came before a failure are taken for all there is;
 * if so, it becomes in->damage, unless there is one.  What is more than
 * in->max, or the fault of the system, is no damage.
 */
static bool forgive(struct input *in, size_t n, bool trailing,
                    const struct err *why)
{
    if (!in->opts.salvage || why->kind != ERR_INPUT || n > in->max)
        return false;
    if (!in->damage.kind) {
        in->damage = *why;
        in->trailing = trailing;
    }
    return true;
}

/* An archive that cannot be opened has no entries, with `salvage`. */
static bool archive_opened(struct input *in, bool ok, const struct err *why)
{
    in->unopened = !ok && forgive(in, 0, false, why);
    return ok || in->unopened;
}

static bool open_stream(struct input *in, enum sniff kind, struct stream *from,
                        struct err *err)
{
    in->is_archive = true;
    return archive_opened(in, entries_open(&in->entries, kind, from, err), err);
}

/* A file that is too large for it is not read. */
static bool read_whole(struct input *in, struct err *err)
{
    size_t n = in->file.head.n;
    off_t at = in->size ? lseek(in->fd, 0, SEEK_CUR) : -1;
    uint64_t left = at < 0 || (uint64_t)at > in->size ? 0 : in->size - at;
    size_t likely = left < SIZE_MAX - n ? n + (size_t)left : SIZE_MAX;
    return head_fill_all(&in->file, likely, in->max, err);
}

/*
 * Without its directory a zip archive is what is found from its beginning on,
 * be it in the file `fd` or, if that is -1, in memory.
 */
static bool scan_zip(struct input *in, int fd, struct err *err)
{
    struct err why = {0};
    struct stream *from = &in->file.stream;
    (void)err_set(&in->damage, ERR_INPUT,
                  "the directory at the end of the zip archive is missing or "
                  "damaged");
    if (fd >= 0) {
        if (lseek(fd, 0, SEEK_SET) != 0)
            return err_errno(err, errno, "cannot read");
        in->raw = fd_stream_of(fd);
        from = &in->raw.stream;
    }
    if (entries_open(&in->entries, SNIFF_ZIP, from, &why) ||
        why.kind != ERR_SYSTEM)
        return true;
    *err = why;
    return false;
}

/* What comes of having opened an archive in `fd`, or -1: memory. */
static bool opened(struct input *in, enum sniff kind, int fd, bool ok,
                   struct err *err)
{
    if (ok || !archive_opened(in, ok, err))
        return ok;
    return kind != SNIFF_ZIP || scan_zip(in, fd, err);
}

/* One in `fd` or, if that is -1, all of it in memory. */
static bool open_file(struct input *in, enum sniff kind, int fd,
                      struct err *err)
{
    struct seekable file = {fd, in->file.head.v, in->file.head.n};
    struct stat st;
    if (fd >= 0 && fstat(fd, &st) != 0)
        return err_errno(err, errno, "cannot read");
    if (fd >= 0)
        file.n = (uint64_t)st.st_size;
    return opened(in, kind, fd,
                  entries_open_file(&in->entries, kind, &file, err), err);
}

/* An archive with its directory at the end. */
static bool open_seeking(struct input *in, enum sniff kind, struct err *err)
{
    in->is_archive = true;
    if (kind == SNIFF_EMPTY_ZIP) {
        in->entries.over = true; /* libarchive wants to see an entry */
        return true;
    }
    off_t at = lseek(in->fd, 0, SEEK_CUR);
    if (in->size && at == (off_t)in->file.head.n &&
        lseek(in->fd, 0, SEEK_SET) == 0)
        return open_file(in, kind, in->fd, err);
    if (!head_fill(&in->file, IN_MEMORY, err))
        return false;
    if (in->file.head.n == IN_MEMORY)
        return stream_to_file(&in->file.stream, in->max, &in->spilled, err) &&
               open_file(in, kind, in->spilled, err);
    return read_whole(in, err) && open_file(in, kind, -1, err);
}

/*
 * Undoes the compressions around a blob of `kind`, other than gzip, into
 * in->unpacked.
 */
static bool unpack_blob(struct input *in, enum sniff kind, const uint8_t **data,
                        size_t *n, struct err *err)
{
    for (int i = 0; i < MAX_LAYERS && sniff_is_packed(kind); i++) {
        struct mem_stream mem = mem_stream_of(*data, *n);
        struct unpack_stream unpack = unpack_stream_of(kind, &mem.stream);
        struct head_stream all = head_stream_of(&unpack.stream);
        bool ok = head_fill_all(&all, 0, in->max, err) ||
                  forgive(in, all.head.n, unpack.trailing, err);
        unpack_free(&unpack);
        buf_free(&in->unpacked);
        in->unpacked = all.head;
        if (!ok)
            return false;
        *data = in->unpacked.v;
        *n = in->unpacked.n;
        kind = sniff(*data, *n);
    }
    return true;
}

/* Parts from a blob that is gzip or nothing known. */
static bool set_members(struct input *in, const uint8_t *data, size_t n,
                        bool is_archive, struct err *err)
{
    return members_begin(&in->members, data, n,
                         is_archive && !in->opts.no_archives, err);
}

/* A blob whose parts in->members then gives. */
static bool set_blob(struct input *in, const uint8_t *data, size_t n,
                     struct err *err)
{
    if (!unpack_blob(in, sniff(data, n), &data, &n, err))
        return false;
    enum sniff kind = sniff(data, n);
    if (kind == SNIFF_GZIP && !sniff_inside(data, n, &kind, err))
        return false;
    bool nested = !in->opts.no_archives && sniff_is_archive(kind);
    return members_begin(&in->members, data, n, nested, err);
}

/* Whether what was decompressed before an error is taken for all. */
static bool salvage_packed(struct input *in, const struct err *why)
{
    return forgive(in, in->inner.head.n, in->unpack.trailing, why);
}

static bool open_packed(struct input *in, enum sniff kind, struct err *err)
{
    in->unpack = unpack_stream_of(kind, &in->file.stream);
    in->inner = head_stream_of(&in->unpack.stream);
    if (!head_fill(&in->inner, SNIFF_BYTES, err) && !salvage_packed(in, err))
        return false;
    /* It fails again where it did. */
    in->damage.kind = ERR_NONE;
    enum sniff inside = sniff(in->inner.head.v, in->inner.head.n);
    if (is_streamed(in, inside))
        return open_stream(in, inside, &in->inner.stream, err);
    bool ok =
        head_fill_all(&in->inner, 0, in->max, err) || salvage_packed(in, err);
    return ok && set_blob(in, in->inner.head.v, in->inner.head.n, err);
}

static bool open_whole(struct input *in, struct err *err)
{
    return read_whole(in, err) &&
           set_blob(in, in->file.head.v, in->file.head.n, err);
}

/* Sets up the streams by what the first bytes are. */
static bool begin(struct input *in, struct err *err)
{
    in->raw = fd_stream_of(in->fd);
    in->file = head_stream_of(&in->raw.stream);
    if (!head_fill(&in->file, PEEK, err))
        return false;
    const uint8_t *data = in->file.head.v;
    size_t n = in->file.head.n;
    enum sniff kind = sniff(data, n);
    if (sniff_is_packed(kind))
        return open_packed(in, kind, err);
    if (kind == SNIFF_GZIP) {
        enum sniff inside;
        if (!sniff_inside(data, n, &inside, err))
            return false;
        if (!is_streamed(in, inside))
            return read_whole(in, err) &&
                   set_members(in, in->file.head.v, in->file.head.n,
                               sniff_is_archive(inside), err);
        in->gunzip = gunzip_stream_of(&in->file.stream);
        return open_stream(in, inside, &in->gunzip.stream, err);
    }
    if (is_streamed(in, kind))
        return open_stream(in, kind, &in->file.stream, err);
    if (sniff_is_archive(kind) && !in->opts.no_archives)
        return open_seeking(in, kind, err);
    return open_whole(in, err);
}

bool input_open(struct input **in, const char *path,
                const struct input_opts *opts, const struct notes *notes,
                struct err *err)
{
    struct input *i = calloc(1, sizeof *i);
    *in = NULL;
    if (!i)
        return err_nomem(err);
    i->opts = *opts;
    i->spilled = -1;
    i->path = path;
    i->notes = notes;
    uint64_t max = opts->max_size ? opts->max_size : INPUT_DEFAULT_MAX_SIZE;
    i->members.threads = opts->threads;
    i->members.salvage = opts->salvage;
    i->members.join = opts->join_members;
    i->max = i->members.max = max < PTRDIFF_MAX ? (size_t)max : PTRDIFF_MAX;
    if (!open_descriptor(i, path, err) || !begin(i, err)) {
        input_close(i);
        return false;
    }
    *in = i;
    return true;
}

/* What was inflated is not needed any more. */
static void free_packed(struct input *in)
{
    head_free(&in->file);
    head_free(&in->inner);
    buf_free(&in->unpacked);
}

/* What is wrong with a part, or that there is none. */
static int damaged(struct input *in, struct input_part *part)
{
    part->damage = in->damage.text;
    part->trailing = in->trailing;
    return 1;
}

/* What stands where an entry should. */
static int damaged_rest(struct input *in, struct input_part *part)
{
    in->unopened = false;
    part->rest = part->last_member = true;
    return damaged(in, part);
}

/* Adds to *err that there may be more than what was read. */
static void say_unread(struct err *err)
{
    struct err why = *err;
    (void)err_set(err, why.kind, "%s; the archive is not read further",
                  why.text);
}

/* The next entry, be it what there is of it; its place is in *part. */
static int next_entry(struct input *in, struct input_part *part,
                      struct err *err)
{
    struct entries *e = &in->entries;
    in->damage.kind = ERR_NONE;
    int got = entries_next(e, in->max, &in->entry, in->notes, err);
    part->entry = e->name;
    part->mtime = e->mtime;
    bool trailing = e->trailing || in->gunzip.trailing || in->unpack.trailing;
    if (got < 0 && e->damaged && e->unread && !trailing)
        say_unread(err);
    if (got < 0 && e->damaged && forgive(in, 0, trailing, err))
        return e->name ? 1 : damaged_rest(in, part);
    return got;
}

int input_next(struct input *in, struct input_part *part, struct err *err)
{
    in->entries.all = in->opts.all_entries;
    for (;;) {
        *part = (struct input_part){.path = in->path,
                                    .entry = in->entries.name,
                                    .mtime = in->entries.mtime};
        int got = members_next(&in->members, part, err);
        if (got > 0 && in->damage.kind && part->last_member)
            (void)damaged(in, part);
        if (!in->is_archive && members_spent(&in->members))
            free_packed(in);
        if (got || !in->is_archive)
            return got;
        got = in->unopened ? damaged_rest(in, part) : next_entry(in, part, err);
        if (got <= 0 || part->rest)
            return got;
        part->irregular = in->entries.irregular;
        part->link = in->entries.link;
        if (part->irregular) {
            part->last_member = true;
            return 1;
        }
        if (!set_blob(in, in->entry.v, in->entry.n, err))
            return -1;
    }
}

void input_release(struct input *in)
{
    members_release(&in->members);
}

bool input_is_archive(const struct input *in)
{
    return in->is_archive;
}

void input_position(const struct input *in, uint64_t *at, uint64_t *size)
{
    off_t now = in->size ? lseek(in->fd, 0, SEEK_CUR) : -1;
    *at = now < 0 ? in->raw.total : (uint64_t)now;
    *size = in->size;
}

void input_close(struct input *in)
{
    if (!in)
        return;
    entries_free(&in->entries);
    members_free(&in->members);
    head_free(&in->inner);
    unpack_free(&in->unpack);
    gunzip_free(&in->gunzip);
    head_free(&in->file);
    buf_free(&in->entry);
    buf_free(&in->unpacked);
    if (in->spilled >= 0)
        (void)close(in->spilled);
    if (in->owns_fd)
        (void)close(in->fd);
    free(in);
}

const char *input_library(void)
{
    struct la la;
    return la_load(&la, NULL) ? la.archive_version_string() : "no libarchive";
}
