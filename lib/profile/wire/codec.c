/* codec.c - profiles to and from bytes and file descriptors, compressed */
#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "io/gzip.h"
#include "profile/wire/pb.h"

enum { READ_STEP = 1 << 16 };

static size_t limit_of(uint64_t max_size)
{
    return max_size && max_size < SIZE_MAX ? (size_t)max_size : SIZE_MAX;
}

bool pb_unpack(struct prof_slice *message, const struct prof_decode_opts *opts,
               struct buf *room, struct prof_err *err)
{
    size_t max = limit_of(opts->max_size);
    if (!opts->plain && gz_begins((const uint8_t *)message->s, message->n)) {
        struct prof_slice members = *message;
        struct gz *gz = gz_new();
        bool ok = gz || err_nomem(err);
        while (ok && members.n) {
            size_t used = 0;
            ok = gz_inflate(gz, (const uint8_t *)members.s, members.n, max,
                            room, &used, err);
            members = (struct prof_slice){members.s + used, members.n - used};
        }
        gz_free(gz);
        if (!ok)
            return false;
        *message = buf_slice(room);
    }
    return message->n <= max ||
           err_input(err, "exceeds %" PRIu64 " bytes", opts->max_size);
}

struct profile *prof_decode(const void *data, size_t n,
                            const struct prof_decode_opts *opts,
                            struct prof_err *err)
{
    static const struct prof_decode_opts defaults;
    if (!opts)
        opts = &defaults;
    struct profile p;
    struct prof_slice message = {data, n};
    struct buf room = {0};
    struct pb_decoder decoder = {0};
    bool ok = prof_init(&p, err) && pb_unpack(&message, opts, &room, err) &&
              pb_decode_opts(&decoder, message, opts, &p, err);
    pb_decoder_free(&decoder);
    buf_free(&room);
    return prof_box(&p, ok, err);
}

bool prof_may_begin(const void *data, size_t n, struct prof_err *err)
{
    return pb_may_begin(data, n, err);
}

static bool read_all(int fd, uint64_t max_size, struct buf *to,
                     struct prof_err *err)
{
    size_t max = limit_of(max_size);
    for (;;) {
        if (!buf_reserve(to, READ_STEP))
            return err_nomem(err);
        ssize_t got = read(fd, to->v + to->n, READ_STEP);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_errno(err, errno, "cannot read");
        if (!got)
            return true;
        to->n += (size_t)got;
        if (to->n > max)
            return err_input(err, "exceeds %" PRIu64 " bytes", max_size);
    }
}

struct profile *prof_read_fd(int fd, const struct prof_decode_opts *opts,
                             struct prof_err *err)
{
    struct buf bytes = {0};
    struct profile *p = NULL;
    if (read_all(fd, opts ? opts->max_size : 0, &bytes, err))
        p = prof_decode(bytes.v, bytes.n, opts, err);
    buf_free(&bytes);
    return p;
}

static bool encode(const struct profile *p, int level, struct buf *to,
                   struct prof_err *err)
{
    struct buf raw = {0};
    struct buf_sink to_buf = buf_sink_of(level ? &raw : to);
    struct gz *gz = level ? gz_new() : NULL;
    bool ok = (level >= 0 && level <= 9) ||
              err_set(err, PROF_ERR_USAGE, "level %d: expected 0 to 9", level);
    ok = ok && (gz || !level || err_nomem(err)) &&
         pb_encode(p, &to_buf.sink, err) &&
         (!level || gz_deflate(gz, raw.v, raw.n, level, to, err));
    gz_free(gz);
    buf_free(&raw);
    return ok;
}

bool prof_encode(const struct profile *p, int level, void **data, size_t *n,
                 struct prof_err *err)
{
    struct buf bytes = {0};
    if (encode(p, level, &bytes, err)) {
        *data = bytes.v;
        *n = bytes.n;
        return true;
    }
    buf_free(&bytes);
    return false;
}

bool prof_write_fd(const struct profile *p, int level, int fd,
                   struct prof_err *err)
{
    struct buf bytes = {0};
    bool ok = encode(p, level, &bytes, err);
    for (size_t at = 0; ok && at < bytes.n;) {
        ssize_t put = write(fd, bytes.v + at, bytes.n - at);
        if (put >= 0)
            at += (size_t)put;
        else if (errno != EINTR)
            ok = err_errno(err, errno, "cannot write");
    }
    buf_free(&bytes);
    return ok;
}
