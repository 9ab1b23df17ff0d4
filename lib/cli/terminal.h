/*
 * terminal.h - reports as people see them
 *
 * What goes to a terminal is changed in three ways, and nothing else is:
 *
 *   - control characters and bytes that are not UTF-8, which names may have,
 *     are shown as \xNN;
 *   - in tables, what stands behind the numbers is shortened in the middle
 *     ("...") where the line would be longer than the terminal is wide, which
 *     COLUMNS says, or else the terminal itself;
 *   - in tables, rows have colours: red from a tenth of the total on, yellow
 *     from a fiftieth, faint if nothing was measured there itself.
 *
 * Colours follow --color=always, never or auto, which is always on a terminal
 * unless TERM is dumb or not set, or NO_COLOR (https://no-color.org) is set to
 * anything.  With always, files have the first and the last of the three.
 *
 * A character is taken as one column.
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
