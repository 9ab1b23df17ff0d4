/* file.c - cleans file names; opens and reads files */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/slice.h"

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

ssize_t file_read_at(int fd, void *to, size_t n, off_t at)
{
    size_t got = 0;
    while (got < n) {
        char *next = (char *)to + got;
        ssize_t k = at < 0 ? read(fd, next, n - got)
                           : pread(fd, next, n - got, at + (off_t)got);
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

bool path_clean(struct buf *to, const char *path, size_t n)
{
    size_t start = to->n;
    bool rooted = n && path[0] == '/';
    if (rooted && !buf_putc(to, '/'))
        return false;
    /* Length of what ".." cannot remove: the root, or leading ".." elements. */
    size_t floor = to->n;
    for (size_t i = 0; i < n;) {
        const char *s = path + i, *slash = memchr(s, '/', n - i);
        size_t k = slash ? (size_t)(slash - s) : n - i;
        i += k + (slash != NULL);
        if (!k || (k == 1 && s[0] == '.'))
            continue;
        bool up = k == 2 && s[0] == '.' && s[1] == '.';
        if (up && to->n > floor) {
            /* Remove the last element and the slash before it. */
            while (to->n > floor && to->v[to->n - 1] != '/')
                to->n--;
            if (to->n > floor)
                to->n--;
            continue;
        }
        if (up && rooted)
            continue;
        bool bare = to->n == start || to->v[to->n - 1] == '/';
        if ((!bare && !buf_putc(to, '/')) || !buf_put(to, s, k))
            return false;
        if (up)
            floor = to->n;
    }
    return to->n > start || buf_putc(to, '.');
}

struct prof_slice path_after_slash(struct prof_slice path)
{
    const char *slash = bytes_find_last(path.s, path.n, '/');
    return slash ? slice_from(path, (size_t)(slash + 1 - path.s)) : path;
}

const char *path_base(const char *path, size_t n, size_t *len)
{
    *len = 1;
    if (!n)
        return ".";
    while (n && path[n - 1] == '/')
        n--;
    if (!n)
        return "/";
    size_t from = n;
    while (from && path[from - 1] != '/')
        from--;
    *len = n - from;
    return path + from;
}
