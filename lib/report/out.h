/*
 * out.h - functions that output formats share
 *
 * For the files of lib/report only; report.h describes formats.
 *
 *      subject             functions
 *      text and its sink   report_flush, report_put_piece
 *      values              report_prepare_type, report_value, report_put_value,
 *                          report_put_percent
 *      strings, numbers    report_put_name, report_put_lines, report_put_right,
 *                          report_put_int
 *      a profile           report_put_profile
 *      JSON                json_report_lost
 *      pictures            REPORT_SVG_GROUND
 *      times               report_put_time, report_put_duration
 *      lines about the     report_put_header, report_put_about,
 *      profile             report_put_filters, report_put_summary,
 *                          report_put_legend, report_binary
 *      the graph           report_make_graph, report_graph_opts,
 *                          report_choose_unit
 *
 * report_put_ functions append to r->out, or to their buf argument.  False:
 * memory is out or the sink failed.  print() returns err_nomem(err) for both,
 * and report_print() replaces the error if it was the sink's.
 */
#ifndef PROFUTILS_REPORT_OUT_H
#define PROFUTILS_REPORT_OUT_H

#include "base/slice.h"
#include "profile/columns.h"
#include "report/report.h"

/* A sample type of opts.others, which has columns of its own. */
struct report_other {
    size_t type;
    struct measure units;
    int64_t total;
};

/* The state of a report: the argument of print(). */
struct report {
    const struct report_format *format;
    struct profile *p;
    const struct report_opts *opts; /* adjusted to the format's needs */
    const struct prof_notes *notes;
    struct buf *out;   /* text that was not written to the sink yet */
    struct sink *sink; /* null: all text stays in *out */
    size_t n_read;     /* number of samples before filters */
    bool sink_failed;  /* writing failed; sink_err has the reason */
    struct prof_err sink_err;

    /* The value type.  With REPORT_NO_VALUES: type 0, no unit and no total. */
    size_t type;                 /* index of the value type */
    struct measure units;        /* unit of the values, and unit to print */
    double ratio;                /* printed values are values times this */
    int64_t total;               /* the value that is 100 % */
    struct report_other *others; /* opts->n_others */
    char *value_text;            /* result of report_value() */
    size_t value_text_size;      /* bytes */

    /* By a key's string id (prof_label_units()); null without REPORT_LABELS. */
    uint32_t *label_unit;
};

/*
 * Returns the index of the type of call counts (gmon2pb).  -1 if there is none,
 * or if options change samples or values: filters, a base, mean, a divisor.
 */
int report_calls_type(const struct report *r);

/* Sets the total and the units of a sample type. */
bool report_prepare_type(struct report *r, size_t type, int64_t *total,
                         struct measure *units, struct prof_err *err);

/* Writes *out to the sink and empties it, if it is long.  Call it between
 * samples or rows. */
bool report_flush(struct report *r);

/* Writes *out and then *piece to the sink; without one, appends to *out. */
bool report_put_piece(struct report *r, const struct buf *piece);

/* Appends *p, encoded and compressed as pbmerge writes it. */
bool report_put_profile(struct report *r, const struct profile *p,
                        struct prof_err *err);

/* Returns a value as text in the unit to print, valid until the next call. */
const char *report_value(struct report *r, int64_t value);

/* Appends that text, right-aligned. */
bool report_put_value(struct report *r, int64_t value, size_t width);

/* Appends a space, and value / total as a percentage. */
bool report_put_percent(struct report *r, int64_t value, int64_t total);

/*
 * Appends the first lines of text reports: File, Build ID, comments, Type, Doc,
 * Time, Duration.
 */
bool report_put_header(struct report *r);

/* The same without Time and Duration, for a difference of two profiles. */
bool report_put_about(struct report *r);

/*
 * Warns if more than 1 % of the values are of stacks whose leaf has no function
 * name.
 */
bool report_warn_unnamed(const struct report *r, struct prof_err *err);

/* Appends "Active filters:" and the filters, one per line; nothing if there are
 * none. */
bool report_put_filters(struct report *r);

/*
 * Appends the summary of a graph: the filters, the share of the total that is
 * shown, the numbers of dropped nodes and edges, and why they were dropped.
 */
bool report_put_summary(struct report *r, const struct graph *g,
                        const struct graph_cut *cut, size_t dropped_edges);

/* Appends the header, unless opts->compact_labels is set, and the filters. */
bool report_put_intro(struct report *r);

/* Appends header and summary; with opts->compact_labels only the summary. */
bool report_put_legend(struct report *r, const struct graph *g,
                       const struct graph_cut *cut);

/* Returns the options of graph_make() for the nodes of --text: a node for each
 * function, not for each call path. */
struct graph_opts report_graph_opts(const struct report *r);

/*
 * Makes the graph of the profile and selects the nodes to show.  The caller
 * frees both, after a failure too; *cut is zeroed before.
 */
bool report_make_graph(const struct report *r, struct graph *g,
                       struct graph_cut *cut, struct prof_err *err);

/*
 * With --unit=minimum, sets r->units.to to one unit for all values: the one
 * that suits the smallest value shown, or a larger one in which that is still
 * at least 0.01.  With `whole`, because values are printed as whole numbers:
 * always the former.  Call it before the first report_value().
 */
void report_choose_unit(struct report *r, const struct graph *g,
                        const struct graph_cut *cut, bool whole);

/* Returns the name of the main binary without its directory; empty: unknown. */
struct prof_slice report_binary(const struct report *r);

/*
 * Appends the string with this id on one line, with control characters escaped
 * (utf8_put_line()).
 */
bool report_put_name(const struct report *r, uint32_t id, struct buf *to);

/* The same for r->out and text of several lines: newlines and tabs stay. */
bool report_put_lines(struct report *r, uint32_t id);

/* Appends text[0 .. n), escaped for one line, right-aligned in `width`. */
bool report_put_right(struct buf *out, const void *text, size_t n,
                      size_t width);

/* Appends the text of measure_label(), or of measure_percent() without blanks
 * before it. */
bool report_put_measure(struct buf *out, int64_t value, const char *from,
                        const char *to);
bool report_put_share(struct buf *out, int64_t value, int64_t total);

/* Appends a number, right-aligned in `width`. */
bool report_put_int(struct buf *out, int64_t value, size_t width);

/*
 * Appends a time, in nanoseconds since 1970, as local time: "2006-01-02
 * 15:04:05 MST"; with `long_form` as Go prints a time.Time, with fractions of
 * the second and the offset of the zone.
 */
bool report_put_time(struct buf *out, int64_t nanos, bool long_form);

/*
 * Appends a time span as Go prints a time.Duration ("1m31.5s"), truncated to
 * `chars` characters.
 */
bool report_put_duration(struct buf *out, int64_t nanos, size_t chars);

/*
 * The first elements of an SVG picture: a white background, and styles for a
 * dark theme: a dark background, light text, dark lines between boxes, and for
 * rectangles the colour of their property --dark.
 */
#define REPORT_SVG_GROUND                                                      \
    "<style>@media screen and (prefers-color-scheme: dark) {\n"                \
    "svg { fill: #eef0f3; background: #16181c }\n"                             \
    "rect { fill: var(--dark) }\n"                                             \
    "[stroke='#fff'] { stroke: #16181c }\n"                                    \
    "}</style>\n"                                                              \
    "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\" "                 \
    "style=\"--dark:#16181c\"/>\n"

/*
 * Warns of data that is lost in the JSON:
 *
 *      n_replaced   number of bytes of names that are not UTF-8; 0: no warning
 *      reader       subject and verb of the warning, such as "speedscope
 *                   rounds", for a program that reads numbers as doubles.  The
 *                   warning counts values that need more than 53 bits.  Null:
 *                   no warning
 */
void json_report_lost(const struct report *r, size_t n_replaced,
                      const char *reader);

#endif
