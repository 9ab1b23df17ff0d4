/*
 * decoder.h - the parts of pb_decode(), private to lib/pb
 *
 * A first walk over the message counts what there is and notes from where to
 * where.  Most producers write all entities of a kind side by side; Go's
 * runtime writes a location and its functions where a sample first needs them,
 * so that its messages are thousands of short stretches, and to look for each
 * kind among all others took a tenth of the time.  The kinds are then decoded
 * in the order in which they refer to each other, strings first, samples last.
 */
#ifndef PROFUTILS_PB_DECODER_H
#define PROFUTILS_PB_DECODER_H

#include <string.h>

#include "base/vec.h"
#include "pb/idmap.h"
#include "pb/pb.h"
#include "pb/wire.h"

/* Fields of one kind that stand side by side. */
struct stretch {
    const uint8_t *at, *end;
};

/* All fields of one kind. */
struct run {
    size_t n, bytes;
    VEC(struct stretch) stretches;
};

/* A way through the messages of a run. */
struct cursor {
    const struct stretch *next;
    const uint8_t *at, *end; /* of the stretch at hand, what is left */
};

/* Where a piece of the samples ends. */
struct cut {
    const uint8_t *at;
    size_t stretch; /* that this is in, or the end of */
    size_t n;       /* samples up to there */
};

/* The arrays stay from one message to the next. */
struct decoder {
    struct profile *p;
    const struct notes *notes;
    struct err *err;
    unsigned threads;     /* 0 counts as 1 */
    bool spend;           /* the bytes of samples once they are read */
    const uint8_t *base;  /* of the message: offsets count from here */
    const uint8_t *limit; /* its end */
    uint32_t *str;        /* string id by index in the file's table */
    size_t n_str, cap_str;
    bool second_table; /* an empty string that is not the first */
    bool has_zero;     /* a function has id 0 */
    bool unnumbered;   /* no function has an id of its own */
    struct run strings, mappings, functions, locations, samples;
    struct run others;    /* fields of the header, be they messages or not */
    VEC(struct cut) cuts; /* every few MiB */
    struct idmap mapping_of, function_of, location_of;
    VEC(struct prof_label) labels; /* of the sample at hand */
    VEC(struct prof_line) lines;   /* of the location at hand */
    size_t n_unknown;
    size_t n_two_fold; /* labels with a text and a number or unit */
    size_t n_textless; /* labels with an empty text */
    size_t n_nowhere;  /* lines without a function */
};

/* A field that is a number, and where it stood; 0 when it is not there. */
struct decode_number {
    uint64_t value;
    size_t offset;
};

/*
 * Reads a message of numbers: numbers[1 .. n] are its fields, by number.
 * Of a field given twice the last counts; fields above n are counted as
 * unknown.
 */
static inline bool decode_numbers(struct decoder *d, struct wire w,
                                  struct decode_number *numbers, uint32_t n)
{
    uint32_t key;
    uint64_t value;
    memset(numbers, 0, (n + 1) * sizeof *numbers);
    for (const uint8_t *at = w.at, *from; at != w.end;) {
        from = at;
        if (!(at = scan_field(at, &w, d->limit, &key, &value, d->err)))
            return false;
        if (key >> 3 > n) {
            d->n_unknown++;
            at += scan_rest(key, value);
        } else if ((key & 7) != WIRE_VARINT) {
            return scan_unexpected(from, &w, key, WIRE_VARINT, d->err);
        } else {
            numbers[key >> 3].value = value;
            numbers[key >> 3].offset = (size_t)(from - w.base);
        }
    }
    return true;
}

/* Before the first message of a run. */
static inline struct cursor decode_begin(const struct run *run)
{
    return (struct cursor){.next = run->stretches.v};
}

/*
 * The next message of a run, one of its n.  The survey has seen that they are
 * messages.
 */
static inline bool decode_message(const struct decoder *d, struct cursor *c,
                                  struct wire *message)
{
    uint32_t key;
    uint64_t n;
    if (c->at == c->end) {
        c->at = c->next->at;
        c->end = c->next++->end;
    }
    const struct wire w = {c->at, c->end, d->base};
    const uint8_t *at = scan_field(c->at, &w, d->limit, &key, &n, d->err);
    if (!at)
        return false;
    c->at = at + n;
    *message = (struct wire){at, c->at, d->base};
    return true;
}

/* An index that is not that of a string: 0 is "" all the same. */
bool decode_no_string(struct decoder *d, const struct decode_number *index,
                      const char *what, uint32_t *id);

/* The string id at this index; `what` says whose it is. */
static inline bool decode_string(struct decoder *d,
                                 const struct decode_number *index,
                                 const char *what, uint32_t *id)
{
    if (index->value >= d->n_str)
        return decode_no_string(d, index, what, id);
    *id = d->str[index->value];
    return true;
}

/* Finds the runs: survey.c. */
bool decode_survey(struct decoder *d, struct wire w);

/*
 * A location or function of the common kind: decode_quick.c.  False when it is
 * not, or not sound; nothing has changed then.  Room was made for all.
 */
bool decode_quick_location(struct decoder *d, const struct wire *w);
bool decode_quick_function(struct decoder *d, const struct wire *w);

/* Mappings, functions, locations: decode_entities.c. */
bool decode_entities(struct decoder *d);

/* Samples: decode_samples.c. */
bool decode_samples(struct decoder *d);

#endif
