/*
 * filter.h - pprof's filters, all together and in pprof's order
 *
 *      struct prof_filter_opts opts = {.focus = "Mutex", .prune = true};
 *      struct prof_filter *f;
 *      ok = prof_filter_new(&f, &opts, &err) &&
 *           prof_filter_prepare(f, &profile, &notes, &err) &&
 *           prof_filter_apply(f, &profile, &notes, &err);
 *      prof_filter_free(f);
 *
 * prof_filter_new() compiles the expressions, so that mistakes in them are
 * found before any input is read.  The order in which filters apply is fixed,
 * that of options does not matter:
 *
 *   prof_filter_prepare()   frames dropped by drop_frames, then pseudo frames
 *                           made of labels (tagroot, tagleaf)
 *   prof_filter_apply()     focus, ignore, hide, show; show_from; tagfocus,
 *                           tagignore; tagshow, taghide; prune_from;
 *                           drop_labels
 *
 * A report that shows percentages of all samples takes the total between the
 * two.  Granularity and paths (profile/model/detail.h) and values
 * (profile/model/values.h) come after, and last prof_compact(), which drops
 * what no sample needs any more.
 *
 * Messages call filters by the names of the tools' options.
 */
#ifndef PROFUTILS_PROFILE_FILTER_H
#define PROFUTILS_PROFILE_FILTER_H

#include "profile/model/columns.h"

struct prof_filter;

/*
 * PROF_ERR_USAGE names the option and the fault.  The strings of *opts must
 * outlive the filter.  *f is null on failure.
 */
bool prof_filter_new(struct prof_filter **f,
                     const struct prof_filter_opts *opts, struct prof_err *err);
void prof_filter_free(struct prof_filter *f); /* null is allowed */

/* The options that it was made with. */
const struct prof_filter_opts *prof_filter_options(const struct prof_filter *f);

/*
 * Both change *p in place; after a failure it is only good for freeing.  A
 * filter that matches nothing is a warning.
 */
bool prof_filter_prepare(struct prof_filter *f, struct profile *p,
                         const struct prof_notes *notes, struct prof_err *err);
bool prof_filter_apply(struct prof_filter *f, struct profile *p,
                       const struct prof_notes *notes, struct prof_err *err);

/* Removes the frames that the profile's own drop_frames names, if any. */
bool prof_prune_own(struct profile *p, struct prof_err *err);

/*
 * Whether a mapping (PROF_NONE: no) is the library of an allocator by its file
 * name, such as "/usr/lib/libtcmalloc_minimal.so.4".
 */
bool prof_is_allocator(const struct profile *p, uint32_t mapping);

/* Whether there is one, and valid drop_frames that match malloc. */
bool prof_drops_allocators(const struct profile *p, bool *yes,
                           struct prof_err *err);

/*
 * If so, this drops from each stack the frames at the leaf that are in such a
 * library, unless drop_frames match the outermost of them.  No stack loses all
 * its frames.
 */
bool prof_prune_allocators(struct profile *p, struct prof_err *err);

/* Gives all samples this label, replacing those of the same key. */
bool prof_set_label(struct profile *p, const char *key, const char *value,
                    struct prof_err *err);

#endif
