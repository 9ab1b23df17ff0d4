/*
 * file.h - file names as text, and opening and reading of files
 *
 * | path_ | takes names apart; looks at no file system                  |
 * | file_ | the system calls, repeated when a signal interrupts them    |
 */
#ifndef PROFUTILS_BASE_FILE_H
#define PROFUTILS_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"

/*
 * Both follow Go's path/filepath on Unix, whose results pprof prints
 * (https://pkg.go.dev/path/filepath#Clean and #Base).
 *
 * path_clean() appends the shortest name equivalent to path[0 .. n): no
 * doubled slashes, no "." elements, ".." joined with the element before it.
 * An empty path gives ".".  False when memory is out.
 */
bool path_clean(struct buf *to, const char *path, size_t n);

/*
 * The last element of path[0 .. n) without slashes after it: a pointer into
 * path, its length in *len.  "/" for a path of slashes only, "." for an
 * empty one (static strings).
 */
const char *path_base(const char *path, size_t n, size_t *len);

/*
 * openat() of a file that is closed on exec.  `mode` is for files that O_CREAT
 * makes.
 */
int file_open_at(int dir, const char *path, int flags, mode_t mode);

/* The same for existing files, relative to the current directory. */
int file_open(const char *path, int flags);

/*
 * read() as often as it takes: fewer than n bytes only where the file ends;
 * -1: errno.
 */
ssize_t file_read(int fd, void *to, size_t n);

/*
 * Whether this errno of an open() says something of the file (it does not
 * exist, or we may not open it) rather than that the system failed.
 */
bool file_is_refused(int errnum);

#endif
