/*
 * utf8.h - characters: classes of ASCII, UTF-8, byte order marks
 *
 * | ascii_ | classes as in the C locale, whatever locale is set           |
 * | utf8_  | well-formed UTF-8, text made safe for a terminal             |
 * | bom_   | text that begins with a byte order mark                      |
 *
 * Names in profiles should be UTF-8 and sometimes are not.  Well-formed is
 * what table 3-7 of the Unicode Standard says: no overlong forms, no
 * surrogates, nothing above U+10FFFF (RFC 3629).
 */
#ifndef PROFUTILS_BASE_UTF8_H
#define PROFUTILS_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"

/* Whether c is one of the characters of the C string; NUL is none. */
static inline bool ascii_is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

/* Space, tab, newline, \v, \f, \r, as isspace(). */
static inline bool ascii_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool ascii_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool ascii_is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool ascii_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool ascii_is_letter(char c)
{
    return ascii_is_lower(c) || ascii_is_upper(c);
}

static inline bool ascii_is_alnum(char c)
{
    return ascii_is_digit(c) || ascii_is_letter(c);
}

/* The value of a hexadecimal digit of either case; -1 for others. */
static inline int ascii_hex_value(char c)
{
    if (ascii_is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/*
 * The length in bytes of the character at the start of s[0 .. n), and the
 * character in *c (null is allowed); 0 if those bytes are no character.
 */
size_t utf8_char(const uint8_t *s, size_t n, uint32_t *c);

/* Appends a character of up to 21 bits; false when memory is out. */
bool utf8_put(struct buf *to, uint32_t c);

/* Counts characters; a byte that is part of none counts as one. */
size_t utf8_count(const void *s, size_t n);

/*
 * Whether a terminal shows the character and does nothing else with it.  False
 * for control characters (C0, C1, DEL) and for those that change the direction
 * of text or end a line; true for newline and tab.
 */
bool utf8_is_shown(uint32_t c);

/*
 * Appends s with what a terminal would act on made visible: characters that
 * are not shown, and bytes that are not UTF-8, become \xNN for each byte.
 * False when memory is out.
 */
bool utf8_put_visible(struct buf *to, const void *s, size_t n);

/* The same with newlines and tabs escaped, for text on one line. */
bool utf8_put_line(struct buf *to, const void *s, size_t n);

/* Does that to what *to has from byte `at` on. */
bool utf8_make_line(struct buf *to, size_t at);

/*
 * Replaces each control character, newlines and tabs too, with a space; true
 * if there were any.  Bytes that are not UTF-8 stay.
 */
bool utf8_blank_controls(struct buf *b);

/*
 * Converts text that begins with a byte order mark to UTF-8 without one, and
 * notes it at PROF_NOTE_INFO.  The mark, U+FEFF, says which encoding follows:
 * UTF-16, as PowerShell's `>` writes it, or UTF-8 (Unicode Standard, 23.8;
 * RFC 2781).
 *
 * *data and *n, the text, become a part of what they were, or lie in *room,
 * whose content is replaced.  Bytes without a mark, or with one that is not
 * followed by text, stay as they are.
 *
 * False when memory is out, or when the UTF-16 is not well-formed (with the
 * offset); *data and *n are then what comes before that, in UTF-8.
 */
bool bom_remove(const uint8_t **data, size_t *n, struct buf *room,
                const struct prof_notes *notes, struct prof_err *err);

#endif
