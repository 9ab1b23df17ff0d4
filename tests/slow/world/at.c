/*
 * at.c - a library to preload: before call number $AT, of those that make,
 * write and close files and give them names, the process gets signal $SIGNAL
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void count(void)
{
    static atomic_int n;
    const char *at = getenv("AT");
    if (at && ++n == atoi(at))
        (void)kill(getpid(), atoi(getenv("SIGNAL")));
}

#define WRAP(type, name, params, args)                                         \
    type name params                                                           \
    {                                                                          \
        type(*real) params;                                                    \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                             \
        count();                                                               \
        return real args;                                                      \
    }

/* fcntl.h, which is not included, declares these with dots for the mode. */
WRAP(int, open, (const char *path, int flags, mode_t mode), (path, flags, mode))
WRAP(int, open64, (const char *path, int flags, mode_t mode),
     (path, flags, mode))
WRAP(int, openat, (int fd, const char *path, int flags, mode_t mode),
     (fd, path, flags, mode))
WRAP(int, openat64, (int fd, const char *path, int flags, mode_t mode),
     (fd, path, flags, mode))
WRAP(int, close, (int fd), (fd))
WRAP(ssize_t, write, (int fd, const void *v, size_t n), (fd, v, n))
WRAP(ssize_t, pwrite, (int fd, const void *v, size_t n, off_t at),
     (fd, v, n, at))
WRAP(ssize_t, pwrite64, (int fd, const void *v, size_t n, off_t at),
     (fd, v, n, at))
WRAP(int, fsync, (int fd), (fd))
WRAP(int, syncfs, (int fd), (fd))
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode))
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode))
WRAP(int, mkdirat, (int fd, const char *path, mode_t mode), (fd, path, mode))
WRAP(int, renameat, (int a, const char *from, int b, const char *to),
     (a, from, b, to))
WRAP(int, unlink, (const char *path), (path))
WRAP(int, unlinkat, (int fd, const char *path, int flags), (fd, path, flags))
WRAP(int, rmdir, (const char *path), (path))
