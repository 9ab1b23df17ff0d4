/*
 * rows.h - the rows of --text, --tree, --peek and --tags as data (--format)
 *
 * All four have the same columns.
 *
 *      column        node          caller, callee       tag
 *      kind          "node"        "caller", "callee"   "tag"
 *      of            -; opts.by:   name of the node     key
 *                    the value
 *      name          its name      name of the other    value
 *      flat          flat value    -                    -
 *      flat_percent  its share     -                    -
 *      cum           cum value     value of the calls   sum of the values
 *      cum_percent   its share     its share            its share
 *      unit          of flat and cum
 *      inlined       "inline", "partial-inline" or -
 *
 * and for each sample type of opts.others
 *
 *      TYPE/UNIT     its flat value, or cumulative if rows are sorted by it
 *      TYPE/ratio    this value divided by that of the first type
 *
 * With opts.outliers, the kind is "outlier", `of` is the value of the label
 * opts.by, shares are of the total of that value, and two columns follow:
 *
 *      others_percent  the median of the shares for other values of the label
 *      distance        from that median, in units of the spread of the shares
 *
 * Other shares are of the total of the report.  A field that a row does not
 * have
 * (-) is empty or, in JSON, null.  Values are integers in the profile's unit
 * unless --unit names another.
 */
#ifndef PROFUTILS_REPORT_ROWS_H
#define PROFUTILS_REPORT_ROWS_H

#include "report/out.h"

struct row {
    const char *kind;
    struct prof_slice of, name;
    bool has_flat;
    int64_t flat, cum;
    const char *inlined;   /* "inline", "partial-inline"; null: neither */
    const int64_t *others; /* values of opts.others, or null; */
    int64_t first;         /* .. their ratios are to this value */
    double others_percent, distance;
};

/* The state while rows are written. */
struct rows {
    struct report *r;
    struct prof_slice unit;
    size_t n;          /* rows so far */
    size_t n_replaced; /* bytes of names that are not UTF-8 */
    struct buf shown;  /* scratch */
};

/*
 * rows_begin() writes what precedes the rows, and rows_end() what follows them.
 * rows_end() also frees *rows: call it after a failure too, with ok false.  All
 * return false when memory is out or the sink failed.
 */
bool rows_begin(struct rows *rows, struct report *r);
bool rows_put(struct rows *rows, const struct row *row);
bool rows_end(struct rows *rows, bool ok);

#endif
