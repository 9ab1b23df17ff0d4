/*
 * slice.h - bytes with a length, inside a text that somebody else owns
 *
 * No NUL ends them, and a NUL may be among them.
 */
#ifndef PROFUTILS_BASE_SLICE_H
#define PROFUTILS_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct slice {
    const char *s;
    size_t n;
};

/* What follows the first k bytes, and those. */
static inline struct slice slice_from(struct slice s, size_t k)
{
    return (struct slice){s.s + k, s.n - k};
}

static inline struct slice slice_to(struct slice s, size_t k)
{
    return (struct slice){s.s, k};
}

static inline bool slice_same(struct slice a, struct slice b)
{
    return a.n == b.n && memcmp(a.s, b.s, a.n) == 0;
}

/* Whether s is this C string, from end to end. */
static inline bool slice_is(struct slice s, const char *what)
{
    return slice_same(s, (struct slice){what, strlen(what)});
}

#endif
