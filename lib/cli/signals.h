/*
 * signals.h - removes temporary files when a signal ends the program
 *
 * This is the only global state of the project, besides tables of loaded
 * libraries (base/library.h), because a signal handler gets no other argument.
 */
#ifndef PROFUTILS_CLI_SIGNALS_H
#define PROFUTILS_CLI_SIGNALS_H

/*
 * Installs handlers.  From now on, a signal that ends the program first removes
 * the file that signals_temp() has named; then the default action follows, so
 * that a crash still is one.  Exception: a SIGBUS because a mapped file was
 * truncated prints an error in the name of `tool` and exits with
 * PROF_ERR_SYSTEM.  `tool` is not copied.
 *
 * Signals that were ignored stay ignored, except SIGCHLD.
 */
void signals_catch(const char *tool);

/* Names the temporary file to remove; null: there is none.  It has the type of
 * output_opts.on_temp; ctx is not used. */
void signals_temp(void *ctx, int dir, const char *temp);

#endif
