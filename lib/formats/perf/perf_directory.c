/*
 * perf_directory.c - the data of a directory (perf record --threads)
 *
 * The main file, `data`, has the header.  Each of data.0, data.1 ... has the
 * records of one buffer, in order of time, without FINISHED_ROUND.  They are
 * read side by side: the next record is of the file with the earliest time.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "formats/perf/private.h"

enum { ROUND_BYTES = 1024 * 1024 };

struct part {
    struct stream stream; /* of fd */
    int fd;
    struct perf_reader reader;
    struct perf_zstd *zstd;
    uint64_t latest; /* time of its records so far */
    uint64_t round;  /* the same at the end of the last round */
    bool done;
};

struct parts {
    VEC(struct part) list;
};

static ptrdiff_t read_part(struct stream *self, void *to, size_t n,
                           struct prof_err *err)
{
    const struct part *part = (const struct part *)self;
    ssize_t k = file_read(part->fd, to, n);
    if (k < 0)
        (void)err_errno(err, errno, "cannot read");
    return k;
}

static void free_parts(struct parts *parts)
{
    for (size_t i = 0; i < parts->list.n; i++) {
        struct part *part = &parts->list.v[i];
        (void)close(part->fd);
        buf_free(&part->reader.window);
        perf_zstd_free(part->zstd);
    }
    vec_free(&parts->list);
}

/* Adds a file, and owns its descriptor from now on. */
static bool add_part(struct parts *parts, struct perf *p, int fd,
                     struct prof_err *err)
{
    struct part part = {.stream = {.read = read_part},
                        .fd = fd,
                        .reader = {.p = p, .part = parts->list.n + 1}};
    if (vec_push(&parts->list, part))
        return true;
    (void)close(fd);
    return err_nomem(err);
}

/* A pipe or a device, for which to wait, is none of perf's files. */
static bool check_part(const struct parts *parts, struct prof_err *err)
{
    const size_t i = parts->list.n - 1;
    struct stat st;
    if (fstat(parts->list.v[i].fd, &st) != 0)
        return err_errno(err, errno, "data.%zu: cannot read", i);
    return S_ISREG(st.st_mode) ||
           err_set(err, PROF_ERR_INPUT, "data.%zu: not a regular file", i);
}

/* Opens data.0, data.1 ... up to the first that does not exist. */
static bool open_parts(struct parts *parts, struct perf *p, const char *dir,
                       struct prof_err *err)
{
    struct buf path = {0};
    bool ok = true;
    for (int fd = 0; ok && fd >= 0;) {
        path.n = 0;
        if (!buf_printf(&path, "%s/data.%zu", dir, parts->list.n) ||
            !buf_putc(&path, 0)) {
            ok = err_nomem(err);
            break;
        }
        fd = file_open((const char *)path.v, O_RDONLY | O_NONBLOCK | O_NOCTTY);
        if (fd >= 0)
            ok = add_part(parts, p, fd, err) && check_part(parts, err);
        else if (errno != ENOENT)
            ok = err_errno(err, errno, "data.%zu: cannot open", parts->list.n);
    }
    buf_free(&path);
    return ok;
}

/* The file that is read up to the earliest time; null: all are at their end. */
static struct part *find_earliest(const struct parts *parts)
{
    struct part *earliest = NULL;
    for (size_t i = 0; i < parts->list.n; i++) {
        struct part *part = &parts->list.v[i];
        if (!part->done && (!earliest || part->latest < earliest->latest))
            earliest = part;
    }
    return earliest;
}

/* Delivers what all files had reached a round ago: they are nearly sorted. */
static bool end_round(const struct parts *parts, struct perf *p,
                      struct prof_err *err)
{
    uint64_t limit = UINT64_MAX;
    for (size_t i = 0; i < parts->list.n; i++) {
        struct part *part = &parts->list.v[i];
        if (!part->done && part->round < limit)
            limit = part->round;
        part->round = part->latest;
    }
    p->queue.limit = limit;
    return limit == UINT64_MAX || perf_queue_round(p, err);
}

/* Reads one record, which may be a compressed one with many others. */
static bool step(struct part *part, struct perf *p, struct prof_err *err)
{
    bool got = false;
    p->zstd = part->zstd;
    p->latest = part->latest;
    bool ok = perf_read_record(&part->reader, UINT64_MAX, &got, err);
    part->zstd = p->zstd;
    part->latest = p->latest;
    part->done = !got;
    if (part->done)
        perf_zstd_end(p, p->zstd, part->reader.part);
    p->zstd = NULL;
    return ok;
}

static bool read_parts(const struct parts *parts, struct perf *p,
                       struct prof_err *err)
{
    uint64_t round = 0;
    /* The list no longer grows, so they stay where they are. */
    for (size_t i = 0; i < parts->list.n; i++)
        parts->list.v[i].reader.stream = &parts->list.v[i].stream;
    for (struct part *part; (part = find_earliest(parts));) {
        uint64_t from = part->reader.offset;
        if (!step(part, p, err))
            return err_prefix(err,
                              "data.%zu: ", (size_t)(part - parts->list.v));
        round += part->reader.offset - from;
        if (round >= ROUND_BYTES) {
            round = 0;
            if (!end_round(parts, p, err))
                return false;
        }
    }
    return true;
}

bool perf_read_directory(struct perf *p, const char *directory,
                         struct prof_err *err)
{
    struct parts parts = {0};
    struct perf_zstd *zstd = p->zstd;
    p->zstd = NULL;
    bool ok = open_parts(&parts, p, directory, err);
    if (ok && !parts.list.n && p->in_parts)
        ok = err_set(err, PROF_ERR_INPUT,
                     "incomplete directory of perf record --threads: data.0 "
                     "does not exist");
    ok = ok && read_parts(&parts, p, err);
    p->zstd = zstd;
    free_parts(&parts);
    return ok;
}
