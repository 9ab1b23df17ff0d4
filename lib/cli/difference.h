/*
 * difference.h - writes the flame page of the difference of two sums
 *
 *      struct cli_difference d = {0};
 *      ok = cli_difference_add(&d, false, p, &err) && ...;
 *      ok = ok && cli_difference_print(&d, &opts, &sink, &err);
 *      cli_difference_free(&d);
 */
#ifndef PROFUTILS_CLI_DIFFERENCE_H
#define PROFUTILS_CLI_DIFFERENCE_H

#include "report/report.h"

struct cli_difference {
    struct prof_merger *base, *minuend; /* null before the first profile */
};

/* Adds a copy of *p to one of the sums. */
bool cli_difference_add(struct cli_difference *d, bool is_base,
                        const struct profile *p, struct prof_err *err);

/* Writes the page of minuend - base, after scaling the minuend to the total of
 * the base.  Both must have profiles; no more can be added afterwards. */
bool cli_difference_print(struct cli_difference *d,
                          const struct report_opts *opts, struct sink *sink,
                          struct prof_err *err);
void cli_difference_free(struct cli_difference *d);

#endif
