/*
 * signals.h - no temporary file outlives its program (lib/cli only)
 *
 * The one piece of global state in the project: a signal handler can reach
 * nothing else.
 */
#ifndef PROFUTILS_CLI_SIGNALS_H
#define PROFUTILS_CLI_SIGNALS_H

#include <stddef.h>

/*
 * From now on signals that end the program first remove the file named to
 * signals_temp() and the directory named to signals_spool().  Signals that were
 * ignored stay ignored, but for SIGCHLD, which ends nothing.  SIGBUS means that
 * a file has shrunk under a library that mapped it: that is said in the name of
 * `tool`, which stays where it is, and the status is that of ERR_SYSTEM.
 * So it is with a library that gives up where memory is out, by exit(), abort()
 * or SIGSEGV at an address near null, and with a stack that cannot grow.
 */
void signals_catch(const char *tool);

/* The tool is about to exit by itself. */
void signals_end(void);

/* An on_temp of output.h; ctx is not used.  Null: there is no file. */
void signals_temp(void *ctx, int dir, const char *temp);

/* An on_files of spool.h: a directory with files 0 .. n - 1; null: none. */
void signals_spool(const char *dir, size_t n);

#endif
