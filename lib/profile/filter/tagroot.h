/*
 * tagroot.h - labels as frames
 *
 * As pprof's -tagroot and -tagleaf: every stack gets a frame for each key,
 * at its root or leaf, whose function is called as the sample's labels of
 * that key read, joined by commas, and whose file is the key.  A sample
 * without such a label gets the frame as well, with no name.
 */
#ifndef PROFUTILS_PROFILE_TAGROOT_H
#define PROFUTILS_PROFILE_TAGROOT_H

#include "profile/profile.h"

/*
 * The keys stand between commas, empty ones are passed over; null: none.
 * The first root key becomes the root, the last leaf key the leaf.  Numbers
 * that have units are shown in `unit` as measure_label() does.  *rooted and
 * *leafed tell whether some sample has a label of such a key.
 */
bool prof_label_frames(struct profile *p, const char *root_keys,
                       const char *leaf_keys, const char *unit, bool *rooted,
                       bool *leafed, struct err *err);

#endif
