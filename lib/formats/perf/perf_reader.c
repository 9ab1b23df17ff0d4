/* perf_reader.c - reads the bytes and the records of a recording */
#include <inttypes.h>

#include "formats/perf/private.h"

enum { STEP = 256 * 1024 };

bool perf_begins(const uint8_t *data, size_t n)
{
    return n >= 8 && (memcmp(data, "PERFILE2", 8) == 0 ||
                      memcmp(data, "2ELIFREP", 8) == 0);
}

/* --- bytes ---------------------------------------------------------------- */

bool perf_read_more(struct perf_bytes *b, size_t need, struct prof_err *err)
{
    struct buf *w = &b->window;
    if (!b->stream || b->ended)
        return true;
    w->n = b->n - b->at;
    if (w->n) /* v is null before the first read */
        memmove(w->v, w->v + b->at, w->n);
    b->at = 0;
    while (w->n < need && !b->ended) {
        /* `need` may come from the file: allocate only for bytes read. */
        if (!buf_reserve(w, STEP))
            return err_nomem(err);
        ptrdiff_t k =
            b->stream->read(b->stream, w->v + w->n, w->cap - w->n, err);
        if (k < 0)
            return false;
        b->ended = k == 0;
        w->n += (size_t)k;
    }
    b->v = w->v;
    b->n = w->n;
    return true;
}

bool perf_need(struct perf_bytes *b, uint64_t n, const char *what,
               struct prof_err *err)
{
    if (n > SIZE_MAX / 2)
        return err_input(err, "invalid size of %s", what);
    if (!perf_fill(b, (size_t)n, err))
        return false;
    return perf_available(b) >= n ||
           err_input(err, "offset %" PRIu64 ": unexpected end of file in %s",
                     b->offset + perf_available(b), what);
}

void perf_set_cut(struct perf_reader *r, uint64_t offset, size_t part)
{
    if (r->cut)
        return;
    r->cut = true;
    r->cut_at = offset;
    r->cut_part = part;
}

bool perf_refuse_joined(uint64_t offset, struct prof_err *err)
{
    return err_input(err,
                     "offset %" PRIu64
                     ": another recording follows: several files joined by "
                     "cat? Convert them as separate files",
                     offset);
}

/* --- records as they were written ----------------------------------------- */

/* Sets *record to the next record.  Returns 1, or 0 if there is no complete
 * record left, or -1 on failure. */
static int take_record(struct perf_reader *r, struct perf_source *s,
                       struct perf_record *record, struct prof_err *err)
{
    struct perf_bytes *b = &s->bytes;
    const uint64_t left = s->end - b->offset;
    if (!left)
        return 0;
    if (!perf_fill(b, PERF_HEADER_BYTES, err))
        return -1;
    if (left < PERF_HEADER_BYTES || perf_available(b) < PERF_HEADER_BYTES) {
        if (s->end != UINT64_MAX || perf_available(b))
            perf_set_cut(r, b->offset, s->part);
        return 0;
    }
    perf_record_at(record, b->v + b->at, r->about->big);
    const size_t n = record->n;
    if (n >= PERF_HEADER_BYTES && record->type >= PERF_TYPES &&
        perf_begins(b->v + b->at, perf_available(b))) {
        (void)perf_refuse_joined(b->offset, err);
        return -1;
    }
    if (n >= PERF_HEADER_BYTES && !perf_fill(b, n, err))
        return -1;
    /* A size below a header's: damaged, or space that was never written. */
    if (n < PERF_HEADER_BYTES || left < n || perf_available(b) < n) {
        perf_set_cut(r, b->offset, s->part);
        return 0;
    }
    record->v = b->v + b->at; /* reading may have moved the bytes */
    record->offset = b->offset;
    s->taken = n;
    struct perf_fields f = perf_fields_of(record, r->about->big);
    s->payload = 0;
    if (record->type == PERF_AUXTRACE)
        s->payload = perf_u64(&f);
    if (record->type == PERF_TRACING_DATA && r->pipe)
        s->payload = ((uint64_t)perf_u32(&f) + 7) & ~(uint64_t)7;
    return 1;
}

/* Skips the current record and its payload, at most to the end of the file. */
static bool leave_record(struct perf_reader *r, struct perf_source *s,
                         struct prof_err *err)
{
    struct perf_bytes *b = &s->bytes;
    const uint64_t from = b->offset;
    perf_consume(b, s->taken);
    s->taken = 0;
    if (s->payload > s->end - b->offset)
        s->payload = s->end - b->offset;
    while (s->payload) {
        size_t step = s->payload < STEP ? (size_t)s->payload : STEP;
        if (!perf_fill(b, step, err))
            return false;
        if (perf_available(b) < step) {
            perf_set_cut(r, b->offset, s->part);
            step = perf_available(b);
            s->payload = step;
        }
        perf_consume(b, step);
        s->payload -= step;
    }
    return !s->part || perf_choose_part(r, b->offset - from, err);
}

/* Ends the file s, and sets r->source to the file that is read next. */
static bool end_source(struct perf_reader *r, struct perf_source *s,
                       struct prof_err *err)
{
    s->done = true;
    if (!s->part && !perf_end_file(r, err))
        return false;
    perf_zstd_end(r, s);
    /* The data of a recording may be in other files of its directory. */
    if (!s->part && r->in->directory &&
        !perf_open_parts(r, r->in->directory, err))
        return false;
    if (!s->part && !r->in->directory && r->about->in_parts)
        return err_input(
            err, "the samples are not in this file: perf record --threads "
                 "wrote them to data.0, data.1, ...; convert their directory");
    if (!perf_choose_part(r, 0, err))
        return false;
    if (r->source)
        return true;
    /*
     * With PERF_FORMAT_LOST, perf writes LOST_SAMPLES at the end, for all
     * samples that each event lost, whether or not a LOST record reported them.
     */
    struct perf_missing *m = &r->missing;
    if (r->about->events.formats & PERF_FORMAT_LOST)
        m->lost_events -= m->lost < m->lost_events ? m->lost : m->lost_events;
    return perf_name_events(r->about, err) &&
           perf_queue_release(&r->queue, UINT64_MAX,
                              perf_order_matters(r->about), err);
}

/* --- what is done with them ----------------------------------------------- */

static void count_lost(struct perf_reader *r, const struct perf_record *record)
{
    struct perf_fields f = perf_fields_of(record, r->about->big);
    uint64_t *sum =
        record->type == PERF_LOST ? &r->missing.lost_events : &r->missing.lost;
    if (record->type == PERF_LOST)
        (void)perf_u64(&f); /* id */
    else if (record->misc & PERF_MISC_LOST_BY_BPF)
        return;
    const uint64_t n = perf_u64(&f);
    *sum = n > UINT64_MAX - *sum ? UINT64_MAX : *sum + n;
}

/* Handles a record that perf itself wrote, at once: these are not sorted by
 * time. */
static bool handle_user(struct perf_reader *r, const struct perf_record *record,
                        struct prof_err *err)
{
    struct perf_about *a = r->about;
    struct perf_fields f = perf_fields_of(record, a->big);
    switch (record->type) {
    case PERF_HEADER_ATTR:
        return perf_read_attr_record(a, record, err);
    case PERF_EVENT_TYPE:
        return perf_read_event_type(a, f, err);
    case PERF_HEADER_BUILD_ID:
        return perf_read_build_id(a, record, err);
    case PERF_FINISHED_ROUND:
        return perf_queue_round(&r->queue, perf_order_matters(a), err);
    case PERF_EVENT_UPDATE:
        return perf_read_event_update(a, record, err);
    case PERF_HEADER_FEATURE: {
        uint64_t feature = perf_u64(&f);
        return f.bad || feature >= PERF_FEATURES ||
               perf_read_feature(a, (uint32_t)feature, f, err);
    }
    case PERF_COMPRESSED:
    case PERF_COMPRESSED2:
        return perf_zstd_begin(r->source, record, a->big, err);
    case PERF_FINISHED_INIT:
    case PERF_ID_INDEX:
        return true;
    default:
        r->missing.skipped[record->type < PERF_TYPES ? record->type : 0]++;
        return true;
    }
}

/* Returns 1 if perf_next() is to return the record, 0 if it was used or queued,
 * or -1 on failure. */
static int handle(struct perf_reader *r, const struct perf_record *record,
                  struct prof_err *err)
{
    switch (record->type) {
    case PERF_LOST:
    case PERF_LOST_SAMPLES:
        count_lost(r, record);
        return 0;
    case PERF_THROTTLE:
        r->missing.throttled++;
        return 0;
    case PERF_EXIT:
        if (r->switches)
            break;
        return 0;
    case PERF_SWITCH:
    case PERF_SWITCH_CPU_WIDE:
        if (r->switches)
            break;
        r->missing.skipped[record->type]++;
        return 0;
    case PERF_MMAP:
    case PERF_MMAP2:
    case PERF_COMM:
    case PERF_FORK:
    case PERF_SAMPLE:
    case PERF_KSYMBOL:
    case PERF_CGROUP:
    case PERF_CALLCHAIN_DEFERRED:
        break;
    default:
        if (record->type >= PERF_FIRST_USER_TYPE)
            return handle_user(r, record, err) ? 0 : -1;
        r->missing.skipped[record->type]++;
        return 0;
    }
    const uint64_t time = r->ordered ? perf_record_time(r->about, record) : 0;
    if (!time || time == PERF_NO_TIME)
        return 1;
    if (time > r->source->latest)
        r->source->latest = time;
    if (!perf_queue_is_full(&r->queue))
        return perf_queue_put(&r->queue, record, time, err) ? 0 : -1;
    r->held = *record;
    r->held_time = time;
    return perf_queue_half(&r->queue, perf_order_matters(r->about), err) ? 0
                                                                         : -1;
}

int perf_next(struct perf_reader *r, struct perf_record *record,
              struct prof_err *err)
{
    for (;;) {
        int k;
        /* First take the records that the queue has released. */
        if (r->queue.releases &&
            (k = perf_queue_take(&r->queue, r->about->big, record, err)) != 0)
            return k;
        if (r->held.n) {
            if (!perf_queue_put(&r->queue, &r->held, r->held_time, err))
                return -1;
            r->held.n = 0;
        }
        /* Then take the next one of a compressed record, or of the file. */
        struct perf_source *s = r->source;
        if (!s)
            return 0;
        if (s->zstd && (k = perf_zstd_next(r, s, record, err)) != 0)
            k = k > 0 ? handle(r, record, err) : -1;
        else if (s->taken && !leave_record(r, s, err))
            k = -1;
        else if (r->source != s || r->queue.releases)
            k = 0; /* another part of a directory is next */
        else if ((k = take_record(r, s, record, err)) > 0)
            k = handle(r, record, err);
        else if (!k)
            k = end_source(r, s, err) ? 0 : -1;
        if (k < 0 && s->part)
            (void)err_prefix(err, "data.%zu: ", s->part - 1);
        if (k)
            return k;
    }
}

void perf_close(struct perf_reader *r)
{
    perf_close_parts(r);
    perf_zstd_free(r->main.zstd);
    buf_free(&r->main.bytes.window);
    buf_free(&r->file.tail.window);
    perf_queue_free(&r->queue);
}
