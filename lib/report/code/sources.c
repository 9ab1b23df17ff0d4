/* sources.c - source files, found, opened and split into lines */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "profile/model/detail.h"
#include "report/code/private.h"

/* Before the first file. */
static bool sources_begin(struct code *c, struct prof_err *err)
{
    const char *dirs = c->r->opts->source_path;
    if (c->search)
        return true;
    c->search = dirs && *dirs ? strdup(dirs) : getcwd(NULL, 0);
    if (!c->search)
        return err_errno(err, errno, "the current directory");
    return strtab_init(&c->names) || err_nomem(err);
}

static void free_file(struct source_file *f)
{
    free(f->why);
    buf_free(&f->text);
    vec_free(&f->begin);
}

void sources_free(struct code *c)
{
    for (size_t i = 0; i < c->files.n; i++)
        free_file(&c->files.v[i]);
    vec_free(&c->files);
    strtab_free(&c->names);
    free(c->search);
}

/* Why a file is not shown, as Go words it: "open a.c: permission denied". */
static bool set_reason(struct source_file *f, const char *what,
                       const char *path, const char *reason)
{
    struct buf b = {0};
    char c = reason[0];
    if (ascii_is_letter(c))
        c |= 'a' - 'A';
    bool ok = buf_printf(&b, "%s %s: ", what, path) && buf_putc(&b, c) &&
              buf_puts(&b, reason + 1) && buf_putc(&b, 0);
    if (ok)
        f->why = (char *)b.v;
    else
        buf_free(&b);
    return ok;
}

/* The same for an errno. */
static bool set_errno_reason(struct source_file *f, const char *what,
                             const char *path, int errnum)
{
    f->failed = !file_is_refused(errnum);
    return set_reason(f, what, path, strerror(errnum));
}

/* All that is in the file, which may grow or shrink meanwhile. */
static bool read_source_text(struct source_file *f, int fd, const char *path)
{
    enum { PIECE = 64 << 10 };
    for (;;) {
        if (!buf_reserve(&f->text, PIECE))
            return false;
        ssize_t n = read(fd, f->text.v + f->text.n, PIECE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return set_errno_reason(f, "read", path, errno);
        if (n == 0)
            return true;
        f->text.n += (size_t)n;
        if (f->text.n > SOURCES_MAX_FILE)
            return set_reason(f, "read", path, "more than 64 MiB");
    }
}

static bool split_lines(struct source_file *f)
{
    size_t at = 0, n = f->text.n;
    while (at < n) {
        if (!vec_push(&f->begin, (uint32_t)at))
            return false;
        const uint8_t *end = memchr(f->text.v + at, '\n', n - at);
        at = end ? (size_t)(end - f->text.v) + 1 : n;
    }
    return vec_push(&f->begin, (uint32_t)at);
}

/* Opened without waiting for anybody: it may be a FIFO. */
static int open_any(const char *path)
{
    return file_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

static bool load_text(struct source_file *f, int fd, const char *path)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return set_errno_reason(f, "read", path, errno);
    if (S_ISDIR(st.st_mode))
        return set_reason(f, "read", path, "is a directory");
    if (!S_ISREG(st.st_mode))
        return set_reason(f, "read", path, "not a regular file");
    return read_source_text(f, fd, path) && (f->why || split_lines(f));
}

/* Buffers of a search for one file. */
struct source_finder {
    struct buf dir, path; /* where it is looked for; what is opened */
    struct buf spare;
    bool no_memory;
    int failed; /* an errno that is the system's fault */
};

/* The directory becomes the one above it; false when there is none. */
static bool go_up(struct source_finder *f)
{
    size_t n = f->dir.n;
    while (n && f->dir.v[n - 1] != '/')
        n--;
    f->spare.n = 0;
    if (!path_clean(&f->spare, (const char *)f->dir.v, n)) {
        f->no_memory = true;
        return false;
    }
    if (f->spare.n == f->dir.n && !memcmp(f->spare.v, f->dir.v, f->dir.n))
        return false;
    struct buf up = f->spare;
    f->spare = f->dir;
    f->dir = up;
    return true;
}

/* Opens dir/name; -1: it is not there, or see *f. */
static int try_dir(struct source_finder *f, const char *name)
{
    f->spare.n = f->path.n = 0;
    if (!buf_put(&f->spare, f->dir.v, f->dir.n) ||
        !buf_printf(&f->spare, "%s%s", f->dir.n ? "/" : "", name) ||
        !path_clean(&f->path, (const char *)f->spare.v, f->spare.n) ||
        !buf_putc(&f->path, 0)) {
        f->no_memory = true;
        return -1;
    }
    int fd = open_any((const char *)f->path.v);
    if (fd < 0 && !file_is_refused(errno))
        f->failed = errno;
    return fd;
}

/* In each directory of the list and all above it. */
static int search_dirs(struct source_finder *f, const char *list,
                       const char *name)
{
    const char *dir;
    size_t n;
    int fd = -1;
    while (fd < 0 && !f->no_memory && !f->failed &&
           (dir = prof_next_dir(&list, &n))) {
        f->dir.n = 0;
        f->no_memory = !buf_put(&f->dir, dir, n);
        while (!f->no_memory && (fd = try_dir(f, name)) < 0)
            if (f->failed || !go_up(f))
                break;
    }
    return fd;
}

static bool not_found(struct source_file *f, const char *name, const char *list)
{
    struct buf why = {0};
    bool ok =
        buf_printf(&why, "could not find file %s on path %s", name, list) &&
        buf_putc(&why, 0);
    f->why = (char *)why.v;
    return ok;
}

/* False when memory is out. */
static bool load_absolute(struct source_file *f, const char *path)
{
    int fd = open_any(path);
    if (fd < 0)
        return set_errno_reason(f, "open", path, errno);
    bool ok = load_text(f, fd, path);
    close(fd);
    return ok;
}

static bool load_relative(struct source_file *f, const char *name,
                          const char *list)
{
    struct source_finder source_finder = {0};
    int fd = search_dirs(&source_finder, list, name);
    bool ok = !source_finder.no_memory;
    if (fd >= 0) {
        ok = load_text(f, fd, (const char *)source_finder.path.v);
        close(fd);
    } else if (ok && source_finder.failed) {
        ok = set_errno_reason(f, "open", (const char *)source_finder.path.v,
                              source_finder.failed);
    } else if (ok) {
        ok = not_found(f, name, list);
    }
    buf_free(&source_finder.dir);
    buf_free(&source_finder.path);
    buf_free(&source_finder.spare);
    return ok;
}

/* The name is n bytes if it has no NUL. */
static bool find_and_load(struct source_file *f, const char *name, size_t n,
                          const char *list)
{
    if (strlen(name) != n)
        return set_reason(f, "open", name, "NUL in the file name");
    return name[0] == '/' ? load_absolute(f, name)
                          : load_relative(f, name, list);
}

bool sources_open(struct code *c, struct prof_slice name,
                  const struct source_file **file, struct prof_err *err)
{
    uint32_t id;
    if (!sources_begin(c, err))
        return false;
    if (!strtab_add(&c->names, name.s, name.n, &id))
        return err_nomem(err);
    if (id > c->files.n) {
        struct source_file f = {0};
        size_t trim =
            prof_trim_path(name.s, name.n, c->r->opts->trim_path, c->search);
        const char *rest = strtab_str(&c->names, id) + trim;
        bool ok = find_and_load(&f, rest, name.n - trim, c->search);
        if (ok && f.failed)
            err_set(err, PROF_ERR_SYSTEM, "%s", f.why);
        else if (!ok || !vec_push(&c->files, f))
            ok = err_nomem(err);
        if (!ok || f.failed) {
            free_file(&f);
            return false;
        }
    }
    *file = &c->files.v[id - 1];
    return true;
}

bool source_line(const struct source_file *f, int64_t number,
                 struct prof_slice *line)
{
    if (number < 1 || (uint64_t)number >= f->begin.n)
        return false;
    const char *text = (const char *)f->text.v;
    size_t from = f->begin.v[number - 1], to = f->begin.v[number];
    if (to > from && text[to - 1] == '\n')
        to--;
    if (to > from && text[to - 1] == '\r')
        to--;
    *line = (struct prof_slice){text + from, to - from};
    return true;
}
