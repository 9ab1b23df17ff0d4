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

/* XML has no such character, though it is UTF-8, or viewers obey it. */
static bool is_unfit(uint32_t c)
{
    return !utf8_is_shown(c) || c == 0xfffe || c == 0xffff;
}

/* Appends the character that v[0 .. n) begins with; its length, 0: no memory.
 */
static size_t put_char(struct dot *d, const uint8_t *v, size_t n)
{
    uint32_t c = 0;
    const char *escape = escape_of(v, n);
    if (escape)
        return buf_puts(d->r->out, escape);
    size_t k = utf8_char(v, n, &c);
    if (k && !is_unfit(c))
        return buf_put(d->r->out, v, k) ? k : 0;
    d->replaced++;
    return buf_puts(d->r->out, REPLACEMENT) ? (k ? k : 1) : 0;
}

bool dot_put_text(struct dot *d, const void *text, size_t n)
{
    const uint8_t *v = text;
    while (n) {
        size_t k = put_char(d, v, n);
        if (!k)
            return false;
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
