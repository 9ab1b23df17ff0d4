#include "io/bundle.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/bundle_archive.h"
#include "io/bundle_dir.h"

struct bundle {
    bool is_dir;
    struct bundle_archive archive;
    struct bundle_dir dir;
};

static bool names_directory(const char *path)
{
    struct stat st;
    size_t n = strlen(path);
    return (n && path[n - 1] == '/') ||
           (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

bool bundle_open(struct bundle **bundle, const struct bundle_opts *opts,
                 struct err *err)
{
    struct bundle *b = calloc(1, sizeof *b);
    *bundle = NULL;
    if (!b)
        return err_nomem(err);
    b->is_dir = names_directory(opts->output.path);
    bool ok = b->is_dir ? bundle_dir_open(&b->dir, opts, err)
                        : bundle_archive_open(&b->archive, opts, err);
    if (ok)
        *bundle = b;
    else
        free(b);
    return ok;
}

bool bundle_add(struct bundle *b, const char *name, int64_t mtime,
                const void *data, size_t n, struct err *err)
{
    return b->is_dir
               ? bundle_dir_add(&b->dir, name, data, n, err)
               : bundle_archive_add(&b->archive, name, mtime, data, n, err);
}

bool bundle_commit(struct bundle *b, struct err *err)
{
    bool ok = b->is_dir ? bundle_dir_commit(&b->dir, err)
                        : bundle_archive_commit(&b->archive, err);
    free(b);
    return ok;
}

void bundle_abort(struct bundle *b)
{
    if (b->is_dir)
        bundle_dir_close(&b->dir);
    else
        bundle_archive_abort(&b->archive);
    free(b);
}
