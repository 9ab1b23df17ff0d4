/*
 * rows.h - a row of text for each sample, by several threads
 *
 * For formats that say all of a sample at one place.  What a frame looks like
 * is made once, what a row looks like is the format's; stacks have their leaf
 * first, as in --traces.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_ROWS_H
#define PROFUTILS_REPORT_ROWS_H

#include "base/vec.h"
#include "report/out.h"
#include "report/stacktext.h"

/* A label of a row, and its column. */
struct row_label {
    uint32_t column;
    const struct prof_label *label;
};

/* What a thread makes rows with. */
struct row_thread {
    struct stacktext stacks;
    struct buf field;             /* room for the format */
    VEC(struct row_label) labels; /* likewise */
};

struct row_maker {
    /* Appends a frame, with `between` bytes that part it from the next. */
    bool (*put_frame)(void *ctx, const void *name, size_t n, struct buf *to);
    size_t between;
    /* Appends a row; its stack by stacktext_put(&t->stacks, ...). */
    bool (*put_row)(void *ctx, struct row_thread *t, size_t sample,
                    struct buf *out);
    void *ctx; /* put_row must not change it: threads share it */
};

/* Prints a row for each sample, in the order of the profile. */
bool rows_print(struct report *r, const struct row_maker *maker,
                struct err *err);

#endif
