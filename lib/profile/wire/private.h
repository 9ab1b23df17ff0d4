/*
 * private.h - the decoder and the encoder of profile.proto
 *
 * | decode.c          | the index of the message, the header       |
 * | decode_entities.c | strings, mappings, functions, locations    |
 * | decode_samples.c  | samples, by several threads                |
 * | decode_blocks.c   | samples of a message that comes in blocks  |
 * | encode.c          | encodes all but samples                    |
 * | encode_samples.c  | encodes samples                            |
 *
 * A message in memory is read twice.  The first pass builds an index: it counts
 * the fields of each kind and records where they are, as spans of adjacent
 * fields. The second pass decodes one kind after another, each after those that
 * it refers to: strings first, samples last.
 *
 * The index is worth its memory for messages of Go's runtime, which writes a
 * location and its functions where a sample first needs them, in thousands of
 * short spans: without it, finding the fields of each kind took a tenth of the
 * time.  Most other producers write a single span for each kind.
 */
#ifndef PROFUTILS_PROFILE_WIRE_PRIVATE_H
#define PROFUTILS_PROFILE_WIRE_PRIVATE_H

#include <string.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "profile/wire/idmap.h"
#include "profile/wire/pb.h"
#include "profile/wire/wire.h"

enum { HEAD_MAX = 20 }; /* most bytes of a tag and a number or length */

/* Adjacent fields of one kind. */
struct span {
    const uint8_t *at, *end;
};

/* All fields of one kind: n of them, with `bytes` bytes in total. */
struct run {
    size_t n, bytes;
    VEC(struct span) spans; /* in the order of the message */
};

/* A position in a run. */
struct cursor {
    const struct span *next;
    const uint8_t *at, *end; /* the unread rest of the span before `next` */
};

/* Where a piece of the samples ends. */
struct cut {
    const uint8_t *at;
    size_t span; /* the span that contains `at`, or ends there */
    size_t n;    /* samples before `at` */
};

/* The state of a decoder.  Arrays keep their memory between messages. */
struct decoder {
    struct profile *p;
    const struct prof_notes *notes;
    struct prof_err *err;
    unsigned threads;     /* 0 counts as 1 */
    bool discard;         /* release the bytes of samples that were read */
    const uint8_t *base;  /* start of the message, for offsets in errors */
    const uint8_t *limit; /* its end */
    VEC(uint32_t) str;    /* string id by index in the file's table */
    bool second_table;    /* an empty string after the first: two messages? */
    bool has_zero;        /* a function has id 0 */
    bool unnumbered;      /* all functions have id 0 */
    struct run strings, mappings, functions, locations, samples;
    struct run others;    /* all other fields */
    VEC(struct cut) cuts; /* of the samples, into pieces of a few MiB */
    struct idmap mapping_of, function_of, location_of;
    VEC(struct prof_label) labels; /* of the current sample */
    VEC(struct prof_line) lines;   /* of the current location */
    /* Counts for notes. */
    size_t n_unknown;  /* fields that profile.proto does not have */
    size_t n_two_fold; /* labels with a text and a number or unit */
    size_t n_textless; /* labels with an empty text */
    size_t n_nowhere;  /* lines without a function */
};

/* A field with a number, and its offset in the message; 0, 0: missing. */
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
            return wire_unexpected((size_t)(from - w.base), key, WIRE_VARINT,
                                   d->err);
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
 * The next of the n messages of a run.  The index has checked that all fields
 * of a run other than `others` are messages.
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

/* PROF_ERR_INPUT: there is no string with this index.  *id becomes 0, that of
 * "". */
static inline bool decode_no_string(struct decoder *d,
                                    const struct decode_number *index,
                                    const char *what, uint32_t *id)
{
    *id = 0;
    return err_set(d->err, PROF_ERR_INPUT,
                   "offset %zu: %s is string %" PRId64
                   ", but the string table has %zu strings",
                   index->offset, what, (int64_t)index->value, d->str.n);
}

/*
 * Sets *id to the string id for an index in the message's string table; `what`
 * names the field in errors.
 */
static inline bool decode_string(struct decoder *d,
                                 const struct decode_number *index,
                                 const char *what, uint32_t *id)
{
    if (index->value >= d->str.n)
        return decode_no_string(d, index, what, id);
    *id = d->str.v[index->value];
    return true;
}

/* Adds the next string of the message's table. */
bool decode_table_string(struct decoder *d, const struct wire *s);

/* After strings. */
bool decode_entities(struct decoder *d);

/* After sample types and entities. */
bool decode_samples(struct decoder *d);

/* --- one sample ----------------------------------------------------------- */

/* The fields of a sample from its first label on, and what they mean. */
struct tail {
    const uint8_t *at;
    size_t n; /* bytes; 0: unused */
    size_t n_unknown, n_two_fold, n_textless;
    uint32_t set;
};

enum { RECENT = 64 };

/* The state of decoding samples one after another. */
struct reader {
    struct decoder d; /* with its own error, counts and labels */
    struct profile *p;
    struct profile *sets; /* gets the label sets */
    /*
     * If locations and strings are not known yet, else null: a frame becomes
     * the id of its location less 1, which d.location_of expects, and the
     * label set of a sample the id of its tail here.
     */
    struct strtab *tails;
    size_t sample;   /* index of the current sample */
    size_t n_values; /* its values so far */
    uint32_t *frame; /* where the next frame goes */
    /*
     * If p->shared is not null: the packed location ids of the sample before
     * and of the current one, both in the same memory; null if a sample has
     * none, or more than one such field.
     */
    struct wire before, ids;
    size_t n_stacks; /* fields with location ids of the current sample */
    size_t shared;   /* frames that it shares */
    struct tail recent[RECENT];
};

/*
 * Reads the message of a sample, and increments r->sample.  The caller has made
 * room for the sample and for as many frames as the message has bytes.
 */
bool decode_sample(struct reader *r, const struct wire *w);

/* Appends the label to d->labels. */
bool decode_label(struct decoder *d, struct wire w);

/* --- samples before all else ---------------------------------------------- */

/*
 * Samples that are read block by block (pb.h), before the fields that they
 * refer to, which are kept.  Strings are interned as they come.
 */
struct early {
    struct decoder *d;
    struct reader reader;
    struct strtab tails;
    struct buf kept; /* all fields but samples and strings */
    struct buf rest; /* the beginning of a field that a block ends in */
    size_t n_types;  /* sample types so far */
    bool shares;     /* stacks may share frames; the caller sets it */
    /* Bytes of the fields so far, of the samples, and in all (0: unknown). */
    uint64_t n_read, n_sampled, size_hint;
};

/*
 * Sets the error to `why` for what is unusual or wrong, and returns false.
 * Keeps an error of the system.  That of a field is replaced, because its
 * offset is not one in the message.
 */
bool early_refuse(struct decoder *d, const char *why);

/* Reads the blocks.  The caller frees *e, after a failure too. */
bool early_read(struct early *e, struct decoder *d, struct prof_blocks *blocks);

/* After the fields of `kept`: makes frames and label sets of what is there. */
bool early_finish(struct early *e);
void early_free(struct early *e);

/* --- encoding ------------------------------------------------------------- */

enum encode_part {
    ENCODE_TYPES,
    ENCODE_SAMPLES,
    ENCODE_MAPPINGS,
    ENCODE_LOCATIONS,
    ENCODE_FUNCTIONS,
    ENCODE_STRINGS,
    ENCODE_HEADER, /* the fields after the table, as one item */
    ENCODE_PARTS,
};

struct encoding {
    const struct profile *p;
    struct prof_layout layout; /* the caller's; n_order is always set */
    uint32_t *index;           /* in the string table, by string id; 0: none */
    VEC(uint32_t) strings;     /* by index - 1: string ids by first use */
    /*
     * By location: the bytes of a number whose last ones are the varint of its
     * id, and whose first one is the varint's length.  Null where that does not
     * fit or does not pay.
     */
    uint32_t *ids;
    size_t deepest; /* frames of the deepest stack */
    /* Items of a part: [first[part], first[part + 1]). */
    size_t first[ENCODE_PARTS + 1];
    VEC(size_t) cuts; /* first item of each piece, in order from 0 */
    uint64_t about;   /* estimated bytes of the message */
};

/* Returns the i-th sample to write. */
static inline size_t nth_sample(const struct encoding *e, size_t i)
{
    return e->layout.order ? e->layout.order[i] : i;
}

/*
 * Encode samples in encode_samples.c.  encode_ids() makes e->ids;
 * encode_samples() appends samples from .. to - 1, in the order of the layout.
 * False when memory is out.
 */
bool encode_ids(struct encoding *e);
bool encode_samples(const struct encoding *e, size_t from, size_t to,
                    struct buf *out);

/*
 * Writing the wire format
 *
 * Each function writes at `at`, where the caller has made room, and returns
 * the end of what it wrote.
 *
 * A message is written once: its body, after room for a length of as many
 * bytes as is likely, and then its length.  The body moves only where the
 * length takes another number of bytes.
 */

enum { PUT_VARINT_MAX = 10 };

/* Returns how many bytes a varint takes. */
static inline unsigned varint_size(uint64_t v)
{
    unsigned n = 1;
    while (v >>= 7)
        n++;
    return n;
}

static inline uint8_t *put_varint(uint8_t *at, uint64_t v)
{
    while (v >= 0x80) {
        *at++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *at++ = (uint8_t)v;
    return at;
}

/* Field numbers of a profile are below 16, so a tag is one byte. */
static inline uint8_t *put_tag(uint8_t *at, unsigned number,
                               enum wire_type type)
{
    *at = (uint8_t)(number << 3 | (unsigned)type);
    return at + 1;
}

/* Writes a number; nothing for 0, as in proto3. */
static inline uint8_t *put_number(uint8_t *at, unsigned number, uint64_t v)
{
    return v ? put_varint(put_tag(at, number, WIRE_VARINT), v) : at;
}

/*
 * Begins a message (or bytes, or packed numbers) whose length is likely to
 * take `room` bytes, from 1 up; returns where its body goes.
 */
static inline uint8_t *put_begin(uint8_t *at, unsigned number, unsigned room)
{
    return put_tag(at, number, WIRE_BYTES) + room;
}

/*
 * Ends a message: body is what put_begin() returned for *room.  Sets *room to
 * the bytes that the length took.
 */
static inline uint8_t *put_end(uint8_t *body, uint8_t *end, unsigned *room)
{
    size_t n = (size_t)(end - body);
    unsigned size = varint_size(n);
    if (size != *room) {
        memmove(body - *room + size, body, n);
        body = body - *room + size;
        *room = size;
    }
    put_varint(body - size, n);
    return body + n;
}

/* Like put_end(), for messages that are mostly shorter than 128 bytes. */
static inline uint8_t *put_end_short(uint8_t *body, uint8_t *end)
{
    unsigned room = 1;
    return put_end(body, end, &room);
}

#endif
