/* The first walk over a message: what is there, and where. */
#include "pb/decoder.h"

enum {
    PIECE = 2 * 1024 * 1024,
    AHEAD = 2048, /* bytes that are asked for before they are looked at */
};

/* Where fields with this number go. */
static struct run *run_of(struct decoder *d, uint32_t number)
{
    switch (number) {
    case PROFILE_SAMPLE:
        return &d->samples;
    case PROFILE_MAPPING:
        return &d->mappings;
    case PROFILE_LOCATION:
        return &d->locations;
    case PROFILE_FUNCTION:
        return &d->functions;
    case PROFILE_STRING_TABLE:
        return &d->strings;
    default:
        return &d->others;
    }
}

/*
 * Skips what stands next: fields with this tag of one byte and a length of
 * one or two, up to PIECE bytes of them or so.  Returns how many.
 */
static size_t skip_alike(struct wire *w, uint8_t tag)
{
    const uint8_t *p = w->at, *end = w->end;
    if (end - p > PIECE)
        end = p + PIECE;
    size_t n = 0;
    while (end - p >= 3 && *p == tag) {
        size_t length = p[1], head = 2;
        if (length >= 0x80) {
            if (p[2] >= 0x80)
                break;
            length = (length & 0x7f) | (size_t)p[2] << 7;
            head = 3;
        }
        if (length > (size_t)(w->end - p) - head)
            break;
        p += head + length;
        n++;
        __builtin_prefetch((const void *)((uintptr_t)p + AHEAD));
    }
    w->at = p;
    return n;
}

/* Adds n fields, those from `at` to where w is. */
static bool add(struct decoder *d, struct run *to, const uint8_t *at,
                const struct wire *w, size_t n)
{
    struct stretch new = {at, w->at};
    size_t had = to->stretches.n;
    if (had && to->stretches.v[had - 1].end == at)
        to->stretches.v[had - 1].end = w->at;
    else if (!vec_push(&to->stretches, new))
        return err_nomem(d->err);
    to->n += n;
    to->bytes += (size_t)(w->at - at);
    return true;
}

/* Ends a piece of the samples where enough of them have come. */
static bool cut(struct decoder *d, const struct wire *w)
{
    const uint8_t *from =
        d->cuts.n ? d->cuts.v[d->cuts.n - 1].at : d->samples.stretches.v->at;
    struct cut here = {w->at, d->samples.stretches.n - 1, d->samples.n};
    return w->at - from < PIECE || vec_push(&d->cuts, here) ||
           err_nomem(d->err);
}

bool decode_survey(struct decoder *d, struct wire w)
{
    struct wire_field f;
    while (!wire_done(&w)) {
        const uint8_t *start = w.at;
        struct run *to = run_of(d, *start >> 3);
        size_t n = 0;
        if (*start >= 8 && *start < 0x80 && (*start & 7) == WIRE_BYTES)
            n = skip_alike(&w, *start);
        if (!n) {
            if (!wire_field(&w, &f, d->err))
                return false;
            to = run_of(d, f.number);
            if (to != &d->others && !wire_expect(&f, WIRE_BYTES, d->err))
                return false;
            n = 1;
        }
        if (!add(d, to, start, &w, n) || (to == &d->samples && !cut(d, &w)))
            return false;
    }
    return true;
}
