/*
 * folded_values.h - the numbers that lines of folded stacks end in
 *
 * Inside lib/import/folded*.c only.  Blanks are spaces and tabs here.
 */
#ifndef PROFUTILS_IMPORT_FOLDED_VALUES_H
#define PROFUTILS_IMPORT_FOLDED_VALUES_H

#include "base/err.h"
#include "base/slice.h"

static inline bool folded_is_gap(char c)
{
    return c == ' ' || c == '\t';
}

/*
 * Takes values[0 .. n) off the end of the line, with all blanks behind them,
 * but only one in front of them.  ERR_INPUT, with the line's number, when
 * they are not there.
 */
bool folded_take_values(struct slice *line, size_t number, int64_t *values,
                        size_t n, struct err *err);

/* Whether there is one more. */
bool folded_has_value(struct slice line);

#endif
