#include "cli/aside.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "io/scratch.h"

/* What comes before the texts and the data. */
struct record {
    struct input_part part; /* entry and data mean nothing in it */
    size_t name, entry;     /* bytes of the texts with their NUL */
};

static bool put(struct aside *a, const void *data, size_t n, struct err *err)
{
    const uint8_t *p = data;
    while (n) {
        ssize_t k = pwrite(a->fd, p, n, (off_t)a->end);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            return err_errno(err, errno,
                             "cannot put it aside in a temporary file");
        p += k;
        n -= (size_t)k;
        a->end += (size_t)k;
    }
    return true;
}

static bool get(const struct aside *a, uint64_t at, void *to, size_t n,
                struct err *err)
{
    uint8_t *p = to;
    while (n) {
        ssize_t k = pread(a->fd, p, n, (off_t)at);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return err_errno(err, k ? errno : EIO,
                             "cannot read what was put aside");
        p += k;
        n -= (size_t)k;
        at += (size_t)k;
    }
    return true;
}

bool aside_put(struct aside *a, const char *name, const struct input_part *part,
               uint64_t *at, struct err *err)
{
    struct scratch file;
    struct record r;
    memset(&r, 0, sizeof r);
    r.part = *part;
    r.name = strlen(name) + 1;
    r.entry = strlen(part->entry) + 1;
    if (!a->open) {
        a->open = scratch_open(&file, err);
        a->fd = file.fd;
    }
    *at = a->end;
    if (!a->open || !put(a, &r, sizeof r, err) || !put(a, name, r.name, err) ||
        !put(a, part->entry, r.entry, err) || !put(a, part->data, part->n, err))
        return false;
    a->n++;
    return true;
}

bool aside_get(struct aside *a, uint64_t at, const char **name,
               struct input_part *part, struct err *err)
{
    struct record r;
    if (!get(a, at, &r, sizeof r, err))
        return false;
    size_t n = r.name + r.entry + r.part.n;
    a->out.n = 0;
    if (!buf_reserve(&a->out, n))
        return err_nomem(err);
    if (!get(a, at + sizeof r, a->out.v, n, err))
        return false;
    *part = r.part;
    *name = (char *)a->out.v;
    part->entry = (char *)a->out.v + r.name;
    part->data = a->out.v + r.name + r.entry;
    if (--a->n == 0)
        aside_clear(a);
    return true;
}

void aside_clear(struct aside *a)
{
    a->end = 0;
    a->n = 0;
    if (a->open)
        (void)!ftruncate(a->fd, 0);
}

void aside_free(struct aside *a)
{
    if (a->open)
        (void)close(a->fd);
    buf_free(&a->out);
    *a = (struct aside){0};
}
