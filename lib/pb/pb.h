/*
 * pb.h - profile.proto on the wire: decoding and encoding
 *
 * Decoding makes the columns of a profile from a message.  It accepts what
 * protobuf does:
 *
 * | in the message                           | result                       |
 * | fields in any order                      | the same                     |
 * | repeated numbers, packed or not          | the same                     |
 * | a field repeated that is not `repeated`  | the last one counts          |
 * | fields that profile.proto does not have  | skipped; a note counts them  |
 * | ids that are sparse, or huge             | kept                         |
 * | a function with id 0, and no other       | used by lines without an id  |
 * | functions without any id                 | numbered from 1; a note      |
 *
 * It refuses, with ERR_INPUT and the offset in the decompressed message: a
 * message that is cut; references to entities or strings that it does not
 * have; repeated ids; another number of values in a sample than there are
 * sample types; a string table that is missing or does not begin with "".
 * Notes are given only of messages that are decoded, so that a caller can try
 * whether bytes are one.  pb/tolerant.h reads any message as far as it can.
 *
 * Schema: lib/pb/profile.proto, written from
 * https://github.com/google/pprof/blob/main/proto/profile.proto
 * Encoding: https://protobuf.dev/programming-guides/encoding/
 */
#ifndef PROFUTILS_PB_PB_H
#define PROFUTILS_PB_PB_H

#include "base/buf.h"
#include "profile/profile.h"

/*
 * Decodes one message into *p, which it initialises; prof_free(p) in any case.
 * data is not kept.
 */
bool pb_decode(const uint8_t *data, size_t n, struct profile *p,
               const struct notes *notes, struct err *err);

/*
 * A decoder for message after message, which keeps its memory in between; one
 * per thread.  Null: memory is out.  pb_decoder_free() takes null.
 */
struct pb_decoder;
struct pb_decoder *pb_decoder_new(void);
void pb_decoder_free(struct pb_decoder *decoder);

/*
 * Lets the decoder discard the bytes of large messages as it reads them, so
 * that a message and its profile are never in memory at the same time.  They
 * are undefined after pb_decode_next(), even if it fails; the caller still
 * frees them.  Off at first.
 */
void pb_decoder_discard(struct pb_decoder *decoder, bool discard);

/*
 * Decodes into *p, which comes from prof_init() or prof_clear() and may have
 * strings: equal ones are shared.  Messages with some MiB of samples are
 * decoded by up to ctx->threads threads, with the same result.  On failure
 * strings may have been added, and *p is good for prof_clear() and
 * prof_free() only.
 */
bool pb_decode_next(struct pb_decoder *decoder, const uint8_t *data, size_t n,
                    struct profile *p, const struct ctx *ctx);

/*
 * Writes *p to the sink, uncompressed: entities in array order with ids from
 * 1, strings in order of first use.
 */
bool pb_encode(const struct profile *p, struct sink *to, struct err *err);

/*
 * The message of *p with a layout, null for none, in pieces, which several
 * threads can encode at once; concatenated they are the message.  There is at
 * least one piece, and all but the last have about PB_PIECE bytes, or more for
 * a single large sample.  Where pieces end depends on *p and the layout alone;
 * both must stay unchanged until pb_encoder_free().
 */
enum { PB_PIECE = 1 << 20 };
struct pb_encoder;
struct pb_encoder *pb_encoder_new(const struct profile *p,
                                  const struct prof_layout *layout,
                                  struct err *err);
void pb_encoder_free(struct pb_encoder *e); /* null is allowed */
size_t pb_encoder_pieces(const struct pb_encoder *e);

/* An estimate of the bytes of the message; it depends on the same. */
uint64_t pb_encoder_about(const struct pb_encoder *e);

/* Appends piece 0 <= piece < pb_encoder_pieces(e). */
bool pb_encode_piece(const struct pb_encoder *e, size_t piece, struct buf *out,
                     struct err *err);

#endif
