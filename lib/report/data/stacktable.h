/*
 * stacktable.h - each stack as one number
 *
 * A stack is its innermost frame and the stack that called it, which has a
 * smaller number.  Samples of equal stacks have one number, and what stacks
 * share, from the root, is there once, unless frames of theirs are one
 * location in one of them and several in another.  Frames are nodes (see
 * node.h), and one more, nodes->n, which is the only frame of samples that
 * have none.
 *
 * Numbers are in the order of the stacks: those called from one follow it, each
 * with those called from itself behind it.  There are many in a large profile,
 * so callers are told by how many stacks end before the next begins, which is
 * a small number most of the time.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_STACKTABLE_H
#define PROFUTILS_REPORT_STACKTABLE_H

#include "base/vec.h"
#include "report/graph/node.h"

struct stacktable {
    VEC(uint32_t) frame;
    struct buf closed; /* varints, one for each stack */
    uint32_t *of;      /* by sample */
    size_t open;       /* private: those that have not ended */
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

/*
 * Sets *caller to that of the next stack, PROF_NONE if it is a root.  False
 * when memory is out.
 */
bool stacktable_caller(struct stacktable_callers *c, uint32_t *caller);

#endif
