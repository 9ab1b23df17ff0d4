/*
 * random_message.h - profile.proto messages in all the ways of writing them
 */
#ifndef PROFUTILS_TESTS_RANDOM_MESSAGE_H
#define PROFUTILS_TESTS_RANDOM_MESSAGE_H

#include "base/buf.h"
#include "random_profile.h"

/*
 * A message that a decoder has to take: fields in any order with the string
 * table first, last or in between; repeated numbers packed, unpacked and
 * both; unknown fields of all wire types; numbers and tags longer than need
 * be; fields given twice and zeros given at all; ids that count, are sparse,
 * huge or 0; strings of any bytes but NUL, equal ones, or none at all.
 */
struct buf random_message(uint64_t seed);

/* A few changes of bytes: set, swapped, cut out, repeated, cut off. */
void mutate(struct buf *b, struct rng *r);

#endif
