/* recursive.c - replaces directories by the files below them (-r) */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/vec.h"
#include "cli/private.h"

/* Paths, which the list owns. */
struct paths {
    VEC(char *) list;
};

/* Adds "DIR/NAME", or just NAME without a directory. */
static bool add_path(struct paths *to, const char *dir, const char *name)
{
    struct buf b = {0};
    const size_t n = dir ? strlen(dir) : 0;
    bool ok = (!n || (buf_put(&b, dir, n) &&
                      (dir[n - 1] == '/' || buf_putc(&b, '/')))) &&
              buf_puts(&b, name) && buf_putc(&b, 0) &&
              vec_push(&to->list, (char *)b.v);
    if (!ok)
        buf_free(&b);
    return ok;
}

/* Adds the regular files and subdirectories of a directory to the two lists. */
static bool read_directory(const char *path, struct paths *files,
                           struct paths *directories, struct prof_err *err)
{
    struct paths found = {0};
    DIR *d = opendir(path);
    if (!d)
        return err_errno(err, errno, "%s: cannot open the directory", path);
    bool ok = true;
    struct dirent *e;
    errno = 0;
    while (ok && (e = readdir(d))) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            ok = add_path(&found, path, e->d_name) || err_nomem(err);
        errno = 0;
    }
    if (ok && errno)
        ok = err_errno(err, errno, "%s: cannot read the directory", path);
    (void)closedir(d);
    for (size_t i = 0; ok && i < found.list.n; i++) {
        struct stat st;
        char **p = &found.list.v[i];
        if (lstat(*p, &st) != 0)
            ok = errno == ENOENT || /* it was removed meanwhile */
                 err_errno(err, errno, "%s: cannot examine", *p);
        else if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) {
            ok = vec_push(S_ISDIR(st.st_mode) ? &directories->list
                                              : &files->list,
                          *p) ||
                 err_nomem(err);
            *p = ok ? NULL : *p;
        }
    }
    vec_free_all(&found.list);
    return ok;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds the files below a directory to the inputs, sorted by their paths. */
static bool add_below(struct cli *cli, const char *directory, unsigned group,
                      struct prof_err *err)
{
    struct paths files = {0}, directories = {0};
    bool ok = add_path(&directories, NULL, directory) || err_nomem(err);
    while (ok && directories.list.n) {
        char *next = directories.list.v[--directories.list.n];
        ok = read_directory(next, &files, &directories, err);
        free(next);
    }
    if (ok && !files.list.n)
        ok = err_input(err, "%s: no files in the directory", directory);
    if (ok)
        vec_sort(&files.list, by_name);
    for (size_t i = 0; ok && i < files.list.n; i++) {
        ok = (vec_push(&cli->private->names, (uint8_t *)files.list.v[i]) &&
              cli_put_input(cli->private, files.list.v[i], group)) ||
             err_nomem(err);
        /* priv->names owns it now. */
        files.list.v[i] = ok ? NULL : files.list.v[i];
    }
    vec_free_all(&files.list);
    vec_free_all(&directories.list);
    return ok;
}

bool cli_enter_directories(struct cli *cli, struct prof_err *err)
{
    struct cli_private *priv = cli->private;
    const size_t before_dashes = cli->n_before_dashes;
    __typeof__(priv->inputs) given = priv->inputs;
    __typeof__(priv->groups) groups = priv->groups;
    bool ok = true;
    priv->inputs = (__typeof__(given)){0};
    priv->groups = (__typeof__(groups)){0};
    for (size_t i = 0; ok && i < given.n; i++) {
        const char *path = given.v[i];
        struct stat st;
        ok = strcmp(path, "-") != 0 && stat(path, &st) == 0 &&
                     S_ISDIR(st.st_mode)
                 ? add_below(cli, path, groups.v[i], err)
                 : cli_put_input(priv, path, groups.v[i]) || err_nomem(err);
        if (i + 1 == before_dashes)
            cli->n_before_dashes = priv->inputs.n;
    }
    vec_free(&given);
    vec_free(&groups);
    return ok;
}
