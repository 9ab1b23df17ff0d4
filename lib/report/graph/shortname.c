#include "report/graph/shortname.h"

#include <string.h>

#include "base/utf8.h"

/* A piece of text; v null: there is none. */
struct span {
    const char *v, *end;
};

static const struct span none = {0};

static bool is_word(char c)
{
    return ascii_is_alnum(c) || c == '_';
}

static const char *skip_word(const char *v, const char *end)
{
    while (v < end && is_word(*v))
        v++;
    return v;
}

static bool begins(const char *v, const char *end, const char *with)
{
    size_t n = strlen(with);
    return (size_t)(end - v) >= n && !memcmp(v, with, n);
}

/*
 * Where a version that is part of a path begins, as "/v2" in "a/v2/b" and in
 * "a/v2.f", and where it ends.  There is no version 0 or 1.
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
    return none;
}

/*
 * What comes behind the path is a package, a dot and a name.  The first dot
 * behind a part is looked for once, however many parts there are before it.
 */
static struct span find_go(const char *v, const char *end)
{
    const char *part = v, *dot = v, *name = NULL;
    struct span found = none;
    for (const char *at = v; at < end; at++) {
        if (*at == '/' && at > part) {
            part = at + 1;
            if (dot && dot < part)
                dot = memchr(part, '.', (size_t)(end - part));
            if (dot && dot != part && dot + 1 != end && dot[1] != '\n') {
                found = (struct span){part, end};
                name = dot + 1;
            }
        } else if (!is_word(*at) && *at != '-' && *at != '.') {
            break;
        }
    }
    const char *line = name ? memchr(name, '\n', (size_t)(end - name)) : NULL;
    found.end = line ? line : found.end;
    return found;
}

static const char *skip_java_word(const char *v, const char *end)
{
    while (v < end && (is_word(*v) || *v == '$'))
        v++;
    return v;
}

static struct span find_java(const char *v, const char *end)
{
    const char *at = v;
    while (v < end && ascii_is_lower(*v)) {
        at = skip_word(v, end);
        if (at == end || *at != '.')
            return none;
        v = at + 1;
    }
    if (v == end || !ascii_is_upper(*v))
        return none;
    at = skip_java_word(v, end);
    if (at == end || *at++ != '.')
        return none;
    if (begins(at, end, "<init>"))
        at += strlen("<init>");
    else if (at < end && ascii_is_lower(*at))
        at = skip_java_word(at, end);
    else
        return none;
    return at == end || *at == '(' ? (struct span){v, at} : none;
}

/* An identifier and the "::" behind it: where they end; or null. */
static const char *skip_scope(const char *v, const char *end)
{
    if (v == end || !is_word(*v) || ascii_is_digit(*v))
        return NULL;
    v = skip_word(v, end);
    return begins(v, end, "::") ? v + 2 : NULL;
}

/* A class, which has a capital letter, and its method. */
static struct span cxx_method(const char *v, const char *end)
{
    const char *at = v;
    while (at < end && *at == '_')
        at++;
    if (at == end || !ascii_is_upper(*at) || !(at = skip_scope(v, end)))
        return none;
    if (at < end && *at == '~')
        at++;
    if (at == end || !is_word(*at) || ascii_is_digit(*at))
        return none;
    at = skip_word(at, end);
    if (at < end && *at == '<') {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        const char *close =
            memrchr(at, '>', (size_t)((line ? line : end) - at));
        at = close ? close + 1 : at;
    }
    return (struct span){v, at};
}

static struct span find_cxx(const char *v, const char *end)
{
    struct span found = none;
    while ((v = skip_scope(v, end))) {
        struct span method = cxx_method(v, end);
        found = method.v ? method : found;
    }
    return found;
}

bool shortname_put(struct buf *to, const char *name, size_t n)
{
    static const char anonymous[] = "(anonymous namespace)::";
    const char *end = name + n;
    struct buf plain = {0};
    if (begins(name, end, anonymous))
        name += strlen(anonymous);
    struct span version = none;
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
