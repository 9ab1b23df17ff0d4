/* tree.c - finds the functions that the source files of a directory define */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/slice.h"
#include "pgo/private.h"
#include "pgo/source.h"

enum { MAX_FILE = 64 << 20 };

/* A directory to be read, and its import path in Go.  Both are allocated. */
struct waiting {
    char *path, *import;
};

struct reader {
    struct pgo_tree *tree;
    size_t prefix; /* length of the top directory in a path, with its slash */
    VEC(struct waiting) waiting;
    struct waiting here;
    struct buf path, text, key, import;
    struct prof_slice file; /* base name of the file that is being read */
};

static char *copy(struct prof_slice s)
{
    return strndup(s.s, s.n);
}

/* Sets *to to "a/b", or only one of them if the other is "". */
static bool join(struct buf *to, struct prof_slice a, struct prof_slice b)
{
    to->n = 0;
    return buf_put(to, a.s, a.n) && (!a.n || !b.n || buf_putc(to, '/')) &&
           buf_put(to, b.s, b.n) && buf_reserve(to, 1) &&
           (to->v[to->n] = '\0', true);
}

/* Reads a file into r->text.  Sets *known to false, without an error, if the
 * file does not exist, may not be read, is not regular or exceeds MAX_FILE. */
static bool read_text(struct reader *r, const char *path, bool *known,
                      struct prof_err *err)
{
    struct stat st;
    const int fd = file_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    *known = false;
    r->text.n = 0;
    if (fd < 0)
        return file_is_refused(errno) ||
               err_errno(err, errno, "%s: cannot open", path);
    bool ok = true;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MAX_FILE) {
        const ssize_t n = buf_reserve(&r->text, (size_t)st.st_size + 1)
                              ? file_read(fd, r->text.v, (size_t)st.st_size)
                              : -1;
        *known = n >= 0;
        if (n < 0)
            ok = err_errno(err, errno, "%s: cannot read", path);
        else
            r->text.n = (size_t)n;
    }
    (void)close(fd);
    return ok;
}

/* --- functions --- */

static bool add_function(struct pgo_tree *tree, const struct buf *key,
                         int64_t lines, struct prof_err *err)
{
    uint32_t row;
    if (!map_push(&tree->functions, &tree->lines, key->v, key->n, &row, 0))
        return err_nomem(err);
    if (lines > tree->lines.v[row])
        tree->lines.v[row] = lines;
    return true;
}

static bool add_c(void *ctx, const struct source *source,
                  const struct source_function *f, struct prof_err *err)
{
    struct reader *r = ctx;
    (void)source;
    r->key.n = 0;
    if ((f->is_type && !buf_putc(&r->key, PGO_TYPE)) ||
        !buf_put(&r->key, f->name.s, f->name.n))
        return err_nomem(err);
    if (!add_function(r->tree, &r->key, f->lines, err))
        return false;
    return buf_putc(&r->key, '\0') && buf_put(&r->key, r->file.s, r->file.n)
               ? add_function(r->tree, &r->key, f->lines, err)
               : err_nomem(err);
}

/* Sets r->key to the import path that the linker uses for a package. */
static bool put_package(struct reader *r, struct prof_slice name,
                        struct prof_err *err)
{
    const bool is_main = slice_is(name, "main");
    r->key.n = 0;
    return (buf_puts(&r->key, is_main ? "main" : r->here.import) &&
            (!slice_ends_with(name, "_test") || buf_puts(&r->key, "_test"))) ||
           err_nomem(err);
}

static bool add_go(void *ctx, const struct source *source,
                   const struct source_function *f, struct prof_err *err)
{
    struct reader *r = ctx;
    if (!put_package(r, source->package, err))
        return false;
    if (!buf_putc(&r->key, '.') ||
        (f->receiver.n && (!buf_put(&r->key, f->receiver.s, f->receiver.n) ||
                           !buf_putc(&r->key, '.'))) ||
        !buf_put(&r->key, f->name.s, f->name.n))
        return err_nomem(err);
    return add_function(r->tree, &r->key, f->lines ? f->lines : INT64_MAX, err);
}

static bool is_source(struct prof_slice file, bool is_go)
{
    static const char *const suffixes[] = {
        ".c",   ".cc",  ".cpp", ".cxx", ".c++", ".C",   ".h",   ".hh",
        ".hpp", ".hxx", ".h++", ".H",   ".inc", ".inl", ".ipp", ".tcc",
    };
    if (is_go)
        return slice_ends_with(file, ".go");
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (slice_ends_with(file, suffixes[i]))
            return true;
    return false;
}

static bool read_file(struct reader *r, const char *path, struct prof_err *err)
{
    struct pgo_tree *tree = r->tree;
    const struct prof_slice below = slice_of(path + r->prefix);
    bool known;
    uint32_t row;
    r->file = path_after_slash(below);
    if (!is_source(r->file, tree->is_go))
        return true;
    if (!read_text(r, path, &known, err))
        return false;
    if (!known)
        return true;
    struct source source = {.text = buf_slice(&r->text),
                            .is_go = tree->is_go,
                            .found = tree->is_go ? add_go : add_c,
                            .ctx = r};
    if (!source_read(&source, err))
        return false;
    if (!tree->is_go)
        return map_add(&tree->files, below.s, below.n, &row, NULL) ||
               err_nomem(err);
    return put_package(r, source.package, err) &&
           (!r->key.n ||
            map_add(&tree->packages, r->key.v, r->key.n, &row, NULL) ||
            err_nomem(err));
}

/* --- directories --- */

/* Returns the module path in the text of a go.mod, or an empty slice. */
static struct prof_slice module_name(const struct buf *text)
{
    struct prof_slice rest = buf_slice(text);
    while (rest.n) {
        struct prof_slice line = slice_take_line(&rest);
        if (!slice_is(slice_take_word(&line), "module"))
            continue;
        struct prof_slice name = slice_take_word(&line);
        if (name.n > 1 && (name.s[0] == '"' || name.s[0] == '`'))
            name = slice_to(slice_from(name, 1), name.n - 2);
        return name;
    }
    return (struct prof_slice){"", 0};
}

/* Sets *import to the module path in the directory's go.mod, or to null if
 * there is none. */
static bool read_module(struct reader *r, struct prof_slice directory,
                        char **import, struct prof_err *err)
{
    bool known;
    *import = NULL;
    if (!join(&r->path, directory, slice_of("go.mod")))
        return err_nomem(err);
    if (!read_text(r, (const char *)r->path.v, &known, err))
        return false;
    const struct prof_slice name = module_name(&r->text);
    if (!known || !name.n)
        return true;
    /* "std" is the module of Go itself, whose packages have no prefix. */
    *import = slice_is(name, "std") ? strdup("") : copy(name);
    return *import || err_nomem(err);
}

static bool add_module(struct pgo_tree *tree, const char *import,
                       struct prof_err *err)
{
    char *module = import[0] ? strdup(import) : NULL;
    if (!import[0] || (module && vec_push(&tree->modules, module)))
        return true;
    free(module);
    return err_nomem(err);
}

/* If the current directory has a go.mod, sets its import path to that
 * module. */
static bool enter_module(struct reader *r, struct prof_err *err)
{
    char *import;
    if (!read_module(r, slice_of(r->here.path), &import, err))
        return false;
    if (!import)
        return true;
    free(r->here.import);
    r->here.import = import;
    return add_module(r->tree, import, err);
}

/* Sets *import to the import path of a directory whose module begins in a
 * directory above it, or to "" if none does. */
static bool find_module(struct reader *r, const char *directory, char **import,
                        struct prof_err *err)
{
    char *real = realpath(directory, NULL), *module = NULL;
    if (!real)
        return err_errno(err, errno, "%s: cannot open the directory",
                         directory);
    struct prof_slice above = slice_of(real), below = {"", 0};
    bool ok = true;
    while (ok && !module && above.n > 1) {
        const struct prof_slice base = path_after_slash(above);
        above.n -= base.n + (above.n > base.n);
        below = slice_of(base.s);
        ok = read_module(r, above.n ? above : slice_of("/"), &module, err);
    }
    if (ok && module)
        ok = join(&r->import, slice_of(module), below) || err_nomem(err);
    *import = NULL;
    if (ok)
        ok = (*import = strdup(module ? (const char *)r->import.v : "")) ||
             err_nomem(err);
    free(module);
    free(real);
    return ok && add_module(r->tree, *import, err);
}

static bool push_directory(struct reader *r, const char *name,
                           struct prof_err *err)
{
    struct waiting next = {copy(buf_slice(&r->path)), NULL};
    /* Packages below "vendor" keep their import paths, except in Go itself. */
    const bool is_vendor = strcmp(name, "vendor") == 0 && r->here.import[0] &&
                           strcmp(r->here.import, "cmd") != 0;
    bool ok =
        next.path &&
        join(&r->import, slice_of(r->here.import), slice_of(name)) &&
        (next.import = is_vendor ? strdup("") : copy(buf_slice(&r->import)));
    ok = (ok && vec_push(&r->waiting, next)) || err_nomem(err);
    if (!ok) {
        free(next.path);
        free(next.import);
    }
    return ok;
}

static bool read_entry(struct reader *r, const char *name, struct prof_err *err)
{
    struct stat st;
    const bool is_skipped =
        name[0] == '.' ||
        (r->tree->is_go && (name[0] == '_' || strcmp(name, "testdata") == 0));
    if (is_skipped)
        return true;
    if (!join(&r->path, slice_of(r->here.path), slice_of(name)))
        return err_nomem(err);
    if (lstat((const char *)r->path.v, &st) != 0)
        return errno == ENOENT ||
               err_errno(err, errno, "%s: cannot examine", r->path.v);
    if (S_ISDIR(st.st_mode))
        return push_directory(r, name, err);
    return !S_ISREG(st.st_mode) || read_file(r, (const char *)r->path.v, err);
}

static bool read_directory(struct reader *r, struct prof_err *err)
{
    if (r->tree->is_go && !enter_module(r, err))
        return false;
    DIR *d = opendir(r->here.path);
    if (!d)
        return err_errno(err, errno, "%s: cannot open the directory",
                         r->here.path);
    bool ok = true;
    struct dirent *e;
    errno = 0;
    while (ok && (e = readdir(d))) {
        ok = read_entry(r, e->d_name, err);
        errno = 0;
    }
    if (ok && errno)
        ok = err_errno(err, errno, "%s: cannot read the directory",
                       r->here.path);
    (void)closedir(d);
    return ok;
}

/* Reads the directories in r->waiting, and those found in them, until none is
 * left. */
static bool read_all(struct reader *r, struct prof_err *err)
{
    bool ok = true;
    while (ok && r->waiting.n) {
        r->here = r->waiting.v[--r->waiting.n];
        ok = read_directory(r, err);
        free(r->here.path);
        free(r->here.import);
    }
    while (r->waiting.n) {
        free(r->waiting.v[--r->waiting.n].path);
        free(r->waiting.v[r->waiting.n].import);
    }
    return ok;
}

bool pgo_tree_read(struct pgo_tree *tree, const char *directory,
                   struct prof_err *err)
{
    struct reader r = {.tree = tree};
    struct prof_slice path = slice_of(directory);
    while (path.n > 1 && path.s[path.n - 1] == '/')
        path.n--;
    struct waiting first = {copy(path), NULL};
    bool ok = first.path || err_nomem(err);
    ok = ok && (tree->is_go ? find_module(&r, first.path, &first.import, err)
                            : (first.import = strdup("")) || err_nomem(err));
    ok = ok && (vec_push(&r.waiting, first) || err_nomem(err));
    if (!ok) {
        free(first.path);
        free(first.import);
    }
    r.prefix = path.n + (path.s[path.n - 1] != '/');
    ok = ok && read_all(&r, err);
    vec_free(&r.waiting);
    buf_free(&r.path);
    buf_free(&r.text);
    buf_free(&r.key);
    buf_free(&r.import);
    return ok;
}

bool pgo_tree_has_package(const struct pgo_tree *tree,
                          struct prof_slice package)
{
    uint32_t row;
    if (map_find(&tree->packages, package.s, package.n, &row))
        return true;
    for (size_t i = 0; i < tree->modules.n; i++) {
        const struct prof_slice module = slice_of(tree->modules.v[i]);
        if (slice_begins_with(package, module.s) &&
            (package.n == module.n || package.s[module.n] == '/'))
            return true;
    }
    return false;
}

void pgo_tree_free(struct pgo_tree *tree)
{
    vec_free_all(&tree->modules);
    map_free(&tree->files);
    map_free(&tree->packages);
    map_free(&tree->functions);
    vec_free(&tree->lines);
}
