/*
 * perf_queue.c - records in order of time
 *
 * perf reads the buffers of all processors one after another and then writes
 * FINISHED_ROUND.  A record that is older than the newest one of the round
 * before cannot come any more.  So at the end of a round all records up to
 * that time are delivered, in order of time; of equal times, in the order of
 * the file.  This is what perf does (tools/perf/util/ordered-events.c); and
 * where rounds are missing, it too delivers the older half when the queue has
 * reached a size.  A record of a mapping or a name that comes after that is
 * late: samples were counted without it.
 */
#include "formats/perf/private.h"

struct perf_queued {
    uint64_t time, offset;
    size_t at; /* in bytes[buffer] */
    uint32_t n;
    bool is_sample;
    bool buffer;
};

enum { MAX_BYTES = 48 * 1024 * 1024 }; /* of the queue */

void perf_queue_free(struct perf_queue *q)
{
    vec_free(&q->list);
    vec_free(&q->sorted);
    vec_free(&q->items);
    buf_free(&q->bytes[0]);
    buf_free(&q->bytes[1]);
}

static bool is_sorted(const struct perf_queue *q)
{
    for (size_t i = 1; i < q->list.n; i++)
        if (q->list.v[i].time < q->list.v[i - 1].time)
            return false;
    return true;
}

/* Keeps its arrays for the next round: memory new from the system is slow. */
static bool sort_queue(struct perf_queue *q, struct prof_err *err)
{
    size_t n = q->list.n;
    if (is_sorted(q))
        return true;
    q->items.n = q->sorted.n = 0;
    if (!vec_reserve(&q->items, 2 * n) || !vec_reserve(&q->sorted, n))
        return err_nomem(err);
    struct radix_item *items = q->items.v;
    for (size_t i = 0; i < n; i++)
        items[i] = (struct radix_item){q->list.v[i].time, (uint32_t)i, 0};
    radix_sort(items, items + n, n);
    for (size_t i = 0; i < n; i++)
        q->sorted.v[i] = q->list.v[items[i].id];
    memcpy(q->list.v, q->sorted.v, n * sizeof *q->list.v);
    return true;
}

static bool deliver(struct perf *p, const struct perf_queued *e,
                    struct prof_err *err)
{
    struct perf_record r;
    perf_record_at(&r, p->queue.bytes[e->buffer].v + e->at, p->big);
    r.offset = e->offset;
    return perf_deliver(p, &r, err);
}

/*
 * Empties the buffer of the rounds before the present one, for the next round.
 * Few of their records are left: they join those of the present round.
 */
static bool turn(struct perf_queue *q, struct prof_err *err)
{
    struct buf *from = &q->bytes[!q->present], *to = &q->bytes[q->present];
    for (size_t i = 0; from->n && i < q->list.n; i++) {
        struct perf_queued *e = &q->list.v[i];
        if (e->buffer == q->present)
            continue;
        size_t at = to->n;
        if (!buf_put(to, from->v + e->at, e->n))
            return err_nomem(err);
        e->at = at;
        e->buffer = q->present;
    }
    from->n = 0;
    q->present = !q->present;
    return true;
}

/*
 * Whether the order of the records matters.  Samples are independent of each
 * other, except for counters, from which the previous value is subtracted.
 */
static bool order_matters(const struct perf *p)
{
    bool matters = p->queue.n_others > 0;
    for (size_t i = 0; i < p->events.list.n; i++)
        matters |= (p->events.list.v[i].sample_type & PERF_HAS_READ) != 0;
    return matters;
}

/* Delivers the records up to a time, sorted if their order matters. */
static bool deliver_to(struct perf *p, uint64_t limit, struct prof_err *err)
{
    struct perf_queue *q = &p->queue;
    size_t n = 0;
    if (order_matters(p) && !sort_queue(q, err))
        return false;
    q->n_others = 0;
    for (size_t i = 0; i < q->list.n; i++) {
        const struct perf_queued *e = &q->list.v[i];
        if (e->time <= limit) {
            if (!deliver(p, e, err))
                return false;
            continue;
        }
        q->n_others += !e->is_sample;
        q->list.v[n++] = *e;
    }
    q->list.n = n;
    return turn(q, err);
}

/* The time in the middle of the first and the last. */
static uint64_t find_middle(const struct perf_queue *q)
{
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < q->list.n; i++) {
        uint64_t time = q->list.v[i].time;
        first = time < first ? time : first;
        last = time > last ? time : last;
    }
    return first + (last - first) / 2;
}

static bool deliver_early(struct perf *p, uint64_t limit, struct prof_err *err)
{
    struct perf_queue *q = &p->queue;
    q->early = limit > q->early ? limit : q->early;
    return deliver_to(p, limit, err);
}

/* The older half by time; if most records are newer, half of all. */
static bool deliver_half(struct perf *p, struct prof_err *err)
{
    struct perf_queue *q = &p->queue;
    size_t n = q->list.n;
    if (!deliver_early(p, find_middle(q), err))
        return false;
    if (q->list.n >= n - n / 4 &&
        (!sort_queue(q, err) ||
         !deliver_early(p, q->list.v[q->list.n / 2].time, err)))
        return false;
    return turn(q, err); /* both buffers have records that were delivered */
}

/* Whether samples that follow are counted in another way. */
static bool is_needed_first(uint32_t type)
{
    return type == PERF_MMAP || type == PERF_MMAP2 || type == PERF_COMM ||
           type == PERF_FORK || type == PERF_KSYMBOL;
}

bool perf_queue_put(struct perf *p, const struct perf_record *r, uint64_t time,
                    struct prof_err *err)
{
    struct perf_queue *q = &p->queue;
    if (q->bytes[0].n + q->bytes[1].n +
                q->list.n * sizeof(struct perf_queued) >=
            MAX_BYTES &&
        !deliver_half(p, err))
        return false;
    struct buf *bytes = &q->bytes[q->present];
    const struct perf_queued e = {.time = time,
                                  .offset = r->offset,
                                  .at = bytes->n,
                                  .n = (uint32_t)r->n,
                                  .is_sample = r->type == PERF_SAMPLE,
                                  .buffer = q->present};
    if (!buf_put(bytes, r->v, r->n) || !vec_push(&q->list, e))
        return err_nomem(err);
    q->n_others += !e.is_sample;
    p->counts.late += time < q->early && is_needed_first(r->type);
    if (time > q->last)
        q->last = time;
    return true;
}

bool perf_queue_round(struct perf *p, struct prof_err *err)
{
    struct perf_queue *q = &p->queue;
    uint64_t limit = q->limit;
    q->limit = q->last;
    return !limit || !q->list.n || deliver_to(p, limit, err);
}

bool perf_queue_end(struct perf *p, struct prof_err *err)
{
    return deliver_to(p, UINT64_MAX, err);
}
