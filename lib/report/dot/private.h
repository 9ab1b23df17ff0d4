/*
 * private.h - the parts of --dot: tags of nodes, their boxes, quoted strings
 *
 *      nodetags.c   sums the values of each tag at each node
 *      dot_boxes.c  chooses the tags to draw, as boxes
 *      dot_text.c   quoted strings in Graphviz's language
 *      dot.c        the graph
 *
 * Graphviz's language is published at https://graphviz.org/doc/info/lang.html.
 * What is drawn, its fonts, colours and words are those of pprof (dotgraph.go
 * and graph.go in internal/graph of https://github.com/google/pprof).
 *
 * Functions that return bool and have no err return false when memory is out.
 */
#ifndef PROFUTILS_REPORT_DOT_PRIVATE_H
#define PROFUTILS_REPORT_DOT_PRIVATE_H

#include "base/vec.h"
#include "report/out.h"

/*
 * Tags split the value of a node by the labels of its samples.
 *
 *      kind     one tag for                              name
 *      labels   each set of string labels of a sample    "key:value" lines,
 *                                                        sorted
 *      number   each number with the key "bytes", apart  the number with its
 *               for each set of string labels            unit: "4kB"
 *
 * Labels with the key pprof::base, which mark one side of a difference, and
 * other numbers are ignored.
 *
 *      struct nodetags t;
 *      ok = nodetags_init(&t, p, label_unit, unit, err) &&
 *           (!t.n || nodetags_sum(&t, &graph, &cut, &visitor, err));
 *      nodetags_free(&t);
 */

struct tag {
    uint32_t labels; /* id in `text` of the string labels; 0: none */
    uint32_t name;   /* id in `text`: of the number, else equal to `labels` */
    bool is_number;
    size_t first_use; /* private */
};

/* Private: a label set whose samples have the tag. */
struct tag_use {
    uint32_t tag, set;
    uint32_t times; /* how often the set has the number */
    int64_t value;  /* the number shown for the tag: the first of the set that
                      has the tag's text */
};

struct nodetags {
    const struct profile *p; /* not owned */
    struct strtab text;      /* names of tags */
    struct tag *v;           /* tags of labels, then of numbers */
    size_t n, cap;
    uint32_t unit; /* the unit of numbers: string id in the profile */
    /* Private. */
    VEC(struct tag_use) uses;
    uint32_t *order;    /* samples, sorted by label set: */
    size_t *set_sample; /* those of set i begin at order[set_sample[i]] */
};

/*
 * Finds the tags of all samples of *p, which must outlive *t.  Numbers are in
 * label_unit (prof_label_units()) of their key, and printed in `unit`, which
 * may be "auto" or "minimum".  The caller frees *t, after a failure too.
 */
bool nodetags_init(struct nodetags *t, const struct profile *p,
                   const uint32_t *label_unit, const char *unit,
                   struct prof_err *err);
void nodetags_free(struct nodetags *t);

/* The value of a tag at the node of a row of the cut (graph.h). */
struct tag_sum {
    struct graph_value sum;
    int64_t number; /* for numbers: the number of the first sample */
};

/* Receives the value of a tag at a row of the cut. */
struct tag_visitor {
    bool (*fn)(void *ctx, uint32_t tag, size_t row, const struct tag_sum *at);
    void *ctx;
};

/*
 * Calls the visitor for each tag, in order, and each row where the tag's flat
 * or cumulative value is at least cut->node_cutoff.  PROF_ERR_INPUT if a sum
 * might exceed 63 bits, which is possible if samples have several numbers.
 */
bool nodetags_sum(const struct nodetags *t, const struct graph *g,
                  const struct graph_cut *cut,
                  const struct tag_visitor *visitor, struct prof_err *err);

enum { DOT_BOXES = 4 }; /* limit: labels of a node, and numbers of a label */

/* A tag at the node of a row. */
struct dot_box {
    uint32_t row, tag;
    struct tag_sum at;
};

/*
 * The boxes of all rows, sorted by row and then in the order in which they are
 * drawn.  Row i has labels[label_off[i] .. label_off[i + 1]), at most
 * DOT_BOXES, and numbers likewise; numbers with equal tag.labels are
 * neighbours.
 */
struct dot_boxes {
    VEC(struct dot_box) labels, numbers;
    size_t *label_off, *number_off; /* n_rows + 1; null: no boxes at all */
};

struct dot {
    struct report *r;
    bool is_brief; /* nodes have brief names; their tooltips the full ones */
    struct graph g;
    struct graph_cut cut;
    struct edges edges;
    struct nodetags tags;
    struct dot_boxes boxes;
    uint64_t heaviest; /* greatest flat value of a row, without its sign */
    size_t replaced;   /* characters that dot_put_text() replaced */
};

/*
 * Appends text[0 .. n) inside a quoted string, so that Graphviz shows it as it
 * is:
 *
 *      quotes, backslashes                          are escaped
 *      & of a character reference (&lt;)            becomes &amp;
 *      newlines                                     end a left-aligned line
 *      control characters, bytes that are not UTF-8 become U+FFFD; counted
 */
bool dot_put_text(struct dot *d, const void *text, size_t n);

/* Appends the value in the unit to print, inside a quoted string. */
bool dot_put_value(struct dot *d, int64_t value);

/* Fills d->boxes; the caller frees them, after a failure too. */
bool dot_find_boxes(struct dot *d, struct prof_err *err);
void dot_free_boxes(struct dot_boxes *boxes);

/* Sets *n to the number of rows that, with their boxes, are at most `max`
 * nodes; to 0 if max is 0. */
bool dot_count_rows(struct dot *d, size_t max, size_t *n, struct prof_err *err);

/* Appends the boxes of a row.  Sets *any to whether it has one. */
bool dot_put_boxes(struct dot *d, uint32_t row, bool *any);

#endif
