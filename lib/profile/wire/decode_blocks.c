/*
 * decode_blocks.c - decodes samples of a message that comes in blocks
 *
 * Samples are nearly all of a large message.  They are decoded while they are
 * in the cache, before anything that they refer to is known, and the strings of
 * the message's table are interned as they come:
 *
 *   - A frame is stored as the id of its location less 1.  That is the index of
 *     the location if ids count up from 1, as in most profiles; otherwise all
 *     frames are mapped in the end.
 *   - Labels refer to strings, and samples mostly have the labels of others.
 *     So the bytes of all labels of a sample are interned, and each such string
 *     is decoded once in the end.
 *
 * What samples cannot be decoded without is how many sample types there are,
 * which all known programs write first.
 */
#include <stdlib.h>

#include "base/parallel.h"
#include "profile/model/build.h"
#include "profile/wire/private.h"

enum {
    FRAMES = 1 << 16,
    SAMPLES = 1 << 12, /* room at first */
    SOME = 1 << 20,    /* bytes that are typical of the rest */
};

/* The caller then decodes the message as a whole, and notes this reason. */
static bool refuse(struct decoder *d, const char *why)
{
    return err_input(d->err, "%s", why);
}

bool early_refuse(struct decoder *d, const char *why)
{
    return d->err->kind == PROF_ERR_INPUT && refuse(d, why);
}

/*
 * Returns how many of something there are likely to be in all, if n were in the
 * samples so far.  A little more, so that memory mostly need not grow again:
 * what is not used is not touched.
 */
static size_t estimate_total(const struct early *e, size_t n, size_t least)
{
    if (e->n_sampled < SOME || e->size_hint <= e->n_read)
        return n > least / 2 ? n + n / 2 : least;
    double more = (double)(e->size_hint - e->n_read) / (double)e->n_sampled;
    double all = (double)n * (1 + more * 17 / 16);
    return all < (double)PTRDIFF_MAX ? (size_t)all : n;
}

/* Makes room for a sample and n frames, and for some of those that follow. */
static bool grow(struct early *e, size_t n)
{
    struct reader *r = &e->reader;
    struct profile *p = r->p;
    size_t used = (size_t)(r->frame - p->frames);
    struct prof_counts counts = {
        .samples = estimate_total(e, r->sample + 1, SAMPLES),
        .frames = estimate_total(e, used + n, FRAMES),
    };
    if (counts.frames < used + n)
        counts.frames = used + n;
    p->n_samples = r->sample;
    struct prof_err none;
    if (!prof_reserve(p, &counts, &none)) {
        /* The estimate may be too high: make room for this sample only. */
        counts.samples = r->sample + 1;
        counts.frames = used + n;
        if (!prof_reserve(p, &counts, e->d->err))
            return false;
    }
    r->frame = p->frames + used;
    return true;
}

/* Before the first sample: adds as many sample types as there are. */
static bool begin_samples(struct early *e)
{
    struct profile *p = e->d->p;
    if (!e->n_types)
        return refuse(e->d, TEXT("samples precede the sample types"));
    for (size_t i = 0; i < e->n_types; i++)
        if (!prof_add_type_id(p, (struct prof_value_type){0, 0}, e->d->err))
            return false;
    if (e->shares) {
        p->shared = mem_array(SAMPLES, sizeof *p->shared);
        if (!p->shared)
            return err_nomem(e->d->err);
        p->cap_shared = SAMPLES;
    }
    e->reader.frame = p->frames;
    return grow(e, 1);
}

static bool add_sample(struct early *e, const struct wire *w)
{
    struct reader *r = &e->reader;
    struct profile *p = r->p;
    size_t n = wire_left(w);
    if (!p->n_types && !begin_samples(e))
        return false;
    size_t used = (size_t)(r->frame - p->frames);
    if ((n > p->cap_frames - used || r->sample >= p->cap_labelset ||
         r->sample + 2 > p->cap_frame_off ||
         (p->shared && r->sample >= p->cap_shared) ||
         (r->sample + 1) * p->n_types > p->cap_values) &&
        !grow(e, n))
        return false;
    e->n_sampled += n;
    return decode_sample(r, w) ||
           early_refuse(e->d, TEXT("an unusual or invalid sample"));
}

static bool add_string(struct early *e, const struct wire *w)
{
    return decode_table_string(e->d, w) ||
           early_refuse(e->d, TEXT("an unusual or invalid field"));
}

/* Adds the field from `at` to `end`, whose key this is; counts sample types. */
static bool add_field(struct early *e, const uint8_t *at, const uint8_t *end,
                      uint32_t key)
{
    if (key == SCAN_BYTES(PROFILE_SAMPLE_TYPE)) {
        if (e->d->p->n_types)
            return refuse(e->d, TEXT("a sample type follows samples"));
        e->n_types++;
    }
    /* After the samples, all that is left of the message is kept.  With room
     * for it at once, the bytes are not copied several times. */
    size_t n = (size_t)(end - at), left = e->size_hint - e->n_read;
    if (e->size_hint > e->n_read && left < e->n_read &&
        e->kept.cap - e->kept.n < n)
        (void)buf_reserve(&e->kept, left);
    return buf_put(&e->kept, at, n) || err_nomem(e->d->err);
}

/*
 * Adds the fields that lie wholly in n bytes, and returns the end of the last;
 * null on failure.
 */
static const uint8_t *add_fields(struct early *e, const uint8_t *at, size_t n)
{
    const struct wire w = wire_of(at, n);
    e->reader.d.base = at;
    e->reader.d.limit = w.end;
    e->reader.ids.at = NULL; /* those of the last sample are gone */
    while (at != w.end) {
        const uint8_t *from = at;
        uint32_t key;
        uint64_t number;
        if (!(at = scan_field(at, &w, w.end, &key, &number, NULL)))
            return from;
        const struct wire bytes = {at, at + scan_rest(key, number), w.base};
        at = bytes.end;
        bool ok = key == SCAN_BYTES(PROFILE_SAMPLE) ? add_sample(e, &bytes)
                  : key == SCAN_BYTES(PROFILE_STRING_TABLE)
                      ? add_string(e, &bytes)
                      : add_field(e, from, at, key);
        if (!ok)
            return NULL;
        e->n_read += (size_t)(at - from);
    }
    return at;
}

/*
 * Returns how many bytes the field has that the n bytes begin with.  0: its
 * head is not complete, or wrong.
 */
static size_t field_size(const uint8_t *v, size_t n)
{
    struct wire w = wire_of(v, n);
    uint64_t tag, number;
    if (!wire_varint(&w, &tag, NULL))
        return 0;
    uint32_t type = (uint32_t)(tag & 7);
    if ((type != WIRE_VARINT && type != WIRE_BYTES) ||
        !wire_varint(&w, &number, NULL))
        return 0;
    size_t rest = scan_rest(type, number);
    return rest < PTRDIFF_MAX ? wire_offset(&w) + rest : 0;
}

/*
 * Adds bytes from `at` to e->rest until it has one field, and adds that.
 * Returns the end of these bytes; null on failure.
 */
static const uint8_t *complete(struct early *e, const uint8_t *at,
                               const uint8_t *end)
{
    struct buf *b = &e->rest;
    size_t size;
    for (;;) {
        size = field_size(b->v, b->n);
        if (!size && b->n >= HEAD_MAX) {
            (void)refuse(e->d, TEXT("an invalid field"));
            return NULL;
        }
        if (size && size <= b->n)
            break;
        size_t n = size ? size - b->n : 1;
        if (n > (size_t)(end - at))
            n = (size_t)(end - at);
        if (!n)
            return at;
        if (!buf_put(b, at, n)) {
            err_nomem(e->d->err);
            return NULL;
        }
        at += n;
    }
    const uint8_t *past = add_fields(e, b->v, size);
    if (past && past != b->v + size) {
        (void)refuse(e->d, TEXT("an invalid field"));
        return NULL;
    }
    b->n = 0;
    return past ? at : NULL;
}

static bool add_block(struct early *e, const uint8_t *at, size_t n)
{
    const uint8_t *end = at + n;
    if (e->rest.n && !(at = complete(e, at, end)))
        return false;
    if (at != end && !(at = add_fields(e, at, (size_t)(end - at))))
        return false;
    return at == end || buf_put(&e->rest, at, (size_t)(end - at)) ||
           err_nomem(e->d->err);
}

bool early_read(struct early *e, struct decoder *d, struct prof_blocks *blocks)
{
    const uint8_t *block;
    ptrdiff_t n;
    if (!strtab_init(&e->tails))
        return err_nomem(d->err);
    e->d = d;
    e->size_hint = blocks->size_hint;
    e->reader.d = *d;
    e->reader.p = d->p;
    e->reader.tails = &e->tails;
    e->reader.d.location_of = (struct idmap){0};
    /*
     * No strings are known to the reader (str.n is 0), so decode_label() fails.
     * It is called for a label whose tag has more bytes than necessary, as all
     * others are part of a tail.  If it did not fail, it would grow d->labels,
     * of which the reader has a copy.
     */
    while ((n = blocks->next(blocks, &block, d->err)) > 0)
        if (!add_block(e, block, (size_t)n))
            return false;
    if (n == 0 && e->rest.n)
        return refuse(d, TEXT("a field exceeds the message"));
    if (n == 0 && !d->str.n)
        return refuse(d, TEXT("an unusual or invalid field"));
    /* Remove the placeholders of begin_samples(): decode_header() adds the real
     * types. */
    d->p->n_samples = d->p->n_types = 0;
    return n == 0;
}

void early_free(struct early *e)
{
    strtab_free(&e->tails);
    /* free() keeps this block in the heap, and little of it is used again. */
    large_pages_drop(e->kept.v, e->kept.n);
    buf_free(&e->kept);
    buf_free(&e->rest);
}

/* --- when all else is known ----------------------------------------------- */

enum { PIECE = 1 << 20 }; /* frames */

struct mapping {
    struct profile *p;
    const struct idmap *map;
    bool *ok; /* by piece: the locations of all its frames exist */
};

static void map_frames(void *ctx, unsigned thread, size_t piece)
{
    const struct mapping *m = ctx;
    uint32_t *at = m->p->frames + piece * PIECE;
    size_t left = m->p->n_frames - piece * PIECE;
    (void)thread;
    m->ok[piece] = true;
    for (const uint32_t *end = at + (left < PIECE ? left : PIECE); at < end;
         at++) {
        *at = idmap_get(m->map, (uint64_t)*at + 1);
        m->ok[piece] = m->ok[piece] && *at != IDMAP_NONE;
    }
}

/* Makes the frames, which are ids less 1, indices of locations. */
static bool finish_frames(struct early *e)
{
    struct decoder *d = e->d;
    struct mapping m = {.p = d->p, .map = &d->location_of};
    size_t n = d->p->n_frames / PIECE + 1;
    uint64_t largest = idmap_expected(&e->reader.d.location_of);
    bool ok = !largest || idmap_get(m.map, largest) != IDMAP_NONE;
    if (m.map->index) {
        m.ok = mem_zarray(n, sizeof *m.ok);
        if (!m.ok)
            return err_nomem(d->err);
        parallel_run(d->threads, n, map_frames, &m);
        for (size_t i = 0; i < n; i++)
            ok = ok && m.ok[i];
        free(m.ok);
    }
    return ok ||
           refuse(d, TEXT("a sample refers to a location that does not exist"));
}

/* Reads the labels of a tail, which must have no other fields. */
static bool read_tail(struct decoder *d, struct prof_slice tail)
{
    struct wire w = wire_of((const uint8_t *)tail.s, tail.n);
    struct wire_field f;
    d->labels.n = 0;
    while (!wire_done(&w)) {
        if (!wire_field(&w, &f, d->err))
            return early_refuse(d, TEXT("an unusual or invalid label"));
        if (f.number != SAMPLE_LABEL || f.type != WIRE_BYTES)
            return refuse(d, TEXT("other fields of a sample follow labels"));
        d->limit = f.bytes.end;
        if (!decode_label(d, f.bytes))
            return early_refuse(d, TEXT("an unusual or invalid label"));
    }
    return true;
}

/* Makes the label sets of the samples, which are numbers of tails, real ones.
 */
static bool finish_labels(struct early *e)
{
    struct decoder *d = e->d;
    struct profile *p = d->p;
    const uint8_t *limit = d->limit; /* read_tail() sets that of each tail */
    size_t n = e->tails.n;
    size_t odd = d->n_unknown + d->n_two_fold + d->n_textless;
    if (n == 1) /* "" */
        return true;
    uint32_t *set = mem_zarray(n, sizeof *set);
    bool ok = set || err_nomem(d->err);
    for (size_t i = 1; ok && i < n; i++)
        ok = read_tail(d, strtab_slice(&e->tails, (uint32_t)i)) &&
             prof_labelset(p, d->labels.v, d->labels.n, &set[i], d->err);
    d->limit = limit;
    for (size_t i = 0; ok && i < p->n_samples; i++)
        p->labelset[i] = set[p->labelset[i]];
    free(set);
    /* How many samples have them was not counted. */
    return ok && (odd == d->n_unknown + d->n_two_fold + d->n_textless ||
                  refuse(d, TEXT("unusual labels")));
}

bool early_finish(struct early *e)
{
    struct reader *r = &e->reader;
    struct profile *p = e->d->p;
    if (r->sample && p->n_types != e->n_types)
        return refuse(e->d, TEXT("an unusual sample type"));
    p->n_samples = r->sample;
    p->n_frames = r->sample ? (size_t)(r->frame - p->frames) : 0;
    e->d->n_unknown += r->d.n_unknown;
    if (!finish_frames(e) || !finish_labels(e))
        return false;
    prof_shrink(p);
    return true;
}
