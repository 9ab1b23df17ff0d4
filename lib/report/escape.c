/* escape.c - writes text as JSON, HTML (and SVG), CSV, TSV and Markdown */
#include "report/escape.h"

#include <string.h>

#include "base/utf8.h"

bool json_put_text(struct buf *out, const void *text, size_t n,
                   size_t *n_replaced)
{
    static const char special[] = "\"\\\n\t", letter[] = "\"\\nt";
    const uint8_t *s = text;
    bool ok = buf_putc(out, '"');
    for (size_t i = 0; ok && i < n;) {
        size_t from = i;
        while (i < n && s[i] >= 0x20 && s[i] < 0x7f && s[i] != '"' &&
               s[i] != '\\')
            i++;
        ok = buf_put(out, s + from, i - from);
        if (!ok || i == n)
            break;
        uint32_t c;
        size_t k = utf8_char(s + i, n - i, &c);
        const char *found = s[i] ? strchr(special, s[i]) : NULL;
        if (!k) {
            ok = buf_puts(out, "\xef\xbf\xbd");
            if (n_replaced)
                ++*n_replaced;
        } else if (found) {
            ok = buf_putc(out, '\\') && buf_putc(out, letter[found - special]);
        } else if (k == 1 || !utf8_is_shown(c)) {
            /* Escape it, because a terminal could interpret it. */
            ok = buf_printf(out, "\\u%04x", (unsigned)c);
        } else {
            ok = buf_put(out, s + i, k);
        }
        i += k ? k : 1;
    }
    return ok && buf_putc(out, '"');
}

bool html_put(struct buf *out, const void *text, size_t n)
{
    static const char *const references[UINT8_MAX + 1] = {
        ['&'] = "&amp;",  ['<'] = "&lt;",   ['>'] = "&gt;",
        ['"'] = "&quot;", ['\''] = "&#39;",
    };
    const uint8_t *s = text, *end = s + n;
    bool ok = true;
    while (ok && s < end) {
        uint32_t c = 0;
        size_t k = utf8_char(s, (size_t)(end - s), &c);
        const char *instead = references[*s];
        /* XML excludes U+FFFE and U+FFFF. */
        if (!k || !utf8_is_shown(c) || c == 0xfffe || c == 0xffff)
            ok = buf_puts(out, "\xef\xbf\xbd");
        else if (instead)
            ok = buf_puts(out, instead);
        else
            ok = buf_put(out, s, k);
        s += k ? k : 1;
    }
    return ok;
}

bool csv_put_quoted(struct buf *out, const void *text, size_t n)
{
    const char *s = text, *end = s + n, *quote;
    bool ok = true;
    for (; ok && n && (quote = memchr(s, '"', (size_t)(end - s))); s = quote)
        ok = buf_put(out, s, (size_t)(++quote - s)) && buf_putc(out, '"');
    return ok && buf_put(out, s, (size_t)(end - s));
}

bool csv_put(struct buf *out, const void *text, size_t n)
{
    const char *s = text;
    bool plain = true;
    for (size_t i = 0; plain && i < n; i++)
        plain = s[i] != '"' && s[i] != ',' && s[i] != '\n' && s[i] != '\r';
    if (plain)
        return buf_put(out, s, n);
    return buf_putc(out, '"') && csv_put_quoted(out, s, n) &&
           buf_putc(out, '"');
}

bool tsv_put(struct buf *out, const void *text, size_t n)
{
    static const char special[] = "\\\t\n\r", letter[] = "\\tnr";
    const char *s = text;
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        const char *at = s[i] ? strchr(special, s[i]) : NULL;
        ok = at ? buf_putc(out, '\\') && buf_putc(out, letter[at - special])
                : buf_putc(out, s[i]);
    }
    return ok;
}

static bool put_backticks(struct buf *out, size_t n)
{
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = buf_putc(out, '`');
    return ok;
}

bool markdown_put_code(struct buf *out, const void *s, size_t n, bool in_table)
{
    struct buf line = {0};
    bool ok = utf8_put_line(&line, s, n);
    size_t run = 0, longest = 0;
    for (size_t i = 0; ok && i < line.n; i++) {
        run = line.v[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    /* Without blanks, a backtick at either end would join the fence. */
    const char *blank = longest || !line.n ? " " : "";
    ok = ok && put_backticks(out, longest + 1) && buf_puts(out, blank);
    for (size_t i = 0; ok && i < line.n; i++)
        ok = (!in_table || line.v[i] != '|' || buf_putc(out, '\\')) &&
             buf_putc(out, (char)line.v[i]);
    ok = ok && buf_puts(out, blank) && put_backticks(out, longest + 1);
    buf_free(&line);
    return ok;
}
