#include "io/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

static const char reader_gone[] = "the reader went away (broken pipe)";

bool fd_write_failed(int errnum, struct err *err)
{
    if (errnum == EPIPE)
        return err_set(err, ERR_SYSTEM, "%s", reader_gone);
    return err_errno(err, errnum, "cannot write");
}

bool fd_is_epipe(const struct err *err)
{
    return err->kind == ERR_SYSTEM && strcmp(err->text, reader_gone) == 0;
}

bool fd_write(int fd, const void *bytes, size_t n, struct err *err)
{
    const char *v = bytes;
    while (n) {
        ssize_t k = write(fd, v, n);
        if (k >= 0) {
            v += k;
            n -= (size_t)k;
        } else if (errno == EAGAIN) {
            struct pollfd wait = {.fd = fd, .events = POLLOUT};
            (void)poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return fd_write_failed(errno, err);
        }
    }
    return true;
}

void fd_start_sync(int fd, uint64_t from, uint64_t n)
{
#ifdef SYNC_FILE_RANGE_WRITE
    /* What it could not do is told by fsync(). */
    (void)sync_file_range(fd, (off_t)from, (off_t)n, SYNC_FILE_RANGE_WRITE);
#else
    (void)fd;
    (void)from;
    (void)n;
#endif
}
