/*
 * private.h - what several formats of this folder share: columns, viewers
 *
 * Functions that return bool and have no err return false when memory is out.
 */
#ifndef PROFUTILS_REPORT_DATA_PRIVATE_H
#define PROFUTILS_REPORT_DATA_PRIVATE_H

#include "base/vec.h"
#include "report/graph/nodes.h"
#include "report/out.h"

/* Warns of bytes that JSON has no place for and that were replaced, if any. */
void json_warn_replaced(const struct report *r, size_t n_replaced);

/*
 * Warns of values that a double cannot hold, if any.  JavaScript, and with it
 * what reads the formats of speedscope and of the Firefox Profiler, has doubles
 * for numbers: integers of more than 53 bits are rounded when they are read,
 * unless their last bits are 0.  `reader`: "speedscope rounds".
 */
void wide_warn(const struct report *r, const char *reader);

/*
 * Columns: the names that the samples' types and labels have in a table.
 *
 *      type/unit           a sample type; these come first
 *      label:key           strings of a key
 *      label:key/unit      numbers of a key and unit ("label:key" without)
 *
 * Those of labels are sorted by name as bytes; only labels of samples count.
 * A name that another column has already gets "#" and the number of its own
 * column, from 1, so that no two are the same.
 */
enum { COLUMNS_MAX_LABELS = 4096 };

struct columns {
    struct strtab names;
    uint32_t *name; /* by column: id in names */
    size_t n_types, n_labels;
    uint32_t *label_column; /* by label in p->labels: which of n_labels */
};

/*
 * The columns of *p, without labels if `labels` is false.  ERR_INPUT when
 * there are too many.  To be freed in any case.
 */
bool columns_init(struct columns *c, const struct profile *p, bool labels,
                  struct err *err);
void columns_free(struct columns *c);

/*
 * Viewers have a table of frames, in which name, file and line are apart;
 * values of each sample type with one of a few units; and no labels.
 */

/* What stands for a stack without frames: these viewers show only frames. */
#define VIEWER_NO_STACK "<no stack>"

enum viewer_unit {
    VIEWER_OTHER,
    VIEWER_BYTES,
    VIEWER_NANOSECONDS,
    VIEWER_MICROSECONDS,
    VIEWER_MILLISECONDS,
    VIEWER_SECONDS,
};

/* The unit that a sample type's values have as they are. */
enum viewer_unit viewer_unit(const struct profile *p, size_t type);

/*
 * The nodes that samples have, and no others: what a filter has left in the
 * profile besides is not shown.  On failure *t is safe to free.
 */
bool viewer_nodes(struct nodes *t, const struct profile *p, struct err *err);

/*
 * Whether file and line of a node are apart from its name, which is the one
 * that pprof prints otherwise.
 */
static inline bool viewer_has_place(const struct node *k)
{
    return k->name != 0;
}

/* Appends the name of a node, without them. */
bool viewer_put_name(const struct nodes *t, uint32_t node, struct buf *to);

/*
 * Reports what the format has lost: bytes of names that were replaced; digits,
 * by the viewer that `reader` names ("speedscope rounds"); and with -v labels,
 * of how many samples `format` does not show them.
 */
void viewer_report_lost(const struct report *r, size_t n_replaced,
                        const char *format, const char *reader);

/*
 * Stacks as numbers.  A stack is its innermost frame and the stack that called
 * it, which has a smaller number.  Samples of equal stacks have one number,
 * and what stacks share, from the root, is there once, unless frames of theirs
 * are one location in one of them and several in another.  Frames are nodes
 * (graph/nodes.h), and one more, nodes->n, which is the only frame of samples
 * that have none.
 *
 * Numbers are in the order of the stacks: those called from one follow it,
 * each followed by those called from itself.  There are many in a large
 * profile, so callers are stored as the number of stacks that end before the
 * next begins, which is a small number most of the time.
 */
struct stacktable {
    VEC(uint32_t) frame;
    struct buf closed; /* varints, one for each stack */
    uint32_t *of;      /* by sample */
    size_t open;       /* internal: those that have not ended */
};

/*
 * The stacks of all samples of nodes->p.  ERR_INPUT when there are too many.
 * To be freed in any case.
 */
bool stacktable_init(struct stacktable *t, const struct nodes *nodes,
                     unsigned threads, struct err *err);
void stacktable_free(struct stacktable *t);

/* Zero-initialise all but t; from stack 0 on. */
struct stacktable_callers {
    const struct stacktable *t;
    VEC(uint32_t) open; /* to be freed */
    uint32_t next;
    size_t at;
};

/* Sets *caller to that of the next stack, PROF_NONE if it is a root. */
bool stacktable_caller(struct stacktable_callers *c, uint32_t *caller);

#endif
