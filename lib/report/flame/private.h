/*
 * private.h - the flame graph that --flame shows as a page, --flame=svg as SVG
 *
 * Both show a tree of all stacks whose nodes have names.  Functions that
 * return bool and have no err return false when memory is out.
 */
#ifndef PROFUTILS_REPORT_FLAME_PRIVATE_H
#define PROFUTILS_REPORT_FLAME_PRIVATE_H

#include "base/vec.h"
#include "report/graph/nodes.h"
#include "report/graph/stackrank.h"
#include "report/out.h"

/*
 * The tree (flametree.c).
 *
 * A node is a path from the root: the frames before it and its own.  Nodes are
 * in preorder, children of one node by the rank of their names, and each has
 * the values of the samples that end in it; what it weighs in all is the sum
 * over its subtree.  The root is not a node: several may have depth 0.
 *
 * In a difference (samples with the label pprof::base=true, whose values are
 * negated, beside others) each node has the values of both sides, as they
 * were before.  Stacks of one side only are nodes like any other.
 *
 * Subtrees too light to be seen are merged: what weighs, in the magnitudes of
 * its samples on both sides, less than `limit` of that type's total in every
 * type, becomes part of one node FLAME_SMALL after its siblings.  Sums stay
 * what they are.
 */

/* Names that are not ranks. */
#define FLAME_SMALL UINT32_MAX          /* merged nodes */
#define FLAME_NO_STACK (UINT32_MAX - 1) /* samples without frames */

struct flame_node {
    uint32_t name;  /* its rank, or one of the two */
    uint32_t depth; /* from 0 */
};

struct flame_tree {
    size_t n_types, first_type; /* types first_type .. + n_types */
    bool diff;
    bool subtracted; /* as in the options */
    size_t n_sums;   /* n_types, in a difference twice as many */
    VEC(struct flame_node) nodes;
    VEC(int64_t) self;   /* by node n_sums values: by type; then of the base */
    VEC(uint64_t) small; /* how many each FLAME_SMALL stands for, in order */
    int64_t *total;      /* by type: the sum of the samples' amounts */
    bool *has_negative;  /* by type: a sample has a value below 0 */
    bool is_wide;        /* there is none: values would be too many */
};

struct flame_tree_opts {
    size_t first_type, n_types; /* the types of interest */
    double limit;               /* 0: every node is kept */
    bool subtracted;            /* the profile is known to be less a base */
};

/*
 * The tree of the samples that f was made of and that have a value in one of
 * the types.  ERR_INPUT when the magnitudes of a type do not add up to 63
 * bits, or when there are 2^32 - 2 nodes, or when those of several types have
 * so many values together that they are out of proportion to the profile:
 * t->is_wide tells.  *t is to be freed in any case.
 */
bool flame_tree_init(struct flame_tree *t, const struct stackrank *f,
                     const struct flame_tree_opts *opts, struct err *err);
void flame_tree_free(struct flame_tree *t);

/*
 * Whether values of a type are what grew and shrank, without both sides of a
 * difference to tell from what: `pbmerge --base` writes such profiles.
 */
static inline bool flame_is_signed(const struct flame_tree *t, size_t type)
{
    return !t->diff && (t->subtracted || t->has_negative[type]);
}

/* How many nodes were merged. */
uint64_t flame_merged(const struct flame_tree *t);

static inline const int64_t *flame_self(const struct flame_tree *t, size_t node)
{
    return t->self.v + node * t->n_sums;
}

/*
 * Names, with files and packages (flamegraph.c).
 *
 * Names that the tree uses are numbered in their order, so that what was
 * merged leaves no names.  They are text that can be shown: what would not be
 * seen as it is (control characters, line ends, bytes that are not UTF-8,
 * marks of direction) is \xNN for each byte, or \uNNNN.
 *
 * The file and the package of a name are those of the first frame of that
 * name.  Where the name of its function has no package (package_of()), the
 * last element of its binary's name is used, or the directory of its file.
 */

/* What colours tell apart. */
enum flame_colour_by { FLAME_BY_PACKAGE, FLAME_BY_FILE, FLAME_BY_NAME };

struct flame_names {
    size_t n;
    uint32_t *number; /* by rank, then FLAME_NO_STACK and FLAME_SMALL */
    size_t n_ranks;
    struct buf text; /* of name i: text[end[i - 1] .. end[i]), from 0 */
    size_t *end;
    uint32_t *file, *package; /* ids in these, which 0 is none of: */
    struct strtab files, packages;
    /*
     * Packages, unless more than three quarters of the names are in one of
     * them or in none; else likewise files; else names.
     */
    enum flame_colour_by by;
};

/* Of a node's name, its number, which is there. */
uint32_t flame_name_number(const struct flame_names *names, uint32_t name);
struct slice flame_name_text(const struct flame_names *names, uint32_t number);

/* What a name shares its hue with others by; of what was merged, nothing. */
struct slice flame_name_group(const struct flame_names *names, uint32_t number);

/* Appends text that can be shown on one line. */
bool flame_put_visible(struct buf *to, const void *s, size_t n);

/*
 * Colours of boxes, as 0xrrggbb, those of the light page: a hue for each
 * package and a shade for each name, both by their hash (FNV-1a, 32 bits,
 * http://www.isthe.com/chongo/tech/comp/fnv), so that a package has one colour
 * in every profile; in a difference, red for what became more and blue for
 * what became less.  page/colours.js says the same to a browser.
 */
#define FLAME_PLAIN 0xdcdfe4 /* of no package */

uint32_t flame_colour(struct slice package, struct slice name);
uint32_t flame_change_colour(double now, double old);

struct flame {
    struct stackrank stacks;
    struct flame_tree tree;
    struct flame_names names;
};

/*
 * Gives up the detail that is not asked for, which file names and packages
 * are from before, and makes the tree, of which -v says how much was merged.
 * *f is to be freed in any case.
 */
bool flame_make(struct flame *f, struct report *r,
                const struct flame_tree_opts *opts, struct err *err);
void flame_free(struct flame *f);

/*
 * Whether type i shows what changed.  Times and durations of such a profile
 * are those of two.
 */
bool flame_is_difference(const struct flame *f, size_t i);

/* Why there are no boxes of any type, as a sentence; nothing if there are. */
bool flame_put_empty(const struct report *r, const struct flame *f,
                     struct buf *to);

/* The last element of the main binary's name, or "profile"; not escaped. */
bool flame_put_title(struct report *r, struct buf *to);

/*
 * Names of C++ and Rust without long arguments (briefname.c).
 *
 * What template arguments and parameter lists hold becomes "...", unless it is
 * short, and the return type of a function template is dropped:
 *
 *      void std::sort<It<long*>, Less<long> >(It<long*>, It<long*>, Less<long>)
 *      std::sort<...>(...)
 *
 *      std::vector<int>::push_back(int)        as it is
 *      <alloc::vec::Vec<T> as Drop>::drop      as it is
 *
 * Names of other languages stay as they are, except long parameter lists.
 */

/*
 * Appends the brief form of name[0 .. n), which is at most as long; false when
 * memory is out.  Takes time in proportion to n.
 */
bool briefname_put(struct buf *to, const char *name, size_t n);

/* The same without "<...>" and "(...)", of a brief name. */
bool briefname_put_bare(struct buf *to, const char *name, size_t n);

/* The length of the outermost scope, as 5 in "std::swap"; 0: it has none. */
size_t briefname_scope(const char *name, size_t n);

#endif
