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

/* Without its first k bytes, and only those. */
static inline struct prof_slice slice_from(struct prof_slice s, size_t k)
{
    return (struct prof_slice){s.s + k, s.n - k};
}

static inline struct prof_slice slice_to(struct prof_slice s, size_t k)
{
    return (struct prof_slice){s.s, k};
}

/* Equality; with a C string in the second. */
static inline bool slice_same(struct prof_slice a, struct prof_slice b)
{
    return a.n == b.n && memcmp(a.s, b.s, a.n) == 0;
}

/* The order of their bytes, as memcmp(); of two, one of which begins with the
 * other, the shorter one is first. */
static inline int slice_compare(struct prof_slice a, struct prof_slice b)
{
    const int c = memcmp(a.s, b.s, a.n < b.n ? a.n : b.n);
    return c ? c : (a.n > b.n) - (a.n < b.n);
}

static inline bool slice_is(struct prof_slice s, const char *what)
{
    return slice_same(s, (struct prof_slice){what, strlen(what)});
}

/* A letter, digit or _. */
bool slice_is_word_char(char c);

/* Whether none of it is a control character but blanks; not if it is empty. */
bool slice_is_text(struct prof_slice s);

/* The same of its first 512 bytes. */
bool slice_begins_as_text(struct prof_slice s);

/* Return s without blanks at its beginning, at its end, or at both. */
struct prof_slice slice_trim_left(struct prof_slice s);
struct prof_slice slice_trim_right(struct prof_slice s);
struct prof_slice slice_trim(struct prof_slice s);

bool slice_begins_with(struct prof_slice s, const char *begin);
bool slice_contains(struct prof_slice s, const char *what);
bool slice_ends_with(struct prof_slice s, const char *end);

/* Removes what s begins with; false, and nothing is removed, if it does not. */
bool slice_take_char(struct prof_slice *s, char c);
bool slice_take_prefix(struct prof_slice *s, const char *prefix);

/* The first line, without its newline, which is removed too. */
struct prof_slice slice_take_line(struct prof_slice *s);

/* The first word, between blanks; *s then begins right after it. */
struct prof_slice slice_take_word(struct prof_slice *s);

/* The last word; *s, which must be trimmed, is then what precedes it. */
struct prof_slice slice_take_last_word(struct prof_slice *s);

/*
 * Leading hexadecimal digits as a number; false when there are none or the
 * number has more than 64 bits.  The second accepts "0x" before them.
 */
bool slice_take_hex(struct prof_slice *s, uint64_t *value);
bool slice_take_0xhex(struct prof_slice *s, uint64_t *value);

/*
 * The whole of s as a number of hexadecimal (decimal) digits; false if it has
 * other characters or none, or the number has more than 64 (63) bits.
 */
bool slice_to_hex(struct prof_slice s, uint64_t *value);
bool slice_to_int(struct prof_slice s, int64_t *value);

/*
 * Leading blanks, an optional minus and decimal digits, as a number; false
 * when there are no digits or the number has more than 64 bits.
 */
bool slice_take_int(struct prof_slice *s, int64_t *value);

/* Whether s is one or more digits (hexadecimal digits) and nothing else. */
bool slice_is_decimal(struct prof_slice s);
bool slice_is_hex(struct prof_slice s);

/*
 * Which of the words s is: "auto|never", or "[auto|never]".  PROF_ERR_USAGE
 * lists them.
 */
bool slice_find_word(struct prof_slice s, const char *words, size_t *i,
                     struct prof_err *err);

#endif
