/*
 * pb.h - decodes and encodes profile.proto messages
 *
 * Decoding fills the columns of a profile from a message.  Like protobuf, it
 * accepts:
 *
 * | in the message                           | result                       |
 * | fields in any order                      | the same                     |
 * | repeated numbers, packed or not          | the same                     |
 * | a field repeated that is not `repeated`  | the last one counts          |
 * | fields that profile.proto does not have  | skipped; a note counts them  |
 * | ids that are sparse, or huge             | kept                         |
 * | one function with id 0, others with ids  | used by lines without an id  |
 * | functions, none of them with an id       | numbered from 1; a note      |
 *
 * It refuses, with PROF_ERR_INPUT and the offset in the decompressed message:
 *   - a message that is cut short
 *   - references to entities or strings that do not exist
 *   - two entities of a kind with the same id
 *   - samples that have more or fewer values than there are sample types
 *   - a string table that is missing or does not begin with ""
 *
 * Notes appear only if decoding succeeds, so that callers can try bytes that
 * may not be a message.  profile/wire/tolerant.h reads a damaged message as far
 * as possible.
 *
 * Schema: lib/profile/wire/profile.proto, written from
 * https://github.com/google/pprof/blob/main/proto/profile.proto
 * Encoding: https://protobuf.dev/programming-guides/encoding/
 */
#ifndef PROFUTILS_PROFILE_WIRE_PB_H
#define PROFUTILS_PROFILE_WIRE_PB_H

#include "base/buf.h"
#include "profile/model/build.h"

/*
 * Decodes the message data[0 .. n) into *p, which it initialises.  The caller
 * frees *p, after a failure too, and may free data[] at once.
 */
bool pb_decode(const uint8_t *data, size_t n, struct profile *p,
               const struct prof_notes *notes, struct prof_err *err);

/*
 * A decoder for a series of messages, which reuses its memory.  A thread needs
 * one of its own.  Zeroed it is silent, uses one thread and keeps the bytes;
 * its fields may change between messages:
 *
 *   notes    what is odd or lost; null: silent
 *   threads  at most so many decode a message with several MiB of samples; the
 *            result does not depend on their number.  0 counts as 1
 *   discard  releases the pages of a large message as they are read, so that
 *            message and profile are not in memory at the same time.  The bytes
 *            of the message are then undefined after pb_decode_next(), even if
 *            it fails; the caller still frees them
 */
struct pb_decoder {
    const struct prof_notes *notes;
    unsigned threads;
    bool discard;
    struct decoder *state; /* private */
};

/*
 * Decodes a message into *p, an empty profile from prof_init() or prof_clear().
 * Strings that *p has already are reused.  On failure strings may have been
 * added, and *p is only good for prof_clear() and prof_free().
 */
bool pb_decode_next(struct pb_decoder *decoder, const uint8_t *data, size_t n,
                    struct profile *p, struct prof_err *err);

/*
 * The same of a message that comes in blocks, and is never in memory as a
 * whole: samples and strings are decoded as they come, all other fields after
 * the last block.  That suits large messages as most programs write them.
 * Whatever is unusual or wrong makes it fail with blocks->refused and the
 * reason in *err: pb_decode_next() then decodes the message, or says what is
 * wrong and where. On failure *p is half filled, and only good for prof_clear()
 * and prof_free().
 */
bool pb_decode_blocks(struct pb_decoder *decoder, struct prof_blocks *blocks,
                      struct profile *p, struct prof_err *err);
void pb_decoder_free(struct pb_decoder *decoder);

/*
 * Decodes opts->blocks, if not null, or else the message.  Blocks can be read
 * only once, so a merger with a limit of memory, which may have to decode an
 * input twice, does not accept them.
 */
bool pb_decode_opts(struct pb_decoder *decoder, struct prof_slice message,
                    const struct prof_decode_opts *opts, struct profile *p,
                    struct prof_err *err);

/* Sets *message to the decompressed bytes, which may be in *room. */
bool pb_unpack(struct prof_slice *message, const struct prof_decode_opts *opts,
               struct buf *room, struct prof_err *err);

/*
 * Whether the n bytes may be the beginning of a larger message; false with the
 * error, of the first field that is none.
 */
bool pb_may_begin(const uint8_t *data, size_t n, struct prof_err *err);

/*
 * Writes *p to the sink, uncompressed: entities in array order with ids from
 * 1, strings in order of first use.
 */
bool pb_encode(const struct profile *p, struct sink *to, struct prof_err *err);

/*
 * Encodes *p as a layout (columns.h; null: none) describes it, in pieces that
 * several threads can encode at once.  The concatenated pieces are the message.
 *
 *   - There is at least one piece.  All but the last have about PB_PIECE bytes,
 *     or more where a single sample is larger.
 *   - Where pieces end depends only on *p and the layout.
 *   - *p and the layout must not change before pb_encoder_free().
 *
 * On failure memory is out, and there is nothing to free.
 */
enum { PB_PIECE = 1 << 20 };
struct pb_encoder {
    size_t n_pieces;
    uint64_t about; /* an estimate of the size of the message in bytes */
    struct encoding *state; /* private */
};
bool pb_encoder_init(struct pb_encoder *e, const struct profile *p,
                     const struct prof_layout *layout, struct prof_err *err);
void pb_encoder_free(struct pb_encoder *e);

/* Appends one piece, below e->n_pieces, to *out. */
bool pb_encode_piece(const struct pb_encoder *e, size_t piece, struct buf *out,
                     struct prof_err *err);

#endif
