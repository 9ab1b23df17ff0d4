/*
 * framefilter.h - samples and frames chosen by the names of their frames
 *
 * A pattern matches a line by the name or file name of its function, and a
 * location by any of its lines or the file name of its mapping.  Both
 * functions do as pprof's FilterSamplesByName() and ShowFrom(): lines are
 * taken out of locations, frames out of stacks and samples out of the
 * profile, all in place.  Whatever no sample needs any more is left where it
 * is.
 */
#ifndef PROFUTILS_PROFILE_FRAMEFILTER_H
#define PROFUTILS_PROFILE_FRAMEFILTER_H

#include "profile/filter/regex.h"
#include "profile/profile.h"

/* Null: not asked for. */
struct frame_filter {
    struct regex *focus;  /* keep samples with a frame that matches */
    struct regex *ignore; /* and with none that matches this */
    struct regex *hide;   /* take out the lines that match */
    struct regex *show;   /* take out the lines that do not */
    unsigned threads;     /* that go through the samples; 0 counts as 1 */
    bool zero;            /* samples that go may stay, with values of 0 */
};

/*
 * Whether some location of the profile, in a stack or not, matched; a
 * location that `ignore` matches counts for it alone, not for `focus`.
 */
struct frame_matches {
    bool focus, ignore, hide, show;
};

/*
 * A sample of which no frame is left goes, and so does one that had none to
 * begin with, which cannot match.  Nothing is done when all are null.
 */
bool prof_filter_frames(struct profile *p, const struct frame_filter *f,
                        struct frame_matches *matched, struct err *err);

/*
 * Cuts each stack behind its match that is next to the root: what called it
 * goes, and samples without a match go.  In a location the lines outside
 * the outermost match go, unless its mapping matches.
 */
bool prof_show_from(struct profile *p, struct regex *re, bool *matched,
                    struct err *err);

#endif
