/*
 * out.h - what an output format is written with
 *
 * For the files of lib/report only; report.h says how a format is added.
 *
 *      subject             functions
 *      text and its sink   report_flush, report_put_piece
 *      values              report_value
 *      strings, numbers    report_put_str, report_put_name, report_put_lines,
 *                          report_put_right, report_put_int
 *      times               report_put_time, report_put_duration
 *      lines about the     report_put_header, report_put_about,
 *      profile             report_put_filters, report_put_summary,
 *                          report_put_legend, report_binary
 *      the graph           report_table_init (the rows of --text),
 *                          report_make_graph, report_graph_opts,
 *                          report_choose_unit
 *
 * Functions named put append to r->out or to a buf that they are given.  They
 * return false when memory is out or the sink fails; print() then returns
 * err_nomem(err), and report_print() replaces that by the error of the sink.
 */
#ifndef PROFUTILS_REPORT_OUT_H
#define PROFUTILS_REPORT_OUT_H

#include "base/slice.h"
#include "profile/measure.h"
#include "report/report.h"

/* What print() gets. */
struct report {
    struct profile *p;
    const struct report_opts *opts; /* as adjusted for the format */
    const struct notes *notes;
    struct buf *out;
    size_t n_read;     /* samples before filters */
    struct sink *sink; /* where *out goes when it is long; or null */
    bool flushed;      /* some of it went there */
    bool sink_failed;  /* for this reason: */
    struct err sink_err;

    /* With REPORT_VALUES. */
    size_t type;            /* index of the value type */
    struct measure units;   /* of the values, and in which they are printed */
    double ratio;           /* values are multiplied by it to be printed */
    int64_t total;          /* what percentages are of */
    char *value_text;       /* of report_value(): room for any value */
    size_t value_text_size; /* bytes */

    /* With REPORT_LABELS: by a key's string id (prof_label_units()). */
    uint32_t *label_unit;
};

/* Writes *out to the sink if it is long.  Call it between samples or rows. */
bool report_flush(struct report *r);

/* Appends a part of the report to *out, or writes both to the sink. */
bool report_put_piece(struct report *r, const struct buf *piece);

/*
 * The value as it is printed; good until the next call.  Requires
 * REPORT_VALUES, as do all functions that use the graph.
 */
const char *report_value(struct report *r, int64_t value);

/*
 * The lines that text reports begin with: File, Build ID, comments, Type,
 * Doc, Time, Duration, each with its newline.
 */
bool report_put_header(struct report *r);

/* The same without Time and Duration, which differ in two profiles. */
bool report_put_about(struct report *r);

/* The filters, one per line, below "Active filters:"; nothing without any. */
bool report_put_filters(struct report *r);

/*
 * What is shown of a graph: the filters, the share of the total, the number of
 * nodes and edges that were dropped and why.  Ends with a newline.
 */
bool report_put_summary(struct report *r, const struct graph *g,
                        const struct graph_cut *cut, size_t dropped_edges);

/* Header and summary; with compact_labels the summary only. */
bool report_put_legend(struct report *r, const struct graph *g,
                       const struct graph_cut *cut);

/* What graph_make() is to sum up: no tree, and nodes as in --text. */
struct graph_opts report_graph_opts(const struct report *r);

/*
 * The graph of the profile, and the nodes to show.  Both are to be freed, on
 * failure too; *cut is zero before.
 */
bool report_make_graph(const struct report *r, struct graph *g,
                       struct graph_cut *cut, struct err *err);

/*
 * With --unit=minimum, sets r->units.to to one unit for all values: that of
 * the smallest value shown, or a larger one if it still shows a hundredth of
 * that value.  Call it before the first report_value().
 */
void report_choose_unit(struct report *r, const struct graph *g,
                        const struct graph_cut *cut);

/* The same for values without fractions: the unit of the smallest value. */
void report_choose_integer_unit(struct report *r, const struct graph *g,
                                const struct graph_cut *cut);

/* The nodes that --text shows, in its order. */
struct report_table {
    struct report_row {
        uint32_t node;     /* of g */
        int64_t flat, cum; /* for report_value() */
        int64_t sum;       /* of the flat values up to here */
        struct slice name; /* with file and line, as the granularity has them */
        const char *inlined; /* "", " (inline)" or " (partial-inline)" */
    } * row;
    size_t n;
    struct graph g;
    struct graph_cut cut;
};

/* To be freed on failure too; chooses the unit. */
bool report_table_init(struct report_table *t, struct report *r,
                       struct err *err);
void report_table_free(struct report_table *t);

/* The name of the main binary without its directory; n 0: it has none. */
struct slice report_binary(const struct report *r);

/* The string of that id, byte by byte. */
bool report_put_str(struct report *r, uint32_t id);

/* The same for people: on one line, control characters escaped. */
bool report_put_name(const struct report *r, uint32_t id, struct buf *to);

/* The same of a text that may have several lines and tabs. */
bool report_put_lines(struct report *r, uint32_t id);

/* text[0 .. n), escaped in the same way and right-aligned in `width`. */
bool report_put_right(struct buf *out, const void *text, size_t n,
                      size_t width);

/* The number, right-aligned. */
bool report_put_int(struct buf *out, int64_t value, size_t width);

/*
 * "2006-01-02 15:04:05 MST" in local time; with `long_form` as Go prints a
 * time.Time: with fractions of the second and the offset of the zone.
 */
bool report_put_time(struct buf *out, int64_t nanos, bool long_form);

/*
 * A time span as Go prints a time.Duration ("1m31.5s"), cut after `chars`
 * characters.
 */
bool report_put_duration(struct buf *out, int64_t nanos, size_t chars);

#endif
