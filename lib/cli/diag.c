#include "cli/diag.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"

static bool put_escaped(struct buf *to, const char *s)
{
    return utf8_put_line(to, s, strlen(s));
}

void diag_write(const void *bytes, size_t n)
{
    const uint8_t *v = bytes;
    while (n) {
        ssize_t k = write(STDERR_FILENO, v, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return;
        v += k;
        n -= (size_t)k;
    }
}

/* Bytes on their way to standard error, where there is no memory. */
struct drops {
    size_t n;
    char v[512];
};

static void drip(struct drops *d, const char *bytes, size_t n)
{
    if (n > sizeof d->v - d->n) {
        diag_write(d->v, d->n);
        d->n = 0;
    }
    memcpy(d->v + d->n, bytes, n);
    d->n += n;
}

/* What is not ASCII is escaped too. */
static void drip_escaped(struct drops *d, const char *s)
{
    static const char hex[] = "0123456789abcdef";
    for (; *s; s++) {
        uint8_t c = (uint8_t)*s;
        const char escaped[] = {'\\', 'x', hex[c >> 4], hex[c & 15]};
        bool plain = c >= ' ' && c < 127;
        drip(d, plain ? s : escaped, plain ? 1 : sizeof escaped);
    }
}

/* Whole, or nothing where there is no memory. */
static bool write_line(const char *const pieces[], size_t n)
{
    struct buf line = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        if (pieces[i])
            ok = put_escaped(&line, pieces[i]) &&
                 buf_puts(&line, i + 1 < n ? ": " : "\n");
    if (ok)
        diag_write(line.v, line.n);
    buf_free(&line);
    return ok;
}

void diag_line(const char *tool, const char *subject, const char *label,
               const char *text)
{
    const char *const pieces[] = {tool, subject, label, text};
    const size_t n = sizeof pieces / sizeof *pieces;
    if (write_line(pieces, n))
        return;
    struct drops drops = {0};
    for (size_t i = 0; i < n; i++)
        if (pieces[i]) {
            drip_escaped(&drops, pieces[i]);
            drip(&drops, i + 1 < n ? ": " : "\n", i + 1 < n ? 2 : 1);
        }
    diag_write(drops.v, drops.n);
}
