/* Sorted runs, merged. */
#include <stdlib.h>
#include <string.h>

#include "profile/merge/sample_order.h"
#include "profile/merge/spill.h"

enum { BUFFER = 32 * 1024 }; /* of a run that is read; more for large samples */

/* A run being read; its first sample is at hand. */
struct cursor {
    uint64_t at, end; /* in the file: what is not in the buffer yet */
    struct {
        uint8_t *v;
        size_t from, n, cap;
    } buffer; /* bytes [from, n) are to come */
    struct spill_sample sample;
    size_t run; /* which one it is, by which equal samples are ordered */
};

struct merge {
    const struct scratch *file;
    size_t n_types;
    const struct spill_order *order;
    struct cursor *cursors;
    struct cursor **heap; /* the first sample of all on top */
    size_t n;             /* cursors in the heap */
};

int spill_cmp(const struct spill_order *o, const struct spill_sample *a,
              const struct spill_sample *b)
{
    int c = sample_order_stacks(o->location, a->stack, a->depth, b->stack,
                                b->depth);
    if (c)
        return c;
    uint32_t x = o->labelset[a->labelset], y = o->labelset[b->labelset];
    return (x > y) - (x < y);
}

/* Sees to it that n bytes are in the buffer. */
static bool fill(const struct merge *m, struct cursor *c, size_t n,
                 struct err *err)
{
    size_t have = c->buffer.n - c->buffer.from;
    if (have >= n)
        return true;
    memmove(c->buffer.v, c->buffer.v + c->buffer.from, have);
    c->buffer.from = 0;
    c->buffer.n = have;
    if (!vec_grow((void **)&c->buffer.v, &c->buffer.cap, n, 1))
        return err_nomem(err);
    size_t more = c->buffer.cap - have;
    if (more > c->end - c->at)
        more = (size_t)(c->end - c->at);
    if (!scratch_read(m->file, c->at, c->buffer.v + have, more, err))
        return false;
    c->at += more;
    c->buffer.n += more;
    return true;
}

/* Makes the run's next sample the one at hand; *none: there is no more. */
static bool advance(const struct merge *m, struct cursor *c, bool *none,
                    struct err *err)
{
    uint32_t head[2];
    size_t values = m->n_types * sizeof *c->sample.values;
    *none = c->at == c->end && c->buffer.from == c->buffer.n;
    if (*none)
        return true;
    if (!fill(m, c, sizeof head, err))
        return false;
    memcpy(head, c->buffer.v + c->buffer.from, sizeof head);
    /* Padded to 8 bytes, as it was written. */
    size_t n = sizeof head + values +
               ((size_t)head[0] + head[0] % 2) * sizeof *c->sample.stack;
    if (!fill(m, c, n, err))
        return false;
    const uint8_t *v = c->buffer.v + c->buffer.from + sizeof head;
    c->sample = (struct spill_sample){
        .depth = head[0],
        .labelset = head[1],
        .values = (const int64_t *)(const void *)v,
        .stack = (const uint32_t *)(const void *)(v + values),
    };
    c->buffer.from += n;
    return true;
}

static bool is_before(const struct merge *m, const struct cursor *a,
                      const struct cursor *b)
{
    int c = spill_cmp(m->order, &a->sample, &b->sample);
    return c ? c < 0 : a->run < b->run;
}

/* The cursor at i goes down to where it belongs. */
static void sift(struct merge *m, size_t i)
{
    struct cursor *moving = m->heap[i];
    for (size_t child; (child = 2 * i + 1) < m->n; i = child) {
        if (child + 1 < m->n &&
            is_before(m, m->heap[child + 1], m->heap[child]))
            child++;
        if (!is_before(m, m->heap[child], moving))
            break;
        m->heap[i] = m->heap[child];
    }
    m->heap[i] = moving;
}

/* The cursors of runs that are not empty, as a heap. */
static bool begin(struct merge *m, const struct spill_run *runs, size_t n,
                  struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        struct cursor *c = &m->cursors[i];
        bool none;
        *c = (struct cursor){
            .at = runs[i].at, .end = runs[i].at + runs[i].n_bytes, .run = i};
        if (!vec_grow((void **)&c->buffer.v, &c->buffer.cap, BUFFER, 1))
            return err_nomem(err);
        if (!advance(m, c, &none, err))
            return false;
        if (!none)
            m->heap[m->n++] = c;
    }
    for (size_t i = m->n / 2; i--;)
        sift(m, i);
    return true;
}

static bool pass_all(struct merge *m, spill_fn *fn, void *ctx, struct err *err)
{
    while (m->n) {
        struct cursor *c = m->heap[0];
        bool none;
        if (!fn(ctx, &c->sample, err) || !advance(m, c, &none, err))
            return false;
        if (none)
            m->heap[0] = m->heap[--m->n];
        if (m->n)
            sift(m, 0);
    }
    return true;
}

/* Gives the samples of these runs to fn, in order. */
static bool merge_runs(const struct scratch *file, const struct spill_run *runs,
                       size_t n, size_t n_types, const struct spill_order *o,
                       spill_fn *fn, void *ctx, struct err *err)
{
    struct merge m = {.file = file, .n_types = n_types, .order = o};
    m.cursors = mem_zarray(n, sizeof *m.cursors);
    m.heap = mem_array(n, sizeof(struct cursor *));
    bool ok = m.cursors && m.heap
                  ? begin(&m, runs, n, err) && pass_all(&m, fn, ctx, err)
                  : err_nomem(err);
    for (size_t i = 0; m.cursors && i < n; i++)
        free(m.cursors[i].buffer.v);
    free(m.cursors);
    free(m.heap);
    return ok;
}

/* A file of longer runs in the making. */
struct longer {
    struct scratch file;
    size_t n_types;
};

static bool append(void *ctx, const struct spill_sample *sample,
                   struct err *err)
{
    struct longer *to = ctx;
    return spill_put(&to->file, sample, to->n_types, err);
}

/* Of every `most` runs one is made, in a new file. */
static bool make_longer(struct spill *s, size_t most, size_t n_types,
                        const struct spill_order *o, struct err *err)
{
    struct longer to = {.n_types = n_types};
    size_t n = 0;
    bool ok = scratch_open(&to.file, err);
    for (size_t i = 0, k; ok && i < s->runs.n; i += k) {
        struct spill_run run = {.at = to.file.size};
        k = s->runs.n - i < most ? s->runs.n - i : most;
        ok = merge_runs(&s->sorted, s->runs.v + i, k, n_types, o, append, &to,
                        err) &&
             scratch_flush(&to.file, err);
        run.n_bytes = to.file.size - run.at;
        s->runs.v[n++] = run; /* behind what was read */
    }
    spill_note_size(s, to.file.size);
    scratch_close(&s->sorted);
    s->sorted = to.file;
    s->runs.n = s->n_read = n;
    return ok;
}

bool spill_merge(struct spill *s, size_t n_types, const struct spill_order *o,
                 spill_fn *fn, void *ctx, struct err *err)
{
    size_t most = (size_t)(s->merging / BUFFER);
    if (most < 2)
        most = 2;
    while (s->runs.n > most)
        if (!make_longer(s, most, n_types, o, err))
            return false;
    return merge_runs(&s->sorted, s->runs.v, s->runs.n, n_types, o, fn, ctx,
                      err);
}
