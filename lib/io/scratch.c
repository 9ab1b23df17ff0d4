#include "io/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"

enum { MAX_TRIES = 100 }; /* at a name that nobody has */

const char *scratch_directory(void)
{
    const char *dir = getenv("TMPDIR");
    return dir && *dir ? dir : "/tmp";
}

/* A file with a name that nobody can foretell, which goes at once; or -1. */
static int make_and_unlink(const char *dir)
{
    for (int i = 0; i < MAX_TRIES; i++) {
        uint64_t x;
        char *path;
        if (getentropy(&x, sizeof x) != 0)
            return -1;
        if (asprintf(&path, "%s/profutils.%016llx", dir,
                     (unsigned long long)x) < 0) {
            errno = ENOMEM;
            return -1;
        }
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

/* The same where files without a name are not to be had. */
static int make_safely(const char *dir)
{
    sigset_t all, was;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &was);
    int fd = make_and_unlink(dir);
    int why = errno;
    (void)pthread_sigmask(SIG_SETMASK, &was, NULL);
    errno = why;
    return fd;
}

bool scratch_open(struct scratch *s, struct err *err)
{
    const char *dir = scratch_directory();
    int fd = -1;
    memset(s, 0, sizeof *s);
#ifdef O_TMPFILE
    fd = file_open_at(AT_FDCWD, dir, O_TMPFILE | O_RDWR | O_EXCL, 0600);
#endif
    if (fd < 0)
        fd = make_safely(dir);
    s->fd = fd < 0 ? 0 : fd;
    return fd >= 0 ||
           err_errno(err, errno, "cannot create a temporary file in %s", dir);
}

void scratch_close(struct scratch *s)
{
    if (s->fd > 0)
        (void)close(s->fd);
    free(s->block);
    memset(s, 0, sizeof *s);
}

bool scratch_replace(struct scratch *s, uint64_t at, const void *bytes,
                     size_t n, struct err *err)
{
    const uint8_t *v = bytes;
    while (n) {
        ssize_t k = pwrite(s->fd, v, n, (off_t)at);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            return err_errno(err, errno, "cannot write a temporary file in %s",
                             scratch_directory());
        v += k;
        at += (uint64_t)k;
        n -= (size_t)k;
    }
    return true;
}

bool scratch_flush(struct scratch *s, struct err *err)
{
    bool ok = scratch_replace(s, s->size - s->n, s->block, s->n, err);
    free(s->block);
    s->block = NULL;
    s->n = 0;
    return ok;
}

bool scratch_put(struct scratch *s, const void *bytes, size_t n,
                 struct err *err)
{
    if (s->n + n > SCRATCH_BUFFER) {
        if (!scratch_replace(s, s->size - s->n, s->block, s->n, err))
            return false;
        s->n = 0;
    }
    uint64_t at = s->size;
    s->size += n;
    if (n > SCRATCH_BUFFER)
        return scratch_replace(s, at, bytes, n, err);
    if (!s->block && !(s->block = malloc(SCRATCH_BUFFER)))
        return err_nomem(err);
    if (n)
        memcpy(s->block + s->n, bytes, n);
    s->n += n;
    return true;
}

bool scratch_read(const struct scratch *s, uint64_t at, void *to, size_t n,
                  struct err *err)
{
    uint8_t *v = to;
    while (n) {
        ssize_t k = pread(s->fd, v, n, (off_t)at);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return err_errno(err, k ? errno : EIO,
                             "cannot read a temporary file in %s",
                             scratch_directory());
        v += k;
        at += (uint64_t)k;
        n -= (size_t)k;
    }
    return true;
}

const void *scratch_map(const struct scratch *s, struct err *err)
{
    if (!s->size)
        return NULL;
    if (s->size > SIZE_MAX) {
        err_nomem(err);
        return NULL;
    }
    void *map = mmap(NULL, (size_t)s->size, PROT_READ, MAP_SHARED, s->fd, 0);
    if (map == MAP_FAILED) {
        err_errno(err, errno, "cannot map a temporary file in %s",
                  scratch_directory());
        return NULL;
    }
    return map;
}

void scratch_unmap(const struct scratch *s, const void *map)
{
    if (map)
        (void)munmap((void *)map, (size_t)s->size);
}

void scratch_forget(const struct scratch *s, const void *map)
{
    if (map)
        (void)madvise((void *)map, (size_t)s->size, MADV_DONTNEED);
}
