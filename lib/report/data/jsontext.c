#include "report/data/jsontext.h"

#include "base/utf8.h"

/* Quotes, backslashes, and what a terminal would act on. */
static bool put_escaped(struct buf *out, uint32_t c)
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

static bool is_plain(uint8_t c)
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
        while (i < n && is_plain(s[i]))
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
            ok = put_escaped(out, c);
        } else {
            ok = buf_put(out, s + i, k);
        }
        i += k ? k : 1;
    }
    return ok && buf_putc(out, '"');
}

void json_warn_replaced(const struct report *r, size_t n_replaced)
{
    if (n_replaced)
        note_warn(r->notes,
                  "%zu bytes of names are not UTF-8 and became U+FFFD; "
                  "--textproto shows them as they are",
                  n_replaced);
}
