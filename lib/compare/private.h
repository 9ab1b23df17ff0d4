/* private.h - runs as columns of counts, and what is estimated from them */
#ifndef PROFUTILS_COMPARE_PRIVATE_H
#define PROFUTILS_COMPARE_PRIVATE_H

#include "base/map.h"
#include "base/sort.h"
#include "base/vec.h"
#include "compare/compare.h"
#include "profile/columns.h"

/* The values of a function in one run. */
struct cell {
    uint32_t row; /* the function: row of compare.names */
    int64_t values[COMPARE_MEASURES];
};

struct run {
    enum compare_side side;
    char *name;
    int64_t total;
    VEC(struct cell) cells; /* of functions whose values are not 0 */
};

struct compare {
    struct compare_opts opts;
    VEC(struct alias { struct regex *re; })
    aliases;          /* the compiled patterns of opts.aliases */
    struct map names; /* names of functions: rows from 0 */
    size_t n_rows;
    VEC(struct run) runs;
    char *type, *unit; /* of all runs; null: there are no runs */
    bool is_counted;
    /* Scratch, by row: the values in one run, and the last sample counted. */
    VEC(struct scratch {
        int64_t values[COMPARE_MEASURES];
        uint64_t sample;
        bool touched;
    })
    scratch;
    VEC(uint32_t) touched;
    uint64_t n_samples; /* number of samples counted so far, of all runs */
    struct buf name;
};

/*
 * Appends a name without the parts that differ between builds of one program:
 * ".constprop.0", numbers of lambdas, addresses of hidden classes, type
 * arguments of Go, hashes of Rust, versions in paths.
 */
bool names_match(struct buf *to, struct prof_slice name);

/* Rows of counts for all runs, those of the base first. */
struct counts {
    size_t n_runs[COMPARE_SIDES];
    double *totals; /* by run: the sum of its values */
    double *values; /* by row, then run: the value of the row in the run */
    size_t n_rows;
    bool is_counted;
};

/*
 * Judges the rows of *r, and sets all other results.  The caller has set the
 * rows with names, shares and counts: first those of counts[COMPARE_FLAT], then
 * those of counts[COMPARE_CUM].
 */
bool judge(const struct counts *counts, struct compare_result *r,
           struct prof_err *err);

#endif
