/*
 * show.h - a picture on the screen
 *
 * What shows it is a program of the user's own, with files, windows and
 * programs of its own, that cannot live under the restrictions of whoever
 * reads a profile (isolate.h).  So a process is started before those begin,
 * which waits until the picture is there and then runs gv on it.  All that it
 * is ever told is to go on.
 *
 *      ok = cli_show_begin(&show, &cli);
 *      cli_isolate(...);
 *      ...
 *      ok = cli_show(&show, bytes, n);
 *      cli_show_end(&show);
 */
#ifndef PROFUTILS_CLI_SHOW_H
#define PROFUTILS_CLI_SHOW_H

#include <sys/types.h>

#include "cli/cli.h"

struct cli_show {
    struct cli *cli;
    char *path; /* of the temporary file, that only this user can read */
    int fd;     /* of the same, or -1 */
    int gate;   /* a byte here starts gv, its end ends all */
    pid_t pid;  /* of the process that waits, or 0 */
};

/*
 * To be called while there is one thread.  Failures of the three have been
 * reported when they return false; after the first there is nothing to end.
 */
bool cli_show_begin(struct cli_show *s, struct cli *cli);

/* Has gv show n bytes of PostScript, and waits until it ends. */
bool cli_show(struct cli_show *s, const void *bytes, size_t n);

/* Removes the file; zero-initialised is allowed. */
void cli_show_end(struct cli_show *s);

#endif
