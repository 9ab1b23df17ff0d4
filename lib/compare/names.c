/* names.c - makes names of functions equal across builds of a program */
#include <string.h>

#include "compare/private.h"

/*
 * A rule removes the characters of `set` that follow `after`, and `after` too
 * if `whole`.  If `until` is not 0, it has to follow them.
 */
static const struct {
    const char *after, *set;
    bool whole;
    char until;
} rules[] = {
    /* g++: {lambda(int)#2}, {unnamed type#1} */
    {"#", "0123456789", true, '}'},
    /* clang++: $_0 */
    {"$_", "0123456789", false, 0},
    /* Java: Lambda$733, GeneratedMethodAccessor12, $Proxy7, Lambda/0x0000 */
    {"Lambda$", "0123456789", false, 0},
    {"Accessor", "0123456789", false, 0},
    {"$Proxy", "0123456789", false, 0},
    {"/0x", "0123456789abcdef", true, 0},
    /* Go: example.com/mod@v1.2.3/file.go */
    {"@v", "0123456789.-+abcdefghijklmnopqrstuvwxyz", true, '/'},
};

/* Whether the text begins with `with`; its first byte nearly always decides. */
static bool begins(const char *at, const char *end, const char *with)
{
    if (at == end || *at != *with)
        return false;
    size_t n = strlen(with);
    return (size_t)(end - at) >= n && memcmp(at, with, n) == 0;
}

/* Returns how many bytes to remove at `at`, after the first *kept. */
static size_t removed_at(const char *at, const char *end, size_t *kept)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (!begins(at, end, rules[i].after))
            continue;
        const size_t n = strlen(rules[i].after);
        const char *to = at + n;
        while (to < end && *to && strchr(rules[i].set, *to))
            to++;
        if (to == at + n ||
            (rules[i].until && (to == end || *to != rules[i].until)))
            continue;
        *kept = rules[i].whole ? 0 : n;
        return (size_t)(to - at) - *kept;
    }
    return 0;
}

/* Length of type arguments such as "[go.shape.int]", or 0. */
static size_t shapes_at(const char *at, const char *end)
{
    size_t depth = 0;
    if (!begins(at, end, "[go.shape."))
        return 0;
    for (const char *to = at; to < end; to++) {
        depth += *to == '[';
        depth -= *to == ']';
        if (!depth)
            return (size_t)(to - at) + 1;
    }
    return 0;
}

/* Length of a name without a suffix that only tells copies of it apart. */
static size_t base_length(struct prof_slice name)
{
    /* Rust: "::h" and a hash of 16 digits */
    enum { HASH = 19 };
    size_t n = name.n;
    const char *clone = n ? memchr(name.s, '[', n) : NULL;
    while (clone && !begins(clone, name.s + n, "[clone "))
        clone = memchr(clone + 1, '[', (size_t)(name.s + n - clone - 1));
    if (clone)
        n = (size_t)(clone - name.s);
    while (clone && n && name.s[n - 1] == ' ')
        n--;
    if (n > HASH && begins(name.s + n - HASH, name.s + n, "::h") &&
        strspn(name.s + n - HASH + 3, "0123456789abcdef") >= HASH - 3)
        n -= HASH;
    return prof_base_length((struct prof_slice){name.s, n});
}

bool names_match(struct buf *to, struct prof_slice name)
{
    const char *at = name.s, *end = name.s + base_length(name);
    bool ok = true;
    while (ok && at < end) {
        size_t kept = 0, removed = shapes_at(at, end);
        if (removed)
            ok = buf_puts(to, "[...]");
        else if (!(removed = removed_at(at, end, &kept)))
            kept = 1;
        ok = ok && buf_put(to, at, kept);
        at += kept + removed;
    }
    return ok;
}
