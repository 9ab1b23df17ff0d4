/*
 * perf_file.c - reads a recording: its header, its records, its features
 *
 *   file   header, ids and attributes of events, data, feature sections
 *   pipe   a header of 16 bytes; all else is in records
 *
 * Both are read from front to back, so that they may come from a pipe.  If a
 * file can be read at any offset, its features are read before its data.
 */
#include <inttypes.h>

#include "formats/perf/private.h"

enum {
    PIPE_HEADER = 16,
    FILE_HEADER = 104,
    SECTION = 16, /* bytes of the offset and size of a section */
    ATTRS_AT = 24,
    DATA_AT = 40,
    TYPES_AT = 56,
    BITS_AT = 72,
    FEATURE_HOSTNAME = 3,
};

/* --- sections ------------------------------------------------------------- */

static struct section section_at(const struct perf_reader *r, const uint8_t *v)
{
    const bool big = r->about->big;
    return (struct section){perf_u64_at(v, big), perf_u64_at(v + 8, big)};
}

static ptrdiff_t read_tail(struct stream *self, void *to, size_t n,
                           struct prof_err *err)
{
    struct perf_tail *t = (struct perf_tail *)self;
    ptrdiff_t k = t->from->read_at(t->from, t->at, to, n, err);
    t->at += k > 0 ? (uint64_t)k : 0;
    return k;
}

static void open_tail(struct perf_reader *r)
{
    struct perf_file *f = &r->file;
    const struct perf_bytes *b = &r->main.bytes;
    const uint64_t end = f->data.at + f->data.n;
    f->tail = (struct perf_bytes){.offset = end};
    if (!b->stream) {
        f->tail.v = b->v;
        f->tail.n = b->n;
        f->tail.at = end - b->offset < b->n - b->at
                         ? b->at + (size_t)(end - b->offset)
                         : b->n;
    } else if (b->stream->read_at) {
        f->tail_stream =
            (struct perf_tail){{.read = read_tail}, b->stream, end};
        f->tail.stream = &f->tail_stream.stream;
    } else {
        return;
    }
    f->has_tail = true;
}

/*
 * Sets *v to the bytes of a section, valid until the next call, or to null if
 * the section lies in the data, exceeds the file or cannot be read before the
 * data.
 */
static bool find_section(struct perf_reader *r, struct section s,
                         const uint8_t **v, struct prof_err *err)
{
    struct perf_file *f = &r->file;
    struct perf_bytes *tail = &f->tail;
    *v = NULL;
    if (s.at <= f->data.at && s.n <= f->data.at - s.at) {
        *v = r->main.bytes.v + r->main.bytes.at + s.at;
        return true;
    }
    const uint64_t skipped = s.at - tail->offset;
    if (!f->has_tail || s.at < tail->offset || s.n > SIZE_MAX / 2 ||
        skipped > SIZE_MAX / 2 - s.n)
        return true;
    if (!perf_fill(tail, (size_t)(skipped + s.n), err))
        return false;
    if (skipped + s.n <= perf_available(tail))
        *v = tail->v + tail->at + skipped;
    return true;
}

/* --- events --------------------------------------------------------------- */

static bool read_ids(struct perf_reader *r, struct section ids, uint32_t event,
                     struct prof_err *err)
{
    struct perf_file *f = &r->file;
    const uint8_t *v;
    if (!find_section(r, ids, &v, err))
        return false;
    if (!v)
        return err_input(err,
                         "invalid header: the ID list of event %u lies outside "
                         "the file or inside the data",
                         event);
    /* Limits work: a hostile file could give each event all ids of the file. */
    if (ids.n > f->data.at - f->id_bytes)
        return err_input(err,
                         "invalid header: the ID list of event %u overlaps "
                         "that of another event",
                         event);
    f->id_bytes += ids.n;
    for (uint64_t i = 0; i + 8 <= ids.n; i += 8)
        if (!perf_add_id(r->about, perf_u64_at(v + i, r->about->big), event,
                         err))
            return false;
    return true;
}

/* Reads the attributes; perf inject puts them after the data if its input is a
 * pipe. */
static bool read_attrs(struct perf_reader *r, struct section attrs,
                       uint64_t entry, struct prof_err *err)
{
    const struct perf_file *f = &r->file;
    const uint8_t *v;
    if (attrs.at > f->data.at && f->data.n && !f->has_tail)
        return err_input(err, "the event attributes follow the data, so the "
                              "file cannot be read from a pipe or an archive");
    if (!find_section(r, attrs, &v, err))
        return false;
    if (!v || entry < PERF_ATTR_MIN + SECTION || entry > attrs.n)
        return err_input(err, "invalid header: no event attributes");
    for (uint64_t at = 0; attrs.n - at >= entry; at += entry) {
        const uint32_t event = (uint32_t)r->about->events.list.n;
        const size_t n = (size_t)entry - SECTION;
        if (!find_section(r, attrs, &v, err) || !v ||
            !perf_add_event(r->about, v + at, n, err) ||
            !read_ids(r, section_at(r, v + at + n), event, err))
            return false;
    }
    return true;
}

/* --- features ------------------------------------------------------------- */

/*
 * Copies the bits of features to f->bits, bit N in byte N / 8.  The file has
 * them in words of the recording machine.  If words are big-endian, their size
 * (4 or 8 bytes) is found by the bit of FEATURE_HOSTNAME, which is always set.
 */
static void read_bits(struct perf_file *f, const uint8_t *v, bool big)
{
    unsigned word = 7; /* size of a word in bytes, minus 1 */
    if (big && !(v[7] >> FEATURE_HOSTNAME & 1) && v[3] >> FEATURE_HOSTNAME & 1)
        word = 3;
    for (unsigned i = 0; i < sizeof f->bits; i++)
        f->bits[i] = v[big ? i ^ word : i];
}

/*
 * Reads the table of feature sections, which is in the order of their bits, and
 * the sections; *b must be at the end of the data.
 */
static bool read_features(struct perf_reader *r, struct perf_bytes *b,
                          struct prof_err *err)
{
    struct perf_file *f = &r->file;
    size_t n = 0, row = 0;
    for (unsigned i = 0; i < PERF_FEATURES; i++)
        n += f->bits[i / 8] >> i % 8 & 1;
    if (!n)
        return true;
    if (!perf_need(b, n * SECTION, TEXT("the table of feature sections"), err))
        return false;
    f->end = b->offset + n * SECTION;
    for (unsigned i = 0; i < PERF_FEATURES; i++) {
        if (!(f->bits[i / 8] >> i % 8 & 1))
            continue;
        struct section s = section_at(r, b->v + b->at + row++ * SECTION);
        if (s.at < b->offset)
            continue;
        if (!perf_need(b, s.at - b->offset, "a feature section", err))
            return false;
        const size_t skipped = (size_t)(s.at - b->offset);
        if (s.n > SIZE_MAX / 2 - skipped)
            return err_input(err, "invalid feature section");
        if (!perf_need(b, skipped + s.n, "a feature section", err))
            return false;
        const uint8_t *v = b->v + b->at + skipped;
        const struct perf_fields fields = {v, v + s.n, r->about->big, false};
        if (!perf_read_feature(r->about, i, fields, err))
            return false;
        if (s.at + s.n > f->end)
            f->end = s.at + s.n;
    }
    return true;
}

bool perf_end_file(struct perf_reader *r, struct prof_err *err)
{
    struct perf_file *f = &r->file;
    struct perf_bytes *b = &r->main.bytes;
    if (r->pipe || r->killed || r->cut)
        return true;
    /* Without its features, a recording only lacks names and build IDs. */
    if (!f->has_features && !read_features(r, b, err)) {
        if (err->kind != PROF_ERR_INPUT)
            return false;
        note_loss(r->notes, "%s: build IDs and names may be missing",
                  err->text);
    }
    /* Refuse a second recording after the last section: it would be lost. */
    if (f->end < b->offset || f->end - b->offset > SIZE_MAX / 2)
        return true;
    const size_t left = (size_t)(f->end - b->offset);
    if (!perf_fill(b, left + PIPE_HEADER, err))
        return false;
    const size_t n = perf_available(b);
    return n <= left || !perf_begins(b->v + b->at + left, n - left) ||
           perf_refuse_joined(f->end, err);
}

/* --- the header ----------------------------------------------------------- */

static bool open_file(struct perf_reader *r, struct prof_err *err)
{
    struct perf_file *f = &r->file;
    struct perf_bytes *b = &r->main.bytes;
    struct perf_about *about = r->about;
    if (!perf_need(b, FILE_HEADER, "the header", err))
        return false;
    const uint8_t *v = b->v + b->at;
    f->data = section_at(r, v + DATA_AT);
    if (f->data.at < FILE_HEADER || f->data.n > UINT64_MAX - 1 - f->data.at)
        return err_input(
            err, "invalid header: data of %" PRIu64 " bytes at offset %" PRIu64,
            f->data.n, f->data.at);
    if (!perf_need(b, f->data.at, "the header", err))
        return false;
    v = b->v + b->at;
    const uint64_t entry = perf_u64_at(v + 16, about->big);
    const struct section attrs = section_at(r, v + ATTRS_AT);
    const struct section types = section_at(r, v + TYPES_AT);
    read_bits(f, v + BITS_AT, about->big);
    open_tail(r);
    if (!read_attrs(r, attrs, entry, err))
        return false;

    /* Read the names of tracepoints in files of perf up to Linux 3.10. */
    const uint64_t type_bytes = 8 + PERF_EVENT_TYPE_NAME;
    if (!find_section(r, types, &v, err))
        return false;
    for (uint64_t at = 0; v && types.n - at >= type_bytes; at += type_bytes) {
        const struct perf_fields type = {v + at, v + at + type_bytes,
                                         about->big, false};
        if (!perf_read_event_type(about, type, err))
            return false;
    }
    perf_consume(b, (size_t)f->data.at);
    r->ordered = about->events.list.v[0].flags & PERF_SAMPLE_ID_ALL;
    r->killed = !f->data.n;
    if (r->killed)
        return true;
    /*
     * Features come before the data if the file can be read at any offset, as
     * unwinding needs the build IDs.  A truncated file has none.
     */
    r->main.end = f->end = f->data.at + f->data.n;
    f->has_features = f->has_tail && read_features(r, &f->tail, err);
    return f->has_features || !f->has_tail || err->kind == PROF_ERR_INPUT;
}

bool perf_open(struct perf_reader *r, const struct import_input *in,
               struct prof_err *err)
{
    struct perf_bytes *b = &r->main.bytes;
    r->in = in;
    r->source = &r->main;
    r->main.end = UINT64_MAX;
    b->stream = in->stream;
    if (!in->stream) {
        b->v = in->data;
        b->n = in->n;
    }
    if (!in->n)
        return err_input(
            err, "empty file (did perf record fail, or was it killed?)");
    if (!perf_begins(in->data, in->n))
        return err_input(err, "not a perf.data file%s%s",
                         in->foreign ? ": found " : "",
                         in->foreign ? in->foreign->words : "");
    if (!perf_need(b, PIPE_HEADER, "the header", err))
        return false;
    r->about->big = b->v[b->at] == '2';
    const uint64_t size = perf_u64_at(b->v + b->at + 8, r->about->big);
    if (size != PIPE_HEADER && size < FILE_HEADER)
        return err_input(err, "invalid header size %" PRIu64, size);
    if (size != PIPE_HEADER)
        return open_file(r, err);
    r->pipe = r->ordered = true;
    perf_consume(b, PIPE_HEADER);
    return true;
}
