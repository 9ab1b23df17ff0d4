/*
 * encoder.h - the parts of pb_encode(), private to lib/pb
 *
 * A message is a row of items: sample types, samples, mappings, locations,
 * functions, strings, and the header, in this order.  What an item becomes
 * depends on the profile and on the string table alone, which is made first;
 * then any stretch of items can be written without the others.
 */
#ifndef PROFUTILS_PB_ENCODER_H
#define PROFUTILS_PB_ENCODER_H

#include "base/vec.h"
#include "pb/decoder.h"
#include "pb/pb.h"

enum encode_part {
    ENCODE_TYPES,
    ENCODE_SAMPLES,
    ENCODE_MAPPINGS,
    ENCODE_LOCATIONS,
    ENCODE_FUNCTIONS,
    ENCODE_STRINGS,
    ENCODE_HEADER, /* fields that come behind the table: one item */
    ENCODE_PARTS,
};

struct pb_encoder {
    const struct profile *p;
    struct prof_layout layout; /* not its own; n_order is there always */
    uint32_t *index;           /* in the string table, by string id; 0: none */
    VEC(uint32_t) strings;     /* by index - 1: string ids by first use */
    /*
     * By what frames have: the varint of the location's id, lowest byte first,
     * and its length in the highest byte.  Null where that does not fit or does
     * not pay.
     */
    uint32_t *ids;
    /* Items of a part: [first[part], first[part + 1]). */
    size_t first[ENCODE_PARTS + 1];
    VEC(size_t) cuts; /* items at which a piece begins, in order from 0 */
    uint64_t about;   /* estimated bytes of the message */
};

/* The sample that is the i-th to be written. */
static inline size_t encode_nth(const struct pb_encoder *e, size_t i)
{
    return e->layout.order ? e->layout.order[i] : i;
}

/*
 * Each appends the items [from, to) of one kind, counted within it.  False
 * when memory is out.
 */
bool encode_types(const struct pb_encoder *e, size_t from, size_t to,
                  struct buf *out);
bool encode_samples(const struct pb_encoder *e, size_t from, size_t to,
                    struct buf *out);
bool encode_mappings(const struct pb_encoder *e, size_t from, size_t to,
                     struct buf *out);
bool encode_locations(const struct pb_encoder *e, size_t from, size_t to,
                      struct buf *out);
bool encode_functions(const struct pb_encoder *e, size_t from, size_t to,
                      struct buf *out);
bool encode_strings(const struct pb_encoder *e, size_t from, size_t to,
                    struct buf *out);
bool encode_header(const struct pb_encoder *e, size_t from, size_t to,
                   struct buf *out);

/* Fills e->index and e->strings. */
bool encode_string_table(struct pb_encoder *e);

/* Fills e->ids; false when memory is out. */
bool encode_make_ids(struct pb_encoder *e);

/* Fills e->first, e->cuts and e->about. */
bool encode_cut(struct pb_encoder *e);

#endif
