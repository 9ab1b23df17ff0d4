/*
 * file.h - opening and reading files where signals come between
 */
#ifndef PROFUTILS_BASE_FILE_H
#define PROFUTILS_BASE_FILE_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * openat() of a file that is closed on exec.  `mode` is for files that O_CREAT
 * makes.
 */
int file_open_at(int dir, const char *path, int flags, mode_t mode);

/* The same for files that are there, from the current directory. */
int file_open(const char *path, int flags);

/*
 * read() as often as it takes: fewer than n bytes only where the file ends;
 * -1: errno.
 */
ssize_t file_read(int fd, void *to, size_t n);

/*
 * Whether this errno of an open() is an answer: there is no such file, or none
 * for us.  Otherwise it is the system that has failed, and nobody knows.
 */
bool file_is_refused(int errnum);

#endif
