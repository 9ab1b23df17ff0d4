/*
 * filter.h - pprof's filters, all together and in pprof's order
 *
 *      struct filter_opts opts = {.focus = "Mutex", .prune = true};
 *      struct filter *f;
 *      ok = filter_new(&f, &opts, &err) &&
 *           filter_prepare(f, &profile, &notes, &err) &&
 *           filter_apply(f, &profile, &notes, &err);
 *      filter_free(f);
 *
 * filter_new() compiles the expressions, so that mistakes in them are found
 * before any input is read.  The order in which filters apply is fixed, that
 * of options does not matter:
 *
 *   filter_prepare()   frames dropped by drop_frames, then pseudo frames
 *                      made of labels (tagroot, tagleaf)
 *   filter_apply()     focus, ignore, hide, show; show_from; tagfocus,
 *                      tagignore; tagshow, taghide; prune_from; drop_labels
 *
 * A report that shows percentages of all samples takes the total between the
 * two.  Granularity and paths (profile/detail.h) and values (profile/values.h)
 * come after, and last prof_compact(), which drops what no sample needs any
 * more.
 *
 * Messages call filters by the names of the tools' options.
 */
#ifndef PROFUTILS_PROFILE_FILTER_H
#define PROFUTILS_PROFILE_FILTER_H

#include "profile/profile.h"

/* Strings are regular expressions (regex.h) unless said; null: not given. */
struct filter_opts {
    const char *focus, *ignore, *hide, *show, *show_from;
    const char *prune_from;
    bool prune;              /* apply the profile's drop_frames */
    const char *drop_frames; /* instead of the profile's; implies prune */
    const char *keep_frames; /* the same */
    const char *tagfocus, *tagignore; /* [KEY=]RANGE or [KEY=]RE,... */
    const char *tagshow, *taghide;    /* of label keys */
    const char *tagroot, *tagleaf;    /* label keys, KEY,... */
    const char *unit;                 /* of tagroot's numbers: "minimum" */
    bool drop_labels;
    unsigned threads; /* that may be used; the result is the same */
    /*
     * Samples that are filtered out may stay, with values of 0, where that is
     * less work: for who goes on to prof_compact().
     */
    bool zero;
};

struct filter;

/*
 * ERR_USAGE names the option and the fault.  The strings of *opts must
 * outlive the filter.  *f is null on failure.
 */
bool filter_new(struct filter **f, const struct filter_opts *opts,
                struct err *err);
void filter_free(struct filter *f); /* null is allowed */

/* The options that it was made with. */
const struct filter_opts *filter_options(const struct filter *f);

/*
 * Both change *p in place; after a failure it is only good for freeing.  A
 * filter that matches nothing is a warning.
 */
bool filter_prepare(struct filter *f, struct profile *p,
                    const struct notes *notes, struct err *err);
bool filter_apply(struct filter *f, struct profile *p,
                  const struct notes *notes, struct err *err);

/* Removes the frames that the profile's own drop_frames names, if any. */
bool prof_prune_own(struct profile *p, struct err *err);

/*
 * Whether a mapping (PROF_NONE: no) is the library of an allocator by its file
 * name, such as "/usr/lib/libtcmalloc_minimal.so.4".
 */
bool prof_is_allocator(const struct profile *p, uint32_t mapping);

/* Whether there is one, and valid drop_frames that match malloc. */
bool prof_drops_allocators(const struct profile *p, bool *yes, struct err *err);

/*
 * If so, this drops from each stack the frames at the leaf that are in such a
 * library, unless drop_frames match the outermost of them.  No stack loses all
 * its frames.
 */
bool prof_prune_allocators(struct profile *p, struct err *err);

/* Gives all samples this label, replacing those of the same key. */
bool prof_set_label(struct profile *p, const char *key, const char *value,
                    struct err *err);

#endif
