/*
 * begins.h - whether bytes begin like a message of profile.proto
 *
 * More than that need not hold: what follows may be cut or broken.
 */
#ifndef PROFUTILS_DOCTOR_BEGINS_H
#define PROFUTILS_DOCTOR_BEGINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Whether the first few fields are those of a profile, with the wire types
 * that they should have.  The last of them may be cut off.
 */
bool doctor_begins(const uint8_t *data, size_t n);

/* Whether they can be read as fields from end to end. */
bool doctor_is_whole(const uint8_t *data, size_t n);

#endif
