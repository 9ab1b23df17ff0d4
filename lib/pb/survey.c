/* The first walk over a message: what is there, and where. */
#include "pb/decoder.h"

enum {
    PIECE = 2 * 1024 * 1024,
    AHEAD = 2048, /* bytes that are asked for before they are looked at */
};

struct run *decode_run(struct decoder *d, uint32_t number)
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
        return NULL;
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

/* Ends a piece of the samples where enough of them have come. */
static bool cut(struct decoder *d, const struct wire *w)
{
    const uint8_t *from =
        d->cuts.n ? d->cuts.v[d->cuts.n - 1].at : d->samples.all.at;
    struct cut here = {w->at, d->samples.n};
    return w->at - from < PIECE || vec_push(&d->cuts, here) ||
           err_nomem(d->err);
}

bool decode_survey(struct decoder *d, struct wire w)
{
    struct wire_field f;
    while (!wire_done(&w)) {
        if (!wire_field(&w, &f, d->err))
            return false;
        struct run *to = decode_run(d, f.number);
        if (!to)
            continue;
        if (!wire_expect(&f, WIRE_BYTES, d->err))
            return false;
        const uint8_t *start = w.base + f.offset;
        if (!to->n) {
            to->all = w;
            to->all.at = to->all.end = start;
        }
        to->broken = to->broken || to->all.end != start;
        to->n++;
        if (*start < 0x80)
            to->n += skip_alike(&w, *start);
        to->all.end = w.at;
        if (to == &d->samples && !cut(d, &w))
            return false;
    }
    return true;
}
