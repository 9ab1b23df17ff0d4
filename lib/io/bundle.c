/* bundle.c - writes many files into an archive or a directory */
#include "io/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/system.h"
#include "base/utf8.h"
#include "io/private.h"

/* --- an archive ----------------------------------------------------------- */

/* An archive that libarchive writes to an output. */
struct bundle_archive {
    struct archive *a;
    struct archive_entry *entry;
    struct output *out;
    struct prof_err err; /* the error of the output, if it failed */
    bool is_zip;
    bool given_up; /* nothing more is written */
};

enum filter { NONE, GZIP, ZSTD, XZ, BZIP2, LZ4, ZIP };

static const struct {
    const char *suffix;
    enum filter filter;
} suffixes[] = {
    {".tar", NONE},   {".tar.gz", GZIP}, {".tgz", GZIP}, {".tar.zst", ZSTD},
    {".tzst", ZSTD},  {".tar.xz", XZ},   {".txz", XZ},   {".tar.bz2", BZIP2},
    {".tbz2", BZIP2}, {".tar.lz4", LZ4}, {".zip", ZIP},
};

/*
 * Write callback.  Reports no failure to libarchive, which frees everything
 * only if closing succeeds.  After a failure (a->err), bytes are dropped.
 */
static la_ssize_t write_output(struct archive *archive, void *ctx,
                               const void *bytes, size_t n)
{
    struct bundle_archive *a = ctx;
    (void)archive;
    if (!a->err.kind && !a->given_up)
        (void)sink_write(output_sink(a->out), bytes, n, &a->err);
    return (la_ssize_t)n;
}

/* Fails if the output has failed, or if `got` is an error of libarchive. */
static bool check_archive(const struct bundle_archive *a, int got,
                          struct prof_err *err)
{
    if (a->err.kind) {
        *err = a->err;
        return false;
    }
    if (got == ARCHIVE_OK)
        return true;
    const char *text = la.archive_error_string(a->a);
    if (la.archive_errno(a->a) == ENOMEM)
        return err_nomem(err);
    return err_set(err, PROF_ERR_SYSTEM, "cannot write the archive: %s",
                   text ? text : TEXT("no reason given"));
}

static int add_packing(const struct bundle_archive *a, enum filter filter)
{
    switch (filter) {
    case GZIP: /* without a timestamp, so that the output is reproducible */
        (void)la.archive_write_add_filter_gzip(a->a);
        return la.archive_write_set_filter_option(a->a, "gzip", "timestamp",
                                                  NULL);
    case ZSTD:
        return la.archive_write_add_filter_zstd(a->a);
    case XZ:
        return la.archive_write_add_filter_xz(a->a);
    case BZIP2:
        return la.archive_write_add_filter_bzip2(a->a);
    case LZ4:
        return la.archive_write_add_filter_lz4(a->a);
    default:
        return ARCHIVE_OK;
    }
}

static bool prepare_archive(struct bundle_archive *a, enum filter filter,
                            bool compressed, struct prof_err *err)
{
    a->is_zip = filter == ZIP;
    a->a = la.archive_write_new();
    a->entry = la.archive_entry_new();
    if (!a->a || !a->entry)
        return err_nomem(err);
    int got = add_packing(a, filter);
    if (got == ARCHIVE_OK && !a->is_zip) /* its names may be long */
        got = la.archive_write_set_format_gnutar(a->a);
    else if (got == ARCHIVE_OK)
        got = la.archive_write_set_format_zip(a->a);
    if (got == ARCHIVE_OK && a->is_zip && compressed)
        got = la.archive_write_zip_set_compression_store(a->a);
    if (got == ARCHIVE_OK && a->is_zip)
        got = la.archive_write_set_format_option(a->a, "zip", "hdrcharset",
                                                 "UTF-8");
    /* A warning would mean that libarchive wants to start a program. */
    if (got != ARCHIVE_OK)
        return err_set(err, PROF_ERR_SYSTEM,
                       "this version of libarchive cannot write such archives");
    /* No padding after compressed data. */
    (void)la.archive_write_set_bytes_in_last_block(a->a, 1);
    return true;
}

static void free_archive(struct bundle_archive *a)
{
    if (a->entry)
        la.archive_entry_free(a->entry);
    if (a->a)
        (void)la.archive_write_free(a->a);
    a->entry = NULL;
    a->a = NULL;
}

static void bundle_archive_abort(struct bundle_archive *a)
{
    a->given_up = true;
    free_archive(a);
    output_abort(a->out);
}

static bool bundle_archive_open(struct bundle_archive *a,
                                const struct bundle_opts *opts,
                                struct prof_err *err)
{
    const char *path = opts->output.path;
    const size_t n_path = path ? strlen(path) : 0;
    bool known = !path; /* tar, to standard output */
    enum filter filter = NONE;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && !known; i++) {
        size_t k = strlen(suffixes[i].suffix);
        known =
            n_path >= k && strcmp(path + n_path - k, suffixes[i].suffix) == 0;
        filter = suffixes[i].filter;
    }
    if (!known)
        return err_set(
            err, PROF_ERR_USAGE,
            "unknown output type: name a directory (ending in '/' if it "
            "does not exist), or a file ending in .tar, .tar.gz, "
            ".tar.zst, .tar.xz, .tar.bz2, .tar.lz4 or .zip");
    if (!la_load(err))
        return false;
    bool ok = prepare_archive(a, filter, opts->compressed, err) &&
              output_open(&a->out, &opts->output, err);
    ok = ok &&
         check_archive(
             a, la.archive_write_open(a->a, a, NULL, write_output, NULL), err);
    if (!ok && a->out)
        bundle_archive_abort(a);
    else if (!ok)
        free_archive(a);
    return ok;
}

/* zip declares names to be UTF-8: others are refused.  tar declares nothing. */
static bool set_entry_name(struct bundle_archive *a, const char *name,
                           struct prof_err *err)
{
    size_t n = strlen(name), k = 0;
    if (!a->is_zip) {
        la.archive_entry_set_pathname(a->entry, name);
        return true;
    }
    for (size_t at = 0; at < n; at += k)
        if (!(k = utf8_char((const uint8_t *)name + at, n - at, NULL)))
            return err_input(err, "names in zip archives must be valid UTF-8");
    /* The result only says whether the locale has the characters. */
    (void)la.archive_entry_update_pathname_utf8(a->entry, name);
    return true;
}

static bool bundle_archive_add(struct bundle_archive *a,
                               const struct bundle_file *file,
                               struct prof_err *err)
{
    const size_t n = file->n;
    errno = 0;
    struct archive_entry *e = la.archive_entry_clear(a->entry);
    if (n > PTRDIFF_MAX)
        return err_nomem(err);
    if (!set_entry_name(a, file->name, err))
        return false;
    la.archive_entry_set_filetype(e, AE_IFREG);
    la.archive_entry_set_perm(e, 0644);
    la.archive_entry_set_size(e, (int64_t)n);
    /* zip would store local time, which depends on the time zone: omit it. */
    if (!a->is_zip)
        la_set_mtime(e, file->mtime);
    /* libarchive omits a name that it has no memory for; errno shows that. */
    if (!err_check_errno(err) ||
        !check_archive(a, la.archive_write_header(a->a, e), err))
        return false;
    for (size_t at = 0; at < n;) {
        la_ssize_t k =
            la.archive_write_data(a->a, (const char *)file->data + at, n - at);
        if (!check_archive(a, k > 0 ? ARCHIVE_OK : ARCHIVE_FATAL, err))
            return false;
        at += (size_t)k;
    }
    return check_archive(a, la.archive_write_finish_entry(a->a), err);
}

/* --- a directory ---------------------------------------------------------- */

struct bundle_dir {
    struct output_opts opts;
    int root;       /* the output directory, or -1 before the first file */
    int fd;         /* the directory of the last file, or -1 */
    struct buf sub; /* path of `fd` below root: "" or ending in '/' */
};

enum { MAKE_MODE = 0777 }; /* less the umask */

/* Creates the output directory and its missing parents, and opens it; only once
 * there is a file for it. */
static bool open_root(struct bundle_dir *d, struct prof_err *err)
{
    char *path = strdup(d->opts.path);
    if (!path)
        return err_nomem(err);
    bool ok = true;
    for (char *slash = path; ok && *slash;) {
        slash += strspn(slash, "/");
        slash += strcspn(slash, "/");
        char was = *slash;
        *slash = 0;
        ok = mkdir(path, MAKE_MODE) == 0 || errno == EEXIST ||
             err_errno(err, errno, "cannot create the directory");
        *slash = was;
    }
    free(path);
    if (!ok)
        return false;
    d->root = file_open(d->opts.path, O_RDONLY | O_DIRECTORY);
    return d->root >= 0 || err_errno(err, errno, "cannot open the directory");
}

/* Opens the directory `name` in `fd`, creating it if necessary.  Does not
 * follow a symbolic link, which another user may have put there. */
static bool open_below(int fd, const char *name, int *got, struct prof_err *err)
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
        return err_input(err, "'%s' exists and is not a directory", name);
    return err_errno(err, errno, "cannot open '%s'", name);
}

static void leave_sub(struct bundle_dir *d)
{
    if (d->fd >= 0)
        (void)close(d->fd);
    d->fd = -1;
    d->sub.n = 0;
}

/* Opens, or creates, the directory name[0 .. n) below root as d->fd. */
static bool enter_sub(struct bundle_dir *d, const char *name, size_t n,
                      struct prof_err *err)
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
        memcpy(element, s, k); /* bundle_dir_add() has checked the length */
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

static bool bundle_dir_add(struct bundle_dir *d, const struct bundle_file *file,
                           struct prof_err *err)
{
    const char *name = file->name, *slash = strrchr(name, '/');
    size_t dir = slash ? (size_t)(slash - name) + 1 : 0;
    for (const char *s = name; *s; s += *s == '/') {
        size_t n = strcspn(s, "/");
        if (n > NAME_MAX)
            return err_input(err, "file name too long: %zu bytes", n);
        s += n;
    }
    return (d->root >= 0 || open_root(d, err)) &&
           enter_sub(d, name, dir, err) &&
           output_write_at(d->fd, name + dir,
                           (struct prof_slice){file->data, file->n}, &d->opts,
                           err);
}

static void bundle_dir_close(struct bundle_dir *d)
{
    leave_sub(d);
    if (d->root >= 0)
        (void)close(d->root);
    d->root = -1;
    buf_free(&d->sub);
}

/* --- either --------------------------------------------------------------- */

struct bundle {
    bool is_dir;
    struct bundle_archive archive;
    struct bundle_dir dir;
};

bool bundle_open(struct bundle **bundle, const struct bundle_opts *opts,
                 struct prof_err *err)
{
    struct stat st;
    const char *path = opts->output.path;
    size_t n = path ? strlen(path) : 0;
    struct bundle *b = calloc(1, sizeof *b);
    *bundle = NULL;
    if (!b)
        return err_nomem(err);
    b->is_dir = n && (path[n - 1] == '/' ||
                      (stat(path, &st) == 0 && S_ISDIR(st.st_mode)));
    b->dir = (struct bundle_dir){.opts = opts->output, .root = -1, .fd = -1};
    if (!b->is_dir && !bundle_archive_open(&b->archive, opts, err)) {
        free(b);
        return false;
    }
    *bundle = b;
    return true;
}

bool bundle_add(struct bundle *b, const struct bundle_file *file,
                struct prof_err *err)
{
    return b->is_dir ? bundle_dir_add(&b->dir, file, err)
                     : bundle_archive_add(&b->archive, file, err);
}

bool bundle_commit(struct bundle *b, struct prof_err *err)
{
    struct bundle_archive *a = &b->archive;
    struct bundle_dir *d = &b->dir;
    bool ok;
    if (b->is_dir) {
        ok = d->root < 0 || system_sync(d->root) || errno == EINVAL ||
             errno == ENOSYS || errno == EROFS ||
             err_errno(err, errno, "cannot write to disk");
        bundle_dir_close(d);
    } else if (check_archive(a, la.archive_write_close(a->a), err)) {
        free_archive(a);
        ok = output_commit(a->out, err);
    } else {
        bundle_archive_abort(a);
        ok = false;
    }
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

/* --- names ---------------------------------------------------------------- */

/* Advances *s past slashes and returns the element there; it may be empty. */
static struct prof_slice element(const char **s)
{
    *s += strspn(*s, "/");
    return (struct prof_slice){*s, strcspn(*s, "/")};
}

/* Appends the elements of s other than ".".  Sets *up if one is "..". */
static bool append_clean(struct buf *to, const char *s, bool *up,
                         struct prof_err *err)
{
    const size_t start = to->n;
    struct prof_slice part;
    *up = false;
    for (; (part = element(&s)).n; s += part.n) {
        if (slice_is(part, "."))
            continue;
        *up |= slice_is(part, "..");
        if ((to->n > start && !buf_putc(to, '/')) ||
            !buf_put(to, part.s, part.n))
            return err_nomem(err);
    }
    return to->n > start || err_input(err, "not a valid file name");
}

bool bundle_name_of_entry(struct buf *to, const char *entry,
                          struct prof_err *err)
{
    bool up;
    if (*entry == '/')
        return err_input(
            err, "its name is absolute and would lead outside the output");
    if (!append_clean(to, entry, &up, err))
        return false;
    return !up ||
           err_input(
               err, "its name contains '..' and could lead outside the output");
}

bool bundle_name_of_path(struct buf *to, const char *path, size_t *stripped,
                         struct prof_err *err)
{
    const char *from = path + strspn(path, "/"), *s = from;
    struct prof_slice part;
    bool up;
    for (; (part = element(&s)).n; s += part.n)
        if (slice_is(part, ".."))
            from = s + part.n;
    from += strspn(from, "/");
    *stripped = (size_t)(from - path);
    return append_clean(to, from, &up, err);
}
