/* dot_text.c - quoted strings in Graphviz's language */
#include <string.h>

#include "base/utf8.h"
#include "report/dot/private.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Whether & and the text after it could be read as a character reference. */
static bool is_reference(const uint8_t *v, size_t n)
{
    size_t i = n > 1 && v[1] == '#' ? 2 : 1;
    size_t first = i;
    while (i < n && ascii_is_alnum((char)v[i]))
        i++;
    return i > first && i < n && v[i] == ';';
}

/* Returns the escaped form of *v, or null if it needs no escape. */
static const char *escape_of(const uint8_t *v, size_t n)
{
    static const char *const escapes[UINT8_MAX + 1] = {
        ['\\'] = "\\\\", ['"'] = "\\\"", ['\n'] = "\\l", ['&'] = "&amp;"};
    return *v == '&' && !is_reference(v, n) ? NULL : escapes[*v];
}

bool dot_put_text(struct dot *d, const void *text, size_t n)
{
    const uint8_t *v = text;
    struct buf *out = d->r->out;
    while (n) {
        uint32_t c = 0;
        size_t k = utf8_char(v, n, &c);
        const char *escape = escape_of(v, n);
        bool ok;
        if (escape) {
            ok = buf_puts(out, escape);
        } else if (k && utf8_is_shown(c) && c != 0xfffe && c != 0xffff) {
            ok = buf_put(out, v, k);
        } else {
            /* Invalid in XML, or a viewer could interpret it. */
            d->replaced++;
            ok = buf_puts(out, REPLACEMENT);
        }
        if (!ok)
            return false;
        k = k ? k : 1;
        v += k;
        n -= k;
    }
    return true;
}

bool dot_put_value(struct dot *d, int64_t value)
{
    const char *text = report_value(d->r, value);
    return dot_put_text(d, text, strlen(text));
}
