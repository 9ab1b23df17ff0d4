/*
 * private.h - the rows of --text, and dividing samples by the values of a label
 */
#ifndef PROFUTILS_REPORT_TEXT_PRIVATE_H
#define PROFUTILS_REPORT_TEXT_PRIVATE_H

#include "base/vec.h"
#include "report/out.h"
#include "report/rows.h"

/* --- the rows of --text (toprows.c) --- */

struct toptable {
    struct graph g;
    struct graph_cut cut;
    uint8_t *called;      /* by node: whether its calls were inlined */
    struct graph *others; /* for each of opts->others: a graph with the nodes
                             of g */
};

/*
 * Makes the rows and, for text, chooses the unit of r.  The caller frees *t,
 * after a failure too.
 */
bool toptable_make(struct report *r, struct toptable *t, struct prof_err *err);
void toptable_free(const struct report *r, struct toptable *t);

/* Print the rows: as text, with a line of column names; or as data (rows.h). */
bool toptable_put(struct report *r, const struct toptable *t);
bool toptable_put_data(struct rows *rows, const struct toptable *t,
                       struct prof_slice of);

/* --- labels --- */

/* Sets *id to the string id, added if new, of the text that --tags shows for
 * the value of a label (tags.c). */
bool label_text(const struct report *r, const struct prof_label *l,
                uint32_t *id, struct prof_err *err);

/*
 * Divides the samples of a report by the values of the label opts->by
 * (split.c). Between split_enter() and split_leave(), the report has only the
 * samples of one value:
 *
 *      struct split s;
 *      bool ok = split_init(&s, r, err);
 *      for (size_t i = 0; ok && i < s.n; i++) {
 *          ok = split_enter(&s, &s.v[i], err) && ...;
 *          split_leave(&s);
 *      }
 *      split_free(&s);
 *
 * A sample that has several values of the label is among those of each.
 */
struct split_value {
    uint32_t text; /* string id; 0: samples without the label */
    int64_t sum;   /* of its samples; with opts->mean, the mean */
    VEC(uint32_t) samples;
    /* Private. */
    bool has_value; /* the value of some sample is not 0 */
    int64_t div;
    size_t last_set;
};

/* New numbers, from 0, for some of many indices, in order of first use. */
struct split_numbers {
    uint32_t *number; /* by index: its number, if it has one */
    uint32_t *index;  /* by number: its index */
    size_t n;
};

struct split {
    uint32_t key;          /* string id */
    struct split_value *v; /* heaviest first; no label: last */
    size_t n, cap;
    /* Private. */
    struct report *r;
    struct profile *whole;
    struct profile part; /* shares strings, labels and mappings of `whole` */
    int64_t total;       /* these three: saved from the report */
    struct measure units;
    struct report_other *others;
    struct split_numbers locations, functions; /* of `part` */
    VEC(uint32_t) frames;                      /* scratch */
    VEC(struct prof_line) lines;               /* scratch */
};

/* Finds the values.  PROF_ERR_USAGE if no sample has the label, but there are
 * samples. */
bool split_init(struct split *s, struct report *r, struct prof_err *err);
void split_free(struct split *s);

/*
 * Sets r->p to a profile of the samples of *v, and the totals of the report to
 * theirs, until split_leave(), which the caller calls after a failure too.
 */
bool split_enter(struct split *s, const struct split_value *v,
                 struct prof_err *err);
void split_leave(struct split *s);

/* Returns the text of a value; "(none)" for samples without the label. */
struct prof_slice split_name(const struct split *s,
                             const struct split_value *v);

/* Print --text with opts->by (by.c), and with opts->outliers (outliers.c). */
bool print_by(struct report *r, struct prof_err *err);
bool print_outliers(struct report *r, struct prof_err *err);

#endif
