/*
 * compare.h - finds functions that take more of the time in one set of runs
 * than in another
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
 * Runs of the same program differ by more than the chance of sampling.
 * compare_judge() estimates how much from the runs of each side, over all
 * functions (judge.c).  So it needs several runs of at least one side.
 */
#ifndef PROFUTILS_COMPARE_COMPARE_H
#define PROFUTILS_COMPARE_COMPARE_H

#include "base/buf.h"
#include "profile.h"

enum compare_side { COMPARE_BASE, COMPARE_NEW, COMPARE_SIDES };
enum compare_measure { COMPARE_FLAT, COMPARE_CUM, COMPARE_MEASURES };

struct compare_alias {
    const char *pattern; /* regular expression of names */
    const char *name;    /* the name that they are counted as */
};

struct compare_opts {
    const char *sample_index;          /* null: the profile's default */
    enum prof_granularity granularity; /* no PROF_ADDRESSES */
    bool measures[COMPARE_MEASURES];   /* which rows to make */
    bool exact_names;                  /* do not apply names_match() */
    const struct compare_alias *aliases;
    size_t n_aliases;
    /* If not null, samples with this label are of the side with this value;
     * else all samples of a profile are of the side that compare_add() gets. */
    const char *side_key, *side_value[COMPARE_SIDES];
    const char *run_key; /* each value of this label is a run; or null */
    double alpha;        /* accepted probability that any change is reported
                            when nothing has changed */
    double max_growth;   /* growth of a function that is not yet a regression,
                            such as 0.05 */
    double min_share;    /* functions below it on both sides are not judged */
    bool assume_poisson; /* runs differ only by chance of sampling */
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
 * Adds the samples of *p as runs of `side`, or of the side that opts.side_key
 * selects.  Applies drop_frames to *p.  PROF_ERR_INPUT: a value is negative, or
 * the sample type differs from that of earlier runs.
 */
bool compare_add(struct compare *c, enum compare_side side, const char *name,
                 struct profile *p, const struct prof_notes *notes,
                 struct prof_err *err);

enum compare_verdict {
    COMPARE_SLOWER,
    COMPARE_FASTER,
    COMPARE_UNCHANGED, /* the runs do not show a change */
    COMPARE_RARE,      /* too few samples to tell */
    COMPARE_UNJUDGED,  /* too few runs to tell */
    COMPARE_VERDICTS
};

/* Returns the verdict in words: "slower", "no change shown". */
const char *compare_verdict_text(enum compare_verdict v, bool is_counted);

/* A function, by one measure. */
struct compare_row {
    struct prof_slice name;
    double share[COMPARE_SIDES]; /* in all runs of a side together: 0.05 */
    double count[COMPARE_SIDES]; /* sums of values */
    /* The confidence interval of share[NEW] / share[BASE], at the level of the
     * verdicts; high may be infinite.  Without verdicts, it considers only the
     * chance of sampling: the true interval is wider. */
    double low, high;
    double certain; /* the least change of the share that the interval allows;
                       0: it includes "no change" */
    double p;       /* probability of such a difference if nothing changed */
    double dispersion; /* variance of runs / variance by chance of sampling */
    double detectable; /* growth that these runs would show in 8 of 10 cases */
    enum compare_measure measure;
    enum compare_verdict verdict;
};

/* The total values of runs. */
struct compare_total {
    double mean[COMPARE_SIDES]; /* mean total of a run */
    double ratio, low, high;    /* ratio of the means, and its interval */
    bool is_known;              /* false: fewer than three runs on a side */
};

/* How large a change of functions with this share must be to be found. */
struct compare_power {
    double share;
    double growth;   /* growth that these runs show in 8 of 10 cases */
    size_t runs;     /* runs of each side that are needed to show a growth by
                        `explains`; 0: more than COMPARE_MOST_RUNS */
    double explains; /* twice opts.max_growth; 5 % if that is 0 */
};
enum {
    COMPARE_POWERS = 3,
    COMPARE_LEAST_COUNT = 10, /* least samples of a row that is judged */
    COMPARE_MOST_RUNS = 1000,
    COMPARE_LEAST_RUNS = 3, /* least runs of a side to judge totals, and rows if
                               values are not counts of samples */
};

/* Names belong to the struct compare. */
struct compare_result {
    struct compare_opts opts;
    const char *type, *unit; /* of the values */
    bool is_counted;         /* the values are numbers of samples */
    size_t n_runs[COMPARE_SIDES];
    double sum[COMPARE_SIDES];                              /* of all values */
    const char *first[COMPARE_SIDES], *last[COMPARE_SIDES]; /* names of runs */
    struct compare_row *rows; /* sorted by verdict, then size of the change */
    size_t n_rows;
    size_t n_verdicts[COMPARE_VERDICTS]; /* rows of each; of RARE: functions */
    double others; /* factor by which the shares of most functions changed only
                      because those of a few did: shares add up to 1 */
    struct compare_total total;
    struct compare_power powers[COMPARE_POWERS];
    bool is_judged;
    bool is_weak; /* a row could have grown by powers[].explains without being
                     found, or none was judged */
};

/* Computes the result, which the caller frees. */
bool compare_judge(struct compare *c, struct compare_result *result,
                   struct prof_err *err);
void compare_result_free(struct compare_result *result);

/* Sets *overlap to the similarity of the sides, 0 to 1: the sum over all
 * functions of the lesser of both flat shares. */
bool compare_overlap(struct compare *c, double *overlap, struct prof_err *err);

/* Append the result to *out, in text and Markdown with at most `most` rows (0:
 * all).  False when memory is out. */
bool compare_print_text(const struct compare_result *r, size_t most,
                        struct buf *out);
bool compare_print_markdown(const struct compare_result *r, size_t most,
                            struct buf *out);
bool compare_print_json(const struct compare_result *r, struct buf *out);
bool compare_print_junit(const struct compare_result *r, struct buf *out);

/* Return texts for a page of the difference, which the caller frees: the names
 * of runs, "base-1.pb.gz ... base-5.pb.gz"; and report_opts.verdicts.  Null:
 * memory is out. */
char *compare_names(const struct compare_result *r, enum compare_side side);
char *compare_verdicts(const struct compare_result *r);

#endif
