/*
 * losses.h - what a conversion lost, as comments of its result (lib/cli only)
 *
 * The texts of losses noted while a part is converted wait until it is known
 * whether the part is left out.  A comment is "incomplete: " and a text, so
 * that merges of results name each loss once.
 */
#ifndef PROFUTILS_CLI_LOSSES_H
#define PROFUTILS_CLI_LOSSES_H

#include "base/vec.h"
#include "profile/profile.h"

/* Zero-initialise. */
struct losses {
    VEC(char *) waiting; /* of the present part, a bounded number */
    VEC(char *) kept;
    bool nomem; /* a text is missing */
};

void losses_note(struct losses *l, const char *text);

/* What waits is kept, or forgotten. */
void losses_keep(struct losses *l);
void losses_drop(struct losses *l);

/*
 * Adds what is kept or waits to *p, which is canonical before and after, and
 * forgets it.
 */
bool losses_into(struct losses *l, struct profile *p, struct err *err);

void losses_free(struct losses *l);

#endif
