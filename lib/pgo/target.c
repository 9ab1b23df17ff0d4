/*
 * target.c - finds whether functions of a profile, and their lines, still
 * exist
 *
 * They are looked up in a binary, by its symbols and debug information, or in
 * a directory of source files.  The sources may have been elsewhere when the
 * profile was recorded: the root that most of its paths have in common with
 * the directory is the one that the directory stands for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/slice.h"
#include "pgo/private.h"
#include "symbolize/demangle.h"

struct pgo_target {
    enum pgo_compiler compiler;
    bool is_binary;

    /* A binary. */
    struct map functions; /* names of the compiler: rows of has_lines */
    VEC(bool) has_lines;  /* by function: whether its lines are known */
    struct map lines; /* row of a function and offset of a line: it has code */

    /* Sources. */
    struct pgo_tree tree;
    struct prof_slice root; /* directory prefix of the profile's paths that
                               stands for the top of `tree` */

    struct buf name, package, key;
};

/* Sets *to to a name of Go without type arguments, because these are "[...]" in
 * a profile and shapes in a binary. */
static bool cut_arguments(struct buf *to, struct prof_slice name)
{
    size_t depth = 0;
    to->n = 0;
    for (size_t i = 0; i < name.n; i++) {
        depth += name.s[i] == '[';
        if (!depth && !buf_putc(to, name.s[i]))
            return false;
        depth -= name.s[i] == ']' && depth;
    }
    return true;
}

/* --- binaries --- */

static bool add_line(struct pgo_target *t, const struct profile *p,
                     const struct prof_line *line, struct prof_err *err)
{
    const struct prof_function f = prof_get_function(p, line->function);
    struct prof_slice name = pgo_linkage_name(p, &f);
    uint32_t row;
    if (t->compiler == PGO_GO) {
        if (!cut_arguments(&t->name, prof_get_string(p, f.name)))
            return err_nomem(err);
        name = buf_slice(&t->name);
    }
    if (!name.n)
        return true;
    if (!map_push(&t->functions, &t->has_lines, name.s, name.n, &row, false))
        return err_nomem(err);
    if (!line->line || !f.start_line)
        return true;
    t->has_lines.v[row] = true;
    const int64_t key[] = {row, line->line - f.start_line};
    return map_add(&t->lines, key, sizeof key, &row, NULL) || err_nomem(err);
}

static bool read_binary(struct pgo_target *t, const char *path,
                        const struct sym_opts *opts, struct prof_err *err)
{
    struct profile *p = sym_places(path, opts, err);
    if (!p)
        return false;
    bool ok = true;
    const size_t n = prof_count(p).locations;
    for (size_t i = 0; ok && i < n; i++) {
        size_t n_lines;
        const struct prof_line *line = prof_get_lines(p, i, &n_lines);
        for (size_t k = 0; ok && k < n_lines; k++)
            ok = line[k].function == PROF_NONE || add_line(t, p, &line[k], err);
    }
    prof_delete(p);
    return ok &&
           (t->has_lines.n || err_input(err,
                                        "%s: no functions: it is stripped, and "
                                        "its debug file was not found",
                                        path));
}

static void find_in_binary(const struct pgo_target *t, struct prof_slice name,
                           const int64_t *offset, enum pgo_found *found)
{
    uint32_t row;
    *found = PGO_GONE;
    if (!map_find(&t->functions, name.s, name.n, &row))
        return;
    *found = PGO_FRESH;
    if (!offset || !t->has_lines.v[row])
        return;
    const int64_t key[] = {row, *offset};
    if (!map_find(&t->lines, key, sizeof key, &row))
        *found = PGO_LINE_GONE;
}

/* --- sources of C and C++ --- */

/* Returns the name that a function has in its source, unqualified.  For a
 * lambda, sets *inner and returns the name of the function around it. */
static struct prof_slice source_name(struct prof_slice name, bool *inner)
{
    static const char *const lambdas[] = {"::{lambda", "::$_", "::'lambda"};
    *inner = false;
    for (size_t at = 0; at < name.n && !*inner; at++)
        for (size_t i = 0; i < sizeof lambdas / sizeof *lambdas; i++)
            if (slice_begins_with(slice_from(name, at), lambdas[i])) {
                name.n = at;
                *inner = true;
            }
    size_t depth = 0, from = 0, i;
    for (i = 0; i < name.n; i++) {
        const char c = name.s[i];
        struct prof_slice rest = slice_from(name, i);
        if (i == from && slice_take_prefix(&rest, "operator") &&
            !(rest.n && slice_is_word_char(rest.s[0])))
            return (struct prof_slice){"operator", 8};
        if (c == '(' && !depth && i > from)
            break; /* the parameters begin */
        depth += c == '<' || c == '(';
        depth -= (c == '>' || c == ')') && depth;
        if (!depth && (c == ':' || c == ' ' || c == '~'))
            from = i + 1;
    }
    name = slice_from(slice_to(name, i), from);
    const char *arguments = memchr(name.s, '<', name.n);
    return arguments ? slice_to(name, (size_t)(arguments - name.s)) : name;
}

/* Returns whether a function is a constructor or a destructor: A::A, A::~A. */
static bool is_named_as_class(struct prof_slice readable,
                              struct prof_slice name)
{
    if (readable.n < 2 * name.n + 2)
        return false;
    struct prof_slice rest = slice_to(readable, readable.n - name.n);
    rest.n -= rest.s[rest.n - 1] == '~';
    return rest.n >= name.n + 2 &&
           memcmp(readable.s + readable.n - name.n, name.s, name.n) == 0 &&
           slice_ends_with(rest, "::") &&
           memcmp(rest.s + rest.n - 2 - name.n, name.s, name.n) == 0;
}

/* Sets t->name to the readable name of a function. */
static bool put_readable(struct pgo_target *t, const struct profile *p,
                         const struct prof_function *f)
{
    const struct prof_slice name = prof_get_string(p, f->name);
    const char *linkage =
        prof_plain(p, f->system_name ? f->system_name : f->name);
    char *readable = sym_demangle(linkage, SYM_DEMANGLE_DEFAULT);
    t->name.n = 0;
    const bool ok = readable ? buf_puts(&t->name, readable)
                             : buf_put(&t->name, name.s, name.n);
    free(readable);
    return ok;
}

static bool find_c(struct pgo_target *t, const struct profile *p,
                   const struct prof_function *f, const int64_t *offset,
                   enum pgo_found *found, struct prof_err *err)
{
    const struct prof_slice file = prof_get_string(p, f->filename);
    uint32_t row;
    bool inner;
    *found = PGO_ELSEWHERE;
    if (!file.n || file.n < t->root.n ||
        memcmp(file.s, t->root.s, t->root.n) != 0)
        return true;
    if (!put_readable(t, p, f))
        return err_nomem(err);
    const struct prof_slice name = source_name(buf_slice(&t->name), &inner),
                            base = path_after_slash(file);
    t->key.n = 0;
    if (!buf_put(&t->key, name.s, name.n) || !buf_putc(&t->key, '\0') ||
        !buf_put(&t->key, base.s, base.n))
        return err_nomem(err);
    *found = PGO_GONE;
    if (!map_find(&t->tree.functions, t->key.v, t->key.n, &row) &&
        !map_find(&t->tree.functions, name.s, name.n, &row)) {
        /* Constructors and destructors that the compiler adds are not in the
         * source: they have the line of the class. */
        t->key.n = 0;
        if (!buf_putc(&t->key, PGO_TYPE) || !buf_put(&t->key, name.s, name.n))
            return err_nomem(err);
        if (!is_named_as_class(buf_slice(&t->name), name) ||
            !map_find(&t->tree.functions, t->key.v, t->key.n, &row))
            return true;
    }
    *found =
        !offset || inner || (*offset >= 0 && *offset < t->tree.lines.v[row])
            ? PGO_FRESH
            : PGO_LINE_GONE;
    return true;
}

/* Sets *root to the length of what precedes the longest end of `path` that is a
 * file of the tree.  Returns false if there is no such end. */
static bool find_file(const struct pgo_tree *tree, struct prof_slice path,
                      size_t *root)
{
    uint32_t row;
    for (size_t i = 0; i < path.n; i++)
        if ((!i || path.s[i - 1] == '/') &&
            map_find(&tree->files, path.s + i, path.n - i, &row)) {
            *root = i;
            return true;
        }
    return false;
}

/* Sets t->root to the root that most functions have.  If several are equally
 * frequent, takes the longest. */
static bool find_root(struct pgo_target *t, const struct profile *p,
                      const char *directory, struct prof_err *err)
{
    struct map roots = {0};
    const size_t n = prof_count(p).functions;
    size_t *counts = mem_zarray(n, sizeof *counts); /* of functions, by root */
    size_t most = 0;
    bool ok = counts != NULL;
    for (size_t i = 0; ok && i < n; i++) {
        const struct prof_function f = prof_get_function(p, i);
        struct prof_slice path = prof_get_string(p, f.filename);
        size_t root;
        uint32_t row;
        if (!find_file(&t->tree, path, &root))
            continue;
        /* A key must not be empty. */
        ok = map_add(&roots, root ? path.s : "/", root ? root : 1, &row, NULL);
        if (!ok)
            break;
        const size_t count = ++counts[row];
        if (count > most || (count == most && root > t->root.n)) {
            most = count;
            t->root = slice_to(path, root);
        }
    }
    map_free(&roots);
    free(counts);
    if (!ok)
        return err_nomem(err);
    return most || err_input(err, "%s: has none of the profile's source files",
                             directory);
}

/* --- sources of Go --- */

/* Splits a name without type arguments: sets t->package to the import path, and
 * *rest to what follows it.  Returns false if the name has no package, or with
 * *ok false if memory is exhausted. */
static bool split_package(struct pgo_target *t, struct prof_slice name,
                          struct prof_slice *rest, bool *ok)
{
    size_t at = name.n;
    while (at && name.s[at - 1] != '/')
        at--;
    const char *dot = memchr(name.s + at, '.', name.n - at);
    *ok = true;
    if (!dot)
        return false;
    const struct prof_slice package = {name.s, (size_t)(dot - name.s)};
    *rest = slice_from(name, package.n + 1);
    t->package.n = 0;
    for (size_t i = 0; *ok && i < package.n; i++) {
        uint64_t byte;
        if (package.s[i] == '%' && package.n - i > 2 &&
            slice_to_hex(slice_to(slice_from(package, i + 1), 2), &byte)) {
            *ok = buf_putc(&t->package, (char)byte);
            i += 2;
        } else {
            *ok = buf_putc(&t->package, package.s[i]);
        }
    }
    return *ok;
}

/* Takes a name up to ".", "-" or the end. */
static struct prof_slice take_part(struct prof_slice *rest)
{
    size_t n = 0;
    while (n < rest->n && rest->s[n] != '.' && rest->s[n] != '-')
        n++;
    const struct prof_slice part = slice_to(*rest, n);
    *rest = slice_from(*rest, n + (n < rest->n));
    return part;
}

/* Looks up a function of t->package, or a method if `type` is not empty.  Sets
 * *there to whether it exists, and *row to its row. */
static bool find_declared(struct pgo_target *t, struct prof_slice type,
                          struct prof_slice name, bool *there, uint32_t *row)
{
    t->key.n = 0;
    *there = false;
    if (!buf_put(&t->key, t->package.v, t->package.n) ||
        !buf_putc(&t->key, '.') || !buf_put(&t->key, type.s, type.n) ||
        (type.n && !buf_putc(&t->key, '.')) ||
        !buf_put(&t->key, name.s, name.n))
        return false;
    *there = map_find(&t->tree.functions, t->key.v, t->key.n, row);
    return true;
}

static bool find_go_source(struct pgo_target *t, struct prof_slice name,
                           const int64_t *offset, enum pgo_found *found,
                           struct prof_err *err)
{
    static const struct prof_slice no_type = {"", 0};
    struct prof_slice rest, type = no_type;
    bool ok, there;
    uint32_t row;
    *found = PGO_ELSEWHERE;
    if (!split_package(t, name, &rest, &ok))
        return ok || err_nomem(err);
    if (!pgo_tree_has_package(&t->tree, buf_slice(&t->package)))
        return true;
    /* Initializers of a package may be in any of its files: call them fresh. */
    struct prof_slice after = rest;
    struct prof_slice first = take_part(&after);
    *found = PGO_FRESH;
    if (slice_is(first, "init") || slice_is(first, "glob") ||
        slice_is(first, "map"))
        return true;
    if (slice_take_prefix(&rest, "(*")) {
        type = take_part(&rest);
        if (slice_ends_with(type, ")"))
            type.n--;
        first = take_part(&rest);
        ok = find_declared(t, type, first, &there, &row);
    } else {
        /* T.M is a method of a type, F.func1 a closure in a function. */
        struct prof_slice inner = after;
        ok = find_declared(t, first, take_part(&inner), &there, &row) &&
             (there || find_declared(t, no_type, first, &there, &row));
    }
    if (!ok)
        return err_nomem(err);
    if (!there)
        *found = PGO_GONE;
    else if (offset && (*offset < 0 || *offset >= t->tree.lines.v[row]))
        *found = PGO_LINE_GONE;
    return true;
}

/* --- both --- */

bool pgo_target_find_go(struct pgo_target *t, struct prof_slice name,
                        const int64_t *offset, enum pgo_found *found,
                        struct prof_err *err)
{
    if (!cut_arguments(&t->name, pgo_real_name(name)))
        return err_nomem(err);
    const struct prof_slice cut = buf_slice(&t->name);
    *found = PGO_ELSEWHERE;
    if (!cut.n)
        return true;
    if (!t->is_binary)
        return find_go_source(t, cut, offset, found, err);
    find_in_binary(t, cut, offset, found);
    return true;
}

bool pgo_target_find(struct pgo_target *t, const struct profile *p,
                     const struct prof_function *f, const int64_t *offset,
                     enum pgo_found *found, struct prof_err *err)
{
    if (!t->is_binary)
        return find_c(t, p, f, offset, found, err);
    find_in_binary(t, pgo_linkage_name(p, f), offset, found);
    return true;
}

bool pgo_target_is_binary(const struct pgo_target *t)
{
    return t->is_binary;
}

struct pgo_target *pgo_target_new(const struct pgo_figures *f, const char *path,
                                  const struct sym_opts *opts,
                                  struct prof_err *err)
{
    struct pgo_target *t = mem_new(sizeof *t, err);
    struct stat st;
    if (!t)
        return NULL;
    t->compiler = f->compiler;
    t->tree.is_go = t->compiler == PGO_GO;
    bool ok =
        stat(path, &st) == 0 || err_errno(err, errno, "%s: cannot open", path);
    if (ok && !S_ISDIR(st.st_mode)) {
        t->is_binary = true;
        ok = read_binary(t, path, opts, err);
    } else if (ok) {
        ok = pgo_tree_read(&t->tree, path, err) &&
             (t->tree.is_go || find_root(t, f->p, path, err));
    }
    if (!ok) {
        pgo_target_free(t);
        t = NULL;
    }
    return t;
}

void pgo_target_free(struct pgo_target *t)
{
    if (!t)
        return;
    map_free(&t->functions);
    map_free(&t->lines);
    vec_free(&t->has_lines);
    pgo_tree_free(&t->tree);
    buf_free(&t->name);
    buf_free(&t->package);
    buf_free(&t->key);
    free(t);
}
