/*
 * Entities numbered as the ordered samples come to need them.
 *
 * This is the one walk over all frames of a sum, which is far larger than
 * any cache, in the order of the result: what the samples ahead will need is
 * asked for in time.  Frames are replaced where they are.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/canon.h"

enum {
    AHEAD = 4,      /* samples, of the one at hand */
    LINE = 16,      /* frames that come at once */
    MOST_LINES = 4, /* of a stack that are asked for */
};

#define PREFETCH(p) __builtin_prefetch((p), 1)

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

/* New numbers by index in the sum, PROF_NONE for not yet. */
struct known {
    uint32_t *location, *labelset;
};

static uint32_t number(uint32_t *known, uint32_t i, uint32_t *list, size_t *n)
{
    if (known[i] == PROF_NONE) {
        known[i] = (uint32_t)*n;
        list[(*n)++] = i;
    }
    return known[i];
}

static void look_ahead(const struct canon *c, size_t i)
{
    const struct profile *p = c->sum;
    if (i + 2 * AHEAD >= c->n_samples)
        return;
    PREFETCH(&p->frame_off[c->samples[i + 2 * AHEAD]]);
    PREFETCH(&p->labelset[c->samples[i + 2 * AHEAD]]);
    const uint32_t *stack = prof_stack(p, c->samples[i + AHEAD]);
    size_t depth = prof_depth(p, c->samples[i + AHEAD]);
    for (size_t k = 0; k < depth && k < (size_t)MOST_LINES * LINE; k += LINE)
        PREFETCH(&stack[depth - 1 - k]);
}

/* From the root, so that callers come first. */
static void number_samples(struct canon *c, const struct known *known,
                           struct canon_numbers *to)
{
    struct profile *p = c->sum;
    for (size_t i = 0; i < c->n_samples; i++) {
        uint32_t s = c->samples[i], *stack = p->frames + p->frame_off[s];
        look_ahead(c, i);
        for (size_t k = prof_depth(p, s); k--;)
            stack[k] = number(known->location, stack[k], to->location,
                              &to->n_locations);
        p->labelset[s] = number(known->labelset, p->labelset[s], to->labelset,
                                &to->n_labelsets);
    }
}

bool canon_number(struct canon *c, struct canon_numbers *to, struct err *err)
{
    size_t nl = c->sum->n_locations, ns = c->sum->n_labelsets;
    struct known known = {mem_array(nl, sizeof *known.location),
                          mem_array(ns, sizeof *known.labelset)};
    to->location = mem_array(nl, sizeof *to->location);
    to->labelset = mem_array(ns, sizeof *to->labelset);
    bool ok = known.location && known.labelset && to->location && to->labelset
                  ? drop_others(c, err)
                  : err_nomem(err);
    if (ok) {
        memset(known.location, 0xff, nl * sizeof *known.location);
        memset(known.labelset, 0xff, ns * sizeof *known.labelset);
        number(known.labelset, 0, to->labelset, &to->n_labelsets);
        number_samples(c, &known, to);
    }
    free(known.location);
    free(known.labelset);
    return ok;
}
