#include "io/members.h"

#include <string.h>

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

/* One more member, to the end of m->out. */
static bool inflate(struct members *m, struct err *err)
{
    size_t had = m->out.n, used, left = m->max - m->total;
    size_t at = m->at;
    m->count++;
    if (!gz_inflate(m->gz, m->data + at, m->n - at, had + left, &m->out, &used,
                    err)) {
        m->pending = false;
        return err_prefix(err, "offset %zu: ", at);
    }
    m->total += m->out.n - had;
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
        if (!inflate(m, err)) {
            part->member = m->count > 1 ? m->count : 0;
            return -1;
        }
    } while (m->join && more_members(m));
    part->data = m->out.v;
    part->n = m->out.n;
    part->last_member = !more_members(m);
    if (!m->join && !(m->count == 1 && part->last_member))
        part->member = m->count;
    return 1;
}

void members_free(struct members *m)
{
    gz_free(m->gz);
    buf_free(&m->out);
}
