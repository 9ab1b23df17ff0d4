#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int file_open_at(int dir, const char *path, int flags, mode_t mode)
{
    int fd;
    do
        fd = openat(dir, path, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR);
    return fd;
}

int file_open(const char *path, int flags)
{
    return file_open_at(AT_FDCWD, path, flags, 0);
}

ssize_t file_read(int fd, void *to, size_t n)
{
    size_t got = 0;
    while (got < n) {
        ssize_t k = read(fd, (char *)to + got, n - got);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            return -1;
        if (k == 0)
            break;
        got += (size_t)k;
    }
    return (ssize_t)got;
}

bool file_is_refused(int errnum)
{
    switch (errnum) {
    case ENOENT:
    case ENOTDIR:
    case EACCES:
    case EPERM:
    case ELOOP:
    case ENAMETOOLONG:
    case EINVAL:
    case EISDIR:
    case ENXIO:
    case ENODEV:
        return true;
    default:
        return false;
    }
}
