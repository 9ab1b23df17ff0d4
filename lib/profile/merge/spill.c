/* spill.c - samples on disk: an external merge sort
 *
 *   1. spill_write() writes all samples of the sum as one more run: their
 *      columns, unsorted.  Frames and label sets are indices in the sum, and
 *      its entities stay in memory.
 *   2. After the last input the ranks of entities are known.  Each run is read
 *      into the sum's columns, sorted, and written to another file.
 *   3. The sorted runs are merged.  Equal samples follow each other and are
 *      summed; the sums go to a file for each column of the result, which is
 *      mapped and never read as a whole (struct prof_store).
 *
 * A sum that exceeds 63 bits is written as several samples.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "profile/columns.h"
#include "profile/merge/private.h"

/* Size in bytes of the buffer of a run; it grows for larger samples. */
enum { BUFFER_LEAST = 4 * 1024, BUFFER_MAX = 32 * 1024 };

/* --- runs ----------------------------------------------------------------- */

void spill_free(struct spill *s)
{
    tempfile_close(&s->raw);
    tempfile_close(&s->sorted);
    vec_free(&s->runs);
}

static void note_size(struct spill *s, uint64_t beside)
{
    uint64_t size = s->raw.size + s->sorted.size + beside;
    if (size > s->most)
        s->most = size;
}

static bool is_open(const struct tempfile *f)
{
    return f->fd > 0;
}

bool spill_write(struct spill *s, const struct profile *p, struct prof_err *err)
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
    note_size(s, 0);
    return ok;
}

static bool read_run(const struct tempfile *f, const struct spill_run *run,
                     struct profile *p, struct prof_err *err)
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
    prof_add_value_columns(p->values, n, run->n_types, p->n_types);
    p->n_samples = n;
    p->n_frames = run->n_frames;
    return true;
}

/* A sample of a run. */
struct spill_sample {
    uint32_t depth, labelset;
    const uint32_t *stack; /* leaf first */
    const int64_t *values; /* one for each type of the sum */
};

/* --- the columns of the result -------------------------------------------- */

enum { FRAME_OFF, FRAMES, VALUES, LABELSET, COLUMNS };

/* The columns of the samples of a result: files, and their mapped memory. */
struct columns {
    struct prof_store store; /* must be first: it is cast to struct columns */
    struct tempfile file[COLUMNS];
    const void *mapped[COLUMNS];
};

static void columns_forget(struct prof_store *store)
{
    const struct columns *v = (struct columns *)store;
    for (int i = 0; i < COLUMNS; i++)
        tempfile_forget(&v->file[i], v->mapped[i]);
}

static void columns_free(struct prof_store *store)
{
    struct columns *v = (struct columns *)store;
    for (int i = 0; i < COLUMNS; i++) {
        tempfile_unmap(&v->file[i], v->mapped[i]);
        tempfile_close(&v->file[i]);
    }
    free(v);
}

static struct columns *columns_new(struct prof_err *err)
{
    struct columns *v = calloc(1, sizeof *v);
    bool ok = v ? true : err_nomem(err);
    if (ok)
        v->store = (struct prof_store){columns_forget, columns_free};
    for (int i = 0; ok && i < COLUMNS; i++)
        ok = tempfile_open(&v->file[i], err);
    if (ok)
        return v;
    if (v)
        columns_free(&v->store);
    return NULL;
}

/* Maps the files as the columns of *p, which must not have samples. */
static bool give_columns(struct columns *v, struct profile *p,
                         struct prof_err *err)
{
    for (int i = 0; i < COLUMNS; i++) {
        v->mapped[i] = tempfile_map(&v->file[i], err);
        if (!v->mapped[i] && v->file[i].size)
            return false;
    }
    prof_set_store(p, &v->store,
                   (size_t)(v->file[LABELSET].size / sizeof *p->labelset),
                   (size_t)(v->file[FRAMES].size / sizeof *p->frames));
    p->frame_off = (uint64_t *)v->mapped[FRAME_OFF];
    p->frames = (uint32_t *)v->mapped[FRAMES];
    p->values = (int64_t *)v->mapped[VALUES];
    p->labelset = (uint32_t *)v->mapped[LABELSET];
    return true;
}

/* How to compare samples on disk. */
struct spill_order {
    const uint32_t *location, *labelset; /* ranks, by index in the sum */
    size_t n_types;                      /* number of values of each sample */
};

/*
 * Returns a negative, zero or positive number if a is less than, equal to or
 * greater than b.
 */
static int compare(const struct spill_order *o, const struct spill_sample *a,
                   const struct spill_sample *b)
{
    int c = sample_order_stacks(o->location, a->stack, a->depth, b->stack,
                                b->depth);
    if (c)
        return c;
    uint32_t x = o->labelset[a->labelset], y = o->labelset[b->labelset];
    return ORDER(x, y);
}

/* Collects the samples of the result, which arrive in order. */
struct gathering {
    struct canon *c;
    struct spill_order order;
    struct columns *to;
    uint32_t *set; /* number of each label set; PROF_NONE: not used so far */
    bool any;      /* whether `now` holds a sample */
    struct spill_sample now; /* its stack is in `stack`, its values in `sum` */
    VEC(uint32_t) stack;
    struct wide *sum;
    int64_t *values; /* values of the result's types */
    uint64_t n_frames;
};

static uint32_t number_set(struct gathering *g, uint32_t set)
{
    struct canon *c = g->c;
    if (g->set[set] == PROF_NONE) {
        g->set[set] = (uint32_t)c->n_labelsets;
        c->labelset[c->n_labelsets++] = set;
    }
    return g->set[set];
}

/* Writes the current sample, unless its values are 0. */
static bool finish(struct gathering *g, struct prof_err *err)
{
    const struct canon *c = g->c;
    bool live = false;
    for (size_t i = 0; i < c->n_columns; i++) {
        if (!wide_fits(g->sum[c->column[i]], &g->values[i]))
            return canon_overflow(c, g->now.depth ? g->stack.v[0] : PROF_NONE,
                                  c->column[i], err);
        live = live || g->values[i];
    }
    if (!live)
        return true;
    for (size_t i = 0; i < g->now.depth; i++)
        c->frames[g->stack.v[i]]++;
    uint32_t set = number_set(g, g->now.labelset);
    g->n_frames += g->now.depth;
    return tempfile_put(&g->to->file[FRAMES], g->stack.v,
                        g->now.depth * sizeof *g->stack.v, err) &&
           tempfile_put(&g->to->file[FRAME_OFF], &g->n_frames,
                        sizeof g->n_frames, err) &&
           tempfile_put(&g->to->file[VALUES], g->values,
                        c->n_columns * sizeof *g->values, err) &&
           tempfile_put(&g->to->file[LABELSET], &set, sizeof set, err);
}

/*
 * Adds s to the current sample if they are equal; else finishes that one and
 * makes s the current one.
 */
static bool gather(struct gathering *g, const struct spill_sample *s,
                   struct prof_err *err)
{
    size_t nt = g->c->p->n_types;
    if (!g->any || compare(&g->order, &g->now, s) != 0) {
        if (g->any && !finish(g, err))
            return false;
        g->stack.n = 0;
        if (!vec_reserve(&g->stack, s->depth))
            return err_nomem(err);
        if (s->depth)
            memcpy(g->stack.v, s->stack, s->depth * sizeof *s->stack);
        g->now = *s;
        g->now.stack = g->stack.v;
        g->any = true;
        memset(g->sum, 0, nt * sizeof *g->sum);
    }
    for (size_t i = 0; i < nt; i++)
        wide_add(&g->sum[i], s->values[i]);
    return true;
}

/* --- merging sorted runs -------------------------------------------------- */

/* A run that is being read, and its current sample. */
struct cursor {
    uint64_t at, end; /* the part of the file that is not in the buffer yet */
    struct {
        uint8_t *v;
        size_t from, n, cap;
    } buffer; /* bytes [from, n) are unread */
    struct spill_sample sample;
    size_t run; /* index of the run; orders equal samples */
};

struct merge {
    const struct tempfile *file;
    const struct spill_order *order;
    struct cursor *cursors; /* by run: what is left of it */
    size_t room;          /* initial size of the buffer of a cursor, in bytes */
    struct cursor **heap; /* the cursor of the least sample is on top */
    size_t n;             /* cursors in the heap */
};

/* Ensures that the buffer holds n unread bytes. */
static bool fill(const struct merge *m, struct cursor *c, size_t n,
                 struct prof_err *err)
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

/* Moves to the next sample of the run.  Sets *none if there is none. */
static bool advance(const struct merge *m, struct cursor *c, bool *none,
                    struct prof_err *err)
{
    uint32_t head[2];
    size_t values = m->order->n_types * sizeof *c->sample.values;
    *none = c->at == c->end && c->buffer.from == c->buffer.n;
    if (*none)
        return true;
    if (!fill(m, c, sizeof head, err))
        return false;
    memcpy(head, c->buffer.v + c->buffer.from, sizeof head);
    /* sort_run() pads samples to 8 bytes. */
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
    int c = compare(m->order, &a->sample, &b->sample);
    return c ? c < 0 : a->run < b->run;
}

/* Moves the cursor at i down the heap to its place. */
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

/* Makes a heap of the cursors of all runs that are not empty. */
static bool begin(struct merge *m, const struct spill *s, struct prof_err *err)
{
    for (size_t i = 0; i < s->runs.n; i++) {
        struct cursor *c = &m->cursors[i];
        bool none;
        *c = (struct cursor){.at = s->runs.v[i].at,
                             .end = s->runs.v[i].at + s->runs.v[i].n_bytes,
                             .run = i};
        if (!vec_grow((void **)&c->buffer.v, &c->buffer.cap, m->room, 1))
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

static bool merge_runs(struct gathering *g, struct prof_err *err)
{
    const struct spill *s = &g->c->s->spill;
    size_t n = s->runs.n;
    uint64_t room = n ? s->merging / n : 0;
    struct merge m = {.file = &s->sorted,
                      .order = &g->order,
                      .cursors = mem_zarray(n, sizeof *m.cursors),
                      .heap = mem_array(n, sizeof(struct cursor *)),
                      .room = room < BUFFER_LEAST ? BUFFER_LEAST
                              : room > BUFFER_MAX ? BUFFER_MAX
                                                  : (size_t)room};
    bool ok = m.cursors && m.heap ? begin(&m, s, err) : err_nomem(err);
    while (ok && m.n) {
        struct cursor *c = m.heap[0];
        bool none;
        ok = gather(g, &c->sample, err) && advance(&m, c, &none, err);
        if (ok && none)
            m.heap[0] = m.heap[--m.n];
        if (ok && m.n)
            sift(&m, 0);
    }
    for (size_t i = 0; m.cursors && i < n; i++)
        free(m.cursors[i].buffer.v);
    free(m.cursors);
    free(m.heap);
    return ok;
}

/* Merges the sorted runs into the files of the columns. */
static bool gather_all(struct gathering *g, struct prof_err *err)
{
    struct canon *c = g->c;
    const struct profile *p = c->p;
    struct tempfile *file = g->to->file;
    g->sum = mem_array(p->n_types, sizeof *g->sum);
    g->values = mem_array(p->n_types, sizeof *g->values);
    g->set = mem_none(p->n_labelsets);
    c->frames = mem_zarray(p->n_locations, sizeof *c->frames);
    c->labelset = mem_array(p->n_labelsets, sizeof *c->labelset);
    bool ok = (g->sum && g->values && g->set && c->frames && c->labelset) ||
              err_nomem(err);
    if (ok)
        (void)number_set(g, 0);
    ok =
        ok &&
        tempfile_put(&file[FRAME_OFF], &g->n_frames, sizeof g->n_frames, err) &&
        merge_runs(g, err) && (!g->any || finish(g, err));
    for (int i = 0; ok && i < COLUMNS; i++)
        ok = tempfile_flush(&file[i], err);
    free(g->sum);
    free(g->values);
    free(g->set);
    vec_free(&g->stack);
    return ok;
}

/*
 * Reads the next run into the columns of the sum, which has no samples, sorts
 * it and writes it to the other file.  Types that the sum did not have when the
 * run was written have values of 0.
 */
static bool sort_run(struct canon *c, struct prof_err *err)
{
    struct spill *s = &c->s->spill;
    struct profile *p = c->p;
    struct spill_run *run = &s->runs.v[s->n_read];
    if (!is_open(&s->sorted) && !tempfile_open(&s->sorted, err))
        return false;
    if (!read_run(&s->raw, run, p, err))
        return false;
    if (++s->n_read == s->runs.n)
        tempfile_close(&s->raw); /* frees its space on the disk */
    run->at = s->sorted.size;
    run->n_types = p->n_types;

    uint32_t *samples = mem_array(p->n_samples, sizeof *samples);
    struct sample_list list = {.v = samples, .n = p->n_samples};
    bool ok = samples ? true : err_nomem(err);
    for (size_t i = 0; ok && i < p->n_samples; i++)
        samples[i] = (uint32_t)i;
    ok = ok && canon_sort(c, &list, err);
    for (size_t i = 0; ok && i < p->n_samples; i++) {
        size_t at = samples[i], depth = prof_depth(p, at);
        const uint32_t head[] = {(uint32_t)depth, p->labelset[at]}, none = 0;
        size_t odd = depth % 2; /* align every sample to 8 bytes */
        ok = tempfile_put(&s->sorted, head, sizeof head, err) &&
             tempfile_put(&s->sorted, p->values + at * p->n_types,
                          p->n_types * sizeof *p->values, err) &&
             tempfile_put(&s->sorted, prof_stack(p, at),
                          depth * sizeof *p->frames, err) &&
             tempfile_put(&s->sorted, &none, odd * sizeof none, err);
    }
    free(samples);
    prof_drop_samples(p);
    if (!ok)
        return false;
    note_size(s, 0);
    run->n_bytes = s->sorted.size - run->at;
    return tempfile_flush(&s->sorted, err);
}

bool canon_from_disk(struct canon *c, struct profile *out, struct prof_err *err)
{
    struct spill *s = &c->s->spill;
    while (s->n_read < s->runs.n)
        if (!sort_run(c, err))
            return false;
    prof_free_samples(c->p);
    struct gathering g = {
        .c = c,
        .order = {c->location_rank, c->labelset_rank, c->p->n_types},
        .to = columns_new(err)};
    if (!g.to)
        return false;
    bool ok = gather_all(&g, err);
    uint64_t size = 0;
    for (int i = 0; i < COLUMNS; i++)
        size += g.to->file[i].size;
    note_size(s, size);
    spill_free(s);
    ok = ok && canon_entities(c, out, err) && canon_write(c, out, err) &&
         give_columns(g.to, out, err);
    if (!ok)
        columns_free(&g.to->store);
    return ok;
}
