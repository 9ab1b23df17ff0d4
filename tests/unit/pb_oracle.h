/*
 * pb_oracle.h - the decoder held to protobuf-c
 *
 * Beyond the wire format the decoder asks for a sound profile.  pb_flaw() says
 * from protobuf-c's message alone whether it is one, so that a message is
 * refused if and only if protobuf-c refuses it or it has a flaw.
 *
 * What does not hold fails as cmocka's assertions do.
 */
#ifndef PROFUTILS_TESTS_PB_ORACLE_H
#define PROFUTILS_TESTS_PB_ORACLE_H

#include "gen/profile.pb-c.h"
#include "profile/model/build.h"
#include "profile/wire/wire.h"

typedef Perftools__Profiles__Profile Message;
typedef Perftools__Profiles__Sample Sample;
typedef Perftools__Profiles__Location Location;
typedef Perftools__Profiles__Label Label;
typedef Perftools__Profiles__ValueType ValueType;

/*
 * Why it is no sound profile, or null.  Functions that all have id 0 are
 * numbered, as is what refers to them.
 */
const char *pb_flaw(Message *m);

/*
 * Whether a field that is there once at most comes twice, in a message that
 * protobuf-c has taken.
 */
bool pb_given_twice(struct wire w, const ProtobufCMessageDescriptor *d);

/*
 * Whether a tag or a length has more than five bytes, which protobuf-c does
 * not take and others do.  The message is one that the decoder has taken.
 */
bool pb_has_long_number(struct wire w, const ProtobufCMessageDescriptor *d);

/*
 * Whether there is something that is no field, though protobuf-c takes it for
 * one: a tag of more than 32 bits, of which it drops some, or a truth value of
 * another wire type.  The message is one that it has taken.
 */
bool pb_is_no_message(struct wire w, const ProtobufCMessageDescriptor *d);

/* Whether string 0 begins with a NUL: protobuf-c says that it is empty. */
bool pb_nul_first(struct wire w);

/* The index of the first entity from `from` on that has this id, or none. */
#define PB_NOWHERE SIZE_MAX
size_t pb_find_mapping(const Message *m, uint64_t id, size_t from);
size_t pb_find_function(const Message *m, uint64_t id, size_t from);
size_t pb_find_location(const Message *m, uint64_t id, size_t from);

/* That both say the same; `twice` is pb_given_twice(). */
void pb_same(const struct profile *p, const Message *m, bool twice);
void pb_same_ids(const struct profile *p, const Message *m);

/*
 * That both decoders take a message or both refuse it, and then for a reason,
 * and that they find the same in it.  `seed` is for the message of a failure.
 */
enum pb_verdict { PB_TAKEN, PB_WIRE, PB_FLAWED, PB_EXCUSED };
enum pb_verdict pb_decide(const uint8_t *data, size_t n, uint64_t seed);

#endif
