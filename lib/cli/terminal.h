/*
 * terminal.h - shows reports on a terminal
 *
 * Text for a terminal is changed in three ways:
 *
 *   1. Control characters and invalid UTF-8 in names become \xNN.
 *   2. In tables, the text after the numbers is shortened in the middle ("...")
 *      if the line is wider than the terminal.  The width is COLUMNS, else that
 *      of the terminal; each character counts as one column.
 *   3. In tables, rows are coloured: red from 1/10 of the total on, yellow from
 *      1/50 on, faint if the flat value is 0.
 *
 * --color=auto means always on a terminal, unless TERM is dumb or not set, or
 * NO_COLOR (https://no-color.org) is set.  With --color=always, changes 1 and 3
 * apply to files, too.
 */
#ifndef PROFUTILS_CLI_TERMINAL_H
#define PROFUTILS_CLI_TERMINAL_H

#include <sys/types.h>

#include "base/buf.h"
#include "cli/cli.h"

#define TERMINAL_COLORS "auto|always|never" /* as enum terminal_color */
enum terminal_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct terminal {
    bool is_terminal; /* the output is one */
    bool color;
    size_t width; /* in columns; 0: no limit */
};

/* What the output of this command line is. */
struct terminal terminal_of(const struct cli *cli, enum terminal_color color);

/* Whether a report has to go through terminal_put(). */
static inline bool terminal_changes(const struct terminal *t, size_t names)
{
    return t->is_terminal || (t->color && names);
}

/*
 * Appends the report as it is to be shown.  In a table, names begin in column
 * `names`, counted from 0; 0: it is none.  False when memory is out.
 */
bool terminal_put(const struct terminal *t, const void *text, size_t n,
                  size_t names, struct buf *to);

/* --- pictures */

/*
 * gv needs files, windows and other programs, so it cannot run in the sandbox
 * in which a tool reads profiles (isolate.h).  cli_show_begin() therefore
 * starts a process outside of the sandbox.  That process waits until the
 * picture is complete and then runs gv on it; all it gets from the tool is one
 * byte that says so.
 *
 *      ok = cli_show_begin(&show, &cli);
 *      cli_isolate(...);
 *      ...
 *      ok = cli_show(&show, bytes, n);
 *      cli_show_end(&show);
 */

struct cli_show {
    struct cli *cli;
    char *path; /* of the temporary file, which only this user can read */
    int fd;     /* of that file, or -1 */
    int gate;   /* a pipe: a byte starts gv, closing it ends the process */
    pid_t pid;  /* of the waiting process, or 0 */
};

/*
 * To be called while there is only one thread.  cli_show_begin() and cli_show()
 * report their failures.  After a failure of cli_show_begin(), do not call the
 * others.
 */
bool cli_show_begin(struct cli_show *s, struct cli *cli);

/* Has gv show n bytes of PostScript, and waits until it ends. */
bool cli_show(struct cli_show *s, const void *bytes, size_t n);

/* Removes the file; zero-initialised is allowed. */
void cli_show_end(struct cli_show *s);

#endif
