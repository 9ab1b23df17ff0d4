/* RE2's characters, escapes and classes. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "base/utf8.h"
#include "profile/filter/re2parser.h"

static bool emit_char(struct re2_parser *p, uint32_t c)
{
    if (c < 0x80 && ascii_is_alnum((char)c))
        return buf_putc(p->out, (char)c);
    return buf_printf(p->out, "\\x{%x}", (unsigned)c);
}

/* The next character of the pattern as it stands. */
static bool take_char(struct re2_parser *p, uint32_t *c)
{
    size_t len = utf8_char((const uint8_t *)p->s + p->at, p->n - p->at, c);
    if (!len)
        return re2_fail(p, p->at, "invalid UTF-8");
    p->at += len;
    return true;
}

/* \x7f or \x{10ffff}, from behind the x. */
static bool take_hex(struct re2_parser *p, size_t start, uint32_t *c)
{
    bool braces = re2_peek(p, 0) == '{';
    size_t most = braces ? 6 : 2, k = 0;
    p->at += braces;
    *c = 0;
    for (; k < most && ascii_hex_value(re2_peek(p, 0)) >= 0; k++)
        *c = *c << 4 | (uint32_t)ascii_hex_value(p->s[p->at++]);
    if (braces ? !k || re2_peek(p, 0) != '}' : k < 2)
        return re2_fail(p, start, "\\x needs two hex digits or {digits}");
    p->at += braces;
    if (*c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff))
        return re2_fail(p, start, "no such character");
    return true;
}

/* An escape that stands for one character, at its backslash. */
static bool take_escape(struct re2_parser *p, uint32_t *c)
{
    static const char letters[] = "afnrtv", means[] = "\a\f\n\r\t\v";
    size_t start = p->at++;
    char e = re2_peek(p, 0);
    if (!e)
        return re2_fail(p, start, "backslash at the end");
    if ((unsigned char)e >= 0x80)
        return re2_fail(p, start, "no such escape");
    p->at++;
    const char *known = strchr(letters, e);
    bool octal = e >= '0' && e <= '7';
    if (e == 'x')
        return take_hex(p, start, c);
    if (known) {
        *c = (uint32_t)means[known - letters];
        return true;
    }
    /* One digit alone, but for 0, would be a backreference. */
    if (octal &&
        (e == '0' || (re2_peek(p, 0) >= '0' && re2_peek(p, 0) <= '7'))) {
        *c = (uint32_t)(e - '0');
        for (int i = 0; i < 2 && re2_peek(p, 0) >= '0' && re2_peek(p, 0) <= '7';
             i++)
            *c = *c << 3 | (uint32_t)(p->s[p->at++] - '0');
        return true;
    }
    if (ascii_is_digit(e))
        return re2_fail(p, start, "no backreferences");
    if (ascii_is_alnum(e))
        return re2_fail(p, start, "no such escape");
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

/*
 * What PCRE2 calls a property: of its names those that RE2 has, too, which are
 * categories, "Any" and scripts, each with a capital.  Null: it is none.
 */
static const char *property_prefix(const char *name, size_t n)
{
    if (!n || !ascii_is_upper(*name))
        return NULL;
    /* PCRE2's own begin with X, as no script of two letters. */
    if (n == 3 && *name == 'X')
        return NULL;
    if (n == 2 && !ascii_is_lower(name[1]))
        return NULL;
    return n < 3 || (n == 3 && memcmp(name, "Any", n) == 0) ? "" : SCRIPT;
}

/* \pL, \PL, \p{Greek}, \p{^Greek}; PCRE2 knows the names. */
static bool take_property(struct re2_parser *p)
{
    size_t start = p->at, name;
    bool negated = p->s[p->at + 1] == 'P';
    p->at += 2;
    if (re2_peek(p, 0) != '{') {
        if (!ascii_is_upper(re2_peek(p, 0)))
            return re2_fail(p, start, "no such character property");
        return buf_printf(p->out, "\\%c{%c}", negated ? 'P' : 'p',
                          p->s[p->at++]);
    }
    p->at++;
    if (re2_peek(p, 0) == '^') {
        negated = !negated;
        p->at++;
    }
    for (name = p->at; ascii_is_alnum(re2_peek(p, 0)) || re2_peek(p, 0) == '_';)
        p->at++;
    const char *prefix = property_prefix(p->s + name, p->at - name);
    if (re2_peek(p, 0) != '}' || !prefix)
        return re2_fail(p, start, "no such character property");
    if (!buf_puts(p->out, negated ? "\\P{" : "\\p{") ||
        !buf_puts(p->out, prefix) ||
        !buf_put(p->out, p->s + name, p->at - name) || !buf_puts(p->out, "}"))
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
    switch (re2_peek(p, 1)) {
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
    return re2_peek(p, 0) == '\\' &&
           (re2_peek(p, 1) == 'p' || re2_peek(p, 1) == 'P');
}

/* [:alpha:] or [:^alpha:] in a class; *found tells whether it is one. */
static bool take_posix(struct re2_parser *p, bool *found)
{
    static const char *const names[] = {
        "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph",
        "lower", "print", "punct", "space", "upper", "word",  "xdigit",
    };
    *found = false;
    if (re2_peek(p, 0) != '[' || re2_peek(p, 1) != ':')
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
    return re2_fail(p, p->at, "no such character class");
}

static bool take_class_char(struct re2_parser *p, size_t start, uint32_t *c)
{
    if (p->at == p->n)
        return re2_fail(p, start, "missing ]");
    return re2_peek(p, 0) == '\\' ? take_escape(p, c) : take_char(p, c);
}

static bool take_range(struct re2_parser *p, size_t start)
{
    uint32_t lo = 0, hi = 0;
    size_t from = p->at;
    if (!take_class_char(p, start, &lo) || !emit_char(p, lo))
        return false;
    if (re2_peek(p, 0) != '-' || re2_peek(p, 1) == ']' || !re2_peek(p, 1))
        return true;
    p->at++;
    if (!take_class_char(p, start, &hi))
        return false;
    if (hi < lo)
        return re2_fail(p, from, "range ends before it begins");
    return buf_puts(p->out, "-") && emit_char(p, hi);
}

/* A bracket expression, at its [. */
bool re2_class(struct re2_parser *p)
{
    size_t start = p->at++;
    bool negated = re2_peek(p, 0) == '^', found;
    p->at += negated;
    if (!buf_puts(p->out, negated ? "[^" : "["))
        return false;
    for (bool first = true; first || re2_peek(p, 0) != ']'; first = false) {
        const char *perl = re2_peek(p, 0) == '\\' ? perl_class(p) : NULL;
        if (!take_posix(p, &found))
            return false;
        if (found)
            continue;
        if (perl) {
            p->at += 2;
            if (!buf_puts(p->out, perl))
                return false;
        } else if (!(is_property(p) ? take_property(p)
                                    : take_range(p, start))) {
            return false;
        }
    }
    p->at++;
    p->last = RE2_ITEM;
    return buf_puts(p->out, "]");
}

bool re2_literal(struct re2_parser *p)
{
    uint32_t c;
    p->last = RE2_ITEM;
    return take_char(p, &c) && emit_char(p, c);
}

bool re2_escape(struct re2_parser *p)
{
    const char *perl = perl_class(p);
    uint32_t c = 0;
    p->last = RE2_ITEM;
    if (is_property(p))
        return take_property(p);
    if (perl) {
        p->at += 2;
        return buf_printf(p->out, "[%s]", perl);
    }
    return take_escape(p, &c) && emit_char(p, c);
}
