#include "report/graph/package.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

static const struct text_slice none = {"", 0};

static struct text_slice slice(const char *s, size_t n)
{
    return (struct text_slice){s, n};
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Of an identifier; letters beyond ASCII are letters. */
static bool is_word(char c)
{
    return is_upper(c) || (c >= 'a' && c <= 'z') || is_digit(c) || c == '_' ||
           c == '$' || (unsigned char)c >= 0x80;
}

static bool is_one_of(struct text_slice x, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == x.n && !memcmp(*words, x.s, x.n))
            return true;
    return false;
}

/* _ZN4core3fmt5writeE, _ZNSt6vector...: the first of its names. */
static struct text_slice of_mangled(struct text_slice name)
{
    static const char qualifiers[] = "rVKRO"; /* of member functions */
    size_t i = 2, len = 0;
    bool nested = i < name.n && name.s[i] == 'N';
    i += nested;
    while (nested && i < name.n && ascii_is_one_of(name.s[i], qualifiers))
        i++;
    if (name.n - i >= 2 && name.s[i] == 'S' && name.s[i + 1] == 't')
        return slice("std", 3);
    while (nested && i < name.n && is_digit(name.s[i]) && len < name.n)
        len = len * 10 + (size_t)(name.s[i++] - '0');
    return len && len <= name.n - i ? slice(name.s + i, len) : none;
}

/* The first name that has "::" behind it. */
static struct text_slice of_scoped(struct text_slice name)
{
    for (size_t i = 1; i + 1 < name.n; i++) {
        if (name.s[i] != ':' || name.s[i + 1] != ':')
            continue;
        size_t begin = i;
        while (begin && is_word(name.s[begin - 1]))
            begin--;
        if (begin < i)
            return slice(name.s + begin, i - begin);
    }
    return none;
}

/* What GCC and LLVM append to copies of a function, and what libraries end in.
 */
static bool is_clone(struct text_slice part)
{
    static const char *const words[] = {"constprop",  "isra",     "part",
                                        "cold",       "lto_priv", "llvm",
                                        "localalias", "so",       NULL};
    return !part.n || is_digit(*part.s) || is_one_of(part, words);
}

/* The part that begins at `at`, up to a dot or the end. */
static struct text_slice part_at(struct text_slice name, size_t at)
{
    size_t end = at;
    while (end < name.n && name.s[end] != '.')
        end++;
    return slice(name.s + at, end - at);
}

static struct text_slice of_dotted(struct text_slice name)
{
    size_t stop = 0, last = 0; /* where the last element begins */
    while (stop < name.n && !ascii_is_one_of(name.s[stop], "([<{ \"")) {
        if (name.s[stop] == '/')
            last = stop + 1;
        stop++;
    }
    if (last > 1 && last < stop && is_upper(name.s[last]))
        return slice(name.s, last - 1);
    struct text_slice first = part_at(name, last);
    size_t end = last + first.n, at = end + 1;
    if (!first.n || end >= stop || is_clone(part_at(name, at)))
        return none;
    for (; at < stop; at += part_at(name, at).n + 1) {
        if (is_upper(name.s[at]))
            return slice(name.s, at - 1);
    }
    /* Without a capital letter, nothing tells packages from functions. */
    return slice(name.s, end);
}

/* Files whose functions have packages with dots; none is known as well. */
static bool may_be_dotted(struct text_slice file)
{
    static const char *const kinds[] = {"go",    "s",   "java",   "kt",
                                        "scala", "clj", "groovy", "cs",
                                        "fs",    "vb",  NULL};
    size_t i = file.n;
    while (i && file.s[i - 1] != '.' && file.s[i - 1] != '/')
        i--;
    bool has_kind = i && file.s[i - 1] == '.';
    return !has_kind || is_one_of(slice(file.s + i, file.n - i), kinds);
}

struct text_slice package_of(struct text_slice name, struct text_slice file)
{
    if (name.n > 2 && !memcmp(name.s, "_Z", 2))
        return of_mangled(name);
    struct text_slice scoped = of_scoped(name);
    if (scoped.n)
        return scoped;
    return may_be_dotted(file) ? of_dotted(name) : none;
}
