/*
 * filter.h - what reports need to know of filters (profile.h)
 */
#ifndef PROFUTILS_PROFILE_FILTER_H
#define PROFUTILS_PROFILE_FILTER_H

#include "profile/model/columns.h"

/*
 * The steps of prof_filter_run(): prof_filter_prepare() applies drop_frames,
 * tagroot and tagleaf, prof_filter_apply() the rest.  Percentages of all
 * samples are of the total between the two.
 */
bool prof_filter_prepare(struct prof_filter *f, struct profile *p,
                         const struct prof_notes *notes, struct prof_err *err);
bool prof_filter_apply(struct prof_filter *f, struct profile *p,
                       const struct prof_notes *notes, struct prof_err *err);

/* The options that it was made with. */
const struct prof_filter_opts *prof_filter_options(const struct prof_filter *f);

/* Removes the frames that the profile's own drop_frames names, if any. */
bool prof_prune_own(struct profile *p, struct prof_err *err);

#endif
