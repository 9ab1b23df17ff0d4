/* sources.c - finds and opens source files, and splits them into lines */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "profile/columns.h"
#include "report/code/private.h"

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

/*
 * Sets the reason why a file is not shown, in the form of Go's errors: "open
 * a.c: permission denied".
 */
static bool set_reason(struct source_file *f, const char *what,
                       const char *path, const char *reason)
{
    char c = reason[0];
    if (ascii_is_letter(c))
        c |= 'a' - 'A';
    f->why = str_printf("%s %s: %c%s", what, path, c, reason + 1);
    return f->why;
}

/* Sets the reason why a file is not shown from an errno. */
static bool set_errno_reason(struct source_file *f, const char *what,
                             const char *path, int errnum)
{
    f->failed = !file_is_refused(errnum);
    return set_reason(f, what, path, strerror(errnum));
}

/* Opens a file without blocking, as it may be a FIFO. */
static int open_any(const char *path)
{
    return file_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

/* Reads the file, which may grow or shrink meanwhile, and finds its lines. */
static bool load_text(struct source_file *f, int fd, const char *path)
{
    enum { PIECE = 64 << 10 };
    struct stat st;
    if (fstat(fd, &st) != 0)
        return set_errno_reason(f, "read", path, errno);
    if (S_ISDIR(st.st_mode))
        return set_reason(f, "read", path, "is a directory");
    if (!S_ISREG(st.st_mode))
        return set_reason(f, "read", path, "not a regular file");

    for (;;) {
        if (!buf_reserve(&f->text, PIECE))
            return false;
        ssize_t n = read(fd, f->text.v + f->text.n, PIECE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return set_errno_reason(f, "read", path, errno);
        if (n == 0)
            break;
        f->text.n += (size_t)n;
        if (f->text.n > SOURCES_MAX_FILE)
            return set_reason(f, "read", path, "more than 64 MiB");
    }

    size_t at = 0;
    while (at < f->text.n) {
        if (!vec_push(&f->begin, (uint32_t)at))
            return false;
        const uint8_t *end = memchr(f->text.v + at, '\n', f->text.n - at);
        at = end ? (size_t)(end - f->text.v) + 1 : f->text.n;
    }
    return vec_push(&f->begin, (uint32_t)at);
}

/* Buffers of a search for one file. */
struct source_finder {
    struct buf dir, path; /* the directory to search; the file to open */
    struct buf spare;
    bool no_memory;
    int failed; /* errno of a system call that failed; 0: none */
};

/* Sets f->dir to its parent.  False: it has none, or memory is out. */
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

/* Opens dir/name.  Returns -1 if it does not exist, or if f->failed is set. */
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

/* Searches each directory of the list and all its parents. */
static bool load_relative(struct source_file *f, const char *name,
                          const char *list)
{
    struct source_finder find = {0};
    const char *rest = list, *dir;
    size_t n;
    int fd = -1;
    while (fd < 0 && !find.no_memory && !find.failed &&
           (dir = prof_next_dir(&rest, &n))) {
        find.dir.n = 0;
        find.no_memory = !buf_put(&find.dir, dir, n);
        while (!find.no_memory && (fd = try_dir(&find, name)) < 0)
            if (find.failed || !go_up(&find))
                break;
    }
    bool ok = !find.no_memory;
    const char *path = (const char *)find.path.v;
    if (fd >= 0) {
        ok = load_text(f, fd, path);
        close(fd);
    } else if (ok && find.failed) {
        ok = set_errno_reason(f, "open", path, find.failed);
    } else if (ok) {
        f->why =
            str_printf(TEXT("could not find file %s on path %s"), name, list);
        ok = f->why;
    }
    buf_free(&find.dir);
    buf_free(&find.path);
    buf_free(&find.spare);
    return ok;
}

/*
 * Finds and reads the file with this name of n bytes.  Refuses names that
 * contain a NUL.  False: memory is out.
 */
static bool find_and_load(struct source_file *f, const char *name, size_t n,
                          const char *list)
{
    if (strlen(name) != n)
        return set_reason(f, "open", name, TEXT("NUL in the file name"));
    if (name[0] != '/')
        return load_relative(f, name, list);
    int fd = open_any(name);
    if (fd < 0)
        return set_errno_reason(f, "open", name, errno);
    bool ok = load_text(f, fd, name);
    close(fd);
    return ok;
}

bool sources_open(struct code *c, struct prof_slice name,
                  const struct source_file **file, struct prof_err *err)
{
    uint32_t id;
    if (!c->search) { /* this is the first file */
        const char *dirs = c->r->opts->source_path;
        c->search = dirs && *dirs ? strdup(dirs) : getcwd(NULL, 0);
        if (!c->search)
            return err_errno(err, errno, "the current directory");
        if (!strtab_init(&c->names))
            return err_nomem(err);
    }
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
