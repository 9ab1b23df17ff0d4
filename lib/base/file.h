/*
 * file.h - takes file names apart; opens and reads files
 *
 * | path_ | only looks at the text of names, never at the file system   |
 * | file_ | wraps system calls, and repeats them after EINTR            |
 */
#ifndef PROFUTILS_BASE_FILE_H
#define PROFUTILS_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"

/*
 * path_clean() and path_base() follow Go's path/filepath on Unix, whose results
 * pprof prints (https://pkg.go.dev/path/filepath#Clean and #Base).
 *
 * path_clean() appends the shortest name equivalent to path[0 .. n): without
 * doubled slashes and "." elements, and with each ".." and the element before
 * it removed.  An empty path gives ".".  False when memory is out.
 */
bool path_clean(struct buf *to, const char *path, size_t n);

/*
 * Returns the last element of path[0 .. n), without slashes after it: a pointer
 * into path; sets *len to its length.  For a path of slashes only it is the
 * static string "/", for an empty one ".".
 */
const char *path_base(const char *path, size_t n, size_t *len);

/* Returns what follows the last slash, or all: unlike path_base(), "" of "a/".
 */
struct prof_slice path_after_slash(struct prof_slice path);

/*
 * Calls openat() with O_CLOEXEC added to flags.  `mode` is that of a new file
 * (O_CREAT).  Returns the file descriptor, or -1 with errno set.
 */
int file_open_at(int dir, const char *path, int flags, mode_t mode);

/* The same for an existing file, relative to the current directory. */
int file_open(const char *path, int flags);

/*
 * Reads n bytes at an offset, or where the file is if that is -1, with several
 * calls if necessary.  Returns their number, which is less than n only at the
 * end of the file; -1 with errno set after a failure.
 */
ssize_t file_read_at(int fd, void *to, size_t n, off_t at);

static inline ssize_t file_read(int fd, void *to, size_t n)
{
    return file_read_at(fd, to, n, -1);
}

/*
 * Whether this errno of an open() means that the file does not exist or cannot
 * be opened by this user, rather than that the system failed (memory, I/O).
 */
bool file_is_refused(int errnum);

#endif
