#include "base/bom.h"

#include <string.h>

#include "base/ascii.h"
#include "base/utf8.h"

enum {
    LOOK = 256, /* characters that show whether it is text */
    HIGH = 0xd800,
    LOW = 0xdc00,
    SURROGATES = 0x400, /* of each */
};

static unsigned unit(const uint8_t *p, bool big)
{
    return big ? (unsigned)p[0] << 8 | p[1] : (unsigned)p[1] << 8 | p[0];
}

/*
 * Whether the first characters, of 1 or 2 bytes, are none of control.  Of 2
 * bytes one must be below U+0100, as blanks and ends of lines are: it has a
 * NUL, and text that only begins with the bytes of the mark has not.
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

/* The character at p and how many of the n bytes it has; 0: there is none. */
static size_t utf16_char(const uint8_t *p, size_t n, bool big, uint32_t *c)
{
    if (n < 2)
        return 0;
    *c = unit(p, big);
    if (*c < HIGH || *c >= LOW + SURROGATES)
        return 2;
    if (*c >= LOW || n < 4)
        return 0;
    unsigned low = unit(p + 2, big);
    if (low < LOW || low >= LOW + SURROGATES)
        return 0;
    *c = 0x10000 + (*c - HIGH) * SURROGATES + (low - LOW);
    return 4;
}

/* What stands behind the mark at p, which is UTF-16. */
static bool convert(const uint8_t *p, size_t n, bool big, struct buf *to,
                    struct err *err)
{
    size_t k;
    uint32_t c;
    to->n = 0;
    for (size_t at = 2; at < n; at += k) {
        k = utf16_char(p + at, n - at, big, &c);
        if (!k)
            return err_set(err, ERR_INPUT,
                           "offset %zu: half a character of UTF-16", at);
        if (!utf8_put(to, c))
            return err_nomem(err);
    }
    return true;
}

bool bom_remove(const uint8_t **data, size_t *n, struct buf *room,
                const struct notes *notes, struct err *err)
{
    const uint8_t *p = *data;
    if (*n >= 3 && !memcmp(p, "\xef\xbb\xbf", 3) &&
        is_text(p + 3, *n - 3, 1, false)) {
        *data += 3;
        *n -= 3;
        note_info(notes, "the byte order mark in front is left out");
        return true;
    }
    bool big = *n >= 2 && !memcmp(p, "\xfe\xff", 2);
    bool little = *n >= 2 && !memcmp(p, "\xff\xfe", 2);
    if ((!big && !little) || !is_text(p + 2, *n - 2, 2, big))
        return true;
    bool ok = convert(p, *n, big, room, err);
    *data = room->v;
    *n = room->n;
    if (ok)
        note_info(notes, "converted from UTF-16");
    return ok;
}
