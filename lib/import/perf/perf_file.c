/*
 * perf_file.c - reads a recording: its header, and one record after another
 *
 *   file   header, ids and attributes of events, data, feature sections
 *   pipe   a header of 16 bytes; all else is in records
 *
 * Both are read from front to back, so that they may come from a pipe.
 */
#include "import/perf/private.h"
#include "symbol/unwind.h"

enum {
    PIPE_HEADER = 16,
    FILE_HEADER = 104,
    SECTION = 16, /* offset, size */
    ATTRS_AT = 24,
    DATA_AT = 40,
    TYPES_AT = 56,
    BITS_AT = 72,
    N_FEATURES = 256,
    FEATURE_HOSTNAME = 3,
    STEP = 256 * 1024,
    EVENT_TYPE_NAME = 64, /* bytes */
};

struct section {
    uint64_t at, n;
};

/* What is read and not consumed: v[at .. n) begins at this offset. */
struct reader {
    struct perf *p;
    struct stream *stream; /* null: v has everything */
    const uint8_t *v;
    size_t at, n;
    uint64_t offset;
    bool ended;
    struct buf window; /* v, if there is a stream */
    struct section data;
    uint8_t bits[N_FEATURES / 8];
};

bool perf_begins(const uint8_t *data, size_t n)
{
    return n >= 8 && (memcmp(data, "PERFILE2", 8) == 0 ||
                      memcmp(data, "2ELIFREP", 8) == 0);
}

/* --- bytes ---------------------------------------------------------------- */

/* Makes `need` bytes available, or all that there are. */
static bool fill(struct reader *r, size_t need, struct err *err)
{
    struct buf *w = &r->window;
    if (r->n - r->at >= need || !r->stream || r->ended)
        return true;
    w->n = r->n - r->at;
    if (w->n) /* v is null before the first read */
        memmove(w->v, w->v + r->at, w->n);
    r->at = 0;
    if (need > w->n && !buf_reserve(w, need - w->n > STEP ? need - w->n : STEP))
        return err_nomem(err);
    while (w->n < need && !r->ended) {
        ptrdiff_t k =
            r->stream->read(r->stream, w->v + w->n, w->cap - w->n, err);
        if (k < 0)
            return false;
        r->ended = k == 0;
        w->n += (size_t)k;
    }
    r->v = w->v;
    r->n = w->n;
    return true;
}

static size_t available(const struct reader *r)
{
    return r->n - r->at;
}

static void consume(struct reader *r, size_t n)
{
    r->at += n;
    r->offset += n;
}

/* Up to n bytes; fewer if the file ends. */
static bool skip(struct reader *r, uint64_t n, struct err *err)
{
    while (n) {
        size_t step = n < STEP ? (size_t)n : STEP;
        if (!fill(r, step, err))
            return false;
        if (available(r) < step) {
            r->p->cut = true;
            step = available(r);
            n = step;
        }
        consume(r, step);
        n -= step;
    }
    return true;
}

/* Makes sure of n bytes more, of a part of the file with this name. */
static bool need(struct reader *r, uint64_t n, const char *what,
                 struct err *err)
{
    if (n > SIZE_MAX / 2 || !fill(r, (size_t)n, err))
        return n > SIZE_MAX / 2 ? err_set(err, ERR_INPUT, "invalid %s", what)
                                : false;
    return available(r) >= n ||
           err_set(err, ERR_INPUT, "offset %llu: unexpected end of file in %s",
                   (unsigned long long)(r->offset + available(r)), what);
}

/* --- records -------------------------------------------------------------- */

static bool is_read(uint32_t type)
{
    switch (type) {
    case PERF_MMAP:
    case PERF_MMAP2:
    case PERF_LOST:
    case PERF_LOST_SAMPLES:
    case PERF_COMM:
    case PERF_FORK:
    case PERF_EXIT:
    case PERF_SAMPLE:
    case PERF_KSYMBOL:
    case PERF_CGROUP:
    case PERF_CALLCHAIN_DEFERRED:
    case PERF_THROTTLE:
    case PERF_FINISHED_INIT:
    case PERF_ID_INDEX:
        return true;
    default:
        return false;
    }
}

/* EVENT_TYPE: the name of a tracepoint, by the number of its attribute. */
static bool name_type(struct perf *p, struct perf_fields f, struct err *err)
{
    uint64_t config = perf_u64(&f);
    f.end = perf_left(&f) > EVENT_TYPE_NAME ? f.at + EVENT_TYPE_NAME : f.end;
    struct slice name = perf_text(&f);
    for (uint32_t i = 0; i < p->events.list.n; i++) {
        struct perf_event *e = &p->events.list.v[i];
        if (e->config == config && !e->name &&
            !perf_name_event(p, i, name, err))
            return false;
    }
    return true;
}

static bool handle(struct perf *p, const struct perf_record *r,
                   struct err *err);

/* A record that perf made, not the kernel: it takes effect at once. */
static bool handle_user(struct perf *p, const struct perf_record *r,
                        struct err *err)
{
    struct perf_fields f = perf_fields_of(r, p->big);
    switch (r->type) {
    case PERF_HEADER_ATTR:
        return perf_read_attr_record(p, r, err);
    case PERF_EVENT_TYPE:
        return name_type(p, f, err);
    case PERF_HEADER_BUILD_ID:
        return perf_read_build_id(p, r, err);
    case PERF_FINISHED_ROUND:
        return perf_queue_round(p, err);
    case PERF_EVENT_UPDATE:
        return perf_read_event_update(p, r, err);
    case PERF_HEADER_FEATURE: {
        uint64_t feature = perf_u64(&f);
        return f.bad || feature >= N_FEATURES ||
               perf_read_feature(p, (uint32_t)feature, f, err);
    }
    case PERF_COMPRESSED:
    case PERF_COMPRESSED2:
        return perf_decompress(p, r, handle, err);
    default:
        p->counts.skipped[r->type < PERF_TYPES ? r->type : 0] +=
            !is_read(r->type);
        return true;
    }
}

static bool handle(struct perf *p, const struct perf_record *r, struct err *err)
{
    if (r->type >= PERF_FIRST_USER_TYPE)
        return handle_user(p, r, err);
    if (!is_read(r->type)) {
        p->counts.skipped[r->type]++;
        return true;
    }
    uint64_t time = p->ordered ? perf_record_time(p, r) : 0;
    if (!time || time == PERF_NO_TIME)
        return perf_deliver(p, r, err);
    return perf_queue_put(p, r, time, err);
}

/* Bytes that follow a record and are not part of it. */
static uint64_t payload(const struct perf *p, const struct perf_record *r)
{
    struct perf_fields f = perf_fields_of(r, p->big);
    if (r->type == PERF_AUXTRACE)
        return perf_u64(&f);
    if (r->type == PERF_TRACING_DATA && p->pipe)
        return ((uint64_t)perf_u32(&f) + 7) & ~(uint64_t)7;
    return 0;
}

/* Whether the next record ends inside the data; if not, it is cut. */
static bool next_record(struct reader *r, uint64_t end,
                        struct perf_record *record, bool *got, struct err *err)
{
    uint64_t left = end - r->offset;
    *got = false;
    if (!left || !fill(r, PERF_HEADER_BYTES, err))
        return !left;
    if (left < PERF_HEADER_BYTES || available(r) < PERF_HEADER_BYTES) {
        r->p->cut |= end != UINT64_MAX || available(r);
        return true;
    }
    perf_record_at(record, r->v + r->at, r->p->big);
    size_t n = record->n;
    if (n < PERF_HEADER_BYTES && r->p->killed) {
        r->p->cut = true; /* space that was not written to */
        return true;
    }
    if (n < PERF_HEADER_BYTES)
        return err_set(err, ERR_INPUT, "offset %llu: invalid record size %zu",
                       (unsigned long long)r->offset, n);
    if (!fill(r, n, err))
        return false;
    if (left < n || available(r) < n) {
        r->p->cut = true;
        return true;
    }
    perf_record_at(record, r->v + r->at, r->p->big);
    record->offset = r->offset;
    *got = true;
    return true;
}

/* The records up to an offset, or to the end of the file (UINT64_MAX). */
static bool read_records(struct reader *r, uint64_t end, struct err *err)
{
    struct perf_record record;
    for (bool got = true; got;) {
        if (!next_record(r, end, &record, &got, err))
            return false;
        if (!got)
            break;
        uint64_t after = payload(r->p, &record);
        if (!handle(r->p, &record, err))
            return false;
        consume(r, record.n);
        if (after > end - r->offset)
            after = end - r->offset;
        if (!skip(r, after, err))
            return false;
    }
    return true;
}

/* --- files ---------------------------------------------------------------- */

static struct section section_at(const struct perf *p, const uint8_t *v)
{
    return (struct section){perf_u64_at(v, p->big), perf_u64_at(v + 8, p->big)};
}

/* The bytes of a section that lies before the data. */
static const uint8_t *before_data(const struct reader *r, struct section s)
{
    if (s.at > r->data.at || s.n > r->data.at - s.at)
        return NULL;
    return r->v + r->at + s.at;
}

static bool read_ids(struct reader *r, struct section ids, uint32_t event,
                     struct err *err)
{
    const uint8_t *v = before_data(r, ids);
    if (!v)
        return err_set(err, ERR_INPUT,
                       "invalid header: the IDs of event %u are outside of "
                       "the bytes before the data",
                       event);
    for (uint64_t i = 0; i + 8 <= ids.n; i += 8)
        if (!perf_add_id(r->p, perf_u64_at(v + i, r->p->big), event, err))
            return false;
    return true;
}

static bool read_attrs(struct reader *r, uint64_t entry, struct err *err)
{
    const uint8_t *header = r->v + r->at;
    struct section attrs = section_at(r->p, header + ATTRS_AT);
    const uint8_t *v = before_data(r, attrs);
    if (!v || entry < PERF_ATTR_LEAST + SECTION || entry > attrs.n)
        return err_set(err, ERR_INPUT,
                       "invalid header: no event attributes before the data");
    for (uint64_t at = 0; attrs.n - at >= entry; at += entry) {
        uint32_t event = (uint32_t)r->p->events.list.n;
        size_t n = (size_t)entry - SECTION;
        if (!perf_add_event(r->p, v + at, n, err) ||
            !read_ids(r, section_at(r->p, v + at + n), event, err))
            return false;
    }
    return true;
}

/* Names by number, in files up to Linux 3.10. */
static bool read_event_types(struct reader *r, struct err *err)
{
    struct section types = section_at(r->p, r->v + r->at + TYPES_AT);
    const uint8_t *v = before_data(r, types);
    const uint64_t entry = 8 + EVENT_TYPE_NAME;
    for (uint64_t at = 0; v && types.n - at >= entry; at += entry)
        if (!name_type(
                r->p,
                (struct perf_fields){v + at, v + at + entry, r->p->big, false},
                err))
            return false;
    return true;
}

/*
 * The bits of features.  They are words of the machine that recorded, which
 * other byte orders show: every recording has a host name.
 */
static void read_bits(struct reader *r)
{
    const uint8_t *v = r->v + r->at + BITS_AT;
    unsigned word = 7; /* bytes of a word, minus 1 */
    if (r->p->big && !(v[7] >> FEATURE_HOSTNAME & 1) &&
        v[3] >> FEATURE_HOSTNAME & 1)
        word = 3;
    for (unsigned i = 0; i < sizeof r->bits; i++)
        r->bits[i] = v[r->p->big ? i ^ word : i];
}

static bool read_feature(struct reader *r, uint32_t feature, struct section s,
                         struct err *err)
{
    if (s.at < r->offset ||
        !need(r, s.at - r->offset, "a feature section", err))
        return s.at < r->offset;
    size_t skipped = (size_t)(s.at - r->offset);
    if (s.n > SIZE_MAX / 2 - skipped ||
        !need(r, skipped + s.n, "a feature section", err))
        return s.n > SIZE_MAX / 2 - skipped
                   ? err_set(err, ERR_INPUT, "invalid feature section")
                   : false;
    const uint8_t *v = r->v + r->at + skipped;
    return perf_read_feature(
        r->p, feature, (struct perf_fields){v, v + s.n, r->p->big, false}, err);
}

/* The table of sections, in the order of their bits, and the sections. */
static bool read_features(struct reader *r, struct err *err)
{
    size_t n = 0;
    for (unsigned i = 0; i < N_FEATURES; i++)
        n += r->bits[i / 8] >> i % 8 & 1;
    if (!n || !need(r, n * SECTION, "the table of feature sections", err))
        return !n;
    size_t row = 0;
    for (unsigned i = 0; i < N_FEATURES; i++) {
        if (!(r->bits[i / 8] >> i % 8 & 1))
            continue;
        const uint8_t *v = r->v + r->at + row++ * SECTION;
        if (!read_feature(r, i, section_at(r->p, v), err))
            return false;
    }
    return true;
}

/* A recording whose features are cut has its samples all the same. */
static bool try_features(struct reader *r, struct err *err)
{
    if (read_features(r, err))
        return true;
    if (err->kind != ERR_INPUT)
        return false;
    note_loss(r->p->notes, "%s: build IDs and names may be missing", err->text);
    return true;
}

static bool read_file(struct reader *r, uint64_t size, struct err *err)
{
    struct perf *p = r->p;
    if (size < FILE_HEADER)
        return err_set(err, ERR_INPUT, "invalid header size %llu",
                       (unsigned long long)size);
    if (!need(r, FILE_HEADER, "the header", err))
        return false;
    const uint8_t *v = r->v + r->at;
    uint64_t entry = perf_u64_at(v + 16, p->big);
    r->data = section_at(p, v + DATA_AT);
    if (r->data.at < FILE_HEADER || r->data.n > UINT64_MAX - 1 - r->data.at)
        return err_set(
            err, ERR_INPUT, "invalid header: data of %llu bytes at offset %llu",
            (unsigned long long)r->data.n, (unsigned long long)r->data.at);
    if (!need(r, r->data.at, "the header", err))
        return false;
    read_bits(r);
    if (!read_attrs(r, entry, err) || !read_event_types(r, err))
        return false;
    p->ordered = p->events.list.v[0].flags & PERF_SAMPLE_ID_ALL;
    p->killed = !r->data.n;
    consume(r, (size_t)r->data.at);
    if (p->killed)
        return read_records(r, UINT64_MAX, err);
    return read_records(r, r->data.at + r->data.n, err) &&
           (p->cut || try_features(r, err));
}

static bool read_pipe(struct reader *r, struct err *err)
{
    r->p->pipe = r->p->ordered = true;
    consume(r, PIPE_HEADER);
    return read_records(r, UINT64_MAX, err);
}

static bool not_perf(const struct import_input *in, struct err *err)
{
    if (!in->n)
        return err_set(err, ERR_INPUT, "empty file");
    if (in->foreign)
        return err_set(err, ERR_INPUT, "not a perf.data file: this is %s",
                       in->foreign->words);
    return err_set(err, ERR_INPUT, "not a perf.data file");
}

static bool read_all(struct reader *r, const struct import_input *in,
                     struct err *err)
{
    struct perf *p = r->p;
    if (!perf_begins(in->data, in->n))
        return not_perf(in, err);
    if (!need(r, PIPE_HEADER, "the header", err))
        return false;
    p->big = r->v[r->at] == '2';
    uint64_t size = perf_u64_at(r->v + r->at + 8, p->big);
    return (size == PIPE_HEADER ? read_pipe(r, err)
                                : read_file(r, size, err)) &&
           perf_queue_end(p, err) && perf_finish_records(p, err) &&
           perf_name_events(p, err);
}

/* --- a recording ---------------------------------------------------------- */

void perf_free(struct perf *p)
{
    strtab_free(&p->names);
    vec_free(&p->events.list);
    vec_free(&p->events.ids);
    hashidx_free(&p->events.by_id);
    perf_processes_free(&p->processes);
    perf_stacks_free(&p->stacks);
    perf_queue_free(&p->queue);
    vec_free(&p->build_ids);
    vec_free(&p->cgroup_paths);
    vec_free(&p->cgroup_ids);
    hashidx_free(&p->cgroup_index);
    vec_free(&p->deferred);
    vec_free(&p->deferred_frames);
    vec_free(&p->chain);
    perf_zstd_free(p->zstd);
    unwinder_free(p->unwinder);
    buf_free(&p->version);
    buf_free(&p->command);
    buf_free(&p->hostname);
    buf_free(&p->osrelease);
    buf_free(&p->arch);
}

bool perf_read(struct perf *p, const struct import_input *in, struct err *err)
{
    struct reader r = {.p = p, .stream = in->stream};
    p->seed = mix_seed();
    if (!in->stream) {
        r.v = in->data;
        r.n = in->n;
    }
    bool ok = (strtab_init(&p->names) || err_nomem(err)) &&
              perf_processes_init(p, err) && perf_stacks_init(p, err) &&
              read_all(&r, in, err);
    buf_free(&r.window);
    return ok;
}
