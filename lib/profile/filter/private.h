/*
 * private.h - the filters of filter.c, each in its file
 *
 * | frame_filter.c | focus, ignore, hide, show, show_from; prune, prune_from  |
 * | label_filter.c | tagfocus, tagignore, tagshow, taghide; set_label         |
 * | label_frames.c | tagroot, tagleaf                                         |
 * | regex.c, re2.c | regular expressions                                      |
 *
 * Filters change the profile in place.  Entities that no sample uses any more
 * stay.  Functions fail when memory is out, or when a regular expression fails.
 */
#ifndef PROFUTILS_PROFILE_FILTER_PRIVATE_H
#define PROFUTILS_PROFILE_FILTER_PRIVATE_H

#include <stdint.h>

#include "base/buf.h"
#include "profile/model/build.h"

/* --- frame_filter.c: frames by name */

/*
 * Null: not given.  A pattern matches a line by the name or the file name of
 * its function, and a location by any of its lines or the file name of its
 * mapping, as in pprof's FilterSamplesByName() and ShowFrom().
 */
struct frame_filter {
    struct regex *focus;  /* keep samples with a frame that matches */
    struct regex *ignore; /* drop samples with a frame that matches */
    struct regex *hide;   /* drop the lines that match */
    struct regex *show;   /* drop the lines that do not match */
    /*
     * Then drop the callers of the outermost match in each stack, the lines
     * outside it in its location (unless its mapping matches), and samples
     * without a match.
     */
    struct regex *show_from;
    unsigned threads; /* most threads to use; 0 counts as 1 */
    bool zero;        /* dropped samples may stay, with values of 0 */
};

/*
 * Whether each pattern matched some location of the profile, even one that is
 * in no stack.  A location that `ignore` matches does not count for `focus`.
 */
struct frame_matches {
    bool focus, ignore, hide, show, show_from;
};

/*
 * Applies the filters.  Drops samples without frames, both those that lose all
 * their frames and those that had none, which cannot match.  Does nothing if
 * all filters are null.
 */
bool prof_filter_frames(struct profile *p, const struct frame_filter *f,
                        struct frame_matches *matched, struct prof_err *err);

/* Keeps the samples that have a 1 in kept[]. */
bool prof_keep_samples(struct profile *p, const uint8_t *kept,
                       struct prof_err *err);

/* --- frame_filter.c: frames below a function */

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

/* As regex_new(), for drop_frames or keep_frames, which must match the whole
 * text. */
bool prune_regex(struct regex **re, const char *pattern, const char *what,
                 enum prof_err_kind kind, struct prof_err *err);

/*
 * Drops the frames that match `drop` and not `keep`, and all frames that they
 * call.  Null: the profile's own expression, if it has one; PROF_ERR_INPUT if
 * that is invalid.  Of several matches in a stack, the one next to the root is
 * used; but matches at the root, up to the first frame that does not match, are
 * ignored.
 */
bool prof_prune(struct profile *p, struct regex *drop, struct regex *keep,
                struct prof_err *err);

/* Drops the frames that the match next to the leaf calls.  Sets *matched. */
bool prof_prune_from(struct profile *p, struct regex *re, bool *matched,
                     struct prof_err *err);

/* --- label_filter.c: labels by key */

struct label_choice {
    struct regex *show, *hide; /* match keys; null: not given */
    bool shown, hidden;        /* set: whether some sample's label matched */
};

/*
 * Keeps the labels whose key matches `show` and does not match `hide`.
 * Samples stay; those that become equal stay separate until the profile is
 * made canonical.
 */
bool prof_filter_labels(struct profile *p, struct label_choice *c,
                        struct prof_err *err);

/* --- label_filter.c: samples by label */

/*
 * An expression is that of pprof's -tagfocus and -tagignore:
 *
 *   [KEY=]RANGE     numbers: 32kb, :64kb (at most), 4mb: (at least) or
 *                   12kb:64mb, ends included; of labels of that key, or of
 *                   any.  A label's unit is that of its key (columns.h) and
 *                   must be one that scales to the range's.
 *   KEY=RE[,RE...]  the text of a label of that key matches one of the
 *                   regular expressions
 *   RE[,RE...]      each of them matches some label, as "key:text"
 *
 * An expression that is not a range is a list of regular expressions.
 */
struct tag_filter;

/*
 * PROF_ERR_USAGE for a bad expression; *f is null on failure.  Messages begin
 * with the option, as "--tagfocus", which is not copied.
 */
bool tag_filter_new(struct tag_filter **f, const char *expr, const char *option,
                    struct prof_err *err);
/* Returns the text of the range; null: the expression is not a range. */
const char *tag_filter_range(const struct tag_filter *f);
void tag_filter_free(struct tag_filter *f); /* null is allowed */

struct tag_choice {
    const struct tag_filter *focus, *ignore; /* null: not given */
    bool focused, ignored; /* set: whether any sample matched */
};

/*
 * Keeps the samples that `focus` matches and `ignore` does not.  May add
 * strings.  Notes say which expression is a range, and which keys have several
 * units.
 */
bool prof_filter_tags(struct profile *p, struct tag_choice *c,
                      const struct prof_notes *notes, struct prof_err *err);

/* --- label_frames.c: labels as frames */

/*
 * As pprof's -tagroot and -tagleaf: adds a frame for each key to every stack,
 * at its root or at its leaf.  The name of its function is the values of the
 * sample's labels with that key, joined by commas, and its file is the key.
 * Samples without such a label get a frame with an empty name.
 */
struct label_frames {
    const char *root_keys, *leaf_keys; /* separated by commas; or null */
    const char *unit;    /* of numbers that have a unit, see measure_label() */
    bool rooted, leafed; /* set: whether some sample has such a label */
};

/* Adds the frames.  The first root key becomes the root, the last leaf key the
 * leaf. */
bool prof_label_frames(struct profile *p, struct label_frames *f,
                       struct prof_err *err);

/* --- re2.c: the syntax of regular expressions */

/*
 * Translates a pattern of RE2's syntax into PCRE2's and appends it to *out,
 * not terminated.  The result matches the same texts when compiled with
 * PCRE2_UTF, PCRE2_DOLLAR_ENDONLY and PCRE2_ALT_CIRCUMFLEX, with \n as the
 * only newline.  Unless `groups`, it captures nothing and is greedy throughout:
 * the two make no difference to whether a text matches.
 *
 * On failure *at is the offset in the pattern and *what the fault, a static
 * string; a null *what means that memory is out.
 */
bool re2_to_pcre2(const char *pattern, bool groups, struct buf *out, size_t *at,
                  const char **what);

#endif
