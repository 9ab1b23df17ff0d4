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

#include "base/buf.h"
#include "cli/cli.h"

#define TERMINAL_COLORS "auto|always|never" /* as enum terminal_color */
enum terminal_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct terminal {
    bool is_terminal; /* the output is one */
    bool color;
    size_t width; /* in columns; 0: no limit */
};

/* Returns what is known about the output of this command line. */
struct terminal terminal_of(const struct cli *cli, enum terminal_color color);

/* Whether terminal_put() may change a report (`names`: see there). */
static inline bool terminal_changes(const struct terminal *t, size_t names)
{
    return t->is_terminal || (t->color && names);
}

/*
 * Appends the report with the changes for a terminal.  In a table, names begin
 * in column `names`, counted from 0; 0: it is not a table.  False when memory
 * is out.
 */
bool terminal_put(const struct terminal *t, const void *text, size_t n,
                  size_t names, struct buf *to);

/* --- pictures */

/*
 * gv, or a browser, needs files, windows and other programs, so it cannot run
 * in the sandbox in which a tool reads profiles (isolate.h).  Therefore
 * cli_show_begin() forks.  It returns only in the new process, which makes the
 * picture or page and exits.  The first process waits for that, runs the viewer
 * on the file, and exits with the status of the new one.
 *
 *      ok = cli_show_begin(&show, &cli, "html");
 *      cli_isolate(...);
 *      ...
 *      ok = cli_show(&show, bytes, n);
 *      cli_show_end(&show);
 */

struct cli_show {
    struct cli *cli;
    char *path; /* name of the temporary file, readable only by this user */
    int fd;     /* descriptor of that file, or -1 */
};

/*
 * Call cli_show_begin() while there is only one thread.  It and cli_show()
 * report their failures.  After a failure of cli_show_begin(), do not call the
 * others.
 *
 * The suffix selects the viewer.  "ps": gv; the file is removed when it ends.
 * Others: BROWSER or xdg-open(1), which may end before the file was read: so it
 * stays, and its name is printed.
 */
bool cli_show_begin(struct cli_show *s, struct cli *cli, const char *suffix);

/* Writes n bytes to the file, which is shown when this process has ended. */
bool cli_show(struct cli_show *s, const void *bytes, size_t n);

/* Removes the file if it is not complete.  A zeroed *s is allowed. */
void cli_show_end(struct cli_show *s);

#endif
