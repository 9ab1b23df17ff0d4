/*
 * format.h - what the formats of this directory are made with
 *
 * Private to lib/report.  Functions that append to r->out return false when
 * memory is out, which a format's print() turns into an error at one place.
 */
#ifndef PROFUTILS_REPORT_FORMAT_H
#define PROFUTILS_REPORT_FORMAT_H

#include "base/slice.h"
#include "profile/measure.h"
#include "report/report.h"

struct report {
    struct profile *p;
    const struct report_opts *opts; /* settled: as they are for the format */
    const struct notes *notes;
    struct buf *out;
    size_t n_read;   /* samples before filters */
    struct sink *to; /* where *out goes when it is long; or null */
    bool flows;      /* some of it went there */
    bool refused;    /* it did not take it, for this reason: */
    struct err refusal;

    /* The rest is there with REPORT_VALUES. */
    size_t type;          /* index of the value type */
    struct measure units; /* of the values, and in which they are printed */
    double ratio;         /* they are multiplied by, for printing */
    int64_t total;        /* what percentages are of */
    char *label;          /* room for the text of any value */
    size_t label_size;

    /* With REPORT_LABELS: by a key's string id (labelunit.h). */
    uint32_t *label_unit;
};

extern const struct report_format report_text;
extern const struct report_format report_classic;
extern const struct report_format report_tree;
extern const struct report_format report_peek;
extern const struct report_format report_dot;
extern const struct report_format report_svg;
extern const struct report_format report_pdf;
extern const struct report_format report_ps;
extern const struct report_format report_png;
extern const struct report_format report_gif;
extern const struct report_format report_gv;
extern const struct report_format report_callgrind;
extern const struct report_format report_traces;
extern const struct report_format report_raw;
extern const struct report_format report_comments;
extern const struct report_format report_folded;
extern const struct report_format report_flame;
extern const struct report_format report_flame_svg;
extern const struct report_format report_textproto;
extern const struct report_format report_json;
extern const struct report_format report_jsonl;
extern const struct report_format report_csv, report_tsv;
extern const struct report_format report_speedscope, report_firefox;
extern const struct report_format report_list;
extern const struct report_format report_disasm;
extern const struct report_format report_weblist;
extern const struct report_format report_tags;
extern const struct report_format report_topproto;

/* Of --dot and of the pictures that are made of it. */
#define REPORT_DOT_NEEDS                                                       \
    (REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM | REPORT_VALUES |             \
     REPORT_LABELS)
#define REPORT_DOT_COUNT 80

/*
 * Hands a long *out on to where it goes.  Called between samples and the
 * like; false when it does not get there.
 */
bool report_pass_on(struct report *r);

/*
 * Appends a piece of the report to *out, or hands it on behind what is
 * there.
 */
bool report_put_piece(struct report *r, const struct buf *piece);

/* The value as it is printed; good until the next call. */
const char *report_value(struct report *r, int64_t value);

/*
 * The lines that text reports begin with: File, Build ID, comments, Type,
 * Doc, Time, Duration, each with its newline.
 */
bool report_header(struct report *r);

/* The same without Time and Duration, which two profiles have apart. */
bool report_about(struct report *r);

/* The filters, one to a line, below "Active filters:"; or nothing. */
bool report_filters(struct report *r);

/*
 * What is shown of a graph: the filters, the share of the total, how many
 * nodes were left out and why.  Ends with a newline.
 */
bool report_summary(struct report *r, const struct graph *g,
                    const struct graph_cut *cut);

/* The same for what shows calls: how many were left out, too. */
bool report_summary_edges(struct report *r, const struct graph *g,
                          const struct graph_cut *cut, size_t dropped_edges);

/* Both, but with compact_labels the second only. */
bool report_labels(struct report *r, const struct graph *g,
                   const struct graph_cut *cut);

/*
 * The weights of the nodes, and those of them that the report shows.  Both are
 * to be freed, on failure too; *cut is zero before.
 */
bool report_weigh(const struct report *r, struct graph *g,
                  struct graph_cut *cut, struct err *err);

/*
 * Where "minimum" is asked for, sets r->units.to to one unit for all values:
 * that of the smallest one shown, but a larger one as long as it still shows
 * a hundredth of it.  Comes before the first report_value().
 */
void report_choose_unit(struct report *r, const struct graph *g,
                        const struct graph_cut *cut);

/* The same where values have no fractions: that of the smallest one. */
void report_choose_whole_unit(struct report *r, const struct graph *g,
                              const struct graph_cut *cut);

/* x without its fraction; the nearest int64_t where it does not fit. */
int64_t report_whole(double x);

/* The string of that id, whatever bytes it has. */
bool report_put_str(struct report *r, uint32_t id);

/* The main binary's name without its directory; n 0: it has no name. */
struct slice report_binary(const struct report *r);

/*
 * The same for people: on one line, and nothing in it that a terminal obeys
 * (utf8_put_line()).
 */
bool report_put_name(const struct report *r, uint32_t id, struct buf *to);

/* The same of a text, which may have several lines and tabs. */
bool report_put_lines(struct report *r, uint32_t id);

/*
 * text[0 .. n), likewise, with spaces before it up to `width` characters in
 * all.
 */
bool report_put_right(struct buf *out, const void *text, size_t n,
                      size_t width);

/* The number, in the same way. */
bool report_put_int(struct buf *out, int64_t value, size_t width);

/*
 * "2006-01-02 15:04:05 MST" in local time; with `long_form` as Go prints a
 * time.Time: fractions of the second and the zone's offset as well.
 */
bool report_put_time(struct buf *out, int64_t nanos, bool long_form);

/*
 * A time span as Go prints a time.Duration ("1m31.5s"), but only the first
 * `chars` characters of it.
 */
bool report_put_duration(struct buf *out, int64_t nanos, size_t chars);

#endif
