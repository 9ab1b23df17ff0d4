/*
 * nodetags.h - labels of samples as weights per node
 *
 * The labels of a sample split what a node weighs.  A tag is what samples are
 * told apart by here, as in pprof (internal/graph of
 * https://github.com/google/pprof):
 *
 *   - all string labels of a sample together, as "key:value" each, sorted;
 *     labels called pprof::base are left out: they only mark one side of a
 *     difference;
 *   - each number that is called "bytes", by how it is printed, and apart for
 *     each of the above.  Other numbers are no tags.
 *
 * Nothing is stored per node: nodetags_weigh() looks at one tag after the
 * other, at all rows of a cut at once.
 *
 *      struct nodetags t;
 *      ok = nodetags_init(&t, p, label_unit, unit, err) &&
 *           (!t.n || nodetags_weigh(&t, &graph, &cut, fn, ctx, err));
 *      nodetags_free(&t);
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_NODETAGS_H
#define PROFUTILS_REPORT_NODETAGS_H

#include "base/vec.h"
#include "report/graph/graph.h"

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
 * label_unit (labelunit.h) of their key and printed in `unit`, which may be
 * "auto" or "minimum".  To be freed in any case.
 */
bool nodetags_init(struct nodetags *t, const struct profile *p,
                   const uint32_t *label_unit, const char *unit,
                   struct err *err);
void nodetags_free(struct nodetags *t);

/* Order of two names, as it decides between tags of equal weight. */
int nodetags_cmp(const struct nodetags *t, uint32_t a, uint32_t b);

/* What a tag weighs at the node of a row. */
struct tag_weight {
    struct graph_weight w;
    int64_t value; /* of a number: that of the first sample */
};

/* False: memory is out. */
typedef bool nodetags_fn(void *ctx, uint32_t tag, size_t row,
                         const struct tag_weight *w);

/*
 * Calls fn for each tag in order and each row where it occurs and its flat or
 * cumulative weight is not below the cut's limit for nodes.  ERR_INPUT when the
 * magnitudes of what numbers weigh do not add up in 63 bits, which only samples
 * with several of them can bring about: then no sum of weights can overflow.
 */
bool nodetags_weigh(const struct nodetags *t, const struct graph *g,
                    const struct graph_cut *cut, nodetags_fn *fn, void *ctx,
                    struct err *err);

#endif
