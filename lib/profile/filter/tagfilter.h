/*
 * tagfilter.h - samples chosen by their labels
 *
 * An expression is that of pprof's -tagfocus and -tagignore:
 *
 *   [KEY=]RANGE     numbers: 32kb, :64kb (at most), 4mb: (at least) or
 *                   12kb:64mb, ends included; of labels of that key, or of
 *                   any.  A label's unit is that of its key (labelunit.h)
 *                   and must be one that scales to the range's.
 *   KEY=RE[,RE...]  the text of a label of that key matches one of the
 *                   regular expressions
 *   RE[,RE...]      each of them matches some label, as "key:text"
 *
 * What cannot be read as a range is a list of regular expressions.
 */
#ifndef PROFUTILS_PROFILE_TAGFILTER_H
#define PROFUTILS_PROFILE_TAGFILTER_H

#include "profile/profile.h"

struct tag_filter;

/* ERR_USAGE for a bad expression; *f is null on failure. */
bool tag_filter_new(struct tag_filter **f, const char *expr, struct err *err);
void tag_filter_free(struct tag_filter *f); /* null is allowed */

/* What errors of matching call it by, as "--tagfocus"; not copied. */
void tag_filter_call(struct tag_filter *f, const char *what);

/* The text that is taken as a range, or null when it is not one. */
const char *tag_filter_range(const struct tag_filter *f);

/*
 * Keeps the samples that `focus` matches and `ignore` does not (null: not
 * asked for).  *focused and *ignored tell whether any sample matched.  May
 * add strings; a key with several units is told to notes.
 */
bool prof_filter_tags(struct profile *p, const struct tag_filter *focus,
                      const struct tag_filter *ignore, bool *focused,
                      bool *ignored, const struct notes *notes,
                      struct err *err);

#endif
