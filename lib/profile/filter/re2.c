/* re2.c - a pattern in RE2's syntax, checked and translated into PCRE2's */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "profile/filter/private.h"

/*
 * Functions read at p->at, advance it and append the translation to p->out; on
 * failure p->what and p->fault say what is wrong where, or p->what is null
 * when memory is out.
 */

/* What came last, which decides whether it can be repeated. */
enum re2_last { RE2_NOTHING, RE2_ITEM, RE2_REPETITION };

struct re2_parser {
    const char *s; /* the pattern, NUL-terminated */
    size_t n, at;
    bool groups; /* what groups capture is wanted, not only a match */
    enum re2_last last;
    VEC(size_t) open; /* where the groups around begin */
    struct buf *out;
    const char *what; /* the fault, when there is one */
    size_t fault;
};

/* The byte k ahead; 0 at the end, which no byte of a pattern is. */
static inline char peek(const struct re2_parser *p, size_t k)
{
    return k < p->n - p->at ? p->s[p->at + k] : 0;
}

/* Records the fault and returns false. */
static bool fail(struct re2_parser *p, size_t at, const char *what)
{
    p->what = what;
    p->fault = at;
    return false;
}

/* --- characters, escapes and classes */

static bool emit_char(struct re2_parser *p, uint32_t c)
{
    if (c < 0x80 && ascii_is_alnum((char)c))
        return buf_putc(p->out, (char)c);
    return buf_printf(p->out, "\\x{%x}", (unsigned)c);
}

/* The next character of the pattern as it stands. */
static bool parse_char(struct re2_parser *p, uint32_t *c)
{
    size_t len = utf8_char((const uint8_t *)p->s + p->at, p->n - p->at, c);
    if (!len)
        return fail(p, p->at, "invalid UTF-8");
    p->at += len;
    return true;
}

/* \x7f or \x{10ffff}, from after the x. */
static bool parse_hex(struct re2_parser *p, size_t start, uint32_t *c)
{
    bool braces = peek(p, 0) == '{';
    size_t most = braces ? 6 : 2, k = 0;
    p->at += braces;
    *c = 0;
    for (; k < most && ascii_hex_value(peek(p, 0)) >= 0; k++)
        *c = *c << 4 | (uint32_t)ascii_hex_value(p->s[p->at++]);
    if (braces ? !k || peek(p, 0) != '}' : k < 2)
        return fail(
            p, start,
            "\\x must be followed by two hexadecimal digits or {digits}");
    p->at += braces;
    if (*c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff))
        return fail(p, start, "invalid character");
    return true;
}

/* An escape that stands for one character, at its backslash. */
static bool parse_escape(struct re2_parser *p, uint32_t *c)
{
    static const char letters[] = "afnrtv", means[] = "\a\f\n\r\t\v";
    size_t start = p->at++;
    char e = peek(p, 0);
    if (!e)
        return fail(p, start, "trailing backslash");
    if ((unsigned char)e >= 0x80)
        return fail(p, start, "unknown escape");
    p->at++;
    const char *known = strchr(letters, e);
    bool octal = e >= '0' && e <= '7';
    if (e == 'x')
        return parse_hex(p, start, c);
    if (known) {
        *c = (uint32_t)means[known - letters];
        return true;
    }
    /* One digit alone, but for 0, would be a backreference. */
    if (octal && (e == '0' || (peek(p, 0) >= '0' && peek(p, 0) <= '7'))) {
        *c = (uint32_t)(e - '0');
        for (int i = 0; i < 2 && peek(p, 0) >= '0' && peek(p, 0) <= '7'; i++)
            *c = *c << 3 | (uint32_t)(p->s[p->at++] - '0');
        return true;
    }
    if (ascii_is_digit(e))
        return fail(p, start, "backreferences are not supported");
    if (ascii_is_alnum(e))
        return fail(p, start, "unknown escape");
    *c = (uint32_t)(unsigned char)e;
    return true;
}

/*
 * Scripts are those of characters that belong to one script only, which PCRE2
 * calls by their names alone before version 10.40.
 */
#if PCRE2_MAJOR > 10 || PCRE2_MINOR >= 40
#define SCRIPT "sc:"
#else
#define SCRIPT ""
#endif

/* \pL, \PL, \p{Greek}, \p{^Greek}; PCRE2 knows the names. */
static bool parse_property(struct re2_parser *p)
{
    size_t start = p->at, name;
    bool negated = p->s[p->at + 1] == 'P';
    p->at += 2;
    if (peek(p, 0) != '{') {
        if (!ascii_is_upper(peek(p, 0)))
            return fail(p, start, "unknown character property");
        return buf_printf(p->out, "\\%c{%c}", negated ? 'P' : 'p',
                          p->s[p->at++]);
    }
    p->at++;
    if (peek(p, 0) == '^') {
        negated = !negated;
        p->at++;
    }
    for (name = p->at; ascii_is_alnum(peek(p, 0)) || peek(p, 0) == '_';)
        p->at++;
    /*
     * RE2 has categories, "Any" and scripts, each with a capital.  PCRE2 has
     * names of its own: those begin with X, as no script of two letters does.
     */
    const char *s = p->s + name;
    size_t n = p->at - name;
    bool own = (n == 3 && *s == 'X') || (n == 2 && !ascii_is_lower(s[1]));
    if (peek(p, 0) != '}' || !n || !ascii_is_upper(*s) || own)
        return fail(p, start, "unknown character property");
    bool is_script = n > 3 || (n == 3 && memcmp(s, "Any", n) != 0);
    if (!buf_puts(p->out, negated ? "\\P{" : "\\p{") ||
        !buf_puts(p->out, is_script ? SCRIPT : "") || !buf_put(p->out, s, n) ||
        !buf_puts(p->out, "}"))
        return false;
    p->at++;
    return true;
}

/*
 * The Perl class letter at the backslash, as what goes between brackets;
 * null when it is none.  White space has no \v in RE2.
 */
static const char *perl_class(const struct re2_parser *p)
{
    switch (peek(p, 1)) {
    case 'd':
        return "\\d";
    case 'D':
        return "\\D";
    case 'w':
        return "\\w";
    case 'W':
        return "\\W";
    case 's':
        return "\\t\\n\\f\\r\\x20";
    case 'S':
        return "\\x{0}-\\x{8}\\x{b}\\x{e}-\\x{1f}\\x{21}-\\x{10ffff}";
    default:
        return NULL;
    }
}

static bool is_property(const struct re2_parser *p)
{
    return peek(p, 0) == '\\' && (peek(p, 1) == 'p' || peek(p, 1) == 'P');
}

/* [:alpha:] or [:^alpha:] in a class; *found tells whether it is one. */
static bool parse_posix(struct re2_parser *p, bool *found)
{
    static const char *const names[] = {
        "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph",
        "lower", "print", "punct", "space", "upper", "word",  "xdigit",
    };
    *found = false;
    if (peek(p, 0) != '[' || peek(p, 1) != ':')
        return true;
    const char *name = p->s + p->at + 2, *end = strstr(name, ":]");
    if (!end)
        return true;
    *found = true;
    bool negated = *name == '^';
    name += negated;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == (size_t)(end - name) &&
            !memcmp(names[i], name, (size_t)(end - name))) {
            p->at = (size_t)(end + 2 - p->s);
            return buf_printf(p->out, "[:%s%s:]", negated ? "^" : "", names[i]);
        }
    return fail(p, p->at, "unknown character class");
}

static bool parse_class_char(struct re2_parser *p, size_t start, uint32_t *c)
{
    if (p->at == p->n)
        return fail(p, start, "unclosed '['");
    return peek(p, 0) == '\\' ? parse_escape(p, c) : parse_char(p, c);
}

static bool parse_range(struct re2_parser *p, size_t start)
{
    uint32_t lo = 0, hi = 0;
    size_t from = p->at;
    if (!parse_class_char(p, start, &lo) || !emit_char(p, lo))
        return false;
    if (peek(p, 0) != '-' || peek(p, 1) == ']' || !peek(p, 1))
        return true;
    p->at++;
    if (!parse_class_char(p, start, &hi))
        return false;
    if (hi < lo)
        return fail(p, from, "range ends before it begins");
    return buf_puts(p->out, "-") && emit_char(p, hi);
}

/* A bracket expression, at its [. */
static bool parse_class(struct re2_parser *p)
{
    size_t start = p->at++;
    bool negated = peek(p, 0) == '^', found;
    p->at += negated;
    if (!buf_puts(p->out, negated ? "[^" : "["))
        return false;
    for (bool first = true; first || peek(p, 0) != ']'; first = false) {
        const char *perl = peek(p, 0) == '\\' ? perl_class(p) : NULL;
        if (!parse_posix(p, &found))
            return false;
        if (found)
            continue;
        if (perl) {
            p->at += 2;
            if (!buf_puts(p->out, perl))
                return false;
        } else if (!(is_property(p) ? parse_property(p)
                                    : parse_range(p, start))) {
            return false;
        }
    }
    p->at++;
    p->last = RE2_ITEM;
    return buf_puts(p->out, "]");
}

static bool parse_literal(struct re2_parser *p)
{
    uint32_t c;
    p->last = RE2_ITEM;
    return parse_char(p, &c) && emit_char(p, c);
}

/* --- groups and repetitions */

enum { MAX_REPEAT = 1000 };

/* The number at *at, or -1 when there is none or it begins with a 0. */
static int parse_count(const struct re2_parser *p, size_t *at)
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
 * {n}, {n,} or {n,m} at p->at: the offset after it, and the counts (max -1
 * for none).  0 when it is not of that form: then the { is itself.
 */
static size_t counted(const struct re2_parser *p, int *min, int *max)
{
    size_t at = p->at + 1;
    if (peek(p, 0) != '{' || (*min = parse_count(p, &at)) < 0)
        return 0;
    *max = *min;
    if (p->s[at] == ',') {
        at++;
        *max = -1;
        if (p->s[at] != '}' && (*max = parse_count(p, &at)) < 0)
            return 0;
    }
    return p->s[at] == '}' ? at + 1 : 0;
}

static bool is_repetition(const struct re2_parser *p)
{
    int min, max;
    char c = peek(p, 0);
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

/* What begins with a backslash outside brackets. */
static bool parse_backslash(struct re2_parser *p)
{
    static const char assertions[][3] = {"\\A", "\\b", "\\B", "\\z"};
    for (size_t i = 0; i < sizeof assertions / sizeof *assertions; i++)
        if (peek(p, 1) == assertions[i][1]) {
            p->at += 2;
            return put_assertion(p, assertions[i]);
        }
    if (peek(p, 1) != 'Q') {
        const char *perl = perl_class(p);
        uint32_t c = 0;
        p->last = RE2_ITEM;
        if (is_property(p))
            return parse_property(p);
        if (!perl)
            return parse_escape(p, &c) && emit_char(p, c);
        p->at += 2;
        return buf_printf(p->out, "[%s]", perl);
    }
    /* \Q...\E: all as it stands; the \E may be missing. */
    for (p->at += 2; p->at < p->n;) {
        if (peek(p, 0) == '\\' && peek(p, 1) == 'E') {
            p->at += 2;
            break;
        }
        if (!parse_literal(p))
            return false;
    }
    return true;
}

/* One of * + ? {n,m}, and the ? that would make it lazy. */
static bool parse_repetition(struct re2_parser *p)
{
    size_t start = p->at;
    int min = 0, max = 0;
    size_t end = counted(p, &min, &max);
    if (!end)
        end = start + 1;
    if (p->last == RE2_NOTHING)
        return fail(p, start, "missing operand of a repetition");
    if (p->last == RE2_REPETITION)
        return fail(p, start, "repetition of a repetition");
    if (min > MAX_REPEAT || max > MAX_REPEAT)
        return fail(p, start, "repeat count above 1000");
    if (max >= 0 && max < min)
        return fail(p, start, "repeat count ends before it begins");
    if (!buf_put(p->out, p->s + start, end - start))
        return false;
    bool lazy = p->s[end] == '?';
    p->at = end + lazy;
    p->last = RE2_REPETITION;
    return !lazy || !p->groups || buf_putc(p->out, '?');
}

/* (?flags) or (?flags:, at the parenthesis; *group for the latter. */
static bool parse_flags(struct re2_parser *p, size_t start, bool *group)
{
    bool off = false, any = false;
    if (!buf_puts(p->out, "(?"))
        return false;
    for (p->at += 2; peek(p, 0) != ':' && peek(p, 0) != ')'; p->at++) {
        char c = peek(p, 0);
        if (c == '-' ? off : !c || !strchr("imsU", c))
            return fail(p, start, "unsupported group syntax");
        any = c != '-';
        off = off || c == '-';
        /* U only swaps greedy and lazy. */
        if ((c != 'U' || p->groups) && !buf_putc(p->out, c))
            return false;
    }
    if (off && !any)
        return fail(p, start, "unsupported group syntax");
    *group = p->s[p->at] == ':';
    return buf_putc(p->out, p->s[p->at++]);
}

static bool parse_group(struct re2_parser *p)
{
    size_t start = p->at;
    bool group = true;
    const char *opened = p->groups ? "(" : "(?:";
    if (peek(p, 1) != '?') {
        p->at++;
        if (!buf_puts(p->out, opened))
            return false;
    } else if (peek(p, 2) == '<' || (peek(p, 2) == 'P' && peek(p, 3) == '<')) {
        /* (?P<name> or (?<name>, which then has no name. */
        p->at += peek(p, 2) == 'P' ? 4 : 3;
        size_t name = p->at;
        while (ascii_is_alnum(peek(p, 0)) || peek(p, 0) == '_')
            p->at++;
        if (p->at == name || peek(p, 0) != '>')
            return fail(p, start,
                        "missing group name (look-behind is not supported)");
        p->at++;
        if (!buf_puts(p->out, opened))
            return false;
    } else if (!parse_flags(p, start, &group)) {
        return false;
    }
    /* RE2 would repeat the a of a(?i)*; nobody means that. */
    p->last = RE2_NOTHING;
    return !group || vec_push(&p->open, start);
}

/* The next piece of the pattern, whatever it is. */
static bool parse_piece(struct re2_parser *p)
{
    switch (peek(p, 0)) {
    case '(':
        return parse_group(p);
    case ')':
        if (!p->open.n)
            return fail(p, p->at, "unmatched ')'");
        p->open.n--;
        p->at++;
        p->last = RE2_ITEM;
        return buf_puts(p->out, ")");
    case '[':
        return parse_class(p);
    case '\\':
        return parse_backslash(p);
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
            return parse_repetition(p);
        return parse_literal(p);
    }
}

bool re2_to_pcre2(const char *pattern, bool groups, struct buf *out, size_t *at,
                  const char **what)
{
    struct re2_parser p = {
        .s = pattern, .n = strlen(pattern), .groups = groups, .out = out};
    bool ok = true;
    while (ok && p.at < p.n)
        ok = parse_piece(&p);
    if (ok && p.open.n)
        ok = fail(&p, p.open.v[p.open.n - 1], "unclosed '('");
    vec_free(&p.open);
    *at = p.fault;
    *what = p.what;
    return ok;
}
