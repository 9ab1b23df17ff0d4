#include "report/flame/html.h"

#include "base/utf8.h"

static const char *reference(uint32_t c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

bool html_put(struct buf *to, const void *text, size_t n)
{
    const uint8_t *s = text, *end = s + n;
    bool ok = true;
    while (ok && s < end) {
        uint32_t c = 0;
        size_t k = utf8_char(s, (size_t)(end - s), &c);
        const char *instead = reference(c);
        if (!k || !utf8_is_shown(c))
            ok = buf_puts(to, "\xef\xbf\xbd");
        else if (instead)
            ok = buf_puts(to, instead);
        else
            ok = buf_put(to, s, k);
        s += k ? k : 1;
    }
    return ok;
}
