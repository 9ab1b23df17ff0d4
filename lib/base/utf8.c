/* utf8.c - reads and writes UTF-8, escapes text for terminals, reads UTF-16 */
#include "base/utf8.h"

#include <string.h>

size_t utf8_char(const uint8_t *s, size_t n, uint32_t *c)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (!n)
        return 0;
    size_t k = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (k > n || (s[0] >= 0x80 && s[0] < 0xc2) || s[0] > 0xf4)
        return 0;
    uint32_t x = k == 1 ? s[0] : s[0] & (0x7fU >> k);
    for (size_t i = 1; i < k; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        x = x << 6 | (s[i] & 0x3fU);
    }
    if (x < least[k] || x > 0x10ffff || (x >= 0xd800 && x < 0xe000))
        return 0;
    if (c)
        *c = x;
    return k;
}

bool utf8_put(struct buf *to, uint32_t c)
{
    if (c < 0x80)
        return buf_putc(to, (char)c);
    if (c < 0x800)
        return buf_putc(to, (char)(0xc0 | c >> 6)) &&
               buf_putc(to, (char)(0x80 | (c & 0x3f)));
    if (c < 0x10000)
        return buf_putc(to, (char)(0xe0 | c >> 12)) &&
               buf_putc(to, (char)(0x80 | (c >> 6 & 0x3f))) &&
               buf_putc(to, (char)(0x80 | (c & 0x3f)));
    return buf_putc(to, (char)(0xf0 | c >> 18)) &&
           buf_putc(to, (char)(0x80 | (c >> 12 & 0x3f))) &&
           buf_putc(to, (char)(0x80 | (c >> 6 & 0x3f))) &&
           buf_putc(to, (char)(0x80 | (c & 0x3f)));
}

size_t utf8_count(const void *s, size_t n)
{
    const uint8_t *at = s;
    size_t count = 0;
    for (size_t i = 0; i < n; count++) {
        size_t k = utf8_char(at + i, n - i, NULL);
        i += k ? k : 1;
    }
    return count;
}

bool utf8_is_shown(uint32_t c)
{
    if (c < 0x20)
        return c == '\n' || c == '\t';
    if (c < 0xa0)
        return c < 0x7f;
    /* Characters that change the direction of text, and line separators. */
    return c != 0x61c && c != 0x200e && c != 0x200f &&
           !(c >= 0x2028 && c <= 0x202e) && !(c >= 0x2066 && c <= 0x2069);
}

size_t utf8_plain(const uint8_t *s, size_t n)
{
    const uint64_t each = UINT64_MAX / 0xff; /* 1 in each byte */
    size_t i = 0;
    for (uint64_t w; n - i >= sizeof w; i += sizeof w) {
        memcpy(&w, s + i, sizeof w);
        /*
         * The highest bit of a byte is set in the first term if the byte is
         * above 0x7f, in the second if it is 0x7f, in the third if it is below
         * 0x20.  A carry comes only from a byte that is found itself.
         */
        if ((w | (w + each) | (w - 0x20 * each)) & 0x80 * each)
            break;
    }
    while (i < n && s[i] >= 0x20 && s[i] < 0x7f)
        i++;
    return i;
}

/*
 * Returns how many leading bytes of s are shown unchanged.  Sets *k to the
 * length of the character after them, if any, which must be escaped.
 */
static size_t shown(const uint8_t *s, size_t n, bool line, size_t *k)
{
    size_t i = 0;
    while ((i += utf8_plain(s + i, n - i)) < n) {
        uint32_t c;
        *k = utf8_char(s + i, n - i, &c);
        if (!*k || !utf8_is_shown(c) || (line && c < 0x20))
            break;
        i += *k;
    }
    *k = *k ? *k : 1;
    return i;
}

/* Appends text with control characters escaped; with `line`, newlines and tabs
 * too. */
static bool put_escaped(struct buf *to, const void *text, size_t n, bool line)
{
    const uint8_t *s = text;
    while (n) {
        size_t k = 0, plain = shown(s, n, line, &k);
        if (!buf_put(to, s, plain))
            return false;
        s += plain;
        n -= plain;
        for (; n && k; k--, n--)
            if (!buf_printf(to, "\\x%02x", *s++))
                return false;
    }
    return true;
}

bool utf8_put_visible(struct buf *to, const void *s, size_t n)
{
    return put_escaped(to, s, n, false);
}

bool utf8_put_line(struct buf *to, const void *s, size_t n)
{
    return put_escaped(to, s, n, true);
}

bool utf8_make_line(struct buf *to, size_t at)
{
    size_t k = 0, n = to->n - at;
    size_t plain = n ? shown(to->v + at, n, true, &k) : 0;
    if (plain == n)
        return true;
    struct buf rest = {0};
    at += plain;
    bool ok = buf_put(&rest, to->v + at, to->n - at);
    to->n = at;
    ok = ok && utf8_put_line(to, rest.v, rest.n);
    buf_free(&rest);
    return ok;
}

bool utf8_blank_controls(struct buf *b)
{
    size_t n = utf8_plain(b->v, b->n);
    bool any = false;
    for (size_t i = n; i < b->n; i++) {
        uint8_t c = b->v[i];
        /* C1 control characters have two bytes; one space replaces both. */
        bool wide = c == 0xc2 && b->n - i > 1 && b->v[i + 1] >= 0x80 &&
                    b->v[i + 1] < 0xa0;
        bool control = wide || c < 0x20 || c == 0x7f;
        any |= control;
        b->v[n++] = control ? ' ' : c;
        i += wide;
    }
    b->n = n;
    return any;
}

enum {
    LOOK = 256, /* characters that is_text() reads */
    HIGH = 0xd800,
    LOW = 0xdc00,
    SURROGATES = 0x400, /* number of surrogates of each kind */
};

static unsigned unit(const uint8_t *p, bool big)
{
    return big ? (unsigned)p[0] << 8 | p[1] : (unsigned)p[1] << 8 | p[0];
}

/*
 * Returns whether the first characters, of `width` bytes (1 or 2), contain no
 * control characters.  With 2 bytes, one must also be below U+0100, such as a
 * blank or newline: other text may begin with the bytes of the mark.
 */
static bool is_text(const uint8_t *p, size_t n, size_t width, bool big)
{
    bool latin = width == 1 || !n;
    for (size_t i = 0; i + width <= n && i < LOOK * width; i += width) {
        unsigned c = width == 1 ? p[i] : unit(p + i, big);
        if (c == 0x7f || (c < ' ' && !ascii_is_blank((char)c)))
            return false;
        latin = latin || c < 0x100;
    }
    return latin;
}

/* Converts the UTF-16 text after the byte order mark at p to UTF-8. */
static bool convert_utf16(const uint8_t *p, size_t n, bool big, struct buf *to,
                          struct prof_err *err)
{
    to->n = 0;
    for (size_t at = 2; at < n; at += 2) {
        uint32_t c = n - at < 2 ? LOW : unit(p + at, big);
        if (c >= HIGH && c < LOW && n - at >= 4) {
            unsigned low = unit(p + at + 2, big);
            bool pair = low >= LOW && low < LOW + SURROGATES;
            c = pair ? 0x10000 + (c - HIGH) * SURROGATES + (low - LOW) : LOW;
        }
        if (c >= HIGH && c < LOW + SURROGATES)
            return err_input(
                err, "offset %zu: invalid UTF-16: unpaired surrogate", at);
        if (!utf8_put(to, c))
            return err_nomem(err);
        at += c >= 0x10000 ? 2 : 0;
    }
    return true;
}

bool bom_remove(const uint8_t **data, size_t *n, struct buf *room,
                const struct prof_notes *notes, struct prof_err *err)
{
    const uint8_t *p = *data;
    if (*n >= 3 && !memcmp(p, "\xef\xbb\xbf", 3) &&
        is_text(p + 3, *n - 3, 1, false)) {
        *data += 3;
        *n -= 3;
        note_info(notes, "byte order mark skipped");
        return true;
    }
    bool big = *n >= 2 && !memcmp(p, "\xfe\xff", 2);
    bool little = *n >= 2 && !memcmp(p, "\xff\xfe", 2);
    if ((!big && !little) || !is_text(p + 2, *n - 2, 2, big))
        return true;
    bool ok = convert_utf16(p, *n, big, room, err);
    *data = room->v;
    *n = room->n;
    if (ok)
        note_info(notes, "converted from UTF-16");
    return ok;
}
