/*
 * labelfilter.h - taking labels off samples
 *
 * As pprof's -tagshow and -taghide: labels of all kinds are chosen by their
 * key.  Samples stay; those that become equal stay apart until the profile
 * is made canonical.
 */
#ifndef PROFUTILS_PROFILE_LABELFILTER_H
#define PROFUTILS_PROFILE_LABELFILTER_H

#include "profile/filter/regex.h"
#include "profile/profile.h"

/*
 * Keeps the labels whose key matches `show` and not `hide` (null: not asked
 * for).  *shown and *hidden tell whether some sample's label matched.
 */
bool prof_filter_labels(struct profile *p, struct regex *show,
                        struct regex *hide, bool *shown, bool *hidden,
                        struct err *err);

/* Takes all labels off. */
void prof_drop_labels(struct profile *p);

/* Gives all samples this label, in place of what they have of the key. */
bool prof_set_label(struct profile *p, const char *key, const char *value,
                    struct err *err);

#endif
