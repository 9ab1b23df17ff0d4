/*
 * ascii.h - what kind of character a byte is
 *
 * As in the C locale, whatever locale is set, and for any char: bytes above
 * 0x7f are of no kind.
 */
#ifndef PROFUTILS_BASE_ASCII_H
#define PROFUTILS_BASE_ASCII_H

#include <stdbool.h>
#include <string.h>

/* Whether it is one of the characters of the C string; NUL is none. */
static inline bool ascii_is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

/* What isspace() calls so: space, tab, newline, \v, \f, \r. */
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

/* The value of a hexadecimal digit, of either case; -1 for others. */
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

#endif
