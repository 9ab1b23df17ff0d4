/* spill.c - samples on disk: written in runs, read, and merged in order */
#include <stdlib.h>
#include <string.h>

#include "profile/merge/private.h"
#include "profile/merge/sample_order.h"

enum { BUFFER = 32 * 1024 }; /* of a run that is read; more for large samples */

void spill_free(struct spill *s)
{
    tempfile_close(&s->raw);
    tempfile_close(&s->sorted);
    vec_free(&s->runs);
}

void spill_note_size(struct spill *s, uint64_t beside)
{
    uint64_t size = s->raw.size + s->sorted.size + beside;
    if (size > s->most)
        s->most = size;
}

static bool is_open(const struct tempfile *f)
{
    return f->fd > 0;
}

bool spill_write(struct spill *s, const struct profile *p, struct err *err)
{
    struct spill_run run = {.n_samples = p->n_samples,
                            .n_frames = p->n_frames,
                            .n_types = p->n_types};
    size_t n = p->n_samples;
    if (!is_open(&s->raw) && !tempfile_open(&s->raw, err))
        return false;
    run.at = s->raw.size;
    if (!vec_push(&s->runs, run))
        return err_nomem(err);
    bool ok =
        tempfile_put(&s->raw, p->frame_off, (n + 1) * sizeof *p->frame_off,
                     err) &&
        tempfile_put(&s->raw, p->labelset, n * sizeof *p->labelset, err) &&
        tempfile_put(&s->raw, p->values, n * p->n_types * sizeof *p->values,
                     err) &&
        tempfile_put(&s->raw, p->frames, p->n_frames * sizeof *p->frames,
                     err) &&
        tempfile_flush(&s->raw, err);
    uint64_t size = s->raw.size - run.at;
    if (size > s->merging)
        s->merging = size;
    spill_note_size(s, 0);
    return ok;
}

static bool read_run(const struct tempfile *f, const struct spill_run *run,
                     struct profile *p, struct err *err)
{
    struct prof_counts counts = {.samples = run->n_samples,
                                 .frames = run->n_frames};
    size_t n = run->n_samples, n_values = n * run->n_types;
    uint64_t at = run->at;
    if (!prof_reserve(p, &counts, err) ||
        !tempfile_read(f, at, p->frame_off, (n + 1) * sizeof *p->frame_off,
                       err))
        return false;
    at += (n + 1) * sizeof *p->frame_off;
    if (!tempfile_read(f, at, p->labelset, n * sizeof *p->labelset, err))
        return false;
    at += n * sizeof *p->labelset;
    if (!tempfile_read(f, at, p->values, n_values * sizeof *p->values, err))
        return false;
    at += n_values * sizeof *p->values;
    if (!tempfile_read(f, at, p->frames, run->n_frames * sizeof *p->frames,
                       err))
        return false;
    prof_widen(p->values, n, run->n_types, p->n_types);
    p->n_samples = n;
    p->n_frames = run->n_frames;
    return true;
}

bool spill_read(struct spill *s, struct profile *p, struct err *err)
{
    struct spill_run *run = &s->runs.v[s->n_read];
    if (!is_open(&s->sorted) && !tempfile_open(&s->sorted, err))
        return false;
    if (!read_run(&s->raw, run, p, err))
        return false;
    if (++s->n_read == s->runs.n)
        tempfile_close(&s->raw);
    run->at = s->sorted.size;
    run->n_types = p->n_types;
    return true;
}

bool spill_put(struct tempfile *f, const struct spill_sample *sample,
               size_t n_types, struct err *err)
{
    const uint32_t head[] = {sample->depth, sample->labelset}, none = 0;
    size_t odd = sample->depth % 2; /* every sample begins at 8 bytes */
    return tempfile_put(f, head, sizeof head, err) &&
           tempfile_put(f, sample->values, n_types * sizeof *sample->values,
                        err) &&
           tempfile_put(f, sample->stack, sample->depth * sizeof *sample->stack,
                        err) &&
           tempfile_put(f, &none, odd * sizeof none, err);
}

bool spill_end_run(struct spill *s, struct err *err)
{
    struct spill_run *run = &s->runs.v[s->n_read - 1];
    spill_note_size(s, 0);
    run->n_bytes = s->sorted.size - run->at;
    return tempfile_flush(&s->sorted, err);
}

/* --- merging sorted runs -------------------------------------------------- */

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
    const struct tempfile *file;
    const struct spill_order *order;
    const struct spill_run *runs;
    size_t n_runs;
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
    if (!tempfile_read(m->file, c->at, c->buffer.v + have, more, err))
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
    size_t values = m->order->n_types * sizeof *c->sample.values;
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
static bool begin(struct merge *m, struct err *err)
{
    for (size_t i = 0; i < m->n_runs; i++) {
        struct cursor *c = &m->cursors[i];
        bool none;
        *c = (struct cursor){.at = m->runs[i].at,
                             .end = m->runs[i].at + m->runs[i].n_bytes,
                             .run = i};
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
static bool merge_runs(const struct spill *s, struct merge m, spill_fn *fn,
                       void *ctx, struct err *err)
{
    m.file = &s->sorted;
    m.cursors = mem_zarray(m.n_runs, sizeof *m.cursors);
    m.heap = mem_array(m.n_runs, sizeof(struct cursor *));
    bool ok = m.cursors && m.heap ? begin(&m, err) && pass_all(&m, fn, ctx, err)
                                  : err_nomem(err);
    for (size_t i = 0; m.cursors && i < m.n_runs; i++)
        free(m.cursors[i].buffer.v);
    free(m.cursors);
    free(m.heap);
    return ok;
}

/* A file of longer runs in the making. */
struct longer {
    struct tempfile file;
    size_t n_types;
};

static bool append(void *ctx, const struct spill_sample *sample,
                   struct err *err)
{
    struct longer *to = ctx;
    return spill_put(&to->file, sample, to->n_types, err);
}

/* Of every `most` runs one is made, in a new file. */
static bool make_longer(struct spill *s, size_t most,
                        const struct spill_order *o, struct err *err)
{
    struct longer to = {.n_types = o->n_types};
    size_t n = 0;
    bool ok = tempfile_open(&to.file, err);
    for (size_t i = 0, k; ok && i < s->runs.n; i += k) {
        struct spill_run run = {.at = to.file.size};
        k = s->runs.n - i < most ? s->runs.n - i : most;
        struct merge m = {.order = o, .runs = s->runs.v + i, .n_runs = k};
        ok =
            merge_runs(s, m, append, &to, err) && tempfile_flush(&to.file, err);
        run.n_bytes = to.file.size - run.at;
        s->runs.v[n++] = run; /* behind what was read */
    }
    spill_note_size(s, to.file.size);
    tempfile_close(&s->sorted);
    s->sorted = to.file;
    s->runs.n = s->n_read = n;
    return ok;
}

bool spill_merge(struct spill *s, const struct spill_order *o, spill_fn *fn,
                 void *ctx, struct err *err)
{
    size_t most = (size_t)(s->merging / BUFFER);
    if (most < 2)
        most = 2;
    while (s->runs.n > most)
        if (!make_longer(s, most, o, err))
            return false;
    struct merge m = {.order = o, .runs = s->runs.v, .n_runs = s->runs.n};
    return merge_runs(s, m, fn, ctx, err);
}
