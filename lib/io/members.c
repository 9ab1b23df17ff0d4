/* members.c - the members of a gzip file, inflated one after another */
#include "io/private.h"

#include <stdatomic.h>
#include <string.h>

#include "base/parallel.h"
#include "base/vec.h"

enum {
    LARGE = 8 * 1024 * 1024, /* output that is worth a second thread */
    STEP = 2 * 1024 * 1024,  /* of memory at a time */
    ORDINARY = 4,            /* times as large as the input */
};

bool members_begin(struct members *m, const uint8_t *data, size_t n, size_t max,
                   bool join, bool nested, struct err *err)
{
    m->data = data;
    m->n = n;
    m->max = max;
    m->join = join;
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
static bool gunzip(struct members *m, size_t max, size_t *used, struct err *err)
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

/* The damaged member as far as it goes; nothing is looked for behind it. */
static bool salvage(struct members *m, size_t max, size_t at, struct err *err)
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
    if (!gunzip(m, m->max, &used, err)) {
        m->pending = false;
        if (m->salvage && !err_is_nomem(err))
            return salvage(m, m->max, at, err);
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
static int end(struct members *m, struct err *err)
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
static void tell_damage(struct members *m, struct input_part *part)
{
    if (!m->salvage)
        return;
    if (part->last_member && m->pending)
        part->trailing = end(m, &m->damage) < 0;
    if (m->damage.kind)
        part->damage = m->damage.text;
}

static int as_it_is(struct members *m, struct input_part *part)
{
    m->pending = false;
    part->data = m->data;
    part->n = m->n;
    part->nested = m->nested;
    part->last_member = true;
    return 1;
}

int members_next(struct members *m, struct input_part *part, struct err *err)
{
    if (!m->pending)
        return 0;
    if (!m->is_gzip)
        return as_it_is(m, part);
    if (m->count && !more_members(m))
        return end(m, err);
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
    tell_damage(m, part);
    return 1;
}

void members_free(struct members *m)
{
    gz_free(m->gz);
    buf_free(&m->out);
}

bool members_spent(struct members *m)
{
    if (!m->is_gzip || m->at < m->n)
        return false;
    m->data = NULL;
    m->at = m->n = 0;
    return true;
}

void members_release(struct members *m)
{
    if (m->out.cap >= LARGE)
        buf_free(&m->out);
}
