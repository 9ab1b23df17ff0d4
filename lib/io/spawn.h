/*
 * spawn.h - a new process for a program
 *
 * What posix_spawnp() does, and besides: on Linux the new process is killed
 * when the thread that started it ends, in whatever way, so that a program
 * which draws for minutes does not outlive the one that wanted the picture.
 */
#ifndef PROFUTILS_IO_SPAWN_H
#define PROFUTILS_IO_SPAWN_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * Runs argv, which ends with null, looked for in PATH.  fds[0 .. 2], each
 * above 2, become its standard files; -1 is /dev/null.  It has the signal mask
 * *mask, and ignores what its parent does.  Returns 0, or an errno when it
 * does not run; then there is no process to wait for.
 */
int spawn_program(pid_t *pid, const char *const *argv, const int fds[3],
                  const sigset_t *mask);

/*
 * In a new process: from now on it is killed when its parent ends.  False when
 * that has ended already.
 */
bool spawn_die_with(pid_t parent);

/* A pipe that exec() closes, of descriptors above 2; false: errno is set. */
bool spawn_pipe(int end[2]);

#endif
