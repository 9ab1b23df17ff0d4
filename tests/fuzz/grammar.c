#include "grammar.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

bool is_plain_text(const char *s, size_t n)
{
    for (size_t i = 0, k; i < n; i += k) {
        uint32_t c;
        k = utf8_char((const uint8_t *)s + i, n - i, &c);
        if (!k || (c < 0x20 && c != '\n' && c != '\t'))
            return false;
    }
    return true;
}

/* --- JSON */

enum { DEEPEST = 64 };

struct json {
    const char *at, *end;
    int depth;
};

static bool next_is(struct json *j, char c)
{
    if (j->at == j->end || *j->at != c)
        return false;
    j->at++;
    return true;
}

static void skip_space(struct json *j)
{
    while (j->at < j->end && strchr(" \t\r\n", *j->at) && *j->at)
        j->at++;
}

static size_t digits(struct json *j)
{
    const char *from = j->at;
    while (j->at < j->end && *j->at >= '0' && *j->at <= '9')
        j->at++;
    return (size_t)(j->at - from);
}

static bool number(struct json *j)
{
    (void)next_is(j, '-');
    bool zero = j->at < j->end && *j->at == '0';
    size_t n = digits(j);
    if (!n || (zero && n > 1) || (next_is(j, '.') && !digits(j)))
        return false;
    if (next_is(j, 'e') || next_is(j, 'E')) {
        if (!next_is(j, '+'))
            (void)next_is(j, '-');
        return digits(j) > 0;
    }
    return true;
}

static bool escape(struct json *j)
{
    if (j->at == j->end)
        return false;
    char c = *j->at++;
    if (c != 'u')
        return c && strchr("\"\\/bfnrt", c);
    for (int i = 0; i < 4; i++, j->at++)
        if (j->at == j->end || !*j->at ||
            !strchr("0123456789abcdefABCDEF", *j->at))
            return false;
    return true;
}

static bool string(struct json *j)
{
    if (!next_is(j, '"'))
        return false;
    while (j->at < j->end && *j->at != '"') {
        uint32_t c;
        size_t k =
            utf8_char((const uint8_t *)j->at, (size_t)(j->end - j->at), &c);
        if (!k || c < 0x20)
            return false;
        j->at += k;
        if (c == '\\' && !escape(j))
            return false;
    }
    return next_is(j, '"');
}

static bool word(struct json *j, const char *w)
{
    size_t n = strlen(w);
    if ((size_t)(j->end - j->at) < n || memcmp(j->at, w, n) != 0)
        return false;
    j->at += n;
    return true;
}

static bool value(struct json *j);

/* What stands between brackets or braces. */
static bool elements(struct json *j, char close)
{
    skip_space(j);
    if (next_is(j, close))
        return true;
    do {
        skip_space(j);
        if (close == '}') {
            if (!string(j))
                return false;
            skip_space(j);
            if (!next_is(j, ':'))
                return false;
        }
        if (!value(j))
            return false;
        skip_space(j);
    } while (next_is(j, ','));
    return next_is(j, close);
}

static bool value(struct json *j)
{
    bool ok;
    skip_space(j);
    if (j->at == j->end || j->depth == DEEPEST)
        return false;
    j->depth++;
    switch (*j->at) {
    case '{':
    case '[':
        j->at++;
        ok = elements(j, j->at[-1] == '{' ? '}' : ']');
        break;
    case '"':
        ok = string(j);
        break;
    default:
        ok =
            word(j, "true") || word(j, "false") || word(j, "null") || number(j);
    }
    j->depth--;
    return ok;
}

bool is_json(const char *s, size_t n)
{
    struct json j = {s, s + n, 0};
    bool ok = value(&j);
    skip_space(&j);
    return ok && j.at == j.end;
}

/* --- tables */

/* The end of a field that begins at s[i]; n where it is broken. */
static size_t csv_field(const char *s, size_t n, size_t i)
{
    if (s[i] != '"') {
        while (i < n && s[i] != ',' && s[i] != '\n' && s[i] != '"')
            i++;
        return i < n && s[i] != '"' ? i : n;
    }
    for (i++; i + 1 < n; i++)
        if (s[i] == '"') {
            if (s[i + 1] != '"')
                return s[i + 1] == ',' || s[i + 1] == '\n' ? i + 1 : n;
            i++;
        }
    return n;
}

static size_t tsv_field(const char *s, size_t n, size_t i)
{
    while (i < n && s[i] != '\t' && s[i] != '\n')
        i++;
    return i;
}

static size_t records(const char *s, size_t n,
                      size_t (*field)(const char *, size_t, size_t))
{
    size_t count = 0, fields = 0, width = 0;
    for (size_t i = 0; i < n; i++) {
        i = field(s, n, i);
        if (i >= n)
            return 0;
        fields++;
        if (s[i] != '\n')
            continue;
        if (count++ && fields != width)
            return 0;
        width = fields;
        fields = 0;
    }
    return fields ? 0 : count;
}

size_t csv_records(const char *s, size_t n)
{
    return records(s, n, csv_field);
}

size_t tsv_records(const char *s, size_t n)
{
    return records(s, n, tsv_field);
}
