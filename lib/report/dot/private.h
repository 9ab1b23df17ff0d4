/*
 * private.h - tags at the nodes of a graph, their boxes, and quoted strings
 *
 *      nodetags.c   sums of the samples with a tag at each node
 *      dot_boxes.c  which of them are drawn, as boxes
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
    uint32_t labels; /* name of the string labels; 0: there are none */
    uint32_t name;   /* of a number: its text; else equal to `labels` */
    bool is_number;
    size_t first_use; /* private */
};

/* Private: the samples of this label set have the tag. */
struct tag_use {
    uint32_t tag, set;
    uint32_t times; /* how often the set has the number */
    int64_t value;  /* the number, where it is first */
};

struct nodetags {
    const struct profile *p; /* not owned */
    struct strtab text;      /* names of tags */
    struct tag *v;           /* those of labels first */
    size_t n, cap;
    uint32_t unit; /* of the numbers: string id in the profile */
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

/* The value of a tag at the node of a row. */
struct tag_sum {
    struct graph_value sum;
    int64_t number; /* of a number: that of the first sample */
};

/* Receives the value of a tag at a row of the cut. */
struct tag_visitor {
    bool (*fn)(void *ctx, uint32_t tag, size_t row, const struct tag_sum *at);
    void *ctx;
};

/*
 * Calls the visitor for each tag, in order, and each row where the tag's flat
 * or cumulative value is at least cut->node_cutoff.  PROF_ERR_INPUT if a sum
 * could need more than 63 bits, which takes samples with several numbers.
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
 * The boxes at all rows, sorted by row and then as they are drawn.  Row i has
 * labels[label_off[i] .. label_off[i + 1]), DOT_BOXES at most, and numbers in
 * the same way; numbers with equal tag.labels are neighbours.
 */
struct dot_boxes {
    VEC(struct dot_box) labels, numbers;
    size_t *label_off, *number_off; /* n_rows + 1; null: no boxes at all */
};

struct dot {
    struct report *r;
    bool is_brief; /* names in nodes are: their tooltips have the whole */
    struct graph g;
    struct graph_cut cut;
    struct edges edges;
    struct nodetags tags;
    struct dot_boxes boxes;
    uint64_t heaviest; /* flat value of a row, without its sign */
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

/* Sets *n to the rows that fit into `max` nodes with their boxes; 0 for 0. */
bool dot_count_rows(struct dot *d, size_t max, size_t *n, struct prof_err *err);

/* Appends the boxes at a row; *any: there is one. */
bool dot_put_boxes(struct dot *d, uint32_t row, bool *any);

#endif
