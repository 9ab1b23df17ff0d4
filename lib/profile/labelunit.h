/*
 * labelunit.h - the unit of a numeric label
 *
 * The schema lets every number have its own unit, and lets it be missing.
 * pprof takes one unit per key, and so do we: the first that occurs in
 * sample order, else "bytes" for the keys alignment and request, else the
 * key itself.
 */
#ifndef PROFUTILS_PROFILE_LABELUNIT_H
#define PROFUTILS_PROFILE_LABELUNIT_H

#include "profile/profile.h"

/*
 * Sets *unit to a malloc'ed array of string ids, indexed by the string id of
 * the key, for the numeric labels that samples have; other elements are 0.
 * A key that occurs with several units is told to notes.  A unit with a NUL is
 * replaced by the text that shows it, so that all are C strings.  May add
 * strings.
 */
bool prof_label_units(struct profile *p, uint32_t **unit,
                      const struct notes *notes, struct err *err);

#endif
