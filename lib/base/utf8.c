#include "base/utf8.h"

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

/* Newline and tab are layout, not control, in what is printed. */
static bool is_visible(uint32_t c)
{
    return c == '\n' || c == '\t' || (c >= 0x20 && (c < 0x7f || c >= 0xa0));
}

/* What is not shown, in hexadecimal; `line`: nor are newline and tab. */
static bool put(struct buf *to, const void *s, size_t n, bool line)
{
    const uint8_t *at = s;
    for (size_t i = 0; i < n;) {
        uint32_t c;
        size_t k = utf8_char(at + i, n - i, &c);
        bool visible = k && is_visible(c) && !(line && c < 0x20);
        k = k ? k : 1;
        if (visible && !buf_put(to, at + i, k))
            return false;
        for (size_t j = 0; !visible && j < k; j++)
            if (!buf_printf(to, "\\x%02x", at[i + j]))
                return false;
        i += k;
    }
    return true;
}

bool utf8_put_visible(struct buf *to, const void *s, size_t n)
{
    return put(to, s, n, false);
}

bool utf8_put_line(struct buf *to, const void *s, size_t n)
{
    return put(to, s, n, true);
}
