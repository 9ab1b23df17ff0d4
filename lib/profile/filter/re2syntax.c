#include "profile/filter/re2syntax.h"

#include <string.h>

#include "base/utf8.h"
#include "profile/filter/re2parser.h"

enum { MAX_REPEAT = 1000 };

bool re2_fail(struct re2_parser *p, size_t at, const char *what)
{
    p->what = what;
    p->fault = at;
    return false;
}

/* The number at *at, or -1 when there is none or it begins with a 0. */
static int take_count(const struct re2_parser *p, size_t *at)
{
    size_t start = *at;
    int v = 0;
    while (ascii_is_digit(p->s[*at])) {
        v = v > MAX_REPEAT ? v : v * 10 + (p->s[*at] - '0');
        ++*at;
    }
    if (*at == start || (p->s[start] == '0' && *at > start + 1))
        return -1;
    return v;
}

/*
 * {n}, {n,} or {n,m} at p->at: the offset behind it, and the counts (max -1
 * for none).  0 when it is not of that form: then the { is itself.
 */
static size_t counted(const struct re2_parser *p, int *min, int *max)
{
    size_t at = p->at + 1;
    if (re2_peek(p, 0) != '{' || (*min = take_count(p, &at)) < 0)
        return 0;
    *max = *min;
    if (p->s[at] == ',') {
        at++;
        *max = -1;
        if (p->s[at] != '}' && (*max = take_count(p, &at)) < 0)
            return 0;
    }
    return p->s[at] == '}' ? at + 1 : 0;
}

static bool is_repetition(const struct re2_parser *p)
{
    int min, max;
    char c = re2_peek(p, 0);
    return c == '*' || c == '+' || c == '?' || counted(p, &min, &max);
}

/* An assertion; in a group when it is repeated, as PCRE2 asks. */
static bool put_assertion(struct re2_parser *p, const char *text)
{
    p->last = RE2_ITEM;
    if (!is_repetition(p))
        return buf_puts(p->out, text);
    return buf_puts(p->out, "(?:") && buf_puts(p->out, text) &&
           buf_puts(p->out, ")");
}

/* \Q...\E: all as it stands; the \E may be missing. */
static bool take_quoted(struct re2_parser *p)
{
    p->at += 2;
    while (p->at < p->n) {
        if (re2_peek(p, 0) == '\\' && re2_peek(p, 1) == 'E') {
            p->at += 2;
            break;
        }
        if (!re2_literal(p))
            return false;
    }
    return true;
}

/* What begins with a backslash outside brackets. */
static bool take_backslash(struct re2_parser *p)
{
    static const char assertions[][3] = {"\\A", "\\b", "\\B", "\\z"};
    if (re2_peek(p, 1) == 'Q')
        return take_quoted(p);
    for (size_t i = 0; i < sizeof assertions / sizeof *assertions; i++)
        if (re2_peek(p, 1) == assertions[i][1]) {
            p->at += 2;
            return put_assertion(p, assertions[i]);
        }
    return re2_escape(p);
}

/* One of * + ? {n,m}, and the ? that would make it lazy. */
static bool take_repetition(struct re2_parser *p)
{
    size_t start = p->at;
    int min = 0, max = 0;
    size_t end = counted(p, &min, &max);
    if (!end)
        end = start + 1;
    if (p->last == RE2_NOTHING)
        return re2_fail(p, start, "nothing to repeat");
    if (p->last == RE2_REPETITION)
        return re2_fail(p, start, "repetition of a repetition");
    if (min > MAX_REPEAT || max > MAX_REPEAT)
        return re2_fail(p, start, "repeat count above 1000");
    if (max >= 0 && max < min)
        return re2_fail(p, start, "repeat count ends before it begins");
    if (!buf_put(p->out, p->s + start, end - start))
        return false;
    p->at = end + (p->s[end] == '?');
    p->last = RE2_REPETITION;
    return true;
}

/* The (?P<name> or (?<name> of a group, which then captures nothing. */
static bool take_name(struct re2_parser *p, size_t start)
{
    p->at += re2_peek(p, 2) == 'P' ? 4 : 3;
    size_t name = p->at;
    while (ascii_is_alnum(re2_peek(p, 0)) || re2_peek(p, 0) == '_')
        p->at++;
    if (p->at == name || re2_peek(p, 0) != '>')
        return re2_fail(p, start,
                        "no group name (look-behind is not RE2 syntax)");
    p->at++;
    return buf_puts(p->out, "(?:");
}

/* (?flags) or (?flags:, at the parenthesis; *group for the latter. */
static bool take_flags(struct re2_parser *p, size_t start, bool *group)
{
    bool off = false, any = false;
    if (!buf_puts(p->out, "(?"))
        return false;
    for (p->at += 2; re2_peek(p, 0) != ':' && re2_peek(p, 0) != ')'; p->at++) {
        char c = re2_peek(p, 0);
        if (c == '-' ? off : !c || !strchr("imsU", c))
            return re2_fail(p, start, "not a group of RE2 syntax");
        any = c != '-';
        off = off || c == '-';
        /* U only swaps greedy and lazy. */
        if (c != 'U' && !buf_putc(p->out, c))
            return false;
    }
    if (off && !any)
        return re2_fail(p, start, "not a group of RE2 syntax");
    *group = p->s[p->at] == ':';
    return buf_putc(p->out, p->s[p->at++]);
}

static bool take_group(struct re2_parser *p)
{
    size_t start = p->at;
    bool group = true;
    if (re2_peek(p, 1) != '?') {
        p->at++;
        if (!buf_puts(p->out, "(?:"))
            return false;
    } else if (re2_peek(p, 2) == '<' ||
               (re2_peek(p, 2) == 'P' && re2_peek(p, 3) == '<')) {
        if (!take_name(p, start))
            return false;
    } else if (!take_flags(p, start, &group)) {
        return false;
    }
    /* RE2 would repeat the a of a(?i)*; nobody means that. */
    p->last = RE2_NOTHING;
    return !group || vec_push(&p->open, start);
}

static bool take_close(struct re2_parser *p)
{
    if (!p->open.n)
        return re2_fail(p, p->at, "unexpected )");
    p->open.n--;
    p->at++;
    p->last = RE2_ITEM;
    return buf_puts(p->out, ")");
}

/* The next piece of the pattern, whatever it is. */
static bool take_piece(struct re2_parser *p)
{
    switch (re2_peek(p, 0)) {
    case '(':
        return take_group(p);
    case ')':
        return take_close(p);
    case '[':
        return re2_class(p);
    case '\\':
        return take_backslash(p);
    case '|':
        p->at++;
        p->last = RE2_NOTHING;
        return buf_puts(p->out, "|");
    case '^':
        p->at++;
        return put_assertion(p, "^");
    case '$':
        p->at++;
        return put_assertion(p, "$");
    case '.':
        p->at++;
        p->last = RE2_ITEM;
        return buf_puts(p->out, ".");
    default:
        if (is_repetition(p))
            return take_repetition(p);
        return re2_literal(p);
    }
}

bool re2_to_pcre2(const char *pattern, struct buf *out, size_t *at,
                  const char **what)
{
    struct re2_parser p = {.s = pattern, .n = strlen(pattern), .out = out};
    bool ok = true;
    while (ok && p.at < p.n)
        ok = take_piece(&p);
    if (ok && p.open.n)
        ok = re2_fail(&p, p.open.v[p.open.n - 1], "missing )");
    vec_free(&p.open);
    *at = p.fault;
    *what = p.what;
    return ok;
}
