/* funcname.c - the short form of a function's name, and its package */
#include <string.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "report/graph/nodes.h"

/* --- short names --- */

/* A piece of text; v is null if there is none. */
struct span {
    const char *v, *end;
};

static const struct span no_span = {0};

static const char *skip_word(const char *v, const char *end)
{
    while (v < end && slice_is_word_char(*v))
        v++;
    return v;
}

static bool begins(const char *v, const char *end, const char *with)
{
    size_t n = strlen(with);
    return (size_t)(end - v) >= n && !memcmp(v, with, n);
}

/*
 * Returns the first version that is an element of a path, as "/v2" in "a/v2/b"
 * and in "a/v2.f".  Versions 0 and 1 do not count.
 */
static struct span find_version(const char *v, const char *end)
{
    for (; v < end; v++) {
        if (!begins(v, end, "/v"))
            continue;
        const char *digits = v + 2, *at = digits;
        while (at < end && ascii_is_digit(*at))
            at++;
        bool counts = at - digits == 1 ? *digits >= '2'
                                       : at - digits > 1 && *digits != '0';
        if (counts && at < end && (*at == '.' || *at == '/'))
            return (struct span){v, at};
    }
    return no_span;
}

/*
 * Finds the package and name of a Go function: the path ends before a package,
 * a dot and a name.  Searches for the first dot of each part only once, so that
 * time is linear.
 */
static struct span find_go(const char *v, const char *end)
{
    const char *part = v, *dot = v, *name = NULL;
    struct span found = no_span;
    for (const char *at = v; at < end; at++) {
        if (*at == '/' && at > part) {
            part = at + 1;
            if (dot && dot < part)
                dot = memchr(part, '.', (size_t)(end - part));
            if (dot && dot != part && dot + 1 != end && dot[1] != '\n') {
                found = (struct span){part, end};
                name = dot + 1;
            }
        } else if (!slice_is_word_char(*at) && *at != '-' && *at != '.') {
            break;
        }
    }
    const char *line = name ? memchr(name, '\n', (size_t)(end - name)) : NULL;
    found.end = line ? line : found.end;
    return found;
}

static const char *skip_java_word(const char *v, const char *end)
{
    while (v < end && (slice_is_word_char(*v) || *v == '$'))
        v++;
    return v;
}

static struct span find_java(const char *v, const char *end)
{
    const char *at = v;
    while (v < end && ascii_is_lower(*v)) {
        at = skip_word(v, end);
        if (at == end || *at != '.')
            return no_span;
        v = at + 1;
    }
    if (v == end || !ascii_is_upper(*v))
        return no_span;
    at = skip_java_word(v, end);
    if (at == end || *at++ != '.')
        return no_span;
    if (begins(at, end, "<init>"))
        at += strlen("<init>");
    else if (at < end && ascii_is_lower(*at))
        at = skip_java_word(at, end);
    else
        return no_span;
    return at == end || *at == '(' ? (struct span){v, at} : no_span;
}

/* Skips an identifier and "::".  Returns null if there is none. */
static const char *skip_scope(const char *v, const char *end)
{
    if (v == end || !slice_is_word_char(*v) || ascii_is_digit(*v))
        return NULL;
    v = skip_word(v, end);
    return begins(v, end, "::") ? v + 2 : NULL;
}

/* Finds a class, whose name begins with a capital letter, and its method. */
static struct span cxx_method(const char *v, const char *end)
{
    const char *at = v;
    while (at < end && *at == '_')
        at++;
    if (at == end || !ascii_is_upper(*at) || !(at = skip_scope(v, end)))
        return no_span;
    if (at < end && *at == '~')
        at++;
    if (at == end || !slice_is_word_char(*at) || ascii_is_digit(*at))
        return no_span;
    at = skip_word(at, end);
    if (at < end && *at == '<') {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        const char *close =
            bytes_find_last(at, (size_t)((line ? line : end) - at), '>');
        at = close ? close + 1 : at;
    }
    return (struct span){v, at};
}

static struct span find_cxx(const char *v, const char *end)
{
    struct span found = no_span;
    while ((v = skip_scope(v, end))) {
        struct span method = cxx_method(v, end);
        found = method.v ? method : found;
    }
    return found;
}

bool name_put_short(struct buf *to, const char *name, size_t n)
{
    static const char anonymous[] = "(anonymous namespace)::";
    const char *end = name + n;
    struct buf plain = {0};
    if (begins(name, end, anonymous))
        name += strlen(anonymous);
    struct span version = no_span;
    if (!memchr(name, '\n', (size_t)(end - name)))
        version = find_version(name, end);
    if (version.v) {
        if (!buf_put(&plain, name, (size_t)(version.v - name)) ||
            !buf_put(&plain, version.end, (size_t)(end - version.end))) {
            buf_free(&plain);
            return false;
        }
        name = (const char *)plain.v;
        end = name + plain.n;
    }
    struct span s = find_go(name, end);
    s = s.v ? s : find_java(name, end);
    s = s.v ? s : find_cxx(name, end);
    s = s.v ? s : (struct span){name, end};
    bool ok = buf_put(to, s.v, (size_t)(s.end - s.v));
    buf_free(&plain);
    return ok;
}

/* --- packages --- */

static const struct prof_slice no_text = {"", 0};

static struct prof_slice slice_at(const char *s, size_t n)
{
    return (struct prof_slice){s, n};
}

static bool is_one_of(struct prof_slice x, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == x.n && !memcmp(*words, x.s, x.n))
            return true;
    return false;
}

/*
 * Returns the first name in a mangled one: "core" in _ZN4core3fmt5writeE, "std"
 * in _ZNSt6vector...
 */
static struct prof_slice of_mangled(struct prof_slice name)
{
    static const char qualifiers[] = "rVKRO"; /* of member functions */
    size_t i = 2, len = 0;
    bool nested = i < name.n && name.s[i] == 'N';
    i += nested;
    while (nested && i < name.n && ascii_is_one_of(name.s[i], qualifiers))
        i++;
    if (name.n - i >= 2 && name.s[i] == 'S' && name.s[i + 1] == 't')
        return slice_at("std", 3);
    while (nested && i < name.n && ascii_is_digit(name.s[i]) && len < name.n)
        len = len * 10 + (size_t)(name.s[i++] - '0');
    return len && len <= name.n - i ? slice_at(name.s + i, len) : no_text;
}

/* Returns the first name that "::" follows. */
static struct prof_slice of_scoped(struct prof_slice name)
{
    for (size_t i = 1; i + 1 < name.n; i++) {
        if (name.s[i] != ':' || name.s[i + 1] != ':')
            continue;
        /* Any byte above ASCII counts as a letter. */
        size_t begin = i;
        while (begin && (slice_is_word_char(name.s[begin - 1]) ||
                         name.s[begin - 1] == '$' ||
                         (unsigned char)name.s[begin - 1] >= 0x80))
            begin--;
        if (begin < i)
            return slice_at(name.s + begin, i - begin);
    }
    return no_text;
}

/*
 * Whether `part` is a suffix that GCC or LLVM append to copies of a function,
 * or one of a library's file name.
 */
static bool is_clone(struct prof_slice part)
{
    static const char *const words[] = {"constprop",  "isra",     "part",
                                        "cold",       "lto_priv", "llvm",
                                        "localalias", "so",       NULL};
    return !part.n || ascii_is_digit(*part.s) || is_one_of(part, words);
}

/* Returns the text from `at` to the next dot or the end. */
static struct prof_slice part_at(struct prof_slice name, size_t at)
{
    size_t end = at;
    while (end < name.n && name.s[end] != '.')
        end++;
    return slice_at(name.s + at, end - at);
}

static bool ends_package(char c)
{
    return c == '(' || c == '[' || c == '<' || c == '{' || c == ' ' || c == '"';
}

static struct prof_slice of_dotted(struct prof_slice name)
{
    size_t stop = 0, last = 0; /* where the last element begins */
    for (; stop < name.n && !ends_package(name.s[stop]); stop++)
        last = name.s[stop] == '/' ? stop + 1 : last;
    if (last > 1 && last < stop && ascii_is_upper(name.s[last]))
        return slice_at(name.s, last - 1);
    struct prof_slice first = part_at(name, last);
    size_t end = last + first.n, at = end + 1;
    if (!first.n || end >= stop || is_clone(part_at(name, at)))
        return no_text;
    for (; at < stop; at += part_at(name, at).n + 1) {
        if (ascii_is_upper(name.s[at]))
            return slice_at(name.s, at - 1);
    }
    /* Without a capital letter, packages and functions look the same. */
    return slice_at(name.s, end);
}

/*
 * Whether functions of the file may have packages with dots, as in Go or Java.
 * True if the file's name is empty or has no suffix.
 */
static bool may_be_dotted(struct prof_slice file)
{
    static const char *const kinds[] = {"go",    "s",   "java",   "kt",
                                        "scala", "clj", "groovy", "cs",
                                        "fs",    "vb",  NULL};
    size_t i = file.n;
    while (i && file.s[i - 1] != '.' && file.s[i - 1] != '/')
        i--;
    bool has_kind = i && file.s[i - 1] == '.';
    return !has_kind || is_one_of(slice_at(file.s + i, file.n - i), kinds);
}

struct prof_slice package_of(struct prof_slice name, struct prof_slice file)
{
    if (name.n > 2 && !memcmp(name.s, "_Z", 2))
        return of_mangled(name);
    struct prof_slice scoped = of_scoped(name);
    if (scoped.n)
        return scoped;
    return may_be_dotted(file) ? of_dotted(name) : no_text;
}
