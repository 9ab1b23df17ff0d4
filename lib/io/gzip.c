/* gzip.c - inflates gzip data in memory, member by member */

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/parallel.h"
#include "base/vec.h"
#include "io/private.h"

enum {
    WINDOW = 64 * 1024,
    GZIP_ONLY = 16 + MAX_WBITS,
    MIN_MEMBER = 18, /* header and trailer */
    FLAGS = 3,       /* offset of the flags in the header */
    HAS_CHECKSUM = 2,
    RESERVED = 0xe0,
};

bool gz_begins(const uint8_t *data, size_t n)
{
    return n >= 3 && data[0] == 0x1f && data[1] == 0x8b && data[2] == 8;
}

bool gz_has_reserved_flags(const uint8_t *data, size_t n)
{
    return n > FLAGS && data[FLAGS] & RESERVED;
}

/*
 * Returns the size that the n bytes at data are likely to inflate to.  The last
 * trailer has it, modulo 2^32, if there is only one member; it is ignored if
 * the ratio is implausibly high.
 */
static size_t likely_size(const uint8_t *data, size_t n)
{
    if (n < MIN_MEMBER)
        return WINDOW;
    size_t said = le32(data + n - 4);
    return said / 32 < n ? said : WINDOW;
}

static bool too_big(size_t max, struct prof_err *err)
{
    return err_input(
        err, "decompressed size exceeds %zu bytes (see --max-size)", max);
}

/* A member that is inflated by windows, as it is damaged or to stop early. */
struct trial {
    const uint8_t *data;
    size_t n;
    struct buf *out;     /* null: drop the inflated bytes */
    size_t max;          /* bytes of *out */
    size_t at;           /* bytes of data read */
    struct watch *watch; /* checks *out; or null */
    bool stopped;        /* by `watch` */
    size_t ignored;      /* bytes inflated since then */
};

/* How much of refused data is inflated to find out whether it is damaged. */
static const size_t tried_bytes = (size_t)64 << 20;

/*
 * Adds the bytes in the window to t->out.  Returns `got`, zlib's result, or
 * another one to stop: Z_STREAM_END if enough refused data was inflated,
 * Z_BUF_ERROR if t->max is reached, Z_MEM_ERROR.
 */
static int keep(struct trial *t, const z_stream *z, const uint8_t *window,
                int got)
{
    struct buf *out = t->out;
    size_t made = WINDOW - z->avail_out;
    size_t left = t->max > out->n ? t->max - out->n : 0;
    if (t->stopped) {
        t->ignored += made;
        return got == Z_OK && t->ignored >= tried_bytes ? Z_STREAM_END : got;
    }
    if (!buf_put(out, window, made < left ? made : left))
        return Z_MEM_ERROR;
    t->stopped =
        got == Z_OK && made < left && watch_stops(t->watch, out->v, out->n);
    return made < left || got != Z_OK ? got : Z_BUF_ERROR;
}

/* Inflates until the member ends or fails.  Returns zlib's result. */
static int inflate_windows(struct trial *t, z_stream *z, uint8_t *window)
{
    int got = Z_OK;
    size_t left = t->n;
    z->next_in = (Bytef *)t->data;
    while (got == Z_OK) {
        if (!z->avail_in && left) {
            z->avail_in = left < UINT_MAX ? (uInt)left : UINT_MAX;
            left -= z->avail_in;
        }
        z->next_out = window;
        z->avail_out = WINDOW;
        got = inflate(z, Z_NO_FLUSH);
        if (t->out)
            got = keep(t, z, window, got);
    }
    t->at = t->n - left - z->avail_in;
    return got;
}

/* Inflates the member.  Returns false with *err if zlib or keep() failed. */
static bool try_to_inflate(struct trial *t, struct prof_err *err)
{
    z_stream z = {0};
    if (inflateInit2(&z, GZIP_ONLY) != Z_OK)
        return err_nomem(err);
    uint8_t *window = malloc(WINDOW);
    if (!window) {
        (void)inflateEnd(&z);
        return err_nomem(err);
    }
    int got = inflate_windows(t, &z, window);
    if (got == Z_STREAM_END)
        err->kind = PROF_ERR_NONE;
    else if (got == Z_MEM_ERROR)
        err_nomem(err);
    else if (got == Z_BUF_ERROR)
        err_input(err, "unexpected end of gzip data after %zu bytes", t->n);
    else
        err_input(err, "invalid gzip data after %zu bytes: %s", t->at,
                  z.msg ? z.msg : TEXT("unknown error"));
    free(window);
    (void)inflateEnd(&z);
    return got == Z_STREAM_END;
}

/* Sets *err to what is wrong with the member, and where.  Returns false. */
static bool explain(const uint8_t *data, size_t n, struct prof_err *err)
{
    struct trial t = {.data = data, .n = n};
    return try_to_inflate(&t, err);
}

/* Checks the header's checksum (FHCRC), which libdeflate does not check. */
static bool check_header(const uint8_t *data, size_t n, struct prof_err *err)
{
    z_stream z = {0};
    uint8_t none;
    if (n < MIN_MEMBER || !(data[FLAGS] & HAS_CHECKSUM))
        return true;
    if (inflateInit2(&z, GZIP_ONLY) != Z_OK)
        return err_nomem(err);
    z.next_in = (Bytef *)data;
    z.avail_in = n < UINT_MAX ? (uInt)n : UINT_MAX;
    z.next_out = &none;
    int got = inflate(&z, Z_BLOCK); /* to the end of the header */
    (void)inflateEnd(&z);
    return got == Z_OK || got == Z_BUF_ERROR || explain(data, n, err);
}

/* --- one member ----------------------------------------------------------- */

struct gz *gz_new(void)
{
    return calloc(1, sizeof(struct gz));
}

void gz_free(struct gz *gz)
{
    if (gz)
        codec.free(gz);
    free(gz);
}

const char *gz_library(void)
{
    return codec.name;
}

static bool version_of_zlib(char text[LIBRARY_VERSION_MAX],
                            struct prof_err *err)
{
    (void)err;
    (void)snprintf(text, LIBRARY_VERSION_MAX, "%s", zlibVersion());
    return true;
}

const struct library_about gz_zlib = {.name = "zlib",
                                      .version = version_of_zlib};

bool gz_inflate(struct gz *gz, const uint8_t *data, size_t n, size_t max,
                struct buf *out, size_t *used, struct prof_err *err)
{
    size_t left = max > out->n ? max - out->n : 0;
    size_t room = likely_size(data, n);
    if (!check_header(data, n, err))
        return false;
    for (;;) {
        if (room > left)
            room = left;
        /* Reserve at least a byte: libdeflate requires an address. */
        if (!buf_reserve(out, room ? room : 1))
            return err_nomem(err);
        if (room < out->cap - out->n)
            room = out->cap - out->n < left ? out->cap - out->n : left;
        struct codec_job job = {data, n, out->v + out->n, room, 0, 0};
        switch (codec.inflate(gz, &job)) {
        case CODEC_OK:
            out->n += job.made;
            *used = job.used;
            return true;
        case CODEC_NO_ROOM:
            if (room == left)
                return too_big(max, err);
            break;
        case CODEC_NO_MEMORY:
            return err_nomem(err);
        default:
            return explain(data, n, err);
        }
        room = room < left / 2 ? room * 2 : left;
    }
}

/* --- members as parts of an input ----------------------------------------- */

enum {
    LARGE = 8 * 1024 * 1024, /* least output for a second thread */
    STEP = 2 * 1024 * 1024,  /* bytes of memory to populate at a time */
    SMALL = 1024 * 1024,     /* most output that members_peek() inflates */
    ORDINARY = 4,            /* plausible ratio of output to input */
};

bool members_begin(struct members *m, const uint8_t *data, size_t n,
                   bool nested, struct prof_err *err)
{
    m->data = data;
    m->n = n;
    m->nested = nested;
    m->at = m->count = m->total = 0;
    m->pending = true;
    m->damage.kind = PROF_ERR_NONE;
    m->is_gzip = gz_begins(data, n) && !nested;
    if (m->is_gzip && !m->gz)
        m->gz = gz_new();
    return !m->is_gzip || m->gz || err_nomem(err);
}

bool members_peek(struct members *m, const uint8_t *data, size_t n,
                  struct prof_slice *content)
{
    struct prof_err err;
    size_t used = 0, likely = likely_size(data, n);
    m->out.n = m->peeked.used = 0;
    if (likely > SMALL || likely > m->max || (!m->gz && !(m->gz = gz_new())) ||
        !gz_inflate(m->gz, data, n, likely, &m->out, &used, &err) || used != n)
        return false;
    m->peeked.used = used;
    m->peeked.made = m->out.n;
    *content = buf_slice(&m->out);
    return true;
}

/* The empty member with which bgzip ends a file; it is skipped. */
static const uint8_t bgzf_end[] = {
    0x1f, 0x8b, 8,    4, 0, 0, 0, 0, 0, 0xff, 6, 0, 0x42, 0x43,
    2,    0,    0x1b, 0, 3, 0, 0, 0, 0, 0,    0, 0, 0,    0};

/*
 * The inflation of a large member into memory that the system has not yet
 * populated.  In a virtual machine, page faults may take longer than inflating,
 * so a second thread populates the memory ahead.
 */
struct inflation {
    struct members *m;
    size_t max, used;
    uint8_t *room; /* memory to populate */
    size_t n;
    atomic_bool done;
    bool ok;
    struct prof_err *err;
};

/*
 * Inflates the first member.  If it does not have the likely size, inflates it
 * again from the start, window by window, so that m->watch can stop it early.
 */
static bool inflate_watched(struct inflation *in)
{
    struct members *m = in->m;
    size_t had = m->out.n, likely = likely_size(m->data, m->n);
    size_t most = likely < in->max - had ? had + likely : in->max;
    struct trial t = {m->data, m->n, .out = &m->out, .max = in->max,
                      .watch = m->watch};
    if (gz_inflate(m->gz, m->data, m->n, most, &m->out, &in->used, in->err))
        return true;
    if (err_is_nomem(in->err))
        return false;
    in->used = m->n;
    if (try_to_inflate(&t, in->err)) {
        in->used = t.stopped ? m->n : t.at;
        return true;
    }
    bool full = m->out.n >= in->max;
    m->out.n = had;
    m->watch->refused.kind = PROF_ERR_NONE;
    return full ? too_big(in->max, in->err) : false;
}

static void do_part(void *ctx, unsigned thread, size_t part)
{
    struct inflation *in = ctx;
    struct members *m = in->m;
    (void)thread;
    if (part == 1) {
        for (size_t at = 0; at + STEP <= in->n && !in->done; at += STEP)
            if (!pages_populate(in->room + at, STEP))
                break;
        return;
    }
    in->ok = m->watch && !m->at
                 ? inflate_watched(in)
                 : gz_inflate(m->gz, m->data + m->at, m->n - m->at, in->max,
                              &m->out, &in->used, in->err);
    in->done = true;
}

/*
 * Inflates the next member to the end of m->out and sets *used to its size.
 * For a large one, reserves the likely size and starts a second thread that
 * populates it.  Only the first of several members has that thread: the likely
 * size is that of the last member, and there may be a million small ones.
 */
static bool gunzip_member(struct members *m, size_t max, size_t *used,
                          struct prof_err *err)
{
    struct inflation in = {.m = m, .max = max, .err = err};
    const uint8_t *data = m->data + m->at;
    size_t left = m->n - m->at, likely = likely_size(data, left);
    bool large = !m->at && m->threads > 1 && likely >= LARGE &&
                 likely / ORDINARY <= left && likely <= max - m->out.n;
    if (m->peeked.used) {
        *used = m->peeked.used;
        m->out.n = m->peeked.made;
        m->peeked.used = 0;
        return true;
    }
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

/* Returns whether a plausible gzip header is anywhere in the n bytes at p. */
static bool has_member(const uint8_t *p, size_t n)
{
    enum { HEADER = 10, DEFLATE = 8, KNOWN = 0x1f, SYSTEMS = 13 };
    const uint8_t *end = p + n;
    for (; n >= HEADER && (p = memchr(p, 0x1f, n)); n = (size_t)(end - ++p))
        if (end - p >= HEADER && gz_begins(p, (size_t)(end - p)) &&
            p[2] == DEFLATE && p[3] <= KNOWN &&
            (p[9] <= SYSTEMS || p[9] == UINT8_MAX))
            return true;
    return false;
}

/*
 * Adds the offset of the damaged member to *err, and that members after it are
 * not read: where it ends is unknown.  Returns false.
 */
static bool damaged_member(const struct members *m, size_t at,
                           struct prof_err *err)
{
    struct prof_err why = *err;
    bool more = why.kind == PROF_ERR_INPUT &&
                has_member(m->data + at + 1, m->n - at - 1);
    return err_set(err, why.kind, "offset %zu: %s%s", at, why.text,
                   more ? TEXT("; the members after it are not read") : "");
}

/* Inflates the member at `at` up to the damage, and skips the rest of the data.
 * No checksum covers these bytes.  Sets m->damage. */
static bool salvage_member(struct members *m, size_t max, size_t at,
                           struct prof_err *err)
{
    struct trial t = {m->data + at, m->n - at, .out = &m->out, .max = max};
    (void)try_to_inflate(&t, &m->damage);
    if (err_is_nomem(&m->damage))
        return err_nomem(err);
    if (m->out.n >= max) /* *err says that it is too large */
        return err_prefix(err, "offset %zu: ", at);
    (void)damaged_member(m, at, &m->damage);
    m->at = m->n;
    return true;
}

static bool inflate_member(struct members *m, struct prof_err *err)
{
    size_t had = m->out.n, used = 0, at = m->at;
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
        return err_input(err,
                         "offset %zu: decompressed size with the previous "
                         "members exceeds %zu bytes (see --max-size)",
                         at, m->max);
    }
    m->at += used;
    while (m->n - m->at >= sizeof bgzf_end &&
           memcmp(m->data + m->at, bgzf_end, sizeof bgzf_end) == 0)
        m->at += sizeof bgzf_end;
    return true;
}

static bool more_members(const struct members *m)
{
    return gz_begins(m->data + m->at, m->n - m->at);
}

/* Returns 0 if nothing follows the last member, or else -1 with *err. */
static int check_trailing(struct members *m, struct prof_err *err)
{
    size_t at = m->at, left = m->n - at;
    m->pending = false;
    if (!left)
        return 0;
    while (at < m->n && !m->data[at])
        at++;
    err_input(err, "offset %zu: %zu %s after the gzip data", m->at, left,
              at < m->n ? TEXT("bytes of other data") : TEXT("bytes of zeros"));
    return -1;
}

int members_next(struct members *m, struct input_part *part,
                 struct prof_err *err)
{
    if (!m->pending)
        return 0;
    if (!m->is_gzip) {
        m->pending = false;
        part->data = m->data;
        part->n = m->n;
        part->nested = m->nested;
        part->last_member = true;
        return 1;
    }
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
    /* Report the damage of this part, or data that follows the last member. */
    if (m->salvage && part->last_member && m->pending)
        part->trailing = check_trailing(m, &m->damage) < 0;
    if (m->salvage && m->damage.kind)
        part->damage = m->damage.text;
    return 1;
}
