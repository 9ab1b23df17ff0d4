/*
 * signals.h - removes temporary files when a signal ends the program
 *
 * The only global state of the project, besides the functions of loaded
 * libraries (base/library.h): a signal handler can reach nothing else.
 */
#ifndef PROFUTILS_CLI_SIGNALS_H
#define PROFUTILS_CLI_SIGNALS_H

/*
 * From now on a signal that ends the program first removes the file named to
 * signals_temp(); then the default action follows, so that a crash is one. Only
 * where a file has shrunk that a library had mapped (SIGBUS), an error in the
 * name of `tool`, which the caller keeps, says so, and the status is that of
 * PROF_ERR_SYSTEM.
 *
 * Signals that were ignored stay ignored, but for SIGCHLD, which ends nothing.
 */
void signals_catch(const char *tool);

/* An on_temp of output.h; ctx is not used.  Null: there is no file. */
void signals_temp(void *ctx, int dir, const char *temp);

#endif
