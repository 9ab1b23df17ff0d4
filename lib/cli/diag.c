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

void diag_line(const char *tool, const char *subject, const char *label,
               const char *text)
{
    struct buf line = {0};
    const char *pieces[] = {tool, subject, label};
    bool ok = true;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        if (pieces[i])
            ok = ok && put_escaped(&line, pieces[i]) && buf_puts(&line, ": ");
    ok = ok && put_escaped(&line, text) && buf_putc(&line, '\n');
    static const char no_memory[] = "out of memory for a message\n";
    if (ok)
        diag_write(line.v, line.n);
    else
        diag_write(no_memory, sizeof no_memory - 1);
    buf_free(&line);
}
