/*
 * repair.h - makes a valid profile of a message that breaks rules
 *
 * Keeps what can be read and does not contradict itself; invents nothing.
 * check_rules[].remedy says what becomes of each violation:
 *
 * | violation                   | what becomes of it                       |
 * | a reference to nothing      | it refers to nothing: a location is in   |
 * |                             | no mapping, a line without a function is |
 * |                             | dropped, a name is empty                 |
 * | part of a stack or values   | the sample is dropped                    |
 * | is missing                  |                                          |
 * | entities with the same id   | if equal, they are one; otherwise they   |
 * |                             | are dropped with all references to them  |
 * | an id of 0                  | read as pb_decode() reads it             |
 * | a cut, or bytes that are no | the message ends there                   |
 * | field                       |                                          |
 *
 * Notes say at NOTE_LOSS how often each remedy was applied, and what was kept
 * and lost of the samples and of each sample type; at NOTE_INFO each
 * violation.  A message that breaks no rule with a remedy is decoded by
 * pb_decode(), and nothing is noted.
 */
#ifndef PROFUTILS_CHECK_REPAIR_H
#define PROFUTILS_CHECK_REPAIR_H

#include "profile/profile.h"

/*
 * Makes *p of the n bytes; prof_free(p) in any case.  ERR_INPUT if
 *   - the message has no sample types, or their names are lost: nothing says
 *     what its values are
 *   - it is several concatenated messages, of which no sample can be kept
 */
bool repair_message(const uint8_t *data, size_t n, struct profile *p,
                    const struct notes *notes, struct err *err);

#endif
