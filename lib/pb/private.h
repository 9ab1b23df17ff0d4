/*
 * private.h - the parts of pb_decode()
 *
 * | decode.c         | the index of the message, strings, header, entities |
 * | decode_fast.c    | locations and functions of the common kind          |
 * | decode_samples.c | samples, by several threads                         |
 *
 * A first pass over the message counts its fields and records where runs of
 * fields of one kind are.  Most producers write all entities of a kind side by
 * side; Go's runtime writes a location and its functions where a sample first
 * needs them, so its messages are thousands of short runs, and a search for
 * each kind among all others took a tenth of the time.  The kinds are then
 * decoded in the order in which they refer to each other: strings first,
 * samples last.
 */
#ifndef PROFUTILS_PB_PRIVATE_H
#define PROFUTILS_PB_PRIVATE_H

#include <string.h>

#include "base/vec.h"
#include "pb/idmap.h"
#include "pb/pb.h"
#include "pb/wire.h"

/* Adjacent fields of one kind. */
struct span {
    const uint8_t *at, *end;
};

/* All fields of one kind. */
struct run {
    size_t n, bytes;
    VEC(struct span) spans;
};

/* A place in a run. */
struct cursor {
    const struct span *next;
    const uint8_t *at, *end; /* what is left of the span before it */
};

/* Where a piece of the samples ends. */
struct cut {
    const uint8_t *at;
    size_t span; /* that this is in, or the end of */
    size_t n;    /* samples up to there */
};

/* Arrays are kept from one message to the next. */
struct decoder {
    struct profile *p;
    const struct notes *notes;
    struct err *err;
    unsigned threads;     /* 0 counts as 1 */
    bool discard;         /* the bytes of samples once they are read */
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

/* A field that is a number, with its offset; 0, 0: missing. */
struct decode_number {
    uint64_t value;
    size_t offset;
};

/*
 * Reads a message of numbers: numbers[1 .. n] are its fields, by number.
 * The last of repeated fields counts; fields above n are counted as unknown.
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
static inline struct cursor run_start(const struct run *run)
{
    return (struct cursor){.next = run->spans.v};
}

/*
 * The next message of a run, one of its n, which the index has found to be
 * messages.
 */
static inline bool next_message(const struct decoder *d, struct cursor *c,
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

/* An index that is not that of a string; *id becomes that of "". */
static inline bool decode_no_string(struct decoder *d,
                                    const struct decode_number *index,
                                    const char *what, uint32_t *id)
{
    *id = 0;
    return err_set(d->err, ERR_INPUT,
                   "offset %zu: %s is string %" PRId64
                   ", but the string table has %zu",
                   index->offset, what, (int64_t)index->value, d->n_str);
}

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

/*
 * A location or function of the common kind.  False when it is another, or
 * broken; nothing has changed then.  There must be room for it.
 */
bool decode_fast_location(struct decoder *d, const struct wire *w);
bool decode_fast_function(struct decoder *d, const struct wire *w);

/* All samples, after all else. */
bool decode_samples(struct decoder *d);

#endif
