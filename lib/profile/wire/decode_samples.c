/*
 * decode_samples.c - decodes samples of profile.proto, by several threads
 *
 * This is the hot loop of every tool.  Samples are decoded in pieces, each into
 * its own part of the columns: index_fields() cuts them every few MiB, and the
 * frames of each piece are counted first.  All that a piece allocates is a
 * table of label sets; these get the numbers that one thread would have given
 * them, in order of first use.
 *
 * Errors and notes do not depend on the number of threads either: each piece
 * has its own, and those of the first piece that failed are reported.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/parallel.h"
#include "profile/wire/private.h"

struct samples_piece {
    struct cursor at;          /* before the first sample */
    const uint8_t *from, *end; /* all of it, other fields included */
    size_t sample, n;    /* index of the first sample; number of samples */
    size_t frame;        /* index of the first frame */
    size_t n_frames;     /* room for frames: as many as there are, or more */
    struct profile sets; /* its label sets, unless p's are used */
    size_t n_unknown, n_two_fold, n_textless;
    bool ok;
    struct prof_err err; /* if !ok */
};

enum { AHEAD = 2 }; /* bytes after a field that may be read */

/*
 * Reads ids of up to three bytes, until one is longer, unknown or crosses the
 * end; may read two bytes after the end.  Neighbours in a stack mostly have ids
 * of the same length, so branches are predicted; reading eight bytes and
 * finding the lengths without branches took longer.
 */
static const uint8_t *mapped_ids(const struct idmap *map, const uint8_t *at,
                                 const uint8_t *end, uint32_t **to)
{
    const struct idmap m = *map;
    uint32_t *frame = *to;
    while (at < end) {
        const uint8_t *past = at + 1;
        uint32_t id = at[0];
        if (id >= 0x80) {
            id = (id & 0x7f) | (uint32_t)(at[1] & 0x7f) << 7;
            past = at + 2;
            if (at[1] >= 0x80) {
                id |= (uint32_t)at[2] << 14;
                past = at + 3;
                if (at[2] >= 0x80)
                    break;
            }
        }
        uint32_t index = idmap_get(&m, id);
        if (index == IDMAP_NONE || past > end)
            break;
        *frame++ = index;
        at = past;
    }
    *to = frame;
    return at;
}

/* Like mapped_ids(), for ids that count up from 1, which have no map. */
static const uint8_t *counted_ids(size_t n, const uint8_t *at,
                                  const uint8_t *end, uint32_t **to)
{
    uint32_t *frame = *to;
    while (at < end) {
        uint32_t id = at[0];
        const uint8_t *past = at + 1;
        if (id >= 0x80) {
            id += (uint32_t)at[1] * 0x80 - 0x80;
            past = at + 2;
            if (at[1] >= 0x80) {
                id += (uint32_t)at[2] * 0x4000 - 0x4000;
                past = at + 3;
                if (at[2] >= 0x80)
                    break;
            }
        }
        if (id - 1 >= n || past > end) /* id 0 wraps around */
            break;
        *frame++ = id - 1;
        at = past;
    }
    *to = frame;
    return at;
}

static bool add_location_id(struct reader *r, uint64_t id, size_t offset)
{
    uint32_t index = idmap_get(&r->d.location_of, id);
    if (index == IDMAP_NONE && r->tails && id && id <= UINT32_MAX) {
        index = (uint32_t)id - 1;
        idmap_expect(&r->d.location_of, id);
    }
    if (index == IDMAP_NONE)
        return err_input(r->d.err,
                         "offset %zu: sample %zu refers to location %" PRIu64
                         ", which does not exist",
                         offset, r->sample, id);
    *r->frame++ = index;
    return true;
}

/* Returns how many of eight bytes end a number: they are below 0x80. */
static inline size_t count_ends(uint64_t bytes)
{
    const uint64_t ones = 0x0101010101010101;
    return (~bytes >> 7 & ones) * ones >> 56;
}

/*
 * Finds the ids at the end of *w that are also at the end of *before, byte for
 * byte: the frames at the root.  Returns their number, and sets *at to where
 * they begin in *w.  Reads up to 8 bytes that precede the ids.
 */
static size_t shared_ids(const struct wire *w, const struct wire *before,
                         const uint8_t **at)
{
    const uint8_t *a = w->end, *b = before->end;
    size_t left = wire_left(w), n = 0;
    if (wire_left(before) < left)
        left = wire_left(before);
    uint64_t x, differ;
    for (;; a -= 8, b -= 8, left -= 8) {
        x = le64(a - 8);
        differ = x ^ le64(b - 8);
        if (left < 8)
            differ |= UINT64_MAX >> 8 * left;
        if (differ)
            break;
        n += count_ends(x);
    }
    unsigned equal = (unsigned)__builtin_clzll(differ) / 8; /* bytes */
    n += count_ends(x | UINT64_MAX >> 8 * equal);
    a -= equal;
    b -= equal;
    /* Where the ids before end differently, the first id is not the same. */
    bool is_part =
        (a != w->at && a[-1] >= 0x80) || (b != before->at && b[-1] >= 0x80);
    if (is_part && n) {
        while (*a++ >= 0x80)
            ;
        n--;
    }
    *at = n ? a : w->end;
    return n;
}

static bool add_location_ids(struct reader *r, const struct wire *w)
{
    const struct decoder *d = &r->d;
    const struct idmap *map = &d->location_of;
    bool is_ahead = d->limit - w->end >= AHEAD;
    const uint8_t *end = w->end;
    if (r->p->shared && !r->n_stacks) {
        if (r->before.at && r->before.at - w->base >= 8)
            r->shared = shared_ids(w, &r->before, &end);
        r->ids = *w;
    }
    r->n_stacks++;
    for (const uint8_t *at = w->at, *from;;) {
        uint64_t id;
        if (is_ahead)
            at = map->index ? mapped_ids(map, at, end, &r->frame)
                            : counted_ids(map->n, at, end, &r->frame);
        if (at == end)
            return true;
        from = at;
        if (!(at = scan_number(from, w, d->limit, &id, d->err)) ||
            !add_location_id(r, id, (size_t)(from - w->base)))
            return false;
    }
}

/* Values past the last sample type are counted but not kept. */
static bool add_values(struct reader *r, const struct wire *w)
{
    size_t n = r->n_values, nt = r->p->n_types;
    int64_t *row = r->p->values + r->sample * nt;
    uint64_t v;
    for (const uint8_t *at = w->at; at != w->end; n++) {
        if (*at < 0x80)
            v = *at++;
        else if (!(at = scan_number(at, w, r->d.limit, &v, r->d.err)))
            return false;
        if (n < nt)
            row[n] = (int64_t)v;
    }
    r->n_values = n;
    return true;
}

bool decode_label(struct decoder *d, struct wire w)
{
    struct decode_number f[LABEL_NUM_UNIT + 1];
    struct prof_label l = {0};
    if (!decode_numbers(d, w, f, LABEL_NUM_UNIT) ||
        !decode_string(d, &f[LABEL_KEY], "key of a label", &l.key) ||
        !decode_string(d, &f[LABEL_STR], "text of a label", &l.str) ||
        !decode_string(d, &f[LABEL_NUM_UNIT], "unit of a label", &l.unit))
        return false;
    l.num = (int64_t)f[LABEL_NUM].value;
    if (l.str && (l.num || l.unit)) { /* a label has one or the other */
        d->n_two_fold++;
        l.num = l.unit = 0;
    }
    d->n_textless += !l.str && f[LABEL_STR].value;
    return vec_push(&d->labels, l) || err_nomem(d->err);
}

/* Reads the field at `at` and returns its end, or null on failure. */
static const uint8_t *read_field(struct reader *r, const struct wire *w,
                                 const uint8_t *at)
{
    struct decoder *d = &r->d;
    const uint8_t *from = at;
    uint32_t key;
    uint64_t number;
    if (!(at = scan_field(at, w, d->limit, &key, &number, d->err)))
        return NULL;
    struct wire bytes = {at, at + scan_rest(key, number), w->base};
    bool ok = true;
    switch (key) {
    case SCAN_BYTES(SAMPLE_LOCATION_ID):
        ok = add_location_ids(r, &bytes);
        break;
    case SCAN_NUMBER(SAMPLE_LOCATION_ID):
        r->n_stacks++;
        ok = add_location_id(r, number, (size_t)(from - w->base));
        break;
    case SCAN_BYTES(SAMPLE_VALUE):
        ok = add_values(r, &bytes);
        break;
    case SCAN_NUMBER(SAMPLE_VALUE):
        if (r->n_values < r->p->n_types)
            r->p->values[r->sample * r->p->n_types + r->n_values] =
                (int64_t)number;
        r->n_values++;
        break;
    case SCAN_BYTES(SAMPLE_LABEL):
        ok = decode_label(d, bytes);
        break;
    default:
        if (key >> 3 <= SAMPLE_LABEL)
            ok = wire_unexpected((size_t)(from - w->base), key, WIRE_BYTES,
                                 d->err);
        d->n_unknown++;
    }
    return ok ? bytes.end : NULL;
}

/*
 * Reads the rest of a sample, from its first label on.  Mostly only labels
 * follow, and a recent sample had the same: its label set is used then.
 */
static bool add_labels(struct reader *r, const struct wire *w,
                       const uint8_t *at, uint32_t *set)
{
    struct decoder *d = &r->d;
    /* at != w->end, because no label was decoded before (early_read()). */
    if (r->tails)
        return strtab_add(r->tails, (const char *)at, (size_t)(w->end - at),
                          set) ||
               err_nomem(d->err);
    struct tail t = {.at = at,
                     .n = (size_t)(w->end - at),
                     .n_unknown = d->n_unknown,
                     .n_two_fold = d->n_two_fold,
                     .n_textless = d->n_textless};
    struct tail *known = &r->recent[XXH3_64bits(t.at, t.n) % RECENT];
    bool usual = t.n && !d->labels.n;
    if (usual && known->n == t.n && !memcmp(known->at, t.at, t.n)) {
        d->n_unknown += known->n_unknown;
        d->n_two_fold += known->n_two_fold;
        d->n_textless += known->n_textless;
        *set = known->set;
        return true;
    }
    const uint32_t *frame = r->frame;
    size_t n_values = r->n_values;
    while (at != w->end)
        if (!(at = read_field(r, w, at)))
            return false;
    if ((!r->sets->n_labelsets && !prof_init(r->sets, d->err)) ||
        !prof_labelset(r->sets, d->labels.v, d->labels.n, set, d->err))
        return false;
    if (usual && r->frame == frame && r->n_values == n_values) {
        t.n_unknown = d->n_unknown - t.n_unknown;
        t.n_two_fold = d->n_two_fold - t.n_two_fold;
        t.n_textless = d->n_textless - t.n_textless;
        t.set = *set;
        *known = t;
    }
    return true;
}

/*
 * Records what the sample shares.  Refuses a shared stack in several fields:
 * add_location_ids() omitted the end of the first one, but only the end of the
 * last one is shared.
 */
static bool finish_stack(struct reader *r)
{
    struct profile *p = r->p;
    size_t depth = (size_t)(r->frame - p->frames) -
                   (size_t)p->frame_off[r->sample] + r->shared;
    if (r->n_stacks > 1)
        r->ids.at = NULL;
    if ((r->n_stacks > 1 && r->shared) || r->shared > UINT32_MAX) {
        /* The caller adds the reason. */
        r->d.err->kind = PROF_ERR_INPUT;
        return false;
    }
    if (depth > p->deepest)
        p->deepest = depth;
    p->shared[r->sample] = (uint32_t)r->shared;
    return true;
}

bool decode_sample(struct reader *r, const struct wire *w)
{
    struct profile *p = r->p;
    uint32_t set = 0;
    const uint8_t *at = w->at;
    r->n_values = r->d.labels.n = 0;
    r->n_stacks = r->shared = 0;
    r->before = r->ids;
    r->ids.at = NULL;
    if (r->sample % PROF_RESTART == 0)
        r->before.at = NULL;
    while (at != w->end && *at != SCAN_BYTES(SAMPLE_LABEL))
        if (!(at = read_field(r, w, at)))
            return false;
    if ((at != w->end || r->d.labels.n) && !add_labels(r, w, at, &set))
        return false;
    if (r->n_values != p->n_types)
        return err_input(
            r->d.err,
            "offset %zu: sample %zu has %zu values for %zu sample types",
            wire_offset(w), r->sample, r->n_values, p->n_types);
    p->labelset[r->sample] = set;
    if (p->shared && !finish_stack(r))
        return false;
    p->frame_off[++r->sample] = (uint64_t)(r->frame - p->frames);
    return true;
}

static bool read_samples(const struct decoder *d, struct samples_piece *piece,
                         struct profile *sets)
{
    struct reader r = {.d = *d, .p = d->p, .sets = sets};
    memset(&r.d.labels, 0, sizeof r.d.labels);
    r.d.err = &piece->err;
    r.d.n_unknown = r.d.n_two_fold = r.d.n_textless = 0;
    r.sample = piece->sample;
    r.frame = d->p->frames + piece->frame;
    struct cursor at = piece->at;
    struct wire message;
    bool ok = true;
    for (size_t i = 0; ok && i < piece->n; i++)
        ok = next_message(&r.d, &at, &message) && decode_sample(&r, &message);
    piece->n_frames = (size_t)(r.frame - d->p->frames) - piece->frame;
    piece->n_unknown = r.d.n_unknown;
    piece->n_two_fold = r.d.n_two_fold;
    piece->n_textless = r.d.n_textless;
    vec_free(&r.d.labels);
    return ok;
}

/* Returns how many numbers end in these bytes. */
static size_t count_numbers(const uint8_t *p, size_t n, const uint8_t *limit)
{
    size_t k = 0;
    for (; n >= 8; n -= 8, p += 8)
        k += count_ends(le64(p));
    if (n && limit - p >= 8)
        return k + count_ends(le64(p) | UINT64_MAX << 8 * n);
    for (; n; n--)
        k += *p++ < 0x80;
    return k;
}

static size_t count_frames(const struct decoder *d,
                           const struct samples_piece *piece)
{
    struct decoder own = {.base = d->base, .limit = d->limit};
    struct cursor next = piece->at;
    struct wire w;
    size_t n = 0;
    for (size_t i = 0; i < piece->n; i++) {
        if (!next_message(&own, &next, &w))
            return n;
        for (const uint8_t *at = w.at; at != w.end;) {
            uint32_t key;
            uint64_t k;
            if (!(at = scan_field(at, &w, d->limit, &key, &k, NULL)))
                return n;
            if (key == SCAN_BYTES(SAMPLE_LOCATION_ID))
                n += count_numbers(at, k, d->limit);
            n += key == SCAN_NUMBER(SAMPLE_LOCATION_ID);
            at += scan_rest(key, k);
        }
    }
    return n;
}

/* --- pieces */

enum { SMALL = 4 * 1024 * 1024 };

struct job {
    struct decoder *d;
    struct samples_piece *piece;
    size_t n;
    unsigned threads; /* number of threads */
};

/* Makes the pieces that index_fields() cut. */
static bool make_pieces(struct job *job)
{
    struct decoder *d = job->d;
    const struct span *v = d->samples.spans.v;
    struct cursor next = run_start(&d->samples);
    size_t sample = 0;
    job->piece = mem_zarray(d->cuts.n + 1, sizeof *job->piece);
    if (!job->piece)
        return err_nomem(d->err);
    for (size_t i = 0; sample < d->samples.n; i++) {
        struct samples_piece *piece = &job->piece[job->n++];
        struct cut end = {v[d->samples.spans.n - 1].end, d->samples.spans.n - 1,
                          d->samples.n};
        if (i < d->cuts.n)
            end = d->cuts.v[i];
        piece->at = next;
        piece->from = next.at ? next.at : v->at;
        piece->end = end.at;
        piece->sample = sample;
        piece->n = end.n - sample;
        next = (struct cursor){v + end.span + 1, end.at, v[end.span].end};
        sample = end.n;
    }
    job->threads = job->n > 1 ? d->threads : 1;
    return true;
}

static void count_piece(void *ctx, unsigned thread, size_t i)
{
    struct job *job = ctx;
    (void)thread;
    job->piece[i].n_frames = count_frames(job->d, &job->piece[i]);
}

/*
 * Makes room for the frames and gives each piece its part.  The frames of a
 * small message are not counted: they are at most as many as its bytes.
 */
static bool make_frames(struct job *job)
{
    struct profile *p = job->d->p;
    size_t n = 0;
    if (job->n == 1 && job->d->samples.bytes <= SMALL)
        job->piece->n_frames = job->d->samples.bytes;
    else
        parallel_run(job->threads, job->n, count_piece, job);
    for (size_t i = 0; i < job->n; i++) {
        job->piece[i].frame = n;
        n += job->piece[i].n_frames;
    }
    /* Free the old frames first, so that they are not copied. */
    if (n > p->cap_frames) {
        free(p->frames);
        p->frames = NULL;
        p->cap_frames = 0;
    }
    return vec_grow((void **)&p->frames, &p->cap_frames, n,
                    sizeof *p->frames) ||
           err_nomem(job->d->err);
}

static void read_piece(void *ctx, unsigned thread, size_t i)
{
    struct job *job = ctx;
    struct samples_piece *piece = &job->piece[i];
    (void)thread;
    piece->ok = read_samples(job->d, piece,
                             job->threads > 1 ? &piece->sets : job->d->p);
    if (job->d->discard && job->n > 1)
        pages_drop(piece->from, (size_t)(piece->end - piece->from));
}

/* Adds the label sets of a piece to those of the profile. */
static bool join_sets(struct job *job, struct samples_piece *piece)
{
    struct profile *p = job->d->p, *sets = &piece->sets;
    if (!sets->n_labelsets)
        return true;
    uint32_t *set = mem_zarray(sets->n_labelsets, sizeof *set);
    bool ok = set || err_nomem(job->d->err);
    for (size_t i = 1; ok && i < sets->n_labelsets; i++)
        ok = prof_labelset(p, sets->labels + sets->labelset_off[i],
                           sets->labelset_off[i + 1] - sets->labelset_off[i],
                           &set[i], job->d->err);
    for (size_t i = 0; ok && i < piece->n; i++)
        p->labelset[piece->sample + i] = set[p->labelset[piece->sample + i]];
    free(set);
    return ok;
}

static bool join_pieces(struct job *job)
{
    struct decoder *d = job->d;
    for (size_t i = 0; i < job->n; i++) {
        struct samples_piece *piece = &job->piece[i];
        if (!piece->ok) {
            if (d->err)
                *d->err = piece->err;
            return false;
        }
        if (!join_sets(job, piece))
            return false;
        d->n_unknown += piece->n_unknown;
        d->n_two_fold += piece->n_two_fold;
        d->n_textless += piece->n_textless;
        d->p->n_samples += piece->n;
        d->p->n_frames += piece->n_frames;
    }
    return true;
}

bool decode_samples(struct decoder *d)
{
    struct job job = {.d = d};
    struct prof_counts counts = {.samples = d->samples.n};
    if (d->samples.n && !d->p->n_types)
        return err_input(d->err, "%zu samples, but no sample types",
                         d->samples.n);
    bool ok = prof_reserve(d->p, &counts, d->err) && make_pieces(&job) &&
              make_frames(&job);
    if (ok) {
        parallel_run(job.threads, job.n, read_piece, &job);
        ok = join_pieces(&job);
    }
    for (size_t i = 0; i < job.n; i++)
        prof_free(&job.piece[i].sets);
    free(job.piece);
    return ok;
}
