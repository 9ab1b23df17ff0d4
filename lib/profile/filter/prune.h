/*
 * prune.h - cutting off what lies beneath a function
 *
 * A profile says with drop_frames and keep_frames which functions are of no
 * interest, such as the allocator's own, together with all they call.  Both
 * are regular expressions of whole function names.
 *
 * Names are matched in a simple form: without a leading dot (PowerPC), and
 * without parameters, that is up to the first "(" that does not belong to
 * "(anonymous namespace)" or "operator()".
 *
 * As in pprof (Prune() and PruneFrom()), locations lose the lines beneath a
 * match for all samples, and no sample loses all its frames.
 */
#ifndef PROFUTILS_PROFILE_PRUNE_H
#define PROFUTILS_PROFILE_PRUNE_H

#include "profile/filter/regex.h"
#include "profile/profile.h"

/*
 * Compiles an expression of drop_frames or keep_frames, which must match
 * names from end to end.  *re is null on failure.
 */
bool prune_regex(struct regex **re, const char *pattern, struct err *err);

/*
 * The same for the profile's own, null in *re when it has none.  ERR_INPUT
 * when what it has is no regular expression.
 */
bool prune_own_drop(const struct profile *p, struct regex **re,
                    struct err *err);
bool prune_own_keep(const struct profile *p, struct regex **re,
                    struct err *err);

/*
 * Removes the frames that match `drop` and not `keep` (null: none), with all
 * beneath.  Of several matches in a stack the one next to the root counts,
 * but those outside the first frame that does not match stay.
 */
bool prof_prune(struct profile *p, struct regex *drop, struct regex *keep,
                struct err *err);

/* The same with the profile's own, if it has any drop_frames. */
bool prof_prune_own(struct profile *p, struct err *err);

/*
 * Removes what lies beneath the frame that matches and is next to the leaf,
 * which stays itself.
 */
bool prof_prune_from(struct profile *p, struct regex *re, bool *matched,
                     struct err *err);

#endif
