/*
 * slice.h - bytes with a length, inside a text that somebody else owns
 *
 * No NUL ends a slice, and it may contain NULs.  The slice_take_ functions
 * remove a piece from the front of a text and return it.  Blanks are those of
 * utf8.h.
 */
#ifndef PROFUTILS_BASE_SLICE_H
#define PROFUTILS_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"

/* Returns the bytes of a C string. */
static inline struct prof_slice slice_of(const char *s)
{
    return (struct prof_slice){s, strlen(s)};
}

/* Return s without its first k bytes, and its first k bytes; k <= s.n. */
static inline struct prof_slice slice_from(struct prof_slice s, size_t k)
{
    return (struct prof_slice){s.s + k, s.n - k};
}

static inline struct prof_slice slice_to(struct prof_slice s, size_t k)
{
    return (struct prof_slice){s.s, k};
}

/* Whether two slices have the same bytes. */
static inline bool slice_same(struct prof_slice a, struct prof_slice b)
{
    return a.n == b.n && memcmp(a.s, b.s, a.n) == 0;
}

/* Compares as memcmp(); if one begins with the other, the shorter is less. */
static inline int slice_compare(struct prof_slice a, struct prof_slice b)
{
    const int c = memcmp(a.s, b.s, a.n < b.n ? a.n : b.n);
    return c ? c : (a.n > b.n) - (a.n < b.n);
}

/* Whether s has the characters of a C string. */
static inline bool slice_is(struct prof_slice s, const char *what)
{
    return slice_same(s, slice_of(what));
}

/* Whether c is an ASCII letter, a digit or '_'. */
bool slice_is_word_char(char c);

/* Whether s is not empty and has no control characters other than blanks. */
bool slice_is_text(struct prof_slice s);

/* The same for the first 512 bytes of s. */
bool slice_begins_as_text(struct prof_slice s);

/* Return s without the blanks at its beginning, at its end, or at both. */
struct prof_slice slice_trim_left(struct prof_slice s);
struct prof_slice slice_trim_right(struct prof_slice s);
struct prof_slice slice_trim(struct prof_slice s);

bool slice_begins_with(struct prof_slice s, const char *begin);
bool slice_contains(struct prof_slice s, const char *what);
bool slice_ends_with(struct prof_slice s, const char *end);

/* Remove a character or prefix; false, with *s unchanged, if there is none. */
bool slice_take_char(struct prof_slice *s, char c);
bool slice_take_prefix(struct prof_slice *s, const char *prefix);

/* Removes what precedes the first c, and this c, and returns it; without a c,
 * removes and returns all. */
struct prof_slice slice_take_until(struct prof_slice *s, char c);

/* Removes the last c and what follows it, and sets *after to what follows it;
 * false, with *s unchanged, if there is no c. */
bool slice_split_last(struct prof_slice *s, char c, struct prof_slice *after);

/* Removes the first line and its newline.  Returns the line without newline. */
static inline struct prof_slice slice_take_line(struct prof_slice *s)
{
    return slice_take_until(s, '\n');
}

/* Removes leading blanks and the word after them.  Returns the word; it is
 * empty if there is none. */
struct prof_slice slice_take_word(struct prof_slice *s);

/* Removes and returns the last word of *s, which must not end in a blank.  *s
 * is then trimmed. */
struct prof_slice slice_take_last_word(struct prof_slice *s);

/*
 * Remove leading hexadecimal digits and set *value to their number.  False if
 * there are none, or the number exceeds 64 bits.  slice_take_0xhex() also
 * removes "0x" before them, if it is there.
 */
bool slice_take_hex(struct prof_slice *s, uint64_t *value);
bool slice_take_0xhex(struct prof_slice *s, uint64_t *value);

/*
 * Set *value to the number that s is.  False if s is empty or has other
 * characters than digits, or the number is too large:
 *
 *      slice_to_hex()  hexadecimal digits, 64 bits
 *      slice_to_int()  decimal digits, no sign, 63 bits
 */
bool slice_to_hex(struct prof_slice s, uint64_t *value);
bool slice_to_int(struct prof_slice s, int64_t *value);

/*
 * Removes leading blanks, an optional minus and decimal digits, and sets *value
 * to their number.  False if there are no digits, or the number does not fit.
 */
bool slice_take_int(struct prof_slice *s, int64_t *value);

/* Whether s consists of one or more decimal (hexadecimal) digits. */
bool slice_is_decimal(struct prof_slice s);
bool slice_is_hex(struct prof_slice s);

/*
 * Sets *i to the index of the word of `words` that s is.  `words` is such as
 * "auto|never" or "[auto|never]".  If s is none of them, *err lists them
 * (PROF_ERR_USAGE).
 */
bool slice_find_word(struct prof_slice s, const char *words, size_t *i,
                     struct prof_err *err);

#endif
