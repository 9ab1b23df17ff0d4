/* re2.c - checks a pattern in RE2's syntax and translates it to PCRE2's */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "profile/filter/private.h"

/*
 * Functions read at p->at, advance it and append the translation to p->out.  On
 * failure p->what and p->fault say what is wrong and where; p->what is null if
 * memory is exhausted.
 */

/* The last piece, which decides whether a repetition may follow. */
enum re2_last { RE2_NOTHING, RE2_ITEM, RE2_REPETITION };

struct re2_parser {
    const char *s; /* the pattern, NUL-terminated */
    size_t n, at;
    bool groups; /* whether captured groups are wanted, not only a match */
    enum re2_last last;
    VEC(size_t) open; /* offsets of the enclosing groups */
    struct buf *out;
    const char *what; /* the fault, if there is one */
    size_t fault;
};

/* Returns the byte k ahead, or 0 at the end; patterns do not contain NUL. */
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

/* Reads the next character of the pattern, which is not an escape. */
static bool parse_char(struct re2_parser *p, uint32_t *c)
{
    size_t len = utf8_char((const uint8_t *)p->s + p->at, p->n - p->at, c);
    if (!len)
        return fail(p, p->at, "invalid UTF-8");
    p->at += len;
    return true;
}

/* Reads \x7f or \x{10ffff}, from after the x. */
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

/* Reads an escape that stands for one character, from its backslash. */
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
    /* A single digit other than 0 would be a backreference. */
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
 * A script in RE2 has the characters that belong to it alone.  PCRE2 names
 * these with the prefix sc: since version 10.40, and without it before.
 */
#if PCRE2_MAJOR > 10 || PCRE2_MINOR >= 40
#define SCRIPT "sc:"
#else
#define SCRIPT ""
#endif

/* Translates \pL, \PL, \p{Greek} or \p{^Greek}; PCRE2 checks the names. */
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
     * RE2 has categories, "Any" and scripts, each with a capital.  Refuse names
     * that only PCRE2 has: X and two letters, which no script is, and those
     * whose second letter is a capital.
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
 * Returns the Perl class at the backslash, to go between brackets, or null if
 * there is none.  In RE2, \s does not match \v.
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

/*
 * Translates [:alpha:] or [:^alpha:] in a class.  Sets *found if there is one.
 */
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

/* Translates a bracket expression, from its '['. */
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

/*
 * Reads the number at *at.  Returns -1 if there is none or it begins with a 0.
 */
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
 * Reads {n}, {n,} or {n,m} at p->at: sets the counts (*max to -1 if it has no
 * limit) and returns the offset after it.  Returns 0 if it has another form:
 * then the '{' is literal.
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

/* Puts an assertion; in a group if it is repeated, as PCRE2 requires. */
static bool put_assertion(struct re2_parser *p, const char *text)
{
    p->last = RE2_ITEM;
    if (!is_repetition(p))
        return buf_puts(p->out, text);
    return buf_puts(p->out, "(?:") && buf_puts(p->out, text) &&
           buf_puts(p->out, ")");
}

/* Translates what begins with a backslash outside brackets. */
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
    /* \Q...\E is literal; the \E may be missing. */
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

/* Translates one of * + ? {n,m}, and the '?' that makes it lazy. */
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

/*
 * Translates (?flags) or (?flags:, from the parenthesis.  Sets *group for the
 * latter.
 */
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
        /* U swaps greedy and lazy, which only matters for groups. */
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
        /* Drop the name of (?P<name> or (?<name>. */
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
    /* RE2 would repeat the a of a(?i)*: refuse that, as nobody means it. */
    p->last = RE2_NOTHING;
    return !group || vec_push(&p->open, start);
}

/* Translates the next piece of the pattern. */
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
