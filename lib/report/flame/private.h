/*
 * private.h - the tree of all stacks, which --flame and --markdown show
 *
 *      part          file
 *      struct flame  flamegraph.c
 *      its limit     flamelimit.c
 *      its functions flamefunctions.c
 *      its names     flamenames.c
 *      its labels    flamelabels.c
 *      heavy lines   hotlines.c
 *
 * Functions that return bool and have no err return false when memory is out.
 */
#ifndef PROFUTILS_REPORT_FLAME_PRIVATE_H
#define PROFUTILS_REPORT_FLAME_PRIVATE_H

#include "base/map.h"
#include "base/vec.h"
#include "report/graph/nodes.h"
#include "report/graph/stackrank.h"
#include "report/out.h"

/*
 * The tree of all stacks.
 *
 *      node        a path from the root: a frame and the frames before it.  The
 *                  root is not a node: several nodes may have depth 0
 *      order       preorder; children of one node by name
 *      self        values of the samples that end in the node; its weight is
 *                  the sum over its subtree
 *      difference  a profile in which some samples have the label
 *                  pprof::base=true and negated values, and others do not.
 *                  Each node has the values of both sides, with their original
 *                  signs
 *      merged      light subtrees of a node are replaced by one node, which
 *                  comes after its siblings and has the sum of their values.
 *                  A subtree is light if, in every type, the magnitudes of both
 *                  sides together are less than `limit` of the total
 *      functions   flat and cumulative values by name.  They are needed because
 *                  the names of merged nodes are lost
 */
struct flame_node {
    uint32_t name;  /* index in struct flame_names */
    uint32_t depth; /* from 0 */
    uint32_t self;  /* row of flame_tree.self; 0 for all without values */
};

struct flame_tree {
    size_t n_types, first_type; /* n_types types from first_type on */
    bool *is_base; /* by label set: its samples are of the base; null: there is
                      none */
    bool diff;     /* the profile is a difference: samples are of the base */
    bool subtracted; /* as in struct flame_tree_opts */
    size_t n_sums;   /* values of a node: n_types, with `diff` twice that */
    VEC(struct flame_node) nodes;
    VEC(int64_t)
    self;                /* rows of n_sums: one for each type; with `diff` then
                            those of the base.  Row 0 is all 0 */
    VEC(uint64_t) small; /* by merged node: how many nodes it replaces */
    uint64_t n_merged;   /* the sum of `small` */
    double limit;        /* that of the options, or a greater one */
    int64_t *functions;  /* 2 * n_sums for each name: flat, then cumulative;
                            null: nothing is merged */
    uint32_t *node_of;   /* by sample: the node that it ends in, or PROF_NONE;
                            null: not requested, or nodes are merged */
    int64_t *total;      /* by type: the sum of the magnitudes of samples */
    bool *has_negative;  /* by type: a sample has a value below 0 */
    bool is_wide;        /* the tree would have too many values; not made */
};

struct flame_tree_opts {
    size_t first_type, n_types; /* the types whose values are summed */
    double limit;               /* merge below this share; 0: merge nothing */
    size_t most;                /* raise the limit until there are at most so
                                   many nodes; 0: any number */
    bool functions;             /* make tree.functions if nodes are merged */
    bool node_of;               /* make tree.node_of if none are merged */
    bool subtracted;            /* a base was subtracted from the profile */
    bool unnamed;               /* the caller calls flame_name_nodes() */
};

/*
 * Names of nodes, with their files and packages.  Only names that nodes have
 * or that have values in `functions` are here; they are text that can be shown
 * (flame_put_visible()).
 *
 * File and package are those of the first frame of the name.  The package is
 * the first of these that exists:
 *
 *      package_of() the function
 *      the last element of the binary's name
 *      the directory of the file
 *
 * Kind and binary are those of the first frame, too: the page filters by them
 * as pbfilter does.
 */
enum flame_frame_kind { FLAME_NO_FRAME, FLAME_NO_FUNCTION, FLAME_FUNCTION };

enum flame_colour_by { FLAME_BY_PACKAGE, FLAME_BY_FILE, FLAME_BY_NAME };

struct flame_names {
    size_t n;
    uint32_t *number; /* by rank: its index here, or PROF_NONE; then those of
                         FLAME_NO_STACK and FLAME_SMALL */
    uint32_t merged;  /* index of the name of merged nodes, or PROF_NONE */
    struct buf text;  /* name i is text[end[i - 1] .. end[i]); name 0 from 0 */
    size_t *end;
    uint32_t *file, *package, *binary; /* by name: ids in these; 0: none */
    struct strtab files, packages, binaries;
    uint8_t *kind; /* by name: enum flame_frame_kind */
    /* The property that selects the colour of a node: the first of this enum in
     * which at most three quarters of the names are equal. */
    enum flame_colour_by by;
};

/* Before flame_name_nodes(), the name of a node is a rank, or one of these. */
#define FLAME_SMALL UINT32_MAX          /* merged nodes */
#define FLAME_NO_STACK (UINT32_MAX - 1) /* samples without frames */

/* Name and file of a function, before detail was removed from the profile. */
struct flame_function {
    uint32_t name, file; /* string ids in the profile */
};

struct flame {
    struct stackrank stacks;
    struct flame_tree tree;
    struct flame_names names;
    struct flame_function *functions; /* by index in the profile */
};

/*
 * Removes detail that the options do not request from r->p, and makes the tree
 * of the samples that have a value in one of the types, whose stacks are then
 * gone.  Notes say how much was merged.  The caller calls flame_free(), after a
 * failure too.
 *
 * PROF_ERR_INPUT: the magnitudes of a type exceed 63 bits, or there are 2^32 -
 * 2 nodes.  If several types have too many values together for the size of the
 * profile, only r->type is kept, with a note.
 */
bool flame_make(struct flame *f, struct report *r,
                const struct flame_tree_opts *opts, struct prof_err *err);
void flame_free(struct flame *f);

/*
 * The samples of a tree, sorted by their stacks.  The samples without frames
 * come first and have depth 1: they share the node FLAME_NO_STACK.
 */
struct flame_stacks {
    struct sample_list list; /* `shared` is exact and never null */
    uint32_t *depth;
    uint64_t n_nodes; /* if all are kept */
    /* By flame_keep(): the depth of the last node that is kept of those that a
     * sample has and the samples before it do not have; 0 if there is none. */
    uint32_t *deepest;
    uint64_t n_kept, n_small; /* the nodes of the tree; the merged ones */
};

/*
 * Raises t->limit until the tree of the samples has at most `most` nodes, but
 * for those of its last stack: to at least 1 / most, then by a factor of four
 * each time.
 */
bool flame_choose_limit(struct flame_tree *t, const struct profile *p,
                        const struct flame_stacks *stacks, size_t most);

/* Finds the nodes that are not light. */
bool flame_keep(const struct flame_tree *t, const struct profile *p,
                struct flame_stacks *stacks);

/*
 * Sums the values of functions over all samples (flamefunctions.c): begins in
 * threads besides the caller's, and ends with t->functions set.  The first
 * returns null, the second false, when memory is out; the second frees *f.
 */
struct flame_functions *flame_functions_begin(const struct flame_tree *t,
                                              const struct stackrank *ranks);
bool flame_functions_end(struct flame_functions *f, struct flame_tree *t);

/* Adds the values of a sample to a row of t->n_sums.  Sums of labels that
 * repeat in a sample may wrap; they are wrong anyway. */
static inline void flame_add_sample(const struct flame_tree *t,
                                    const struct profile *p, size_t s,
                                    int64_t *to)
{
    const int64_t *v = p->values + s * p->n_types + t->first_type;
    const bool base = t->diff && t->is_base[p->labelset[s]];
    to += base ? t->n_types : 0;
    for (size_t i = 0; i < t->n_types; i++) {
        const uint64_t value = (uint64_t)v[i];
        to[i] = (int64_t)((uint64_t)to[i] + (base ? -value : value));
    }
}

/*
 * Numbers the names that are needed: sets n, number and merged of f->names, and
 * replaces the ranks in the tree by these numbers.
 */
bool flame_number_names(struct flame *f);

/* Makes the rest of f->names. */
bool flame_name_nodes(struct flame *f);
void flame_names_free(struct flame_names *names);

static inline const int64_t *flame_self(const struct flame_tree *t, size_t node)
{
    return t->self.v + t->nodes.v[node].self * t->n_sums;
}

static inline struct prof_slice flame_name_text(const struct flame_names *names,
                                                size_t i)
{
    size_t from = i ? names->end[i - 1] : 0;
    return (struct prof_slice){(const char *)names->text.v + from,
                               names->end[i] - from};
}

/* Sums over the subtree of each node, of the first type. */
struct flame_sums {
    int64_t *cum;  /* by node: sum of the values; of a difference, the change */
    double *mass;  /* by node: sum of the magnitudes of the values */
    uint32_t *end; /* by node: the next node that is not in its subtree */
    uint32_t *parent; /* by node; PROF_NONE: the root */
    double all;       /* the magnitudes of all values */
};

/* Fills *sums.  False when memory is out.  The caller calls flame_sums_free()
 * in any case. */
bool flame_sum_up(const struct flame_tree *t, struct flame_sums *sums);
void flame_sums_free(struct flame_sums *sums);

/* Returns the flat value of a node, of the first type. */
int64_t flame_own(const struct flame_tree *t, size_t node);

/*
 * Whether the values of type i are changes relative to an unknown base, as in
 * profiles that `pbmerge --base` writes.
 */
static inline bool flame_is_signed(const struct flame_tree *t, size_t i)
{
    return !t->diff && (t->subtracted || t->has_negative[i]);
}

/*
 * Whether the values of type i are changes.  The profile is then made of two,
 * and so its time and duration mean nothing.
 */
static inline bool flame_is_difference(const struct flame *f, size_t i)
{
    return f->tree.diff || flame_is_signed(&f->tree, i);
}

/*
 * Collects the labels of the samples for the page.  *r and *f must outlive the
 * result.  Null after a failure.
 */
struct flame_labels *flame_labels_new(struct report *r, const struct flame *f,
                                      struct prof_err *err);
void flame_labels_free(struct flame_labels *l); /* null is allowed */

/* Appends the data that flamelabels.c describes; nothing without labels. */
bool flame_labels_put(const struct flame_labels *l, bool only_totals,
                      struct buf *out, struct prof_err *err);

/* Returns the number that stands for a signed one: 0, -1, 1 are 0, 1, 2. */
static inline uint64_t flame_zigzag(int64_t v)
{
    return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

/*
 * Writes to out->v[at], in 4 bytes, the number of bytes that follow them.
 * PROF_ERR_INPUT: it does not fit.
 */
bool flame_put_length(struct buf *out, size_t at, struct prof_err *err);

/*
 * Appends text on one line.  Control characters, line ends, bytes that are not
 * UTF-8, and characters that are invisible or change the direction of text are
 * \xNN for each byte, or \uNNNN.
 */
bool flame_put_visible(struct buf *to, const void *s, size_t n);

/* If all totals of the tree's types are 0, appends a sentence that says why. */
bool flame_put_empty(const struct report *r, const int64_t *total,
                     size_t n_types, struct buf *to);

/* Appends the main binary's base name, or "profile"; does not escape it. */
bool flame_put_title(struct report *r, struct buf *to);

/* --- the heaviest line of each function (hotlines.c) --- */

struct hot_line {
    uint32_t name, file; /* string ids */
    int64_t line;        /* 0: unknown */
    double flat, cum;    /* magnitudes of its values */
};

/* Zero-initialise; hot_lines_free() frees it. */
struct hot_lines {
    VEC(struct hot_line) v;
    struct map rows; /* names; a row is an index of v */
};

/*
 * Finds for each name of a function in samples the line with the greatest flat
 * value; of equal ones, that with the greatest cumulative value; if lines are
 * unknown, the start of the function.  False when memory is out.
 */
bool hot_lines_find(struct hot_lines *hot, const struct profile *p,
                    size_t type);
void hot_lines_free(struct hot_lines *hot);

/* Returns the line of the functions with this name; null: unknown. */
const struct hot_line *hot_lines_get(const struct hot_lines *hot,
                                     struct prof_slice name);

#endif
