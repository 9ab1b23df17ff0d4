/* perf_reader.c - the bytes of a recording, and one record after another */
#include "formats/perf/private.h"

enum { STEP = 256 * 1024 };

bool perf_begins(const uint8_t *data, size_t n)
{
    return n >= 8 && (memcmp(data, "PERFILE2", 8) == 0 ||
                      memcmp(data, "2ELIFREP", 8) == 0);
}

/* --- bytes ---------------------------------------------------------------- */

bool perf_read_more(struct perf_reader *r, size_t need, struct prof_err *err)
{
    struct buf *w = &r->window;
    if (!r->stream || r->ended)
        return true;
    w->n = r->n - r->at;
    if (w->n) /* v is null before the first read */
        memmove(w->v, w->v + r->at, w->n);
    r->at = 0;
    while (w->n < need && !r->ended) {
        /* `need` may be a number from the file: allocate for what comes. */
        if (!buf_reserve(w, STEP))
            return err_nomem(err);
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

/* The data ends inside a record, or inside what belongs to it. */
static void set_cut(struct perf_reader *r, uint64_t offset)
{
    if (r->p->cut)
        return;
    r->p->cut = true;
    r->p->cut_at = offset;
    r->p->cut_part = r->part;
}

/* Up to n bytes; fewer if the file ends. */
static bool skip(struct perf_reader *r, uint64_t n, struct prof_err *err)
{
    while (n) {
        size_t step = n < STEP ? (size_t)n : STEP;
        if (!perf_fill(r, step, err))
            return false;
        if (perf_available(r) < step) {
            set_cut(r, r->offset);
            step = perf_available(r);
            n = step;
        }
        perf_consume(r, step);
        n -= step;
    }
    return true;
}

bool perf_need(struct perf_reader *r, uint64_t n, const char *what,
               struct prof_err *err)
{
    if (n > SIZE_MAX / 2 || !perf_fill(r, (size_t)n, err))
        return n > SIZE_MAX / 2
                   ? err_set(err, PROF_ERR_INPUT, "invalid size of %s", what)
                   : false;
    return perf_available(r) >= n ||
           err_set(err, PROF_ERR_INPUT,
                   "offset %llu: unexpected end of file in %s",
                   (unsigned long long)(r->offset + perf_available(r)), what);
}

/* --- records -------------------------------------------------------------- */

/* Whether records of this type are of use; others are counted as skipped. */
static bool is_used(uint32_t type)
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
bool perf_name_type(struct perf *p, struct perf_fields f, struct prof_err *err)
{
    uint64_t config = perf_u64(&f);
    f.end = perf_left(&f) > PERF_EVENT_TYPE_NAME ? f.at + PERF_EVENT_TYPE_NAME
                                                 : f.end;
    struct prof_slice name = perf_string(&f);
    for (uint32_t i = 0; i < p->events.list.n; i++) {
        struct perf_event *e = &p->events.list.v[i];
        if (e->config == config && !e->name &&
            !perf_name_event(p, i, name, err))
            return false;
    }
    return true;
}

static bool handle(struct perf *p, const struct perf_record *r,
                   struct prof_err *err);

/* A record that perf made, not the kernel: it takes effect at once. */
static bool handle_user(struct perf *p, const struct perf_record *r,
                        struct prof_err *err)
{
    struct perf_fields f = perf_fields_of(r, p->big);
    switch (r->type) {
    case PERF_HEADER_ATTR:
        return perf_read_attr_record(p, r, err);
    case PERF_EVENT_TYPE:
        return perf_name_type(p, f, err);
    case PERF_HEADER_BUILD_ID:
        return perf_read_build_id(p, r, err);
    case PERF_FINISHED_ROUND:
        return perf_queue_round(p, err);
    case PERF_EVENT_UPDATE:
        return perf_read_event_update(p, r, err);
    case PERF_HEADER_FEATURE: {
        uint64_t feature = perf_u64(&f);
        return f.bad || feature >= PERF_FEATURES ||
               perf_read_feature(p, (uint32_t)feature, f, err);
    }
    case PERF_COMPRESSED:
    case PERF_COMPRESSED2:
        return perf_decompress(p, r, handle, err);
    default:
        p->counts.skipped[r->type < PERF_TYPES ? r->type : 0] +=
            !is_used(r->type);
        return true;
    }
}

static bool handle(struct perf *p, const struct perf_record *r,
                   struct prof_err *err)
{
    if (r->type >= PERF_FIRST_USER_TYPE)
        return handle_user(p, r, err);
    if (!is_used(r->type)) {
        p->counts.skipped[r->type]++;
        return true;
    }
    uint64_t time = p->ordered ? perf_record_time(p, r) : 0;
    if (!time || time == PERF_NO_TIME)
        return perf_deliver(p, r, err);
    p->latest = time > p->latest ? time : p->latest;
    return perf_queue_put(p, r, time, err);
}

/* Bytes that follow a record and are not part of it. */
static uint64_t payload(const struct perf *p, const struct perf_record *r)
{
    if (r->type < PERF_FIRST_USER_TYPE)
        return 0;
    struct perf_fields f = perf_fields_of(r, p->big);
    if (r->type == PERF_AUXTRACE)
        return perf_u64(&f);
    if (r->type == PERF_TRACING_DATA && p->pipe)
        return ((uint64_t)perf_u32(&f) + 7) & ~(uint64_t)7;
    return 0;
}

bool perf_refuse_joined(uint64_t offset, struct prof_err *err)
{
    return err_set(err, PROF_ERR_INPUT,
                   "offset %llu: another recording follows: several files "
                   "joined by cat? Convert them as separate files",
                   (unsigned long long)offset);
}

/* Sets *got if there is a next record that ends inside the data. */
static bool next_record(struct perf_reader *r, uint64_t end,
                        struct perf_record *record, bool *got,
                        struct prof_err *err)
{
    uint64_t left = end - r->offset;
    *got = false;
    if (!left || !perf_fill(r, PERF_HEADER_BYTES, err))
        return !left;
    if (left < PERF_HEADER_BYTES || perf_available(r) < PERF_HEADER_BYTES) {
        if (end != UINT64_MAX || perf_available(r))
            set_cut(r, r->offset);
        return true;
    }
    perf_record_at(record, r->v + r->at, r->p->big);
    size_t n = record->n;
    if (n < PERF_HEADER_BYTES) {
        set_cut(r, r->offset); /* damaged, or space that was not written to */
        return true;
    }
    if (record->type >= PERF_TYPES &&
        perf_begins(r->v + r->at, perf_available(r)))
        return perf_refuse_joined(r->offset, err);
    if (!perf_fill(r, n, err))
        return false;
    if (left < n || perf_available(r) < n) {
        set_cut(r, r->offset);
        return true;
    }
    record->v = r->v + r->at; /* which may have moved */
    record->offset = r->offset;
    *got = true;
    return true;
}

bool perf_read_record(struct perf_reader *r, uint64_t end, bool *got,
                      struct prof_err *err)
{
    struct perf_record record;
    if (!next_record(r, end, &record, got, err))
        return false;
    if (!*got)
        return true;
    uint64_t after = payload(r->p, &record);
    if (!handle(r->p, &record, err))
        return false;
    perf_consume(r, record.n);
    if (after > end - r->offset)
        after = end - r->offset;
    return !after || skip(r, after, err);
}

bool perf_read_records(struct perf_reader *r, uint64_t end,
                       struct prof_err *err)
{
    for (bool got = true; got;)
        if (!perf_read_record(r, end, &got, err))
            return false;
    return true;
}
