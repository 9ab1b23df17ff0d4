/*
 * compare.h - whether functions take more of the time in one set of runs than
 *             in another
 *
 *      struct compare *c = compare_new(&opts, &err);
 *      ok = c && compare_add(c, COMPARE_BASE, name, p, notes, &err) && ...;
 *      ok = ok && compare_judge(c, notes, &result, &err);
 *      ok = ok && compare_print_text(&result, &out);
 *      compare_result_free(&result);
 *      compare_free(c);
 *
 * A run is one profile, or the samples of one value of a label.  Each function
 * has two rows: its flat and its cumulative share of the samples of a run.
 * Recursion counts once.  A function that a run does not have counts 0.
 *
 * Runs of one program differ by more than the chance of sampling.  How much,
 * compare_judge() estimates from the runs of each side, over all functions
 * (judge.c).  Without several runs on one side at least nothing is judged.
 */
#ifndef PROFUTILS_COMPARE_COMPARE_H
#define PROFUTILS_COMPARE_COMPARE_H

#include "base/buf.h"
#include "profile.h"

enum compare_side { COMPARE_BASE, COMPARE_NEW, COMPARE_SIDES };
enum compare_measure { COMPARE_FLAT, COMPARE_CUM, COMPARE_MEASURES };

struct compare_rename {
    const char *pattern; /* regular expression of names */
    const char *name;    /* what they are called */
};

struct compare_opts {
    const char *sample_index;          /* null: the profile's default */
    enum prof_granularity granularity; /* no PROF_ADDRESSES */
    bool measures[COMPARE_MEASURES];   /* which rows there are */
    bool exact_names;                  /* do not match names by rule */
    const struct compare_rename *renames;
    size_t n_renames;
    /* Samples of one side have this value of a label; null: profiles do. */
    const char *side_key, *side_value[COMPARE_SIDES];
    const char *run_key; /* a run is a value of this label; or null */
    double alpha;        /* share of comparisons without any change that may
                            show one */
    double max_growth;   /* growth of a function that does not count as a
                            regression: 0.05 */
    double min_share;    /* what is smaller in both sides is not judged */
    bool assume_poisson; /* runs differ by chance only */
};

#define COMPARE_DEFAULTS                                                       \
    {                                                                          \
        .granularity = PROF_FUNCTIONS, .measures = {true, true},               \
        .alpha = 0.05, .min_share = 0.005,                                     \
    }

struct compare;
struct compare *compare_new(const struct compare_opts *opts,
                            struct prof_err *err);
void compare_free(struct compare *c); /* null is allowed */

/*
 * Adds the samples of *p as runs of `side`; opts.side_key, if any, decides
 * instead.  Applies drop_frames to *p.  PROF_ERR_INPUT: a value is negative, or
 * the type of the values is not that of the runs before.
 */
bool compare_add(struct compare *c, enum compare_side side, const char *name,
                 struct profile *p, const struct prof_notes *notes,
                 struct prof_err *err);

enum compare_verdict {
    COMPARE_SLOWER,
    COMPARE_FASTER,
    COMPARE_UNCHANGED, /* no change shown */
    COMPARE_RARE,      /* too rare to tell */
    COMPARE_UNJUDGED,  /* there are too few runs */
    COMPARE_VERDICTS
};

/* "slower", "no change shown" */
const char *compare_verdict_text(enum compare_verdict v, bool is_counted);

struct compare_row {
    struct prof_slice name;
    double share[COMPARE_SIDES]; /* of all runs of a side together: 0.05 */
    double count[COMPARE_SIDES]; /* sums of values */
    /* An interval of share[NEW] / share[BASE], at the confidence of the
     * verdicts; high may be infinite.  Without verdicts it is what the chance
     * of sampling alone explains: the true one is wider. */
    double low, high;
    double certain;    /* the bound that is nearest to no change, as a change
                          of the share; 0: the interval contains no change */
    double p;          /* of a change that is none */
    double dispersion; /* variance of runs by that of sampling */
    double detectable; /* growth that these runs show in 8 of 10 cases */
    enum compare_measure measure;
    enum compare_verdict verdict;
};

struct compare_total {
    double mean[COMPARE_SIDES]; /* of a run */
    double ratio, low, high;    /* of the means */
    bool is_known;              /* false: fewer than three runs on a side */
};

/* What the runs could show of functions with this share. */
struct compare_power {
    double share;
    double growth;   /* that they show in 8 of 10 cases */
    size_t runs;     /* of a side that show a growth by `explains`; 0: more than
                        COMPARE_MOST_RUNS */
    double explains; /* twice opts.max_growth; 5 % if that is 0 */
};
enum {
    COMPARE_POWERS = 3,
    COMPARE_LEAST_COUNT = 10, /* samples of a row that is judged */
    COMPARE_MOST_RUNS = 1000,
    COMPARE_LEAST_RUNS = 3, /* of a side, where values are not counts, and of
                               a total */
};

/* Names belong to the struct compare. */
struct compare_result {
    struct compare_opts opts;
    const char *type, *unit; /* of the values that were counted */
    bool is_counted;         /* they are samples */
    size_t n_runs[COMPARE_SIDES];
    double sum[COMPARE_SIDES];                              /* of all values */
    const char *first[COMPARE_SIDES], *last[COMPARE_SIDES]; /* names of runs */
    struct compare_row *rows; /* by verdict, then by the size of the change */
    size_t n_rows;
    size_t n_verdicts[COMPARE_VERDICTS]; /* rows of each; of RARE, functions */
    double others; /* by this factor the shares of most functions changed,
                      because those of some did */
    struct compare_total total;
    struct compare_power powers[COMPARE_POWERS];
    bool is_judged;
    bool is_weak; /* a row could have grown by powers[].explains unseen, or none
                     was judged */
};

bool compare_judge(struct compare *c, struct compare_result *result,
                   struct prof_err *err);
void compare_result_free(struct compare_result *result);

/* The similarity of the sides: sum of the lesser of both flat shares, 0 to 1.
 */
bool compare_overlap(struct compare *c, double *overlap, struct prof_err *err);

/* Append a result; text and Markdown have at most `most` rows, 0: all.  False
 * when memory is out. */
bool compare_print_text(const struct compare_result *r, size_t most,
                        struct buf *out);
bool compare_print_markdown(const struct compare_result *r, size_t most,
                            struct buf *out);
bool compare_print_json(const struct compare_result *r, struct buf *out);
bool compare_print_junit(const struct compare_result *r, struct buf *out);

/* For a page of the difference, which the caller frees; null: memory is out.
 * "base-1.pb.gz ... base-5.pb.gz", and report_opts.verdicts. */
char *compare_names(const struct compare_result *r, enum compare_side side);
char *compare_verdicts(const struct compare_result *r);

#endif
