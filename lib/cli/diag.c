#include "cli/diag.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Length of the UTF-8 character at s, 0 if it is none or a control. */
static size_t printable(const unsigned char *s)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (s[0] < 0x80)
        return s[0] >= 0x20 && s[0] != 0x7f;
    size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    unsigned c = s[0] & (0x7fU >> n);
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    bool surrogate = c >= 0xd800 && c < 0xe000, c1 = c < 0xa0;
    return c < least[n] || c > 0x10ffff || surrogate || c1 ? 0 : n;
}

bool diag_escape(struct buf *to, const char *s)
{
    while (*s) {
        size_t n = printable((const unsigned char *)s);
        if (n ? !buf_put(to, s, n)
              : !buf_printf(to, "\\x%02x", (unsigned char)*s))
            return false;
        s += n ? n : 1;
    }
    return true;
}

static void write_all(const uint8_t *v, size_t n)
{
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
            ok = ok && diag_escape(&line, pieces[i]) && buf_puts(&line, ": ");
    ok = ok && diag_escape(&line, text) && buf_putc(&line, '\n');
    static const char no_memory[] = "out of memory for a message\n";
    if (ok)
        write_all(line.v, line.n);
    else
        write_all((const uint8_t *)no_memory, sizeof no_memory - 1);
    buf_free(&line);
}
