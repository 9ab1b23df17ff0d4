/*
 * private.h - what the files of dot/ share: tags at nodes, and DOT text
 *
 * The language of Graphviz is published at
 * https://graphviz.org/doc/info/lang.html; what is drawn, its fonts, colours
 * and words are those of pprof (dotgraph.go and graph.go in internal/graph of
 * https://github.com/google/pprof).
 */
#ifndef PROFUTILS_REPORT_DOT_PRIVATE_H
#define PROFUTILS_REPORT_DOT_PRIVATE_H

#include "base/vec.h"
#include "report/out.h"

/*
 * The labels of a sample split the value of a node.  Samples with the same tag
 * are summed up; a tag is
 *
 *   - all string labels of a sample together, as "key:value" each, sorted;
 *     without labels called pprof::base, which mark one side of a difference;
 *   - each number that is called "bytes", by how it is printed, separate for
 *     each of the above.  Other numbers are no tags.
 *
 * Nothing is stored per node: nodetags_sum() looks at one tag after the other,
 * at all rows of a cut at once.
 *
 *      struct nodetags t;
 *      ok = nodetags_init(&t, p, label_unit, unit, err) &&
 *           (!t.n || nodetags_sum(&t, &graph, &cut, &visitor, err));
 *      nodetags_free(&t);
 */

struct tag {
    uint32_t labels;  /* string id in tags.text; 0: samples without any */
    uint32_t name;    /* of a number, the same; of labels that id again */
    bool is_number;   /* or all string labels */
    size_t first_use; /* private */
};

/* Private: a label set that makes its samples have a tag. */
struct tag_use {
    uint32_t tag, set;
    uint32_t times; /* as often as the number is there */
    int64_t value;  /* the first of those */
};

struct nodetags {
    const struct profile *p; /* not owned */
    struct strtab text;      /* labels are lines */
    struct tag *v;           /* those of string labels first */
    size_t n, cap;
    uint32_t unit; /* of the numbers: string id in the profile */
    /* Private. */
    VEC(struct tag_use) uses;
    uint32_t *order;    /* samples by label set; .. */
    size_t *set_sample; /* .. those of set i from order[set_sample[i]] on */
};

/*
 * The tags of all samples of *p, which must outlive them.  Numbers are in
 * label_unit (prof_label_units()) of their key and printed in `unit`, which may
 * be "auto" or "minimum".  To be freed in any case.
 */
bool nodetags_init(struct nodetags *t, const struct profile *p,
                   const uint32_t *label_unit, const char *unit,
                   struct err *err);
void nodetags_free(struct nodetags *t);

/* Order of two names, for tags of equal value. */
int nodetags_cmp(const struct nodetags *t, uint32_t a, uint32_t b);

/* The value of a tag at the node of a row. */
struct tag_sum {
    struct graph_value sum;
    int64_t number; /* of a number: that of the first sample */
};

/* What nodetags_sum() calls; false: memory is out. */
struct tag_visitor {
    bool (*fn)(void *ctx, uint32_t tag, size_t row, const struct tag_sum *at);
    void *ctx;
};

/*
 * Calls the visitor for each tag in order and each row where it occurs and its
 * flat or cumulative value is not below cut->node_cutoff.  ERR_INPUT when the
 * magnitudes of numbers do not add up in 63 bits, which only samples with
 * several of them can bring about: then no sum can overflow.
 */
bool nodetags_sum(const struct nodetags *t, const struct graph *g,
                  const struct graph_cut *cut,
                  const struct tag_visitor *visitor, struct err *err);

/* What --dot and the pictures that Graphviz draws from it have in common. */
#define DOT_NEEDS (REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM | REPORT_LABELS)
enum { DOT_COUNT = 80 }; /* nodes, unless --nodecount is given */

/* The `print` of --dot. */
bool dot_print(struct report *r, struct err *err);

enum { DOT_BOXES = 4 }; /* of labels at a node, and of numbers at each */

/* A tag at the node of a row. */
struct dot_box {
    uint32_t row, tag;
    struct tag_sum at;
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

/* Appends the boxes at a row; *any: there is one. */
bool dot_put_boxes(struct dot *d, uint32_t row, bool *any);

#endif
