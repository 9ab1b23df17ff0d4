/*
 * aside.h - parts of archives that wait on disk (lib/cli only)
 *
 * A part goes into a file without a name, with what it is called, and comes
 * back by the place it was put at.  When all have come back the file is
 * emptied, so that it is never larger than what waits at a time.
 */
#ifndef PROFUTILS_CLI_ASIDE_H
#define PROFUTILS_CLI_ASIDE_H

#include "base/buf.h"
#include "io/input.h"

/* Zero-initialise. */
struct aside {
    bool open;
    int fd;
    uint64_t end;   /* where the next is put */
    size_t n;       /* how many wait */
    struct buf out; /* the last that came back */
};

/* Puts an entry's part, and its name in messages, at *at.  ERR_SYSTEM. */
bool aside_put(struct aside *a, const char *name, const struct input_part *part,
               uint64_t *at, struct err *err);

/*
 * What was put at `at`, once; *name, *part and what hangs off it are good
 * until the next call.  part->path must have outlived the wait.
 */
bool aside_get(struct aside *a, uint64_t at, const char **name,
               struct input_part *part, struct err *err);

/* Forgets all that waits. */
void aside_clear(struct aside *a);

void aside_free(struct aside *a);

#endif
