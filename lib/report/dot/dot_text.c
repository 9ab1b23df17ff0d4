/* dot_text.c - quoted strings and colours in Graphviz's language */
#include <math.h>
#include <stdio.h>
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

/* What stands for v[0 .. *n) in place of itself; null: only itself. */
static const char *scope_of(const uint8_t *v, size_t left, size_t *n)
{
    static const char generic[] = "[...]"; /* Go's, for any type */
    *n = left >= 2 && v[0] == ':' && v[1] == ':' ? 2 : 1;
    if (*n == 2 || *v == '.')
        return "\\n";
    if (left < strlen(generic) || memcmp(v, generic, strlen(generic)) != 0)
        return NULL;
    *n = strlen(generic);
    return "[\xe2\x80\xa6]"; /* U+2026, an ellipsis */
}

static bool put_scoped(struct dot *d, const uint8_t *v, size_t n)
{
    while (n) {
        size_t k;
        const char *instead = scope_of(v, n, &k);
        if (instead ? !buf_puts(d->r->out, instead) : !(k = put_char(d, v, n)))
            return false;
        v += k;
        n -= k;
    }
    return true;
}

bool dot_put_function(struct dot *d, const char *name, size_t n)
{
    struct buf brief = {0};
    bool ok = shortname_put(&brief, name, n) && put_scoped(d, brief.v, brief.n);
    buf_free(&brief);
    return ok;
}

static unsigned level(double x)
{
    x *= 255;
    return x >= 0 && x <= 255 ? (unsigned)x : 0;
}

/*
 * Shares are drawn away from grey, so that small ones can be told apart, but
 * those below a fifth lose their saturation: no share is grey, not yellow.
 */
void dot_color(double share, bool background, char color[8])
{
    double saturation = background ? 0.1 : 1, value = background ? 0.93 : 0.7;
    double size = fabs(share);
    if (size > 1)
        size = 1;
    if (size < 0.2)
        saturation *= size / 0.2;
    double other = value * (1 - saturation * pow(size, 0.3));
    unsigned full = level(value), part = level(other);
    unsigned blue = level(value * (1 - saturation));
    (void)snprintf(color, 8, "#%02x%02x%02x", (share < 0 ? part : full) & 0xff,
                   (share < 0 ? full : part) & 0xff, blue & 0xff);
}
