/*
 * repair.h - makes a valid profile from a message that violates rules
 *
 * Keeps all data that can be read and is consistent, and adds nothing.
 * check_rules[].remedy describes the repair of each violation:
 *
 * | violation                   | repair                                   |
 * | dangling reference          | is removed: the location has no mapping, |
 * |                             | the name is empty; a line without a      |
 * |                             | function is dropped                      |
 * | incomplete stack or values  | the sample is dropped                    |
 * | entities with the same id   | equal ones become one; others are        |
 * |                             | dropped with all references to them      |
 * | id 0                        | is read as pb_decode() reads it          |
 * | truncation, or bytes that   | the message ends there                   |
 * | are not a field             |                                          |
 *
 * Notes
 *   PROF_NOTE_LOSS  how often each repair was made; how many samples, and which
 *                   part of the total of each sample type, were kept and lost
 *   PROF_NOTE_INFO  each violation
 *
 * If no violation needs a repair, pb_decode() decodes the message without
 * notes.
 */
#ifndef PROFUTILS_PROFILE_CHECK_REPAIR_H
#define PROFUTILS_PROFILE_CHECK_REPAIR_H

#include "profile/model/build.h"

/*
 * Makes *p from the n bytes.  The caller calls prof_free(p), after a failure
 * too. PROF_ERR_INPUT if
 *   - the message has no sample types, or their names are lost, so that the
 *     meaning of its values is unknown
 *   - it is several concatenated messages, and no sample can be kept
 */
bool repair_message(const uint8_t *data, size_t n, struct profile *p,
                    const struct prof_notes *notes, struct prof_err *err);

#endif
