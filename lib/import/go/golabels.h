/*
 * golabels.h - the labels of samples that Go writes as comments
 *
 * A goroutine profile as text has them below the sample, as Go quotes
 * strings:
 *
 *      # labels: {"path":"/a \"b\"", "user":"me"}
 *
 * As written by Go (runtime/pprof); escapes are those of
 * https://go.dev/ref/spec#String_literals.
 */
#ifndef PROFUTILS_IMPORT_GOLABELS_H
#define PROFUTILS_IMPORT_GOLABELS_H

#include "base/slice.h"
#include "profile/profile.h"

/* Whether the comment begins like one with labels. */
bool golabels_begin(struct slice comment);

/*
 * The set of its labels, added to *p.  *ok tells whether all of it is as
 * above; if not, there is no set.  Labels with an empty text, of which a
 * profile has none, are left out and added to *n_empty.  False is ERR_SYSTEM
 * or a full profile.
 */
bool golabels_read(struct slice comment, struct profile *p, uint32_t *set,
                   size_t *n_empty, bool *ok, struct err *err);

#endif
