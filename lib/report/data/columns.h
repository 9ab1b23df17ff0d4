/*
 * columns.h - samples as a table: what its columns are called
 *
 * A sample type is a column "type/unit".  Labels are columns too: one for
 * each key that has strings, "label:key", and one for each key and unit of
 * numbers, "label:key/unit", without the slash if there is no unit; sorted by
 * name as bytes.  Only labels of samples count.  A name that another column
 * has already gets "#" and the number of its own column, from 1, so that no
 * two are the same.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_COLUMNS_H
#define PROFUTILS_REPORT_COLUMNS_H

#include "profile/profile.h"

/* There are no more label columns than this. */
enum { COLUMNS_MAX_LABELS = 4096 };

struct columns {
    struct strtab names;
    uint32_t *name;         /* by column: id in names */
    size_t n_types;         /* columns of values, which come first */
    size_t n_labels;        /* columns of labels, behind them */
    uint32_t *label_column; /* by label in p->labels: which of n_labels */
};

/*
 * The columns of *p.  With `labels` false there are none for labels.
 * ERR_INPUT when there are too many.  To be freed in any case.
 */
bool columns_init(struct columns *c, const struct profile *p, bool labels,
                  struct err *err);
void columns_free(struct columns *c);

#endif
