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

/* Whether c is one of the characters of the C string `set`; false for NUL. */
static inline bool ascii_is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

/* Whether c is a space, tab, newline, \v, \f or \r, as isspace(). */
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

/* Returns the value of a hexadecimal digit of either case, or -1. */
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
 * Decodes the character at the start of s[0 .. n) to *c (null is allowed).
 * Returns its length in bytes; 0 if s does not begin with a character.
 */
size_t utf8_char(const uint8_t *s, size_t n, uint32_t *c);

/* Returns how many bytes from the start of s[0 .. n) are printable ASCII. */
size_t utf8_plain(const uint8_t *s, size_t n);

/* Appends a character of up to 21 bits; false when memory is out. */
bool utf8_put(struct buf *to, uint32_t c);

/* Returns the number of characters; each byte that is not part of one counts as
 * one. */
size_t utf8_count(const void *s, size_t n);

/*
 * Whether a terminal only displays the character.  False for control characters
 * (C0, C1, DEL) other than newline and tab, for characters that change the
 * direction of text, and for U+2028 and U+2029, which end a line.
 */
bool utf8_is_shown(uint32_t c);

/*
 * Appends s for a terminal: each byte of a character that utf8_is_shown()
 * refuses, and each byte that is not UTF-8, becomes \xNN.  False when memory is
 * out.
 */
bool utf8_put_visible(struct buf *to, const void *s, size_t n);

/* The same for text on one line: newlines and tabs become \xNN, too. */
bool utf8_put_line(struct buf *to, const void *s, size_t n);

/* Escapes the bytes of *to from offset `at` on, as utf8_put_line() does. */
bool utf8_make_line(struct buf *to, size_t at);

/*
 * Replaces each control character, including newline and tab, with a space.
 * Returns whether there were any.  Bytes that are not UTF-8 stay.
 */
bool utf8_blank_controls(struct buf *b);

/*
 * Converts text that begins with a byte order mark to UTF-8 without one, and
 * notes it at PROF_NOTE_INFO.  The mark, U+FEFF, says which encoding follows:
 * UTF-16, as PowerShell's `>` writes it, or UTF-8 (Unicode Standard, 23.8;
 * RFC 2781).
 *
 * The text is *n bytes at *data.  UTF-8: *data is advanced past the mark.
 * UTF-16: *data points into *room, whose content is replaced by the text.
 * Nothing changes if there is no mark, or if no text follows it.
 *
 * False when memory is out, or when the UTF-16 is not well-formed (the error
 * has the offset); the text is then what precedes the error.
 */
bool bom_remove(const uint8_t **data, size_t *n, struct buf *room,
                const struct prof_notes *notes, struct prof_err *err);

#endif
