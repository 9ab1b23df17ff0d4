#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/vec.h"
#include "io/fd.h"
#include "io/replace.h"

enum {
    BUFFERED = 64 * 1024,
    SYNC_STEP = 4 << 20, /* bytes after which the disk may begin */
};

struct output {
    struct sink sink; /* first: a sink is the output */
    int fd;
    enum { TO_STDOUT, TO_SPECIAL, TO_FILE } kind;
    bool if_changed;
    bool hold;           /* until the commit */
    uint64_t n, n_sync;  /* bytes written, and on their way to the disk */
    struct replace file; /* TO_FILE */
    struct buf buf;
    VEC(struct buf) held; /* what comes before buf */
};

bool output_is_epipe(const struct err *err)
{
    return fd_is_epipe(err);
}

static bool write_now(struct output *out, const void *bytes, size_t n,
                      struct err *err)
{
    if (!fd_write(out->fd, bytes, n, err))
        return false;
    out->n += n;
    if (out->kind == TO_FILE && out->n - out->n_sync >= SYNC_STEP) {
        fd_start_sync(out->fd, out->n_sync, out->n - out->n_sync);
        out->n_sync = out->n;
    }
    return true;
}

static bool flush(struct output *out, struct err *err)
{
    bool ok = write_now(out, out->buf.v, out->buf.n, err);
    out->buf.n = 0;
    return ok;
}

static bool take(struct sink *self, const void *bytes, size_t n,
                 struct err *err)
{
    struct output *out = (struct output *)self;
    if (out->hold || n <= BUFFERED - out->buf.n)
        return buf_put(&out->buf, bytes, n) || err_nomem(err);
    return flush(out, err) && write_now(out, bytes, n, err);
}

/* Keeps *bytes for the commit, without the room that it does not need. */
static bool hold(struct output *out, struct buf *bytes, struct err *err)
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

bool output_give(struct output *out, struct buf *bytes, struct err *err)
{
    if (out->hold && bytes->n >= BUFFERED)
        return hold(out, &out->buf, err) && hold(out, bytes, err);
    return take(&out->sink, bytes->v, bytes->n, err);
}

static bool write_held(struct output *out, struct err *err)
{
    for (size_t i = 0; i < out->held.n; i++)
        if (!write_now(out, out->held.v[i].v, out->held.v[i].n, err))
            return false;
    return true;
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

/* The very file that the shell opened for us, by its own name. */
static bool is_stdout(const struct stat *st)
{
    struct stat ours;
    return fstat(STDOUT_FILENO, &ours) == 0 && ours.st_dev == st->st_dev &&
           ours.st_ino == st->st_ino;
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

static bool open_descriptor(struct output *out, int fd, struct err *err)
{
    if (fd == STDOUT_FILENO)
        return true;
    out->kind = TO_SPECIAL;
    out->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    return out->fd >= 0 || err_errno(err, errno, "cannot open");
}

static bool open_special(struct output *out, const char *path, struct err *err)
{
    out->kind = TO_SPECIAL;
    out->fd = file_open(path, O_WRONLY | O_NOCTTY);
    return out->fd >= 0 || err_errno(err, errno, "cannot open");
}

/* *st is of what is there now; or null. */
static bool open_file(struct output *out, const char *path,
                      const struct stat *st, struct err *err)
{
    struct stat named;
    char *target = replace_target(path, err);
    if (!target)
        return false;
    /* What another process has open may be no file that has a name here. */
    if (st && strcmp(target, path) != 0 && lstat(target, &named) != 0) {
        free(target);
        return err_set(err, ERR_SYSTEM,
                       "cannot replace it: it is open, but has no name");
    }
    out->kind = TO_FILE;
    if (!replace_begin(&out->file, target, err))
        return false;
    out->fd = out->file.fd;
    return true;
}

char *output_directory(const char *path, struct err *err)
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

static bool open_target(struct output *out, const char *path, struct err *err)
{
    struct stat st;
    out->fd = STDOUT_FILENO;
    if (!path || strcmp(path, "-") == 0)
        return true;
    if (stat(path, &st) != 0)
        return errno == ENOENT ? open_file(out, path, NULL, err)
                               : err_errno(err, errno, "cannot open");
    if (S_ISDIR(st.st_mode))
        return err_errno(err, EISDIR, "cannot write");
    int fd = output_descriptor(path);
    if (fd >= 0)
        return open_descriptor(out, fd, err);
    if (!S_ISREG(st.st_mode))
        return open_special(out, path, err);
    return is_stdout(&st) || open_file(out, path, &st, err);
}

bool output_open(struct output **out, const struct output_opts *opts,
                 struct err *err)
{
    struct output *o = calloc(1, sizeof *o);
    *out = NULL;
    if (!o)
        return err_nomem(err);
    o->sink.write = take;
    o->if_changed = opts->if_changed;
    o->file.on_temp = opts->on_temp;
    o->file.ctx = opts->ctx;
    if (!open_target(o, opts->path, err)) {
        free(o);
        return false;
    }
    if (opts->binary && isatty(o->fd)) {
        output_abort(o);
        return err_set(err, ERR_USAGE,
                       "binary output is not written to a terminal; "
                       "redirect it, or use --output=FILE");
    }
    o->hold = opts->whole && o->kind != TO_FILE;
    *out = o;
    return true;
}

/*
 * Lets go of standard output, which /dev/null takes the place of: the next
 * program of a pipeline goes on while this one frees its memory.  Some file
 * systems tell only now that there was no room.
 */
static bool close_stdout(struct err *err)
{
    int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (copy < 0)
        return fd_write_failed(errno, err);
    int null = file_open("/dev/null", O_WRONLY);
    if (null >= 0) {
        (void)dup2(null, STDOUT_FILENO);
        (void)close(null);
    }
    return close(copy) == 0 || fd_write_failed(errno, err);
}

bool output_commit(struct output *out, struct err *err)
{
    if (!write_held(out, err) || !flush(out, err)) {
        output_abort(out);
        return false;
    }
    bool ok = true;
    switch (out->kind) {
    case TO_STDOUT:
        ok = close_stdout(err);
        break;
    case TO_SPECIAL:
        ok = close(out->fd) == 0 || fd_write_failed(errno, err);
        break;
    case TO_FILE:
        if (out->if_changed && replace_same(&out->file))
            ok = replace_leave(&out->file, err);
        else
            ok = replace_finish(&out->file, err);
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
