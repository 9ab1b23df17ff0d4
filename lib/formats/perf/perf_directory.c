/*
 * perf_directory.c - the data of a directory (perf record --threads)
 *
 * The main file, `data`, has the header.  Each of data.0, data.1 ... has the
 * records of one buffer, in order of time, without FINISHED_ROUND.  They are
 * read in parallel: the next record is taken from the file that has been read
 * up to the earliest time.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "formats/perf/private.h"

enum { ROUND_BYTES = 1024 * 1024 };

static ptrdiff_t read_part(struct stream *self, void *to, size_t n,
                           struct prof_err *err)
{
    const struct perf_source *part =
        (const struct perf_source *)((const char *)self -
                                     offsetof(struct perf_source, stream));
    ssize_t k = file_read(part->fd, to, n);
    if (k < 0)
        (void)err_errno(err, errno, "cannot read");
    return k;
}

void perf_close_parts(struct perf_reader *r)
{
    for (size_t i = 0; i < r->parts.n; i++) {
        struct perf_source *part = &r->parts.v[i];
        (void)close(part->fd);
        buf_free(&part->bytes.window);
        perf_zstd_free(part->zstd);
    }
    vec_free(&r->parts);
}

/* Adds a file.  Takes ownership of fd, after a failure too. */
static bool add_part(struct perf_reader *r, int fd, struct prof_err *err)
{
    const size_t i = r->parts.n;
    const struct perf_source part = {.stream = {.read = read_part},
                                     .fd = fd,
                                     .end = UINT64_MAX,
                                     .part = i + 1};
    struct stat st;
    if (!vec_push(&r->parts, part)) {
        (void)close(fd);
        return err_nomem(err);
    }
    if (fstat(fd, &st) != 0)
        return err_errno(err, errno, "data.%zu: cannot read", i);
    /* perf writes regular files; reading others could block. */
    return S_ISREG(st.st_mode) ||
           err_input(err, "data.%zu: not a regular file", i);
}

bool perf_open_parts(struct perf_reader *r, const char *directory,
                     struct prof_err *err)
{
    struct buf path = {0};
    bool ok = true;
    for (int fd = 0; ok && fd >= 0;) {
        path.n = 0;
        ok = (buf_printf(&path, "%s/data.%zu", directory, r->parts.n) &&
              buf_putc(&path, 0)) ||
             err_nomem(err);
        if (!ok)
            break;
        fd = file_open((const char *)path.v, O_RDONLY | O_NONBLOCK | O_NOCTTY);
        if (fd >= 0)
            ok = add_part(r, fd, err);
        else if (errno != ENOENT)
            ok = err_errno(err, errno, "data.%zu: cannot open", r->parts.n);
    }
    buf_free(&path);
    if (ok && !r->parts.n && r->about->in_parts)
        return err_input(err, "incomplete directory of perf record --threads: "
                              "data.0 does not exist");
    /* The list does not grow any more, so pointers into it stay valid. */
    for (size_t i = 0; i < r->parts.n; i++)
        r->parts.v[i].bytes.stream = &r->parts.v[i].stream;
    return ok;
}

bool perf_choose_part(struct perf_reader *r, uint64_t n, struct prof_err *err)
{
    r->round_bytes += n;
    if (r->round_bytes >= ROUND_BYTES) {
        /* Release the records up to the time that all files had reached in the
         * round before: no earlier ones can follow. */
        uint64_t limit = UINT64_MAX;
        r->round_bytes = 0;
        for (size_t i = 0; i < r->parts.n; i++) {
            struct perf_source *part = &r->parts.v[i];
            if (!part->done && part->round < limit)
                limit = part->round;
            part->round = part->latest;
        }
        r->queue.round = limit;
        if (limit != UINT64_MAX &&
            !perf_queue_round(&r->queue, perf_order_matters(r->about), err))
            return false;
    }
    /* Choose the file that has been read up to the earliest time. */
    r->source = NULL;
    for (size_t i = 0; i < r->parts.n; i++) {
        struct perf_source *part = &r->parts.v[i];
        if (!part->done && (!r->source || part->latest < r->source->latest))
            r->source = part;
    }
    return true;
}
