/*
 * utf8.h - telling UTF-8 from other bytes
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

#include "base/buf.h"

/*
 * The length in bytes of the character that s[0 .. n) begins with and the
 * character itself in *c (null is allowed), or 0 if it begins with none.
 */
size_t utf8_char(const uint8_t *s, size_t n, uint32_t *c);

/* Appends a character of up to 21 bits; false when memory is out. */
bool utf8_put(struct buf *to, uint32_t c);

/* How many characters; a byte that is part of none counts as one. */
size_t utf8_count(const void *s, size_t n);

/*
 * Whether a terminal shows the character, and obeys it in nothing else:
 * neither a control character (C0, C1, DEL) nor one that turns the direction
 * of the text or ends a line.  Newline and tab are layout, and shown.
 */
bool utf8_is_shown(uint32_t c);

/*
 * Appends s with what a terminal would act on made visible: characters that
 * are not shown, and bytes that are not UTF-8, become \xNN for each byte.
 * False when memory is out.
 */
bool utf8_put_visible(struct buf *to, const void *s, size_t n);

/* The same with newlines and tabs, for what is to stay on one line. */
bool utf8_put_line(struct buf *to, const void *s, size_t n);

/* Makes what *to has from byte `at` on such a line; it is all UTF-8 then. */
bool utf8_make_line(struct buf *to, size_t at);

/*
 * Replaces each control character, newlines and tabs too, with a space; true
 * if there were any.  Bytes that are not UTF-8 stay.
 */
bool utf8_blank_controls(struct buf *b);

#endif
