/*
 * stackrank.h - stacks whose frames are ranks of their names
 *
 * What shows stacks side by side tells frames apart by what is printed of
 * them: frames of one name are one frame.  Names are ranked as bytes, a stack
 * becomes an array of ranks, and samples in the order of their stacks (see
 * sample_order.h) are then in the order of what is printed.
 *
 *      struct stackrank f = {0};
 *      ok = stackrank_init(&f, p, NULL, NULL, threads, &err) &&
 *           sample_order_sort(&f.order, samples, n, threads, &equal, &err);
 *      stackrank_free(&f);
 *
 * The frames of the profile's samples are replaced by ranks, so that after
 * this *p is good for its values, labels and strings only.  So is nodes.of:
 * frame i of location l has rank nodes.of[nodes.off[l] + i].
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_STACKRANK_H
#define PROFUTILS_REPORT_STACKRANK_H

#include "profile/sample_order.h"
#include "report/node.h"

struct stackrank {
    struct nodes nodes; /* with ranks in place of nodes */
    struct strtab names;
    uint32_t *name_of;         /* by rank, of which there are names.n: its id */
    struct sample_order order; /* labels do not count */
};

/* Changes a name before it is compared; true if it did. */
typedef bool stackrank_edit_fn(struct buf *name);

/*
 * Replaces the stacks of *p, which must outlive *f.  edit may be null.
 * *n_edited, unless null, is how many names of nodes it changed.  *f is to be
 * freed in any case.
 */
bool stackrank_init(struct stackrank *f, struct profile *p,
                    stackrank_edit_fn *edit, size_t *n_edited, unsigned threads,
                    struct err *err);
void stackrank_free(struct stackrank *f);

#endif
