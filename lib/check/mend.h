/*
 * mend.h - a sound profile of a message that is none
 *
 * What can be read and does not contradict itself is kept; nothing is made
 * up.  doctor_rules[].remedy says what becomes of each violation:
 *
 *   - what refers to nothing refers to nothing any more: a location is in no
 *     mapping, a line without a function goes, a name is empty;
 *   - a sample goes if its stack or its values are not all there;
 *   - of entities with the same id, those that say the same are one; if they
 *     differ, nobody can tell which one is meant, and they go, with all that
 *     refers to them.  An id of 0 is taken as pb_decode() takes it;
 *   - at a cut, or at bytes that are no field, the message ends.
 *
 * A message is refused, ERR_INPUT, if it has no sample types, or if the names
 * of these are lost, so that nothing says what its values are.
 *
 * What was done is told as warnings: how often each remedy was taken, and
 * what was kept and lost of the samples and of each sample type.  Each
 * violation is told as information.  A message that breaks no rule with a
 * remedy is decoded as ever, and nothing is told.
 */
#ifndef PROFUTILS_DOCTOR_MEND_H
#define PROFUTILS_DOCTOR_MEND_H

#include "profile/profile.h"

/*
 * Hands each profile of the n bytes to take(), which may move it out, leaving
 * zeros, and returns false with *err when it fails.  There is one, or several
 * that stand one behind the other.
 */
typedef bool doctor_take_fn(void *ctx, struct profile *p, struct err *err);
bool doctor_mend(const uint8_t *data, size_t n, const struct notes *notes,
                 doctor_take_fn *take, void *ctx, struct err *err);

#endif
