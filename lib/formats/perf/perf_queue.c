/*
 * perf_queue.c - records in order of time
 *
 * perf reads the buffers of all processors one after another and then writes
 * FINISHED_ROUND.  A record that is older than the newest one of the round
 * before cannot come any more.  So at the end of a round all records up to
 * that time are released, sorted by time; records with equal times keep their
 * order.  If there are no rounds, the older half is released when the queue has
 * MAX_BYTES.  perf does the same (tools/perf/util/ordered-events.c).  A record
 * of a mapping or a name is late if newer samples were released before it: they
 * were counted without it.
 */
#include "formats/perf/private.h"

struct perf_queued {
    uint64_t time, offset;
    size_t at; /* in bytes[buffer] */
    uint32_t n;
    bool is_sample;
    bool buffer;
};

enum { MAX_BYTES = 48 * 1024 * 1024 }; /* size at which the queue is full */

void perf_queue_free(struct perf_queue *q)
{
    vec_free(&q->list);
    vec_free(&q->sorted);
    vec_free(&q->items);
    buf_free(&q->bytes[0]);
    buf_free(&q->bytes[1]);
}

/* Sorts the queue by time.  The arrays are kept for the next round, because
 * allocating new ones is slow. */
static bool sort_queue(struct perf_queue *q, struct prof_err *err)
{
    const size_t n = q->list.n;
    size_t in_order = 1;
    while (in_order < n &&
           q->list.v[in_order].time >= q->list.v[in_order - 1].time)
        in_order++;
    if (in_order >= n)
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

/* --- in ------------------------------------------------------------------- */

bool perf_queue_is_full(const struct perf_queue *q)
{
    return q->bytes[0].n + q->bytes[1].n +
               q->list.n * sizeof(struct perf_queued) >=
           MAX_BYTES;
}

bool perf_queue_put(struct perf_queue *q, const struct perf_record *r,
                    uint64_t time, struct prof_err *err)
{
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
    if (time > q->last)
        q->last = time;
    if (time < q->early)
        /* Count late records that affect samples before them in the file. */
        q->late += r->type == PERF_MMAP || r->type == PERF_MMAP2 ||
                   r->type == PERF_COMM || r->type == PERF_FORK ||
                   r->type == PERF_KSYMBOL;
    return true;
}

/* --- out ------------------------------------------------------------------ */

bool perf_queue_release(struct perf_queue *q, uint64_t limit, bool sort,
                        struct prof_err *err)
{
    if ((sort || q->n_others) && !sort_queue(q, err))
        return false;
    q->releases = true;
    q->limit = limit;
    q->at = q->kept = q->n_others = 0;
    return true;
}

bool perf_queue_round(struct perf_queue *q, bool sort, struct prof_err *err)
{
    const uint64_t limit = q->round;
    q->round = q->last;
    return !limit || !q->list.n || perf_queue_release(q, limit, sort, err);
}

bool perf_queue_half(struct perf_queue *q, bool sort, struct prof_err *err)
{
    const size_t n = q->list.n;
    uint64_t first = UINT64_MAX, last = 0;
    size_t older = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t time = q->list.v[i].time;
        first = time < first ? time : first;
        last = time > last ? time : last;
    }
    uint64_t limit = first + (last - first) / 2;
    for (size_t i = 0; i < n; i++)
        older += q->list.v[i].time <= limit;
    /* If few are older than the middle of the time, release half by number. */
    if (older <= n / 4) {
        if (!sort_queue(q, err))
            return false;
        limit = q->list.v[older + (n - older) / 2].time;
    }
    q->early = limit > q->early ? limit : q->early;
    q->compacts = true;
    return perf_queue_release(q, limit, sort, err);
}

/*
 * Empties the buffer of earlier rounds, which the next round uses.  Moves the
 * few records that are left in it to the buffer of the present round.
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

int perf_queue_take(struct perf_queue *q, bool big, struct perf_record *r,
                    struct prof_err *err)
{
    if (!q->releases)
        return 0;
    while (q->at < q->list.n) {
        const struct perf_queued *e = &q->list.v[q->at++];
        if (e->time <= q->limit) {
            perf_record_at(r, q->bytes[e->buffer].v + e->at, big);
            r->offset = e->offset;
            return 1;
        }
        q->n_others += !e->is_sample;
        q->list.v[q->kept++] = *e;
    }
    q->list.n = q->kept;
    q->releases = false;
    if (!turn(q, err) || (q->compacts && !turn(q, err)))
        return -1;
    q->compacts = false;
    return 0;
}
