#include "io/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "io/scratch.h"

enum {
    MAX_TRIES = 100, /* at a name that nobody has */
    DIGITS = 24,     /* room behind a directory's name for that of a file */
    BLOCK = 64 * 1024,
};

static void tell(const struct spool *s, const char *dir, size_t n)
{
    if (s->on_files)
        s->on_files(dir, n);
}

/* A directory with a name that nobody can foretell. */
static bool make_dir(struct spool *s, struct err *err)
{
    const char *under = scratch_directory();
    for (int i = 0; i < MAX_TRIES; i++) {
        uint64_t x;
        if (getentropy(&x, sizeof x) != 0)
            return err_errno(err, errno, "cannot get random bytes");
        size_t n = strlen(under) + sizeof "/profutils." + 16;
        char *dir = malloc(n + DIGITS);
        if (!dir)
            return err_nomem(err);
        (void)snprintf(dir, n, "%s/profutils.%016llx", under,
                       (unsigned long long)x);
        tell(s, dir, 0);
        if (mkdir(dir, 0700) == 0) {
            s->dir = dir;
            return true;
        }
        int why = errno;
        tell(s, NULL, 0);
        free(dir);
        if (why != EEXIST)
            return err_errno(err, why,
                             "cannot make a temporary directory in %s", under);
    }
    return err_errno(err, EEXIST, "cannot make a temporary directory in %s",
                     under);
}

/* A new file with the next number, and its path. */
static int new_file(struct spool *s, char **path, struct err *err)
{
    if (!s->dir && !make_dir(s, err))
        return -1;
    if (asprintf(path, "%s/%zu", s->dir, s->n_files) < 0) {
        *path = NULL;
        err_nomem(err);
        return -1;
    }
    tell(s, s->dir, ++s->n_files);
    int fd = file_open_at(AT_FDCWD, *path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd >= 0)
        return fd;
    err_errno(err, errno, "cannot create the temporary file %s", *path);
    free(*path);
    *path = NULL;
    return -1;
}

static bool write_all(int fd, const uint8_t *data, size_t n)
{
    while (n) {
        ssize_t k = write(fd, data, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            return false;
        data += k;
        n -= (size_t)k;
    }
    return true;
}

/* Whether the file holds just these bytes; if it is gone, it does not. */
static bool compare(const char *path, const uint8_t *data, size_t n, bool *same,
                    struct err *err)
{
    int fd = file_open(path, O_RDONLY);
    *same = fd >= 0;
    if (fd < 0)
        return file_is_refused(errno) ||
               err_errno(err, errno, "cannot open %s", path);
    uint8_t *block = malloc(BLOCK);
    bool ok = block || err_nomem(err);
    for (ssize_t k = BLOCK; ok && *same && k == BLOCK;) {
        k = file_read(fd, block, BLOCK);
        ok = k >= 0 || err_errno(err, errno, "cannot read %s", path);
        *same = ok && (size_t)k <= n && memcmp(block, data, (size_t)k) == 0;
        data += *same ? k : 0;
        n -= *same ? (size_t)k : 0;
    }
    (void)close(fd);
    free(block);
    *same = *same && !n;
    return ok;
}

/* The row of content *c, whose bytes these are, if it is there already. */
static bool find_same(const struct spool *s, const struct spool_content *c,
                      const uint8_t *data, size_t *at, uint32_t *number,
                      struct err *err)
{
    uint32_t hash = (uint32_t)c->hash[0];
    bool same = false;
    while (!same &&
           (*number = hashidx_next(&s->index, hash, at)) != HASHIDX_NONE) {
        const struct spool_content *o = &s->contents.v[*number];
        if (o->hash[0] == c->hash[0] && o->hash[1] == c->hash[1] &&
            o->size == c->size &&
            !compare(o->path, data, (size_t)c->size, &same, err))
            return false;
    }
    return true;
}

/*
 * The row of these bytes.  If they are new, they are in `path` (owned), or
 * are stored if that is null.
 */
static bool find(struct spool *s, const uint8_t *data, size_t n, char *path,
                 uint32_t *number, struct err *err)
{
    XXH128_hash_t h = XXH3_128bits_withSeed(data, n, mix_seed());
    struct spool_content c = {{h.low64, h.high64}, n, path};
    if (!hashidx_room(&s->index) || !vec_reserve(&s->contents, 1)) {
        free(path);
        return err_nomem(err);
    }
    size_t at = hashidx_start(&s->index, (uint32_t)h.low64);
    bool ok = find_same(s, &c, data, &at, number, err);
    if (!ok || *number != HASHIDX_NONE) {
        free(path);
        return ok;
    }
    if (!path) {
        int fd = new_file(s, &c.path, err);
        if (fd < 0)
            return false;
        ok = write_all(fd, data, n);
        int why = errno;
        if ((close(fd) != 0 && ok) || !ok) {
            err_errno(err, ok ? errno : why, "cannot write to %s", c.path);
            free(c.path);
            return false;
        }
    }
    *number = (uint32_t)s->contents.n;
    s->contents.v[s->contents.n++] = c;
    hashidx_put(&s->index, at, (uint32_t)h.low64, *number);
    return true;
}

bool spool_add(struct spool *s, const void *data, size_t n, uint32_t *number,
               struct err *err)
{
    return find(s, data, n, NULL, number, err);
}

static bool read_file(int fd, struct buf *to, struct err *err)
{
    for (;;) {
        if (!buf_reserve(to, BLOCK))
            return err_nomem(err);
        ssize_t k = file_read(fd, to->v + to->n, to->cap - to->n);
        if (k < 0)
            return err_errno(err, errno, "cannot read");
        if (k == 0)
            return true;
        to->n += (size_t)k;
    }
}

/* Reads the open file, if it is not one that was read before. */
static bool take(struct spool *s, int fd, const char *path, uint32_t *number,
                 struct err *err)
{
    struct stat st;
    struct buf data = {0};
    uint32_t id;
    if (fstat(fd, &st) != 0)
        return err_errno(err, errno, "cannot read");
    const uint64_t key[] = {
        (uint64_t)st.st_dev,          (uint64_t)st.st_ino,
        (uint64_t)st.st_size,         (uint64_t)st.st_mtim.tv_sec,
        (uint64_t)st.st_mtim.tv_nsec, (uint64_t)st.st_ctim.tv_sec,
        (uint64_t)st.st_ctim.tv_nsec};
    if (!s->seen.n && !strtab_init(&s->seen))
        return err_nomem(err);
    if (strtab_find(&s->seen, (const char *)key, sizeof key, &id)) {
        *number = s->seen_as.v[id - 1];
        return true;
    }
    char *copy = strdup(path);
    bool ok = copy && read_file(fd, &data, err);
    if (!ok)
        free(copy);
    if (!copy)
        err_nomem(err);
    ok = ok && find(s, data.v, data.n, copy, number, err);
    buf_free(&data);
    return ok && ((strtab_add(&s->seen, (const char *)key, sizeof key, &id) &&
                   vec_push(&s->seen_as, *number)) ||
                  err_nomem(err));
}

bool spool_take(struct spool *s, const char *path, uint32_t *number,
                struct err *err)
{
    int fd = file_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return err_errno(err, errno, "cannot open");
    bool ok = take(s, fd, path, number, err);
    (void)close(fd);
    return ok;
}

void spool_free(struct spool *s)
{
    for (size_t i = 0; i < s->contents.n; i++)
        free(s->contents.v[i].path);
    /* Where memory is out, too. */
    size_t n = s->dir ? strlen(s->dir) : 0;
    for (size_t i = 0; s->dir && i < s->n_files; i++) {
        (void)snprintf(s->dir + n, DIGITS, "/%zu", i);
        (void)unlink(s->dir);
        s->dir[n] = 0;
    }
    if (s->dir) {
        (void)rmdir(s->dir);
        tell(s, NULL, 0);
    }
    free(s->dir);
    vec_free(&s->contents);
    hashidx_free(&s->index);
    strtab_free(&s->seen);
    vec_free(&s->seen_as);
    *s = (struct spool){.on_files = s->on_files};
}
