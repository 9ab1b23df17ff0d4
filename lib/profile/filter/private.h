/* private.h - what the files of lib/profile/filter share */
#ifndef PROFUTILS_PROFILE_FILTER_PRIVATE_H
#define PROFUTILS_PROFILE_FILTER_PRIVATE_H

#include <stdint.h>

#include "base/buf.h"
#include "profile/filter/regex.h"
#include "profile/profile.h"

/* --- all samples in one pass, dropping samples and frames in place */

/*
 *      struct sample_pass pass = sample_pass_begin(p);
 *      while (sample_pass_next(&pass))
 *          if (wanted(pass.stack, pass.depth))
 *              sample_pass_keep(&pass, pass.stack, pass.depth);
 *      sample_pass_end(&pass);
 *
 * Until the end the samples that have been passed are not valid.
 */
struct sample_pass {
    struct profile *p;
    size_t sample;   /* index of the one at hand */
    uint32_t *stack; /* its frames, leaf first; may be changed */
    size_t depth;
    size_t next, kept;               /* private, as what follows */
    uint64_t next_frame, kept_frame; /* where stacks are read and put */
};

struct sample_pass sample_pass_begin(struct profile *p);

/* The next sample; false when there is none. */
bool sample_pass_next(struct sample_pass *pass);

/* Keeps the sample at hand with n of its frames, which lie in its stack. */
void sample_pass_keep(struct sample_pass *pass, const uint32_t *frames,
                      size_t n);

void sample_pass_end(struct sample_pass *pass);

/* --- frames by name: frame_filter.c */

/*
 * A pattern matches a line by the name or the file name of its function, and
 * a location by any of its lines or the file name of its mapping.  As pprof's
 * FilterSamplesByName() and ShowFrom(), the functions remove lines from
 * locations, frames from stacks and samples from the profile, in place.
 * Functions, locations and strings that no sample needs any more stay.
 */

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
 * Removes samples without frames, both those that lose all their frames and
 * those that have none, which cannot match.  Does nothing if all filters are
 * null.
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

/* --- frames below a function: frame_filter.c */

/*
 * The expressions drop_frames and keep_frames of a profile name functions
 * that are of no interest, such as those of an allocator, with all that they
 * call.  They match whole names in a simple form: without a leading dot
 * (PowerPC) and without parameters, that is up to the first "(" that does not
 * belong to "(anonymous namespace)" or "operator()".
 *
 * As in pprof's Prune() and PruneFrom(), locations lose the lines below a
 * match for all samples, and no sample loses all its frames.
 */

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

/*
 * Removes what lies beneath the frame that matches and is next to the leaf,
 * which stays itself.
 */
bool prof_prune_from(struct profile *p, struct regex *re, bool *matched,
                     struct err *err);

/* --- labels by key: label_filter.c */

struct label_choice {
    struct regex *show, *hide; /* of keys; null: not given */
    bool shown, hidden;        /* set: whether some sample's label matched */
};

/*
 * Keeps the labels whose key matches `show` and does not match `hide`.
 * Samples stay; those that become equal stay separate until the profile is
 * made canonical.
 */
bool prof_filter_labels(struct profile *p, struct label_choice *c,
                        struct err *err);

/* Takes all labels off. */
void prof_drop_labels(struct profile *p);

/* --- samples by label: label_filter.c */

/*
 * An expression is that of pprof's -tagfocus and -tagignore:
 *
 *   [KEY=]RANGE     numbers: 32kb, :64kb (at most), 4mb: (at least) or
 *                   12kb:64mb, ends included; of labels of that key, or of
 *                   any.  A label's unit is that of its key (labelset.h) and
 *                   must be one that scales to the range's.
 *   KEY=RE[,RE...]  the text of a label of that key matches one of the
 *                   regular expressions
 *   RE[,RE...]      each of them matches some label, as "key:text"
 *
 * An expression that is not a range is a list of regular expressions.
 */
struct tag_filter;

/* ERR_USAGE for a bad expression; *f is null on failure. */
bool tag_filter_new(struct tag_filter **f, const char *expr, struct err *err);
void tag_filter_free(struct tag_filter *f); /* null is allowed */

/* What errors of matching call it by, as "--tagfocus"; not copied. */
void tag_filter_call(struct tag_filter *f, const char *what);

/* The text that is taken as a range, or null when it is not one. */
const char *tag_filter_range(const struct tag_filter *f);

struct tag_choice {
    const struct tag_filter *focus, *ignore; /* null: not given */
    bool focused, ignored; /* set: whether any sample matched */
};

/*
 * Keeps the samples that `focus` matches and `ignore` does not.  May add
 * strings; a note names a key that has several units.
 */
bool prof_filter_tags(struct profile *p, struct tag_choice *c,
                      const struct notes *notes, struct err *err);

/*
 * The range of an expression, read and compared as pprof does: the second
 * number is converted to the unit of the first, and a number without a unit
 * has a unit that does not scale.
 */
struct tag_range {
    double least, most; /* infinite where the range is open */
    char *unit;         /* owned */
};

/*
 * 1: text is a range, now in *r; 0: it is none; -1: a number in it does not
 * fit 64 bits, or memory is out.
 */
int tag_range_parse(struct tag_range *r, const char *text, struct err *err);
void tag_range_free(struct tag_range *r);

bool tag_range_has(const struct tag_range *r, int64_t value, const char *unit);

/* --- labels as frames: label_frames.c */

/*
 * As pprof's -tagroot and -tagleaf: every stack gets a frame for each key, at
 * its root or its leaf.  The function of the frame is named by the sample's
 * labels of that key, joined by commas, and its file is the key.  A sample
 * without such a label gets the frame as well, with an empty name.
 */
struct label_frames {
    const char *root_keys, *leaf_keys; /* separated by commas; or null */
    const char *unit;    /* of numbers that have a unit, see measure_label() */
    bool rooted, leafed; /* set: whether some sample has such a label */
};

/* The first root key becomes the root, the last leaf key the leaf. */
bool prof_label_frames(struct profile *p, struct label_frames *f,
                       struct err *err);

/* --- the syntax of regular expressions: re2.c */

/*
 * Translates a pattern of RE2's syntax into PCRE2's and appends it to *out,
 * not terminated.  The result matches the same texts when compiled with
 * PCRE2_UTF, PCRE2_DOLLAR_ENDONLY and PCRE2_ALT_CIRCUMFLEX, with \n as the
 * only newline.  It captures nothing and is greedy throughout: the two make
 * no difference to whether a text matches.
 *
 * On failure *at is the offset in the pattern and *what the fault, a static
 * string; a null *what means that memory is out.
 */
bool re2_to_pcre2(const char *pattern, struct buf *out, size_t *at,
                  const char **what);

#endif
