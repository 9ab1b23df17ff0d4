#include "io/bundle_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "io/fd.h"
#include "io/replace.h"

enum { MAKE_MODE = 0777 }; /* less the umask */

bool bundle_dir_open(struct bundle_dir *d, const struct bundle_opts *opts,
                     struct err *err)
{
    (void)err;
    *d = (struct bundle_dir){.opts = opts->output, .root = -1, .fd = -1};
    return true;
}

/* Creates the directory and what is missing of the path to it. */
static bool make_path(char *path, struct err *err)
{
    for (char *slash = path; *slash;) {
        slash += strspn(slash, "/");
        slash += strcspn(slash, "/");
        char was = *slash;
        *slash = 0;
        bool ok = mkdir(path, MAKE_MODE) == 0 || errno == EEXIST;
        *slash = was;
        if (!ok)
            return err_errno(err, errno, "cannot create the directory");
    }
    return true;
}

/* Not before there is a file to go there. */
static bool open_root(struct bundle_dir *d, struct err *err)
{
    char *path = strdup(d->opts.path);
    bool ok = path ? make_path(path, err) : err_nomem(err);
    free(path);
    if (!ok)
        return false;
    d->root = file_open(d->opts.path, O_RDONLY | O_DIRECTORY);
    return d->root >= 0 || err_errno(err, errno, "cannot open the directory");
}

/*
 * Opens the directory `name` in the one at fd, and makes it if need be.  What
 * somebody else has put there in its place is not followed.
 */
static bool open_below(int fd, const char *name, int *got, struct err *err)
{
    int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
    *got = file_open_at(fd, name, flags, 0);
    if (*got < 0 && errno == ENOENT) {
        if (mkdirat(fd, name, MAKE_MODE) != 0 && errno != EEXIST)
            return err_errno(err, errno, "cannot create '%s'", name);
        *got = file_open_at(fd, name, flags, 0);
    }
    if (*got >= 0)
        return true;
    if (errno == ENOTDIR || errno == ELOOP)
        return err_set(err, ERR_INPUT, "'%s' is there, and is no directory",
                       name);
    return err_errno(err, errno, "cannot open '%s'", name);
}

static void leave_sub(struct bundle_dir *d)
{
    if (d->fd >= 0)
        (void)close(d->fd);
    d->fd = -1;
    d->sub.n = 0;
}

/* Goes to the directory that the first n bytes of name are, element-wise. */
static bool enter_sub(struct bundle_dir *d, const char *name, size_t n,
                      struct err *err)
{
    if (d->fd >= 0 && d->sub.n == n && (!n || !memcmp(d->sub.v, name, n)))
        return true;
    leave_sub(d);
    d->fd = fcntl(d->root, F_DUPFD_CLOEXEC, 3);
    if (d->fd < 0)
        return err_errno(err, errno, "cannot open the directory");
    while (d->sub.n < n) {
        char element[NAME_MAX + 1];
        const char *s = name + d->sub.n;
        size_t k = strcspn(s, "/");
        memcpy(element, s, k); /* of a length that was checked */
        element[k] = 0;
        int fd;
        bool ok = open_below(d->fd, element, &fd, err) &&
                  (buf_put(&d->sub, s, k + 1) || err_nomem(err));
        (void)close(d->fd);
        d->fd = fd;
        if (!ok) {
            leave_sub(d);
            return false;
        }
    }
    return true;
}

static bool check_lengths(const char *name, struct err *err)
{
    for (const char *s = name; *s; s += *s == '/') {
        size_t n = strcspn(s, "/");
        if (n > NAME_MAX)
            return err_set(err, ERR_INPUT,
                           "a name of %zu bytes is longer than file names "
                           "can be",
                           n);
        s += n;
    }
    return true;
}

/* Writes the file, unless these bytes are there already. */
static bool write_file(struct bundle_dir *d, const char *name, const void *data,
                       size_t n, struct err *err)
{
    struct replace file = {
        .on_temp = d->opts.on_temp, .ctx = d->opts.ctx, .many = true};
    if (!replace_begin_at(&file, d->fd, name, err))
        return false;
    if (!fd_write(file.fd, data, n, err)) {
        replace_abort(&file);
        return false;
    }
    return d->opts.if_changed && replace_same(&file)
               ? replace_leave(&file, err)
               : replace_finish(&file, err);
}

bool bundle_dir_add(struct bundle_dir *d, const char *name, const void *data,
                    size_t n, struct err *err)
{
    const char *slash = strrchr(name, '/');
    size_t dir = slash ? (size_t)(slash - name) + 1 : 0;
    return check_lengths(name, err) && (d->root >= 0 || open_root(d, err)) &&
           enter_sub(d, name, dir, err) &&
           write_file(d, name + dir, data, n, err);
}

static bool sync_all(int fd)
{
    int got;
    while ((got = syncfs(fd)) != 0 && errno == EINTR)
        ;
    return got == 0;
}

bool bundle_dir_commit(struct bundle_dir *d, struct err *err)
{
    bool ok = d->root < 0 || sync_all(d->root) || errno == EINVAL ||
              errno == ENOSYS || errno == EROFS ||
              err_errno(err, errno, "cannot write to disk");
    bundle_dir_close(d);
    return ok;
}

void bundle_dir_close(struct bundle_dir *d)
{
    leave_sub(d);
    if (d->root >= 0)
        (void)close(d->root);
    d->root = -1;
    buf_free(&d->sub);
}
