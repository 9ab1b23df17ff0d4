/*
 * slice.h - pieces of text, taken apart without copying
 *
 * A slice is n bytes at s inside a text that somebody else owns; no NUL ends
 * it.  The take functions move the slice to what follows the piece taken.
 * Blanks are those of ascii.h.
 */
#ifndef PROFUTILS_IMPORT_SLICE_H
#define PROFUTILS_IMPORT_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

/* A letter, digit or _. */
bool slice_is_word_char(char c);

/* Without blanks in front, or on both sides. */
struct slice slice_trim_left(struct slice s);
struct slice slice_trim(struct slice s);

bool slice_begins_with(struct slice s, const char *begin);
bool slice_contains(struct slice s, const char *what);
bool slice_ends_with(struct slice s, const char *end);

/* The line in front, without its newline, which is taken too. */
struct slice slice_take_line(struct slice *s);

/* The first word, between blanks; what is left begins right behind it. */
struct slice slice_take_word(struct slice *s);

/* The last word; what is left is trimmed.  *s must be trimmed. */
struct slice slice_take_last_word(struct slice *s);

/*
 * Hexadecimal digits in front, as a number; false when there are none or
 * the number has more than 64 bits.  The second also takes "0x" before them.
 */
bool slice_take_hex(struct slice *s, uint64_t *value);
bool slice_take_0xhex(struct slice *s, uint64_t *value);

/*
 * Decimal digits, with a minus before them or not, as a number; false when
 * there are none or it has more than 64 bits.  Blanks in front go as well.
 */
bool slice_take_int(struct slice *s, int64_t *value);

/* True when s is digits (hexadecimal digits) from end to end, one or more. */
bool slice_is_decimal(struct slice s);
bool slice_is_hex(struct slice s);

#endif
