/* output.c - replaces files atomically; writes standard output and devices */
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/system.h"
#include "base/vec.h"
#include "io/private.h"

static const char reader_gone[] = TEXT("the reader closed the pipe");

/* Sets *err for a failed write or close.  Returns false. */
static bool fd_write_failed(int errnum, struct prof_err *err)
{
    if (errnum == EPIPE)
        return err_set(err, PROF_ERR_SYSTEM, "%s", reader_gone);
    return err_errno(err, errnum, "cannot write");
}

bool output_is_epipe(const struct prof_err *err)
{
    return err->kind == PROF_ERR_SYSTEM && strcmp(err->text, reader_gone) == 0;
}

bool fd_write(int fd, const void *bytes, size_t n, struct prof_err *err)
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

/* --- a file that replaces another ----------------------------------------- */

/*
 * replace_begin() makes a temporary file in the directory of the target, whose
 * fd the caller fills; replace_end() renames it over the target.  Until then
 * the target is as it was.
 */
struct replace {
    int fd;          /* of the temporary file, for reading and writing */
    int dir;         /* directory that the two names are relative to */
    char *target;    /* no symbolic link */
    char *temp;      /* null before begin and after the end */
    struct stat old; /* of the target */
    bool had_old;    /* there is a target to replace */
    bool many;       /* one of many: the caller syncs them all */
    bool secret;     /* as in output.h */
    void (*on_temp)(void *ctx, int dir, const char *temp); /* as in output.h */
    void *ctx;
};

enum {
    MAX_LINKS = 40,  /* as many as Linux follows */
    MAX_TRIES = 100, /* attempts at an unused name */
    KEPT_NAME = 200, /* bytes of the target's name in the temporary one's */
    COMPARED = 64 * 1024,
};

/* Returns the length of the directory in a path with its slash, or 0. */
static size_t dir_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/*
 * Follows symbolic links from `name`, which stat() found to be a regular file
 * or missing.  Returns a path whose last element is not a link, which the
 * caller frees, or null with *err.
 *
 * Does not resolve the directories on the way, as realpath() does: those above
 * the current directory may be inaccessible.
 */
static char *replace_target(const char *name, struct prof_err *err)
{
    char *path = strdup(name);
    char text[PATH_MAX];
    for (int i = 0; path && i < MAX_LINKS; i++) {
        ssize_t n = readlink(path, text, sizeof text - 1);
        if (n < 0)
            return path;
        text[n] = 0;
        /* A relative link starts in the directory of the link. */
        size_t dir = text[0] == '/' ? 0 : dir_length(path);
        char *next = str_printf("%.*s%s", (int)dir, path, text);
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

static void report_temp(const struct replace *r, const char *temp)
{
    if (r->on_temp)
        r->on_temp(r->ctx, r->dir, temp);
}

/*
 * Creates a temporary file with a random name.  Reports the name before, so
 * that a signal handler can remove the file at any time.
 *
 * A file that replaces another gets exactly `mode`; a new one gets 0666, or
 * 0600 if secret, less the umask.
 */
static bool create_temp(struct replace *r, mode_t mode, struct prof_err *err)
{
    size_t dir = dir_length(r->target);
    for (int i = 0; i < MAX_TRIES; i++) {
        uint64_t x;
        if (!system_random(&x, sizeof x))
            return err_errno(err, errno, "cannot get random bytes");
        r->temp = str_printf("%.*s.%.*s.%016llx", (int)dir, r->target,
                             KEPT_NAME, r->target + dir, (unsigned long long)x);
        if (!r->temp)
            return err_nomem(err);
        report_temp(r, r->temp);
        /* The umask must not change `mode`. */
        const mode_t was = r->had_old ? umask(0) : 0;
        r->fd = file_open_at(r->dir, r->temp, O_RDWR | O_CREAT | O_EXCL,
                             r->had_old  ? mode
                             : r->secret ? 0600
                                         : 0666);
        int why = errno;
        if (r->had_old)
            (void)umask(was);
        if (r->fd >= 0)
            return true;
        report_temp(r, NULL);
        free(r->temp);
        r->temp = NULL;
        if (why != EEXIST)
            return err_errno(
                err, why,
                "cannot create a temporary file in the same directory");
    }
    return err_errno(err, EEXIST,
                     "cannot create a temporary file in the same directory");
}

/* Whether the target and the temporary file have the same content. */
static bool replace_same(const struct replace *r)
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

/* Syncs fd.  Returns true if the file system does not support that. */
static bool sync_fd(int fd)
{
    while (fsync(fd) != 0)
        if (errno != EINTR)
            return errno == EINVAL || errno == ENOTSUP || errno == EROFS;
    return true;
}

static bool remove_temp(struct replace *r)
{
    if (r->fd >= 0)
        (void)close(r->fd);
    bool ok = unlinkat(r->dir, r->temp, 0) == 0;
    report_temp(r, NULL);
    free(r->temp);
    r->temp = NULL;
    return ok;
}

/*
 * Gives the new file, which is empty, the owner and group of the old one if
 * that is allowed.  Returns whether the group's permissions may be kept.  They
 * may not if either file has an access control list (the new one may inherit it
 * from its directory): the group bits of its mode are then a mask.
 */
static bool keep_owner(const struct replace *r)
{
    struct stat made;
    if (fstat(r->fd, &made) != 0)
        return false;
    if (made.st_uid != r->old.st_uid)
        (void)!fchown(r->fd, r->old.st_uid, (gid_t)-1);
    return (made.st_gid == r->old.st_gid ||
            fchown(r->fd, (uid_t)-1, r->old.st_gid) == 0) &&
           !system_has_acl(r->fd) && !system_has_acl_at(r->dir, r->target);
}

/*
 * Creates the temporary file with the permissions of the old one.  As in xz, if
 * the group cannot be kept, it gets no more permissions than everybody has, and
 * an access control list is not kept.  In the sandbox fchmod() fails, so if the
 * group is kept, creates the file again with the final mode.
 */
static bool create_alike(struct replace *r, struct prof_err *err)
{
    mode_t all = r->old.st_mode & 0777;
    mode_t few = all & (~(mode_t)070 | (all & 07) << 3);
    if (!create_temp(r, few, err))
        return false;
    if (!r->had_old || !keep_owner(r) || few == all || fchmod(r->fd, all) == 0)
        return true;
    (void)remove_temp(r);
    return create_temp(r, all, err);
}

/* Creates the temporary file for `target` and takes ownership of `target`.  If
 * r->had_old, r->old describes the file to replace. */
static bool replace_begin(struct replace *r, char *target, struct prof_err *err)
{
    r->target = target;
    if (create_alike(r, err))
        return true;
    free(r->target);
    r->target = NULL;
    return false;
}

/* Removes the temporary file; an *r that is all zero is allowed. */
static void replace_abort(struct replace *r)
{
    if (r->temp)
        (void)remove_temp(r);
    free(r->target);
    r->target = NULL;
}

/* Syncs the file unless r->many, renames it, and always frees what *r holds. */
static bool replace_finish(struct replace *r, struct prof_err *err)
{
    bool ok = r->many || sync_fd(r->fd) ||
              err_errno(err, errno, "cannot write to disk");
    int closed = close(r->fd);
    r->fd = -1;
    if (ok && closed != 0)
        ok = err_errno(err, errno, "cannot write");
    if (ok && renameat(r->dir, r->temp, r->dir, r->target) != 0)
        ok = err_errno(err, errno, "cannot rename the temporary file");
    if (ok) {
        free(r->temp);
        r->temp = NULL;
        report_temp(r, NULL);
    }
    if (ok && !r->many) {
        /* The rename cannot be undone, so a failure to sync it is ignored. */
        size_t n = dir_length(r->target);
        char *path = n ? strndup(r->target, n) : strdup(".");
        int dir = path ? file_open(path, O_RDONLY | O_DIRECTORY) : -1;
        if (dir >= 0) {
            (void)sync_fd(dir);
            (void)close(dir);
        }
        free(path);
    }
    replace_abort(r);
    return ok;
}

/* Replaces the target, unless it has the same content and if_changed is set. */
static bool replace_end(struct replace *r, bool if_changed,
                        struct prof_err *err)
{
    if (!if_changed || !replace_same(r))
        return replace_finish(r, err);
    bool ok = remove_temp(r) ||
              err_errno(err, errno, "cannot remove the temporary file");
    replace_abort(r);
    return ok;
}

bool output_write_at(int dir, const char *name, struct prof_slice bytes,
                     const struct output_opts *opts, struct prof_err *err)
{
    struct stat st;
    struct replace r = {
        .dir = dir, .many = true, .on_temp = opts->on_temp, .ctx = opts->ctx};
    bool found = fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (found && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
        return err_input(err, "exists and is not a regular file");
    r.had_old = found && S_ISREG(st.st_mode);
    r.old = st;
    char *target = strdup(name);
    if (!target)
        return err_nomem(err);
    if (!replace_begin(&r, target, err))
        return false;
    if (!fd_write(r.fd, bytes.s, bytes.n, err)) {
        replace_abort(&r);
        return false;
    }
    return replace_end(&r, opts->if_changed, err);
}

/* --- outputs -------------------------------------------------------------- */

enum {
    BUFFERED = 64 * 1024,
    SYNC_STEP = 4 << 20, /* bytes after which writing to disk is started */
};

struct output {
    struct sink sink; /* first: a sink is the output */
    int fd;
    enum { TO_STDOUT, TO_SPECIAL, TO_FILE } kind;
    bool if_changed;
    bool hold;           /* keep all bytes until the commit */
    uint64_t n, n_sync;  /* bytes written, and started to sync */
    struct replace file; /* TO_FILE */
    struct buf buf;
    VEC(struct buf) held; /* bytes that precede buf */
};

static bool write_now(struct output *out, const void *bytes, size_t n,
                      struct prof_err *err)
{
    if (!fd_write(out->fd, bytes, n, err))
        return false;
    out->n += n;
    if (out->kind == TO_FILE && out->n - out->n_sync >= SYNC_STEP) {
        system_start_sync(out->fd, out->n_sync, out->n - out->n_sync);
        out->n_sync = out->n;
    }
    return true;
}

static bool flush(struct output *out, struct prof_err *err)
{
    bool ok = write_now(out, out->buf.v, out->buf.n, err);
    out->buf.n = 0;
    return ok;
}

static bool write_sink(struct sink *self, const void *bytes, size_t n,
                       struct prof_err *err)
{
    struct output *out = (struct output *)self;
    if (out->hold || n <= BUFFERED - out->buf.n)
        return buf_put(&out->buf, bytes, n) || err_nomem(err);
    return flush(out, err) && write_now(out, bytes, n, err);
}

/* Keeps *bytes, without unused room, for the commit.  Takes them over. */
static bool hold(struct output *out, struct buf *bytes, struct prof_err *err)
{
    if (!bytes->n)
        return true;
    uint8_t *v = realloc(bytes->v, bytes->n);
    if (v) {
        bytes->v = v;
        bytes->cap = bytes->n;
    }
    if (!vec_push(&out->held, *bytes))
        return err_nomem(err);
    memset(bytes, 0, sizeof *bytes);
    return true;
}

bool output_write_owned(struct output *out, struct buf *bytes,
                        struct prof_err *err)
{
    if (out->hold && bytes->n >= BUFFERED)
        return hold(out, &out->buf, err) && hold(out, bytes, err);
    return write_sink(&out->sink, bytes->v, bytes->n, err);
}

static void free_output(struct output *out)
{
    for (size_t i = 0; i < out->held.n; i++)
        buf_free(&out->held.v[i]);
    vec_free(&out->held);
    buf_free(&out->buf);
    free(out);
}

struct sink *output_sink(struct output *out)
{
    return &out->sink;
}

int output_descriptor(const char *path)
{
    static const char *const dirs[] = {"/dev/fd/", "/proc/self/fd/"};
    const char *number = NULL;
    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++)
        if (strncmp(path, dirs[i], strlen(dirs[i])) == 0)
            number = path + strlen(dirs[i]);
    if (!number || !*number || number[strspn(number, "0123456789")])
        return -1;
    unsigned long n = strtoul(number, NULL, 10);
    return n > INT_MAX ? -1 : (int)n;
}

/* Opens a file for replacement; *st describes the existing one, if not null. */
static bool open_file(struct output *out, const char *path,
                      const struct stat *st, struct prof_err *err)
{
    struct stat named;
    char *target = replace_target(path, err);
    if (!target)
        return false;
    /* A path such as /proc/PID/fd/N may lead to a file without a name here. */
    if (st && strcmp(target, path) != 0 && lstat(target, &named) != 0) {
        free(target);
        return err_set(err, PROF_ERR_SYSTEM,
                       "cannot replace the file: it is open but has no name "
                       "here (deleted?)");
    }
    out->kind = TO_FILE;
    out->file.dir = AT_FDCWD;
    out->file.had_old = st != NULL;
    if (st)
        out->file.old = *st;
    if (!replace_begin(&out->file, target, err))
        return false;
    out->fd = out->file.fd;
    return true;
}

char *output_directory(const char *path, struct prof_err *err)
{
    char *target = replace_target(path, err);
    char *slash = target ? strrchr(target, '/') : NULL;
    if (slash)
        slash[1] = 0;
    else if (target)
        target[0] = 0;
    char *dir = target ? strdup(*target ? target : ".") : NULL;
    if (target && !dir)
        err_nomem(err);
    free(target);
    return dir;
}

static bool open_target(struct output *out, const char *path,
                        struct prof_err *err)
{
    struct stat st, ours;
    out->fd = STDOUT_FILENO;
    if (!path || strcmp(path, "-") == 0)
        return true;
    if (stat(path, &st) != 0)
        return errno == ENOENT ? open_file(out, path, NULL, err)
                               : err_errno(err, errno, "cannot open");
    if (S_ISDIR(st.st_mode))
        return err_errno(err, EISDIR, "cannot write");
    int fd = output_descriptor(path);
    if (fd == STDOUT_FILENO)
        return true;
    if (fd >= 0 || !S_ISREG(st.st_mode)) {
        out->kind = TO_SPECIAL;
        out->fd = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3)
                          : file_open(path, O_WRONLY | O_NOCTTY);
        return out->fd >= 0 || err_errno(err, errno, "cannot open");
    }
    /* The path may name the file that standard output is redirected to. */
    if (fstat(STDOUT_FILENO, &ours) == 0 && ours.st_dev == st.st_dev &&
        ours.st_ino == st.st_ino)
        return true;
    return open_file(out, path, &st, err);
}

bool output_has_other_owner(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           (st.st_uid != geteuid() || st.st_gid != getegid());
}

bool output_open(struct output **out, const struct output_opts *opts,
                 struct prof_err *err)
{
    struct output *o = calloc(1, sizeof *o);
    *out = NULL;
    if (!o)
        return err_nomem(err);
    o->sink.write = write_sink;
    o->if_changed = opts->if_changed;
    o->file.secret = opts->secret;
    o->file.on_temp = opts->on_temp;
    o->file.ctx = opts->ctx;
    if (!open_target(o, opts->path, err)) {
        free(o);
        return false;
    }
    if (opts->binary && isatty(o->fd)) {
        output_abort(o);
        return err_set(err, PROF_ERR_USAGE,
                       "binary output is not written to a terminal; redirect "
                       "it or use -o FILE");
    }
    o->hold = opts->whole && o->kind != TO_FILE;
    *out = o;
    return true;
}

bool output_commit(struct output *out, struct prof_err *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < out->held.n; i++)
        ok = write_now(out, out->held.v[i].v, out->held.v[i].n, err);
    if (!ok || !flush(out, err)) {
        output_abort(out);
        return false;
    }
    int why = 0;
    switch (out->kind) {
    case TO_STDOUT:
        /*
         * Closes standard output now: the next program of a pipeline continues
         * while this one frees its memory, and some file systems report only
         * now that the disk is full. /dev/null takes its descriptor, which is
         * the lowest free one.
         */
        ok = close(STDOUT_FILENO) == 0;
        why = errno;
        (void)open("/dev/null", O_WRONLY);
        ok = ok || fd_write_failed(why, err);
        break;
    case TO_SPECIAL:
        ok = close(out->fd) == 0 || fd_write_failed(errno, err);
        break;
    case TO_FILE:
        ok = replace_end(&out->file, out->if_changed, err);
        break;
    }
    free_output(out);
    return ok;
}

void output_abort(struct output *out)
{
    if (out->kind == TO_SPECIAL)
        (void)close(out->fd);
    else if (out->kind == TO_FILE)
        replace_abort(&out->file);
    free_output(out);
}
