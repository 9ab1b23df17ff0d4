/*
 * pb.h - profile.proto on the wire
 *
 * The decoder walks the wire format straight into the columns of a profile
 * and accepts what protobuf does: fields in any order, repeated numbers
 * packed or not, unknown fields (skipped; counted in a note), a string table
 * that comes last.  Beyond that it asks for a sound profile: references that
 * resolve, as many values per sample as sample types, string 0 empty or
 * missing.  Ids may be sparse, huge or 0 (0 means "none" where the schema
 * says so; a function with id 0 is taken where a line refers to it and only
 * one has it).
 *
 * Every message error names the byte offset in the decompressed message.
 * Notes are given of messages that are good only, for which it may be tried
 * whether bytes are one.
 *
 * Schema and meaning: lib/pb/profile.proto, written from
 * https://github.com/google/pprof/blob/main/proto/profile.proto
 * Encoding: https://protobuf.dev/programming-guides/encoding/
 */
#ifndef PROFUTILS_PB_PB_H
#define PROFUTILS_PB_PB_H

#include "base/buf.h"
#include "profile/profile.h"

/*
 * Decodes one message into *p, which is initialised here and is safe to
 * prof_free() whatever is returned.  data is not kept.
 */
bool pb_decode(const uint8_t *data, size_t n, struct profile *p,
               const struct notes *notes, struct err *err);

/*
 * The same for message after message, in memory that is kept from one to the
 * next; one of these per thread.  pb_decoder_new() is null when memory is
 * out; pb_decoder_free() takes null.
 */
struct pb_decoder;
struct pb_decoder *pb_decoder_new(void);
void pb_decoder_free(struct pb_decoder *decoder);

/*
 * Messages of more than some MiB of samples are decoded by up to n threads;
 * by one to begin with.  What comes out is the same.
 */
void pb_decoder_threads(struct pb_decoder *decoder, unsigned n);

/*
 * Whether the bytes of a large message may be given up while it is read: what
 * they are is undefined after pb_decode_next() then, whatever it returns, but
 * never are they and all that comes of them in memory at once.  Not to begin
 * with.
 */
void pb_decoder_spend(struct pb_decoder *decoder, bool spend);

/*
 * *p comes from prof_init() or prof_clear(), and may have strings already:
 * equal ones are shared.  On failure some may have been added, and the rest
 * of *p is good for prof_clear() or prof_free() only.
 */
bool pb_decode_next(struct pb_decoder *decoder, const uint8_t *data, size_t n,
                    struct profile *p, const struct notes *notes,
                    struct err *err);

/*
 * Writes *p to the sink, uncompressed, as it stands: entities in array
 * order with ids from 1, strings in order of first use.
 */
bool pb_encode(const struct profile *p, struct sink *to, struct err *err);

/*
 * The same with the samples in another order: order[0 .. n_samples), each
 * once.  Null: as they stand.  So that who sorts need not move them.
 */
bool pb_encode_order(const struct profile *p, const uint32_t *order,
                     struct sink *to, struct err *err);

/*
 * The same message by pieces, which several threads may make at once: one
 * behind the other they are what pb_encode_order() writes, if the layout is of
 * such an order and nothing else; null is none.  Where the cuts are depends
 * on *p and the layout alone, whose arrays must stay as they are until the
 * encoder is freed.
 * There is one piece at least; all but the last take about PB_PIECE bytes,
 * unless a single sample takes more.
 */
enum { PB_PIECE = 1 << 20 };
struct pb_encoder;
struct pb_encoder *pb_encoder_new(const struct profile *p,
                                  const struct prof_layout *layout,
                                  struct err *err);
void pb_encoder_free(struct pb_encoder *e);
size_t pb_encoder_pieces(const struct pb_encoder *e);

/* An estimate of the bytes in all; it depends on the same. */
uint64_t pb_encoder_about(const struct pb_encoder *e);

/* Appends piece 0 <= piece < pb_encoder_pieces(e). */
bool pb_encode_piece(const struct pb_encoder *e, size_t piece, struct buf *out,
                     struct err *err);

#endif
