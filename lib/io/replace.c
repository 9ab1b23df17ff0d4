#include "io/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

enum {
    MAX_LINKS = 40,  /* as Linux follows */
    MAX_TRIES = 100, /* at a name that nobody has */
    KEPT_NAME = 200, /* bytes of the target's name in the temporary one's */
    COMPARED = 64 * 1024,
};

/* Length of the directory in a path with its slash; 0 if there is none. */
static size_t dir_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* What a link's text means: relative to where the link is. */
static char *beside(const char *link, const char *text)
{
    char *path;
    size_t dir = text[0] == '/' ? 0 : dir_length(link);
    if (asprintf(&path, "%.*s%s", (int)dir, link, text) < 0)
        return NULL;
    return path;
}

/*
 * Directories on the way may be links, and need not be known from the root on:
 * those above the present one may be closed to us.
 */
char *replace_target(const char *name, struct err *err)
{
    char *path = strdup(name);
    char text[PATH_MAX];
    for (int i = 0; path && i < MAX_LINKS; i++) {
        ssize_t n = readlink(path, text, sizeof text - 1);
        if (n < 0)
            return path;
        text[n] = 0;
        char *next = beside(path, text);
        free(path);
        path = next;
    }
    if (!path)
        err_nomem(err);
    else
        err_errno(err, ELOOP, "cannot follow the link");
    free(path);
    return NULL;
}

static void tell(const struct replace *r, const char *temp)
{
    if (r->on_temp)
        r->on_temp(r->ctx, r->dir, temp);
}

/*
 * Creates a file with a name that nobody can foretell.  A signal handler
 * learns the name first, so that there is no moment when it misses it.
 */
static bool create_temp(struct replace *r, struct err *err)
{
    size_t dir = dir_length(r->target);
    for (int i = 0; i < MAX_TRIES; i++) {
        uint64_t x;
        if (getentropy(&x, sizeof x) != 0)
            return err_errno(err, errno, "cannot get random bytes");
        if (asprintf(&r->temp, "%.*s.%.*s.%016llx", (int)dir, r->target,
                     KEPT_NAME, r->target + dir, (unsigned long long)x) < 0) {
            r->temp = NULL;
            return err_nomem(err);
        }
        tell(r, r->temp);
        /*
         * Nobody but the owner reads it before it has the old one's mode.  A
         * new one has from the beginning what umask leaves: who may read it in
         * the end may do so before.
         */
        r->fd = file_open_at(r->dir, r->temp, O_RDWR | O_CREAT | O_EXCL,
                             r->had_old ? 0600 : 0666);
        if (r->fd >= 0)
            return true;
        int why = errno;
        tell(r, NULL);
        free(r->temp);
        r->temp = NULL;
        if (why != EEXIST)
            return err_errno(err, why,
                             "cannot create a temporary file beside it");
    }
    return err_errno(err, EEXIST, "cannot create a temporary file beside it");
}

bool replace_begin(struct replace *r, char *target, struct err *err)
{
    r->dir = AT_FDCWD;
    r->target = target;
    r->had_old = stat(target, &r->old) == 0;
    if (create_temp(r, err))
        return true;
    free(r->target);
    r->target = NULL;
    return false;
}

bool replace_begin_at(struct replace *r, int dir, const char *name,
                      struct err *err)
{
    struct stat st;
    bool found = fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (found && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
        return err_set(err, ERR_INPUT, "is there, and no regular file");
    r->dir = dir;
    r->had_old = found && S_ISREG(st.st_mode);
    r->old = st;
    r->target = strdup(name);
    if (!r->target)
        return err_nomem(err);
    if (create_temp(r, err))
        return true;
    free(r->target);
    r->target = NULL;
    return false;
}

bool replace_same(const struct replace *r)
{
    struct stat made;
    int flags = O_RDONLY | O_NOCTTY | O_NONBLOCK;
    if (r->dir != AT_FDCWD)
        flags |= O_NOFOLLOW;
    int fd = r->had_old ? file_open_at(r->dir, r->target, flags, 0) : -1;
    if (fd < 0)
        return false;
    bool same = fstat(r->fd, &made) == 0 && made.st_size == r->old.st_size;
    char *bytes = same ? malloc(2 * (size_t)COMPARED) : NULL;
    off_t at = 0;
    while (same && at < made.st_size) {
        ssize_t a = bytes ? pread(fd, bytes, COMPARED, at) : -1;
        same = a > 0 && pread(r->fd, bytes + COMPARED, (size_t)a, at) == a &&
               memcmp(bytes, bytes + COMPARED, (size_t)a) == 0;
        at += same ? a : 0;
    }
    free(bytes);
    (void)close(fd);
    return same;
}

/* Some file systems have one mode for all files, and refuse to set even it. */
static bool set_mode(int fd, mode_t mode)
{
    struct stat st;
    if (fchmod(fd, mode) == 0)
        return true;
    int why = errno;
    bool is_set = fstat(fd, &st) == 0 && (st.st_mode & 0777) == mode;
    errno = why;
    return is_set;
}

/*
 * Gives the new file the permissions of the old, and its owner and group where
 * that is allowed.  As xz does: a group that cannot be kept gets no more than
 * everybody has, and an access control list is not kept.
 */
static bool keep_mode(const struct replace *r, struct err *err)
{
    struct stat made;
    mode_t mode = r->old.st_mode & 0777;
    bool group = true;
    if (!r->had_old)
        return true;
    if (fstat(r->fd, &made) != 0)
        return err_errno(err, errno, "cannot look at the temporary file");
    if (made.st_uid != r->old.st_uid)
        (void)!fchown(r->fd, r->old.st_uid, (gid_t)-1);
    if (made.st_gid != r->old.st_gid)
        group = fchown(r->fd, (uid_t)-1, r->old.st_gid) == 0;
    if (!group)
        mode &= ~(mode_t)070 | (mode & 07) << 3;
    return set_mode(r->fd, mode) ||
           err_errno(err, errno, "cannot set the permissions");
}

/* Some file systems cannot sync, which is no reason to fail. */
static bool sync_fd(int fd)
{
    while (fsync(fd) != 0)
        if (errno != EINTR)
            return errno == EINVAL || errno == ENOTSUP || errno == EROFS;
    return true;
}

/* The rename is done; what this cannot sync cannot be taken back either. */
static void sync_dir(const char *target)
{
    char *dir = NULL;
    size_t n = dir_length(target);
    if (n ? asprintf(&dir, "%.*s", (int)n, target) < 0 : !(dir = strdup(".")))
        return;
    int fd = file_open(dir, O_RDONLY | O_DIRECTORY);
    if (fd >= 0) {
        (void)sync_fd(fd);
        (void)close(fd);
    }
    free(dir);
}

bool replace_finish(struct replace *r, struct err *err)
{
    bool ok = keep_mode(r, err);
    if (ok && !r->many && !sync_fd(r->fd))
        ok = err_errno(err, errno, "cannot write to disk");
    int closed = close(r->fd);
    r->fd = -1;
    if (ok && closed != 0)
        ok = err_errno(err, errno, "cannot write");
    if (ok && renameat(r->dir, r->temp, r->dir, r->target) != 0)
        ok = err_errno(err, errno, "cannot rename the temporary file to it");
    if (ok) {
        free(r->temp);
        r->temp = NULL;
        tell(r, NULL);
        if (!r->many)
            sync_dir(r->target);
    }
    replace_abort(r);
    return ok;
}

static bool remove_temp(struct replace *r)
{
    if (r->fd >= 0)
        (void)close(r->fd);
    bool ok = unlinkat(r->dir, r->temp, 0) == 0;
    tell(r, NULL);
    return ok;
}

bool replace_leave(struct replace *r, struct err *err)
{
    bool ok = remove_temp(r) ||
              err_errno(err, errno, "cannot remove the temporary file");
    free(r->temp);
    r->temp = NULL;
    replace_abort(r);
    return ok;
}

void replace_abort(struct replace *r)
{
    if (r->temp)
        (void)remove_temp(r);
    free(r->temp);
    free(r->target);
    r->temp = r->target = NULL;
}
