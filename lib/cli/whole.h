/*
 * whole.h - what was read so far: one profile as it is, or the sum of several
 * (lib/cli only)
 */
#ifndef PROFUTILS_CLI_WHOLE_H
#define PROFUTILS_CLI_WHOLE_H

#include "cli/cli.h"
#include "profile/merge/merge.h"

/* Zero-initialise; whole_finish() frees it. */
struct whole {
    size_t n;
    struct profile only;
    struct merger *all;
};

/* Takes *p over as long as it is the only one; then adds it up. */
bool whole_add(struct whole *w, struct profile *p, struct err *err);

/*
 * The result in *p if `ok`, else nothing.  What fails is reported under
 * `subject`, which may be null; so is that nothing was added.
 */
bool whole_finish(struct whole *w, struct cli *cli, bool ok,
                  const char *subject, struct profile *p);

/* Reports that there is no profile in the input; false. */
bool whole_is_missing(struct cli *cli, const char *subject);

#endif
