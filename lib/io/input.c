/* input.c - detects the format of an input, opens it and reads its parts */
#include "io/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

/*
 * Bytes are read from `file`, through `unpack` and `inner` if they are
 * compressed.  They become entries of an archive (`entries`), a stream
 * (`part`), blocks (`blocks`) or parts in memory (`members`).
 */
struct input {
    struct input_opts opts;
    const char *path;
    size_t max; /* bytes in memory */
    size_t max_stream;
    const struct prof_notes *notes;
    int fd;
    bool owns_fd;
    bool in_directory; /* path is a directory, and fd a file in it */
    off_t start;       /* offset of the input in fd; -1: not seekable */
    int spilled;       /* descriptor of an unlinked temporary file, or -1 */
    uint64_t size;     /* of the file; 0: unknown */
    struct fd_stream raw;
    struct head_stream file;
    struct unpack_stream unpack;
    struct head_stream inner;
    bool is_archive;
    struct entries entries;
    struct buf entry;                /* content of the current entry */
    struct head_stream entry_stream; /* the current entry as a stream */
    struct unpack_stream entry_unpack;
    struct head_stream entry_inner; /* decompressed */
    struct buf unpacked; /* content of the entry or file, decompressed */
    struct members members;
    struct ahead *blocks;    /* the part; null: it is not in blocks */
    struct part_stream part; /* a part that is a stream, if from is set */
    bool served;             /* `part` or `blocks` was returned */
    struct watch watch;      /* refuses data other than input */
    struct prof_err damage;  /* of the file or archive, with `salvage` */
    bool trailing;           /* the damage is only that other data follows */
    bool unopened;           /* cannot be opened as archive; not yet reported */
};

enum {
    PEEK = 64 * 1024,
    SMALL = 1024 * 1024,          /* a file that is read at once */
    LARGE = 8 * 1024 * 1024,      /* a part that input_release() frees */
    MAX_LAYERS = 4,               /* of compression around one blob */
    IN_MEMORY = 16 * 1024 * 1024, /* most of a pipe to keep in memory */
};

static bool is_stream(const struct input *in, const struct buf *head)
{
    return in->opts.streams && sniff(head->v, head->n) == SNIFF_RAW &&
           in->opts.streams->begins(head->v, head->n);
}

/* Makes what `from` reads the next part, as a stream.  Returns true. */
static bool set_stream(struct input *in, struct head_stream *from)
{
    in->served = false;
    in->part =
        (struct part_stream){.entries = in->is_archive ? &in->entries : NULL,
                             .from = from,
                             .max = in->max_stream,
                             .fd = in->fd,
                             .start = from == &in->file ? in->start : -1};
    part_stream_init(&in->part);
    return true;
}

static const char refused[] = TEXT(
    "Permission denied, although its mode allows reading: the file was "
    "replaced while the tool ran (see Isolation in profutils(7)), or the tool "
    "runs in a sandbox");

/* Replaces the directory in->fd by the file in it that opts.streams names. */
static bool enter_directory(struct input *in, struct stat *st,
                            struct prof_err *err)
{
    const struct input_streams *streams = in->opts.streams;
    int fd = -1;
    if (in->owns_fd && streams && streams->in_directory)
        fd =
            file_open_at(in->fd, streams->in_directory, O_RDONLY | O_NOCTTY, 0);
    if (fd < 0)
        return err_input(err, "is a directory");
    (void)close(in->fd);
    in->fd = fd;
    in->in_directory = true;
    if (fstat(fd, st) != 0)
        return err_errno(err, errno, "cannot read");
    return !S_ISDIR(st->st_mode) || err_input(err, "is a directory");
}

static bool open_descriptor(struct input *in, const char *path,
                            struct prof_err *err)
{
    struct stat st;
    bool is_stdin = strcmp(path, "-") == 0;
    in->fd = is_stdin ? STDIN_FILENO : file_open(path, O_RDONLY | O_NOCTTY);
    /* If permissions allow reading, isolation forbids it (cli/isolate.h). */
    int why = errno;
    if (in->fd < 0 && why == EACCES && access(path, R_OK) == 0)
        return err_set(err, PROF_ERR_SYSTEM, "cannot open: %s", refused);
    if (in->fd < 0)
        return err_errno(err, why, "cannot open");
    in->owns_fd = !is_stdin;
    if (fstat(in->fd, &st) != 0)
        return err_errno(err, errno, "cannot read");
    if (S_ISDIR(st.st_mode) && !enter_directory(in, &st, err))
        return false;
    in->start = S_ISREG(st.st_mode) ? lseek(in->fd, 0, SEEK_CUR) : -1;
    in->size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
    return true;
}

/*
 * Decompresses the start of a file, n bytes at data that are compressed as
 * *kind says.  Sets *kind to the format inside, and *stream to whether it is
 * read as a stream.
 */
static bool sniff_inside(const struct input *in, const uint8_t *data, size_t n,
                         enum sniff *kind, bool *stream, struct prof_err *err)
{
    struct prof_err why = {0};
    struct mem_stream mem = mem_stream_of(data, n);
    struct unpack_stream unpack = unpack_stream_of(*kind, &mem.stream);
    struct head_stream head = head_stream_of(&unpack.stream);
    /* Damage is reported later; here only the bytes before it matter. */
    if (head_fill(&head, SNIFF_HEADER, &why) && head.head.n && !head.head.v[0])
        (void)head_fill(&head, SNIFF_BYTES, &why);
    *kind = sniff(head.head.v, head.head.n);
    *stream = is_stream(in, &head.head);
    head_free(&head);
    unpack_free(&unpack);
    if (why.kind == PROF_ERR_SYSTEM)
        *err = why;
    return why.kind != PROF_ERR_SYSTEM;
}

/* Like sniff_inside() for a whole file; keeps the content of a small member. */
static bool sniff_whole(struct input *in, const uint8_t *data, size_t n,
                        enum sniff *kind, struct prof_err *err)
{
    struct prof_slice content;
    bool stream;
    *kind = SNIFF_GZIP;
    if (!members_peek(&in->members, data, n, &content))
        return sniff_inside(in, data, n, kind, &stream, err);
    *kind = sniff((const uint8_t *)content.s, content.n);
    if (sniff_is_archive(*kind))
        in->members.peeked.used = 0;
    return true;
}

static bool is_streamed(const struct input *in, enum sniff kind)
{
    return !in->opts.no_archives && (kind == SNIFF_TAR || kind == SNIFF_CPIO);
}

/*
 * Returns whether to ignore a failure and read the n bytes before it as the
 * whole input; then sets in->damage, unless it is set.  Failures of the system
 * and inputs larger than in->max are not ignored.
 */
static bool forgive(struct input *in, size_t n, bool trailing,
                    const struct prof_err *why)
{
    if (!in->opts.salvage || why->kind != PROF_ERR_INPUT || n > in->max)
        return false;
    if (!in->damage.kind) {
        in->damage = *why;
        in->trailing = trailing;
    }
    return true;
}

/* Returns `ok` or, with `salvage`, true: the archive then has no entries. */
static bool archive_opened(struct input *in, bool ok,
                           const struct prof_err *why)
{
    in->unopened = !ok && forgive(in, 0, false, why);
    return ok || in->unopened;
}

static bool open_stream(struct input *in, enum sniff kind, struct stream *from,
                        struct prof_err *err)
{
    in->is_archive = true;
    return archive_opened(in, entries_open(&in->entries, kind, from, NULL, err),
                          err);
}

/* Reads all of h, or less if it is uncompressed and in->watch refuses it. */
static bool fill_all(struct input *in, struct head_stream *h, size_t likely,
                     struct prof_err *err)
{
    if (likely > in->max)
        return stream_too_large(in->max, err);
    if (!head_fill(h, SNIFF_BYTES, err))
        return false;
    h->watch = sniff(h->head.v, h->head.n) == SNIFF_RAW ? &in->watch : NULL;
    return head_fill_all(h, likely, in->max, err);
}

/* Reads the whole file; fails before reading if it is too large. */
static bool read_whole(struct input *in, struct prof_err *err)
{
    size_t n = in->file.head.n;
    bool more = in->size && !in->file.ended;
    off_t at = more ? lseek(in->fd, 0, SEEK_CUR) : -1;
    uint64_t left = at < 0 || (uint64_t)at > in->size ? 0 : in->size - at;
    size_t likely = left < SIZE_MAX - n ? n + (size_t)left : SIZE_MAX;
    return fill_all(in, &in->file, likely, err);
}

/* Scans a zip archive that lacks a directory, in `fd` or, if -1, in memory. */
static bool scan_zip(struct input *in, int fd, struct prof_err *err)
{
    struct prof_err why = {0};
    struct stream *from = &in->file.stream;
    (void)err_input(
        &in->damage,
        "the directory at the end of the zip archive is missing or corrupt");
    if (fd >= 0) {
        if (lseek(fd, 0, SEEK_SET) != 0)
            return err_errno(err, errno, "cannot read");
        in->raw = fd_stream_of(fd);
        from = &in->raw.stream;
    }
    if (entries_open(&in->entries, SNIFF_ZIP, from, NULL, &why) ||
        why.kind != PROF_ERR_SYSTEM)
        return true;
    *err = why;
    return false;
}

/* Opens the archive in `fd` or, if that is -1, in memory. */
static bool open_file(struct input *in, enum sniff kind, int fd,
                      struct prof_err *err)
{
    struct seekable file = {fd, in->file.head.v, in->file.head.n};
    struct stat st;
    if (fd >= 0 && fstat(fd, &st) != 0)
        return err_errno(err, errno, "cannot read");
    if (fd >= 0)
        file.n = (uint64_t)st.st_size;
    if (entries_open(&in->entries, kind, NULL, &file, err))
        return true;
    return archive_opened(in, false, err) &&
           (kind != SNIFF_ZIP || scan_zip(in, fd, err));
}

/* Opens an archive with its directory at the end; a pipe is read first. */
static bool open_seeking(struct input *in, enum sniff kind,
                         struct prof_err *err)
{
    in->is_archive = true;
    if (kind == SNIFF_EMPTY_ZIP) {
        in->entries.over = true; /* libarchive requires an entry */
        return true;
    }
    off_t at = lseek(in->fd, 0, SEEK_CUR);
    if (in->size && at == (off_t)in->file.head.n &&
        lseek(in->fd, 0, SEEK_SET) == 0)
        return open_file(in, kind, in->fd, err);
    if (!head_fill(&in->file, IN_MEMORY, err))
        return false;
    if (in->file.head.n == IN_MEMORY)
        return stream_to_file(&in->file.stream, in->max_stream, &in->spilled,
                              err) &&
               open_file(in, kind, in->spilled, err);
    return read_whole(in, err) && open_file(in, kind, -1, err);
}

/* Decompresses a blob layer by layer, up to gzip, into in->unpacked. */
static bool unpack_blob(struct input *in, enum sniff kind, const uint8_t **data,
                        size_t *n, struct prof_err *err)
{
    for (int i = 0; i < MAX_LAYERS && sniff_is_packed(kind); i++) {
        struct mem_stream mem = mem_stream_of(*data, *n);
        struct unpack_stream unpack = unpack_stream_of(kind, &mem.stream);
        struct head_stream all = head_stream_of(&unpack.stream);
        bool ok = fill_all(in, &all, 0, err) ||
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

/* Decompresses the n bytes at data and passes them to in->members. */
static bool set_blob(struct input *in, const uint8_t *data, size_t n,
                     struct prof_err *err)
{
    if (!unpack_blob(in, sniff(data, n), &data, &n, err))
        return false;
    enum sniff kind = sniff(data, n);
    if (kind == SNIFF_GZIP && !sniff_whole(in, data, n, &kind, err))
        return false;
    bool nested = !in->opts.no_archives && sniff_is_archive(kind);
    return members_begin(&in->members, data, n, nested, err);
}

/* Returns whether to ignore a decompression error and read what precedes it. */
static bool salvage_packed(struct input *in, const struct prof_err *why)
{
    return forgive(in, in->inner.head.n, in->unpack.trailing, why);
}

static bool open_packed(struct input *in, enum sniff kind, struct prof_err *err)
{
    in->unpack = unpack_stream_of(kind, &in->file.stream);
    in->inner = head_stream_of(&in->unpack.stream);
    if (!head_fill(&in->inner, SNIFF_BYTES, err) && !salvage_packed(in, err))
        return false;
    /* Reading on fails again at the same place, and sets this again. */
    in->damage.kind = PROF_ERR_NONE;
    enum sniff inside = sniff(in->inner.head.v, in->inner.head.n);
    if (is_streamed(in, inside))
        return open_stream(in, inside, &in->inner.stream, err);
    if (is_stream(in, &in->inner.head))
        return set_stream(in, &in->inner);
    bool ok = fill_all(in, &in->inner, 0, err) || salvage_packed(in, err);
    return ok && set_blob(in, in->inner.head.v, in->inner.head.n, err);
}

/* Whether the uncompressed data can be what the caller reads. */
static bool may_begin(const struct input *in)
{
    const struct input_check *check = in->opts.check;
    const struct buf *head = &in->file.head;
    struct prof_err none; /* it is refused when it is read as a whole */
    return !check || check->may_begin(check->ctx, head->v, head->n, &none);
}

/*
 * If possible, makes a large input, gzip data or not compressed, a part in
 * blocks, and returns true.  The bytes of a pipe are kept, for input_again().
 */
static bool set_blocks(struct input *in, bool is_gzip)
{
    struct head_stream *from = &in->file;
    const size_t least = (size_t)in->opts.blocks_from;
    const bool is_pipe = in->start < 0;
    struct prof_err none; /* reading on fails again */
    if (!least || (!is_pipe && (in->size < least || in->size > in->max)) ||
        /* ISA-L ignores them; zlib refuses them. */
        (is_gzip ? gz_has_reserved_flags(from->head.v, from->head.n)
                 : !may_begin(in)) ||
        (is_pipe && (!head_fill(from, least, &none) || from->ended)))
        return false;
    in->blocks = ahead_new(&(struct ahead_opts){
        .from = &from->stream,
        .file = {.fd = in->fd, .n = in->size},
        .inflates = is_gzip,
        .max = in->max,
        .threads = in->opts.threads,
    });
    from->keeps = in->blocks && is_pipe ? in->max : 0;
    in->served = false;
    return in->blocks;
}

/* Detects the format from the first bytes and sets up the streams for it. */
static bool begin(struct input *in, struct prof_err *err)
{
    bool is_small = in->size >= PEEK && in->size < SMALL;
    /* One byte more finds the end. */
    if (!head_fill(&in->file, is_small ? (size_t)in->size + 1 : PEEK, err))
        return false;
    const uint8_t *data = in->file.head.v;
    size_t n = in->file.head.n;
    enum sniff kind = sniff(data, n);
    if (sniff_is_packed(kind))
        return open_packed(in, kind, err);
    if (kind == SNIFF_GZIP) {
        enum sniff inside = kind;
        bool stream = false; /* a whole file is in memory already */
        if (!(in->file.ended
                  ? sniff_whole(in, data, n, &inside, err)
                  : sniff_inside(in, data, n, &inside, &stream, err)))
            return false;
        if (inside == SNIFF_RAW && !stream && set_blocks(in, true))
            return true;
        if (!stream && !is_streamed(in, inside))
            return read_whole(in, err) &&
                   members_begin(
                       &in->members, in->file.head.v, in->file.head.n,
                       sniff_is_archive(inside) && !in->opts.no_archives, err);
        in->unpack = unpack_stream_of(SNIFF_GZIP, &in->file.stream);
        if (!stream)
            return open_stream(in, inside, &in->unpack.stream, err);
        in->inner = head_stream_of(&in->unpack.stream);
        return head_fill(&in->inner, SNIFF_BYTES, err) &&
               set_stream(in, &in->inner);
    }
    if (is_streamed(in, kind))
        return open_stream(in, kind, &in->file.stream, err);
    if (sniff_is_archive(kind) && !in->opts.no_archives)
        return open_seeking(in, kind, err);
    if (is_stream(in, &in->file.head))
        return set_stream(in, &in->file);
    return (kind == SNIFF_RAW && set_blocks(in, false)) ||
           (read_whole(in, err) &&
            set_blob(in, in->file.head.v, in->file.head.n, err));
}

/* Begins to read the descriptor. */
static bool start(struct input *in, struct prof_err *err)
{
    in->raw = fd_stream_of(in->fd);
    in->file = head_stream_of(&in->raw.stream);
    return begin(in, err);
}

bool input_open(struct input **in, const char *path,
                const struct input_opts *opts, const struct prof_notes *notes,
                struct prof_err *err)
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
    i->watch.check = opts->check;
    i->members.watch = opts->check ? &i->watch : NULL;
    i->max_stream = max < PTRDIFF_MAX ? (size_t)max : PTRDIFF_MAX;
    i->max = opts->max_held && opts->max_held < i->max_stream
                 ? (size_t)opts->max_held
                 : i->max_stream;
    i->members.max = i->max;
    if (!open_descriptor(i, path, err) || !start(i, err)) {
        input_close(i);
        return false;
    }
    *in = i;
    return true;
}

bool input_again(struct input *in, struct prof_err *err)
{
    ahead_free(in->blocks);
    in->blocks = NULL;
    in->opts.blocks_from = 0;
    if (in->file.keeps) {
        in->file.keeps = 0;
        in->file.served = 0;
        return begin(in, err);
    }
    head_free(&in->file);
    if (lseek(in->fd, in->start, SEEK_SET) < 0)
        return err_errno(err, errno, "cannot read");
    return start(in, err);
}

/* Frees compressed bytes when all of them have been inflated. */
static void free_packed(struct input *in)
{
    struct members *m = &in->members;
    if (in->is_archive || !m->is_gzip || m->at < m->n)
        return;
    m->data = NULL;
    m->at = m->n = 0;
    head_free(&in->file);
    head_free(&in->inner);
    buf_free(&in->unpacked);
}

/* Reports in->damage in *part.  Returns 1. */
static int damaged(struct input *in, struct input_part *part)
{
    part->damage = in->damage.text;
    part->trailing = in->trailing;
    return 1;
}

/* Sets *part to the damaged rest of an archive.  Returns 1. */
static int damaged_rest(struct input *in, struct input_part *part)
{
    in->unopened = false;
    part->rest = part->last_member = true;
    return damaged(in, part);
}

/*
 * Reads the next entry, or with `salvage` what is left of it, into in->entry.
 * Sets its name and time in *part.  Returns 1, 0 at the end, or -1 with *err.
 */
static int next_entry(struct input *in, struct input_part *part,
                      struct prof_err *err)
{
    struct entries *e = &in->entries;
    in->damage.kind = PROF_ERR_NONE;
    in->watch = (struct watch){.check = in->opts.check};
    e->watch = &in->watch;
    bool stream = false;
    /* Whether the entry is a stream is only known when its head is read. */
    size_t max = e->heads ? in->max_stream : in->max;
    int got = entries_next(e, max, &in->entry, in->notes, err);
    part->entry = e->name;
    part->mtime = e->mtime;
    if (got > 0 && e->more) {
        const struct buf *head = &in->entry;
        enum sniff kind = sniff(head->v, head->n);
        if (kind != SNIFF_GZIP && !sniff_is_packed(kind))
            stream = is_stream(in, head);
        else if (!sniff_inside(in, head->v, head->n, &kind, &stream, err))
            return -1;
    }
    if (got > 0 && e->more && !stream && !entries_read_rest(e, err))
        got = -1;
    bool trailing = e->trailing || in->unpack.trailing;
    if (got < 0 && e->damaged && e->unread && !trailing)
        entries_say_unread(e, err);
    if (got < 0 && e->damaged && forgive(in, 0, trailing, err))
        return e->name ? 1 : damaged_rest(in, part);
    return got;
}

/* Returns the streamed part; the next call reads its rest, to find damage. */
static int next_stream(struct input *in, struct input_part *part,
                       struct prof_err *err)
{
    uint8_t block[4096];
    ptrdiff_t k;
    *part = (struct input_part){.path = in->path,
                                .entry = in->entries.name,
                                .mtime = in->entries.mtime};
    if (!in->served) {
        in->served = part->last_member = true;
        part->data = in->part.from->head.v;
        part->n = in->part.from->head.n;
        part->stream = &in->part.stream;
        part->directory = in->in_directory ? in->path : NULL;
        return 1;
    }
    do
        k = in->part.stream.read(&in->part.stream, block, sizeof block, err);
    while (k > 0);
    in->part.from = k < 0 || in->is_archive ? NULL : in->part.from;
    return k < 0 ? -1 : 0;
}

static void free_entry_stream(struct input *in)
{
    head_free(&in->entry_inner);
    unpack_free(&in->entry_unpack);
    in->entry_unpack = (struct unpack_stream){0};
    head_free(&in->entry_stream);
}

/* Makes the current entry, whose first bytes have been read, a stream. */
static bool set_entry_stream(struct input *in, struct prof_err *err)
{
    struct entries *e = &in->entries;
    struct head_stream *from = &in->entry_stream;
    enum sniff kind = sniff(in->entry.v, in->entry.n);
    free_entry_stream(in);
    *from = head_stream_of(&e->content.stream);
    from->head = in->entry;
    in->entry = (struct buf){0};
    if (kind != SNIFF_RAW) {
        in->entry_unpack = unpack_stream_of(kind, &from->stream);
        from = &in->entry_inner;
        *from = head_stream_of(&in->entry_unpack.stream);
        if (!head_fill(from, SNIFF_BYTES, err))
            return false;
    }
    return set_stream(in, from);
}

int input_next(struct input *in, struct input_part *part, struct prof_err *err)
{
    if (in->part.from) {
        int got = next_stream(in, part, err);
        if (got || !in->is_archive)
            return got;
    }
    if (in->blocks) {
        *part = (struct input_part){.path = in->path,
                                    .blocks = ahead_blocks(in->blocks),
                                    .last_member = true};
        int got = !in->served;
        in->served = true;
        return got;
    }
    in->entries.all = in->opts.all_entries;
    in->entries.heads = in->opts.streams && !in->opts.salvage;
    for (;;) {
        *part = (struct input_part){.path = in->path,
                                    .entry = in->entries.name,
                                    .mtime = in->entries.mtime};
        int got = members_next(&in->members, part, err);
        part->raw = in->is_archive ? in->entry.v : NULL;
        part->raw_n = in->entry.n;
        if (got > 0 && in->damage.kind && part->last_member)
            (void)damaged(in, part);
        if (got > 0 && in->watch.refused.kind)
            part->refused = in->watch.refused.text;
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
        if (in->entries.more)
            return set_entry_stream(in, err) ? next_stream(in, part, err) : -1;
        if (!set_blob(in, in->entry.v, in->entry.n, err))
            return -1;
    }
}

bool input_hold(struct input *in, struct input_part *part, size_t max,
                struct prof_err *err)
{
    struct head_stream *from = in->part.from;
    /* A file in a directory is read together with others there. */
    if (!part->stream || part->directory)
        return true;
    if (!head_fill(from, max < in->max_stream ? max : in->max_stream, err))
        return false;
    part->data = from->head.v;
    part->n = from->head.n;
    if (from->ended)
        part->stream = NULL;
    return true;
}

void input_release(struct input *in)
{
    if (in->blocks) {
        ahead_free(in->blocks); /* first: its thread reads in->file */
        in->blocks = NULL;
        head_free(&in->file);
    }
    if (in->members.out.cap >= LARGE)
        buf_free(&in->members.out);
}

void input_take(struct input *in, const struct input_part *part, struct buf *to)
{
    enum { PLACES = 5 };
    struct buf *const all[PLACES] = {&in->file.head, &in->inner.head,
                                     &in->unpacked, &in->entry,
                                     &in->members.out};
    for (size_t i = 0; i < PLACES; i++)
        if (all[i]->v == part->data) {
            *to = *all[i];
            *all[i] = (struct buf){0};
        }
    to->n = part->n;
}

bool input_is_archive(const struct input *in)
{
    return in->is_archive;
}

uint64_t input_size(const struct input *in)
{
    return in->size;
}

uint64_t input_position(const struct input *in)
{
    off_t now = in->size ? lseek(in->fd, 0, SEEK_CUR) : -1;
    return now < 0 ? in->raw.total : (uint64_t)now;
}

void input_close(struct input *in)
{
    if (!in)
        return;
    ahead_free(in->blocks);
    entries_free(&in->entries);
    gz_free(in->members.gz);
    buf_free(&in->members.out);
    head_free(&in->inner);
    unpack_free(&in->unpack);
    head_free(&in->file);
    free_entry_stream(in);
    buf_free(&in->entry);
    buf_free(&in->unpacked);
    if (in->spilled >= 0)
        (void)close(in->spilled);
    if (in->owns_fd)
        (void)close(in->fd);
    free(in);
}

static bool libarchive_version(char text[LIBRARY_VERSION_MAX],
                               struct prof_err *err)
{
    static const char name[] = "libarchive ";
    if (!la_load(err))
        return false;
    const char *version = la.archive_version_string();
    if (strncmp(version, name, sizeof name - 1) == 0)
        version += sizeof name - 1;
    (void)snprintf(text, LIBRARY_VERSION_MAX, "%s", version);
    return true;
}

const struct library_about input_library = {.name = "libarchive",
                                            .version = libarchive_version,
                                            .on_demand = LIBRARY_ON_DEMAND};
