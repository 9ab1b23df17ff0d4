/*
 * dot.h - a graph of calls in Graphviz's language, piece by piece
 *
 * The language is published at https://graphviz.org/doc/info/lang.html; what
 * is drawn, its fonts, colours and words are those of pprof (dotgraph.go in
 * internal/graph of https://github.com/google/pprof).
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_DOT_H
#define PROFUTILS_REPORT_DOT_H

#include "report/graph/edges.h"
#include "report/graph/nodetags.h"
#include "report/out.h"

/* What --dot and the pictures that Graphviz draws from it have in common. */
#define DOT_NEEDS                                                              \
    (REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM | REPORT_VALUES |             \
     REPORT_LABELS)
enum { DOT_COUNT = 80 }; /* nodes, unless --nodecount is given */

/* The `print` of --dot. */
bool dot_print(struct report *r, struct err *err);

enum { DOT_BOXES = 4 }; /* of labels at a node, and of numbers at each */

/* A tag at the node of a row. */
struct dot_box {
    uint32_t row, tag;
    struct tag_weight at;
};

/*
 * The boxes at all rows, sorted by row and then as they are drawn.  Those of
 * row i are labels[label_off[i] .. label_off[i + 1]), DOT_BOXES at most, and
 * numbers likewise; numbers of equal tag.labels are neighbours.
 */
struct dot_boxes {
    VEC(struct dot_box) labels, numbers;
    size_t *label_off, *number_off; /* n_rows + 1; null: no boxes at all */
};

struct dot {
    struct report *r;
    struct graph g;
    struct graph_cut cut;
    struct edges edges;
    struct nodetags tags;
    struct dot_boxes boxes;
    uint64_t heaviest; /* flat value of a row, without its sign */
    size_t replaced;   /* how often a character could not be written */
};

/*
 * Appends text[0 .. n) as a part of a quoted string that is shown as it is:
 * quotes and backslashes escaped, as is what Graphviz would take for a
 * character reference (&lt;); newlines end lines that are aligned left.
 * Control characters and bytes that are not UTF-8 have no place in it, nor in
 * the SVG that is made of it: they become U+FFFD and are counted.
 */
bool dot_put_text(struct dot *d, const void *text, size_t n);
bool dot_puts_text(struct dot *d, const char *text);

/*
 * The same for text that is a name of a function: scopes and packages go on
 * lines of their own.
 */
bool dot_put_function(struct dot *d, const char *name, size_t n);

/* The value as it is printed, for a quoted string. */
bool dot_put_value(struct dot *d, int64_t value);

/* "#rrggbb": from green (-1) over grey (0) to red (1). */
void dot_color(double share, bool background, char color[8]);

/* Sums up the tags at the rows; to be freed in any case. */
bool dot_find_boxes(struct dot *d, struct err *err);
void dot_free_boxes(struct dot_boxes *boxes);

/* How many rows there is room for among `max` nodes, as boxes count, too. */
bool dot_count_rows(struct dot *d, size_t max, size_t *n, struct err *err);

/*
 * Whether calls lead on from a row.  Then its boxes are of what is its own;
 * otherwise what its callees weigh, which are not shown, is part of them.
 */
bool dot_is_inner(const struct dot *d, uint32_t row);

/* Appends the boxes at a row; *any: there is one. */
bool dot_put_boxes(struct dot *d, uint32_t row, bool *any);

#endif
