/*
 * Entities numbered in the order in which the ordered samples need them,
 * callers first.
 *
 * The frames of a sum are far more than any cache holds, and the order of
 * its samples is at random in memory.  So frames are read as they lie, by
 * several threads: each location keeps the least place of the samples that
 * have it, which tells the order of all but those that are new at one place;
 * the stack of that sample tells the rest.  A second walk replaces frames
 * where they are.
 */
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/radix.h"
#include "profile/canon.h"

enum {
    PIECE = 1 << 17, /* about how many frames are worth handing out */
    MOST_ROWS = 8,   /* threads that may have a row of their own */
};

/* Samples that are not in the result leave their columns. */
static bool drop_others(struct canon *c, struct err *err)
{
    struct profile *p = c->sum;
    size_t nt = p->n_types, n = 0;
    uint64_t from = 0, to = 0;
    if (c->n_samples == p->n_samples)
        return true;
    uint32_t *place = mem_array(p->n_samples, sizeof *place);
    if (!place)
        return err_nomem(err);
    memset(place, 0xff, p->n_samples * sizeof *place);
    for (size_t i = 0; i < c->n_samples; i++)
        place[c->samples[i]] = 0;
    for (size_t s = 0; s < p->n_samples; s++) {
        uint64_t depth = p->frame_off[s + 1] - from;
        if (!place[s]) {
            memmove(p->values + n * nt, p->values + s * nt,
                    nt * sizeof *p->values);
            if (depth)
                memmove(p->frames + to, p->frames + from,
                        depth * sizeof *p->frames);
            p->labelset[n] = p->labelset[s];
            place[s] = (uint32_t)n++;
            to += depth;
        }
        from = p->frame_off[s + 1];
        p->frame_off[n] = to;
    }
    for (size_t i = 0; i < c->n_samples; i++)
        c->samples[i] = place[c->samples[i]];
    p->n_samples = n;
    p->n_frames = (size_t)to;
    free(place);
    return true;
}

struct numbering {
    struct profile *p;
    const uint32_t *place; /* of each sample in the order */
    /*
     * By location, a row for each thread: the least place of those that it
     * saw.  The least of all rows does not depend on who saw what.
     */
    uint32_t *first;
    uint32_t *number; /* by location, in the end; PROF_NONE: not needed */
    unsigned n_rows;
    size_t n_pieces;
};

/* The first sample of a piece: pieces have about as many frames. */
static size_t cut(const struct numbering *n, size_t piece)
{
    const struct profile *p = n->p;
    uint64_t from = p->n_frames / n->n_pieces * piece;
    size_t low = 0, high = p->n_samples;
    if (piece == n->n_pieces)
        return p->n_samples;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (p->frame_off[mid] < from)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void find_first(void *ctx, unsigned thread, size_t piece)
{
    const struct numbering *n = ctx;
    const struct profile *p = n->p;
    uint32_t *first = n->first + thread * p->n_locations;
    size_t s = cut(n, piece), end = cut(n, piece + 1);
    const uint32_t *frame = p->frames + p->frame_off[s];
    for (; s < end; s++) {
        uint32_t place = n->place[s];
        const uint32_t *past = p->frames + p->frame_off[s + 1];
        for (; frame < past; frame++)
            if (place < first[*frame])
                first[*frame] = place;
    }
}

static void replace(void *ctx, unsigned thread, size_t piece)
{
    const struct numbering *n = ctx;
    const struct profile *p = n->p;
    uint32_t *frame = p->frames + p->frame_off[cut(n, piece)];
    const uint32_t *number = n->number;
    const uint32_t *past = p->frames + p->frame_off[cut(n, piece + 1)];
    (void)thread;
    for (; frame < past; frame++)
        *frame = number[*frame];
}

/* Locations that were seen, by the place of the first sample. */
static size_t sort_seen(const struct numbering *n, struct radix_item *v,
                        struct radix_item *spare)
{
    size_t nl = n->p->n_locations, n_seen = 0;
    for (size_t l = 0; l < nl; l++) {
        uint32_t least = n->first[l];
        for (unsigned t = 1; t < n->n_rows; t++)
            if (n->first[t * nl + l] < least)
                least = n->first[t * nl + l];
        n->first[l] = least;
        if (least != PROF_NONE)
            v[n_seen++] = (struct radix_item){.key = least, .id = (uint32_t)l};
    }
    radix_sort(v, spare, n_seen);
    return n_seen;
}

/* Numbers the locations v[0 .. k) that sample s is the first to have. */
static void number_new(const struct numbering *n, const struct radix_item *v,
                       size_t k, uint32_t s, struct canon_numbers *to)
{
    const uint32_t *stack = prof_stack(n->p, s);
    size_t left = k;
    for (size_t i = prof_depth(n->p, s); left; i--) {
        uint32_t l = k == 1 ? v[0].id : stack[i - 1];
        if (n->first[l] != v[0].key || n->number[l] != PROF_NONE)
            continue;
        n->number[l] = (uint32_t)to->n_locations;
        to->location[to->n_locations++] = l;
        left--;
    }
}

static void number_locations(struct canon *c, struct numbering *n,
                             struct canon_numbers *to, struct radix_item *v,
                             struct radix_item *spare)
{
    size_t nl = n->p->n_locations;
    memset(n->first, 0xff, n->n_rows * nl * sizeof *n->first);
    memset(n->number, 0xff, nl * sizeof *n->number);
    parallel_run(n->n_rows, n->n_pieces, find_first, n);
    size_t n_seen = sort_seen(n, v, spare);
    for (size_t i = 0, j; i < n_seen; i = j) {
        for (j = i + 1; j < n_seen && v[j].key == v[i].key;)
            j++;
        number_new(n, v + i, j - i, c->samples[v[i].key], to);
    }
    bool same = true; /* as in what is canonical already */
    for (size_t i = 0; same && i < to->n_locations; i++)
        same = to->location[i] == i;
    if (!same)
        parallel_run(c->threads, n->n_pieces, replace, n);
}

/* Set 0, the empty one, stays what it is. */
static void number_labelsets(struct canon *c, struct canon_numbers *to,
                             uint32_t *number)
{
    struct profile *p = c->sum;
    memset(number, 0xff, p->n_labelsets * sizeof *number);
    number[0] = to->labelset[0] = 0;
    to->n_labelsets = 1;
    for (size_t i = 0; p->n_labelsets > 1 && i < c->n_samples; i++) {
        uint32_t *set = &p->labelset[c->samples[i]];
        if (number[*set] == PROF_NONE) {
            to->labelset[to->n_labelsets] = *set;
            number[*set] = (uint32_t)to->n_labelsets++;
        }
        *set = number[*set];
    }
}

/* The inverse of the order. */
static uint32_t *places(const struct canon *c)
{
    uint32_t *place = mem_array(c->n_samples, sizeof *place);
    for (size_t i = 0; place && i < c->n_samples; i++)
        place[c->samples[i]] = (uint32_t)i;
    return place;
}

/* Of as many threads as there are, but small beside the frames. */
static unsigned rows(const struct canon *c)
{
    size_t n = c->sum->n_frames / (4 * c->sum->n_locations + PIECE) + 1;
    if (n > MOST_ROWS)
        n = MOST_ROWS;
    if (n > c->threads)
        n = c->threads ? c->threads : 1;
    return (unsigned)n;
}

static bool number_all(struct canon *c, struct canon_numbers *to)
{
    size_t nl = c->sum->n_locations, ns = c->sum->n_labelsets;
    struct numbering n = {.p = c->sum,
                          .n_pieces = c->sum->n_frames / PIECE + 1,
                          .n_rows = rows(c)};
    uint32_t *set = mem_array(ns, sizeof *set), *place = places(c);
    struct radix_item *v = mem_array(nl, 2 * sizeof *v);
    n.place = place;
    n.first = mem_array(nl, n.n_rows * sizeof *n.first);
    n.number = mem_array(nl, sizeof *n.number);
    to->location = mem_array(nl, sizeof *to->location);
    to->labelset = mem_array(ns, sizeof *to->labelset);
    bool ok = set && place && v && n.first && n.number && to->location &&
              to->labelset;
    if (ok) {
        number_locations(c, &n, to, v, v + nl);
        number_labelsets(c, to, set);
    }
    free(set);
    free(place);
    free(v);
    free(n.first);
    free(n.number);
    return ok;
}

bool canon_number(struct canon *c, struct canon_numbers *to, struct err *err)
{
    return drop_others(c, err) && (number_all(c, to) || err_nomem(err));
}
