/*
 * labelset.h - the units of numeric labels
 *
 * Label sets are made by prof_labelset() (profile.h).
 */
#ifndef PROFUTILS_PROFILE_MODEL_LABELSET_H
#define PROFUTILS_PROFILE_MODEL_LABELSET_H

#include "profile/model/columns.h"

/*
 * The unit of each numeric label.
 *
 * profile.proto lets every number have its own unit, or none.  As in pprof
 * there is one unit per key: the first in the order of samples, else "bytes"
 * for the keys alignment and request, else the key itself.
 *
 * Sets *unit to a malloc'ed array of string ids, indexed by the string id of
 * the key; 0 for keys that no sample has a number of.  Warns of keys with
 * several units.  A unit with a NUL is replaced by the text that shows it, so
 * that all are C strings.  May add strings.
 */
bool prof_label_units(struct profile *p, uint32_t **unit,
                      const struct prof_notes *notes, struct prof_err *err);

#endif
