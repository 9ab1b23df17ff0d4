/* dot_text.c - quoted strings in Graphviz's language */
#include <string.h>

#include "base/utf8.h"
#include "report/dot/private.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Whether & and what comes after it could stand for another character. */
static bool is_reference(const uint8_t *v, size_t n)
{
    size_t i = n > 1 && v[1] == '#' ? 2 : 1;
    size_t first = i;
    while (i < n && ascii_is_alnum((char)v[i]))
        i++;
    return i > first && i < n && v[i] == ';';
}

/* What is to be escaped, or null for any other character. */
static const char *escape_of(const uint8_t *v, size_t n)
{
    switch (*v) {
    case '\\':
        return "\\\\";
    case '"':
        return "\\\"";
    case '\n':
        return "\\l";
    case '&':
        return is_reference(v, n) ? "&amp;" : NULL;
    default:
        return NULL;
    }
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
            /* XML has no such character, or viewers obey it. */
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
