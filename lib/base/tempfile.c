/* tempfile.c - a temporary file without a name */
#include "base/tempfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/system.h"

enum { MAX_TRIES = 100 }; /* attempts at an unused name */

const char *tempfile_directory(void)
{
    const char *dir = getenv("TMPDIR");
    return dir && *dir ? dir : "/tmp";
}

/* Creates a file and unlinks it.  Returns the descriptor, or -1 with errno. */
static int make_and_unlink(const char *dir)
{
    for (int i = 0; i < MAX_TRIES; i++) {
        uint64_t x;
        if (!system_random(&x, sizeof x))
            return -1;
        char *path =
            str_printf("%s/profutils.%016llx", dir, (unsigned long long)x);
        if (!path)
            return -1;
        int fd = file_open_at(AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL, 0600);
        int why = errno;
        if (fd >= 0)
            (void)unlink(path);
        free(path);
        errno = why;
        if (fd >= 0 || why != EEXIST)
            return fd;
    }
    return -1;
}

bool tempfile_open(struct tempfile *t, struct prof_err *err)
{
    const char *dir = tempfile_directory();
    int fd = system_open_unnamed(dir);
    memset(t, 0, sizeof *t);
    if (fd < 0) {
        /* Block signals: one could end the tool before the file is unlinked. */
        sigset_t all, was;
        (void)sigfillset(&all);
        (void)pthread_sigmask(SIG_SETMASK, &all, &was);
        fd = make_and_unlink(dir);
        int why = errno;
        (void)pthread_sigmask(SIG_SETMASK, &was, NULL);
        errno = why;
    }
    t->fd = fd < 0 ? 0 : fd;
    return fd >= 0 ||
           err_errno(err, errno, "cannot create a temporary file in %s", dir);
}

void tempfile_close(struct tempfile *t)
{
    if (t->fd > 0)
        (void)close(t->fd);
    free(t->block);
    memset(t, 0, sizeof *t);
}

static bool overwrite(struct tempfile *t, uint64_t at, const void *bytes,
                      size_t n, struct prof_err *err)
{
    const uint8_t *v = bytes;
    while (n) {
        ssize_t k = pwrite(t->fd, v, n, (off_t)at);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            return err_errno(err, errno, "cannot write a temporary file in %s",
                             tempfile_directory());
        v += k;
        at += (uint64_t)k;
        n -= (size_t)k;
    }
    return true;
}

bool tempfile_flush(struct tempfile *t, struct prof_err *err)
{
    bool ok = overwrite(t, t->size - t->n, t->block, t->n, err);
    free(t->block);
    t->block = NULL;
    t->n = 0;
    return ok;
}

bool tempfile_put(struct tempfile *t, const void *bytes, size_t n,
                  struct prof_err *err)
{
    if (t->n + n > TEMPFILE_BUFFER) {
        if (!overwrite(t, t->size - t->n, t->block, t->n, err))
            return false;
        t->n = 0;
    }
    uint64_t at = t->size;
    t->size += n;
    if (n > TEMPFILE_BUFFER)
        return overwrite(t, at, bytes, n, err);
    if (!t->block && !(t->block = malloc(TEMPFILE_BUFFER)))
        return err_nomem(err);
    if (n)
        memcpy(t->block + t->n, bytes, n);
    t->n += n;
    return true;
}

bool tempfile_read(const struct tempfile *t, uint64_t at, void *to, size_t n,
                   struct prof_err *err)
{
    const ssize_t k = file_read_at(t->fd, to, n, (off_t)at);
    return k == (ssize_t)n || err_errno(err, k < 0 ? errno : EIO,
                                        "cannot read a temporary file in %s",
                                        tempfile_directory());
}

const void *tempfile_map(const struct tempfile *t, struct prof_err *err)
{
    if (!t->size)
        return NULL;
    if (t->size > SIZE_MAX) {
        err_nomem(err);
        return NULL;
    }
    void *map = mmap(NULL, (size_t)t->size, PROT_READ, MAP_SHARED, t->fd, 0);
    if (map == MAP_FAILED) {
        err_errno(err, errno, "cannot map a temporary file in %s",
                  tempfile_directory());
        return NULL;
    }
    return map;
}

void tempfile_unmap(const struct tempfile *t, const void *map)
{
    if (map)
        (void)munmap((void *)map, (size_t)t->size);
}

void tempfile_forget(const struct tempfile *t, const void *map)
{
    if (map)
        (void)system_discard((void *)map, (size_t)t->size);
}
