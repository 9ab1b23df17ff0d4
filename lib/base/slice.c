/* slice.c - splits text without copying it */
#include "base/slice.h"

#include <stdio.h>

#include <string.h>

#include "base/bytes.h"
#include "base/utf8.h"

enum { LOOK_BYTES = 512 }; /* bytes that slice_begins_as_text() reads */

bool slice_is_word_char(char c)
{
    return ascii_is_alnum(c) || c == '_';
}

bool slice_is_text(struct prof_slice s)
{
    for (size_t i = 0; i < s.n; i++) {
        uint8_t c = (uint8_t)s.s[i];
        if (c == 0x7f || (c < ' ' && !ascii_is_blank(s.s[i])))
            return false;
    }
    return s.n > 0;
}

bool slice_begins_as_text(struct prof_slice s)
{
    return slice_is_text(slice_to(s, s.n < LOOK_BYTES ? s.n : LOOK_BYTES));
}

struct prof_slice slice_trim_left(struct prof_slice s)
{
    while (s.n && ascii_is_blank(s.s[0]))
        s = slice_from(s, 1);
    return s;
}

struct prof_slice slice_trim_right(struct prof_slice s)
{
    while (s.n && ascii_is_blank(s.s[s.n - 1]))
        s.n--;
    return s;
}

struct prof_slice slice_trim(struct prof_slice s)
{
    return slice_trim_right(slice_trim_left(s));
}

bool slice_begins_with(struct prof_slice s, const char *begin)
{
    size_t n = strlen(begin);
    return s.n >= n && memcmp(s.s, begin, n) == 0;
}

bool slice_contains(struct prof_slice s, const char *what)
{
    return bytes_find(s.s, s.n, what, strlen(what));
}

bool slice_ends_with(struct prof_slice s, const char *end)
{
    size_t n = strlen(end);
    return s.n >= n && memcmp(s.s + s.n - n, end, n) == 0;
}

bool slice_take_char(struct prof_slice *s, char c)
{
    if (!s->n || s->s[0] != c)
        return false;
    *s = slice_from(*s, 1);
    return true;
}

bool slice_take_prefix(struct prof_slice *s, const char *prefix)
{
    if (!slice_begins_with(*s, prefix))
        return false;
    *s = slice_from(*s, strlen(prefix));
    return true;
}

struct prof_slice slice_take_until(struct prof_slice *s, char c)
{
    const char *end = s->n ? memchr(s->s, c, s->n) : NULL;
    struct prof_slice before = slice_to(*s, end ? (size_t)(end - s->s) : s->n);
    *s = slice_from(*s, before.n + (end != NULL));
    return before;
}

bool slice_split_last(struct prof_slice *s, char c, struct prof_slice *after)
{
    const char *at = bytes_find_last(s->s, s->n, c);
    if (!at)
        return false;
    *after = slice_from(*s, (size_t)(at - s->s) + 1);
    *s = slice_to(*s, (size_t)(at - s->s));
    return true;
}

struct prof_slice slice_take_word(struct prof_slice *s)
{
    *s = slice_trim_left(*s);
    size_t k = 0;
    while (k < s->n && !ascii_is_blank(s->s[k]))
        k++;
    struct prof_slice word = slice_to(*s, k);
    *s = slice_from(*s, k);
    return word;
}

struct prof_slice slice_take_last_word(struct prof_slice *s)
{
    size_t k = s->n;
    while (k && !ascii_is_blank(s->s[k - 1]))
        k--;
    struct prof_slice word = slice_from(*s, k);
    *s = slice_trim(slice_to(*s, k));
    return word;
}

bool slice_take_hex(struct prof_slice *s, uint64_t *value)
{
    uint64_t v = 0;
    size_t k = 0;
    for (int d; k < s->n && (d = ascii_hex_value(s->s[k])) >= 0; k++) {
        if (v >> 60)
            return false;
        v = v << 4 | (uint64_t)d;
    }
    *s = slice_from(*s, k);
    *value = v;
    return k > 0;
}

bool slice_take_0xhex(struct prof_slice *s, uint64_t *value)
{
    if (s->n > 2 && s->s[0] == '0' && (s->s[1] | 0x20) == 'x')
        *s = slice_from(*s, 2);
    return slice_take_hex(s, value);
}

bool slice_take_int(struct prof_slice *s, int64_t *value)
{
    struct prof_slice t = slice_trim_left(*s);
    bool minus = t.n && t.s[0] == '-';
    int64_t v = 0;
    size_t k = minus;
    for (; k < t.n && ascii_is_digit(t.s[k]); k++) {
        int digit = t.s[k] - '0';
        if (__builtin_mul_overflow(v, 10, &v) ||
            __builtin_add_overflow(v, minus ? -digit : digit, &v))
            return false;
    }
    *s = slice_from(t, k);
    *value = v;
    return k > minus;
}

bool slice_is_decimal(struct prof_slice s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!ascii_is_digit(s.s[i]))
            return false;
    return s.n > 0;
}

bool slice_is_hex(struct prof_slice s)
{
    for (size_t i = 0; i < s.n; i++)
        if (ascii_hex_value(s.s[i]) < 0)
            return false;
    return s.n > 0;
}

bool slice_to_hex(struct prof_slice s, uint64_t *value)
{
    return slice_take_hex(&s, value) && !s.n;
}

bool slice_to_int(struct prof_slice s, int64_t *value)
{
    return slice_is_decimal(s) && slice_take_int(&s, value);
}

/* Returns the i-th word of `words`, separated by '|', or an empty slice. */
static struct prof_slice word_at(const char *words, size_t i)
{
    const char *s = words + (*words == '[');
    for (; i && *s; i--) {
        s += strcspn(s, "|]");
        s += *s == '|';
    }
    return (struct prof_slice){s, strcspn(s, "|]")};
}

bool slice_find_word(struct prof_slice s, const char *words, size_t *i,
                     struct prof_err *err)
{
    size_t at = 0;
    struct prof_slice w;
    for (*i = 0; (w = word_at(words, *i)).n; ++*i)
        if (slice_same(w, s))
            return true;
    char list[256] = "";
    for (size_t k = 0; k < *i && at < sizeof list; k++) {
        const char *after = k + 1 == *i ? "" : k + 2 == *i ? " or " : ", ";
        w = word_at(words, k);
        at += (size_t)snprintf(list + at, sizeof list - at, "%.*s%s", (int)w.n,
                               w.s, after);
    }
    return err_value(err, "expected %s", list);
}
