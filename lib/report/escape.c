/* escape.c - strings of JSON, HTML and SVG */
#include "report/escape.h"

#include "base/utf8.h"

/* Quotes, backslashes, and what a terminal would act on. */
static bool put_json_escape(struct buf *out, uint32_t c)
{
    switch (c) {
    case '"':
        return buf_puts(out, "\\\"");
    case '\\':
        return buf_puts(out, "\\\\");
    case '\n':
        return buf_puts(out, "\\n");
    case '\t':
        return buf_puts(out, "\\t");
    default:
        return buf_printf(out, "\\u%04x", (unsigned)c);
    }
}

static bool is_plain_json(uint8_t c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

bool json_put_text(struct buf *out, const void *text, size_t n,
                   size_t *n_replaced)
{
    const uint8_t *s = text;
    bool ok = buf_putc(out, '"');
    for (size_t i = 0; ok && i < n;) {
        size_t from = i;
        while (i < n && is_plain_json(s[i]))
            i++;
        ok = buf_put(out, s + from, i - from);
        if (!ok || i == n)
            break;
        uint32_t c;
        size_t k = utf8_char(s + i, n - i, &c);
        if (!k) {
            ok = buf_puts(out, "\xef\xbf\xbd");
            ++*n_replaced;
        } else if (k == 1 || !utf8_is_shown(c)) {
            ok = put_json_escape(out, c);
        } else {
            ok = buf_put(out, s + i, k);
        }
        i += k ? k : 1;
    }
    return ok && buf_putc(out, '"');
}

static const char *html_reference(uint32_t c)
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

bool html_put(struct buf *out, const void *text, size_t n)
{
    const uint8_t *s = text, *end = s + n;
    bool ok = true;
    while (ok && s < end) {
        uint32_t c = 0;
        size_t k = utf8_char(s, (size_t)(end - s), &c);
        const char *instead = html_reference(c);
        if (!k || !utf8_is_shown(c))
            ok = buf_puts(out, "\xef\xbf\xbd");
        else if (instead)
            ok = buf_puts(out, instead);
        else
            ok = buf_put(out, s, k);
        s += k ? k : 1;
    }
    return ok;
}
