/*
 * pb_ways.h - one message decoded in several ways
 */
#ifndef PROFUTILS_TESTS_PB_WAYS_H
#define PROFUTILS_TESTS_PB_WAYS_H

#include <stddef.h>
#include <stdint.h>

#include "profile/columns.h"

/*
 * By one thread, and by several of a decoder that uses its input up, twice:
 * in memory and among strings that the first time left.
 */
void pb_ways(const uint8_t *data, size_t n, unsigned threads);

/* Decodes a valid message into *p, so that stacks share frames if the decoder
 * of blocks does not refuse it. */
void pb_share(const uint8_t *data, size_t n, struct profile *p);

#endif
