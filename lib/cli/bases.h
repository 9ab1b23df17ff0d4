/*
 * bases.h - profiles that are subtracted: --base, --diff-base, --normalize
 *
 *      struct cli_bases bases = {0};
 *      ... cli_bases_add() for each option ...
 *      ok = cli_bases_sum(&bases, cli, types, &base) &&
 *           cli_bases_subtract(&bases, types, threads, &p, &order, &base,
 *                              &err);
 *      cli_bases_free(&bases);
 *
 * What --diff-base and --base subtract is the same.  Samples of the first have
 * the label pprof::base=true, by which reports know that percentages are of
 * the base, and not of the difference.
 */
#ifndef PROFUTILS_CLI_BASES_H
#define PROFUTILS_CLI_BASES_H

#include "base/vec.h"
#include "cli/cli.h"
#include "profile/merge/merge.h"

struct cli_bases {
    VEC(const char *) paths; /* not owned */
    bool diff;               /* they are of --diff-base */
    bool normalize;          /* first scale what they are subtracted from */
};

/* ERR_USAGE when there are some of the other option. */
bool cli_bases_add(struct cli_bases *b, const char *path, bool diff,
                   struct err *err);
void cli_bases_free(struct cli_bases *b);

/* ERR_USAGE when there is something to normalize by, and no base. */
bool cli_bases_check(const struct cli_bases *b, struct err *err);

/* The sum of all bases, canonical.  Failures have been reported. */
bool cli_bases_sum(const struct cli_bases *b, struct cli *cli,
                   enum merge_types types, struct profile *base);

/*
 * Subtracts *base, which is used up, from *p.  The result has the shape of
 * merge_finish(); without a layout it is for a report, which is about the main
 * binary that *p had.
 */
bool cli_bases_subtract(const struct cli_bases *b, enum merge_types types,
                        unsigned threads, struct profile *p,
                        struct prof_layout *layout, struct profile *base,
                        struct err *err);

#endif
