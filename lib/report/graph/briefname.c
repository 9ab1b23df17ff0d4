/* briefname.c - brief forms of C++ and Rust names */
#include <string.h>

#include "base/utf8.h"
#include "report/graph/nodes.h"

enum { SHORT = 10 }; /* bytes that brackets may contain */

struct brief {
    const char *name;
    size_t n, at;
    struct buf *to;
    size_t start;    /* of the brief name in *to */
    size_t template; /* where a function template's parameters begin, or 0 */
    size_t space;    /* after the last space before them, or 0 */
    size_t sign;     /* where the last operator's sign ends in the name, or 0 */
    bool broken;     /* a bracket is unmatched; no others are matched */
};

static bool is_word(char c)
{
    return ascii_is_alnum(c) || c == '_' || c == '$' || (unsigned char)c >= 128;
}

static char char_before(const struct brief *b)
{
    return b->at ? b->name[b->at - 1] : 0;
}

static bool has_at(const struct brief *b, size_t at, const char *what)
{
    size_t n = strlen(what);
    return b->n - at >= n && !memcmp(b->name + at, what, n);
}

/* Returns the length of "operator" and its sign, as in "operator<=", or 0. */
static size_t operator_at(const struct brief *b, size_t at)
{
    static const char word[] = "operator";
    size_t end = at + strlen(word);
    if (!has_at(b, at, word) || (at && is_word(b->name[at - 1])))
        return 0;
    if (has_at(b, end, "()") || has_at(b, end, "[]"))
        return end + 2 - at;
    while (end < b->n && ascii_is_one_of(b->name[end], "<>=-!+*/%&|^~,"))
        end++;
    return end - at;
}

/*
 * Returns the length of the text from the bracket at b->at to its partner, or
 * 0.  Ignores brackets of the other kind between them.
 */
static size_t bracketed(struct brief *b, char open, char close)
{
    size_t depth = 0, sign;
    for (size_t i = b->at; i < b->n; i++) {
        if ((sign = operator_at(b, i)))
            i += sign - 1;
        else if (b->name[i] == open)
            depth++;
        else if (b->name[i] == close && b->name[i - 1] != '-' && !--depth)
            return i + 1 - b->at;
    }
    b->broken = true;
    return 0;
}

/*
 * Whether '<' at b->at opens template arguments: those of a name, not the type
 * that a Rust method belongs to, <init>, or <lambda(int)>.
 */
static bool opens_template(const struct brief *b)
{
    bool behind_sign = b->sign && b->at - b->sign <= (char_before(b) == ' ');
    if (is_word(char_before(b)) || behind_sign)
        return true;
    bool scoped = b->at >= 2 && has_at(b, b->at - 2, "::<");
    return scoped && !has_at(b, b->at, "<lambda") &&
           !has_at(b, b->at, "<unnamed");
}

/* Appends n bytes unchanged. */
static bool put_plain(struct brief *b, size_t n)
{
    b->at += n;
    return buf_put(b->to, b->name + b->at - n, n);
}

/* Appends the element at b->at and moves past it. */
static bool put_next(struct brief *b)
{
    char c = b->name[b->at];
    size_t n = operator_at(b, b->at);
    if (n) {
        b->sign = b->at + n;
        return put_plain(b, n);
    }
    if (is_word(c)) {
        while (b->at + n < b->n && is_word(b->name[b->at + n]))
            n++;
        return put_plain(b, n);
    }
    if (c == ' ' && !b->template && !has_at(b, b->at, " <"))
        b->space = b->to->n + 1;
    if (c == '<' && !b->broken && opens_template(b))
        n = bracketed(b, '<', '>');
    else if (c == '(' && !b->broken)
        n = bracketed(b, '(', ')');
    /* Parameters follow a name, an operator's sign or other brackets. */
    const char before = char_before(b);
    const bool follows = is_word(before) || (b->sign && b->sign == b->at) ||
                         before == '>' || before == ')' || before == '}';
    if (!n || (c == '(' && !follows))
        return put_plain(b, n ? n : 1);
    if (c == '(' && char_before(b) == '>' && !b->template)
        b->template = b->to->n;
    /* Shorten the content of the brackets if it is long. */
    const char *s = b->name + b->at;
    b->at += n;
    if (n - 2 <= SHORT)
        return buf_put(b->to, s, n);
    return buf_put(b->to, s, 1) && buf_puts(b->to, "...") &&
           buf_put(b->to, s + n - 1, 1);
}

static bool ends_with(const struct buf *b, size_t n, const char *what)
{
    size_t k = strlen(what);
    return n >= k && !memcmp(b->v + n - k, what, k);
}

bool name_put_brief(struct buf *to, const char *name, size_t n)
{
    struct brief b = {.name = name, .n = n, .to = to, .start = to->n};
    while (b.at < n)
        if (!put_next(&b))
            return false;
    /*
     * Take "void " off "void f<int>(int)", but nothing off "operator
     * long<int>()", "thunk to f<int>(int)", "guard variable for f<int>(int)".
     */
    if (b.template && b.space && !ends_with(to, b.space, "operator ") &&
        !ends_with(to, b.space, " to ") && !ends_with(to, b.space, " for ")) {
        memmove(to->v + b.start, to->v + b.space, to->n - b.space);
        to->n -= b.space - b.start;
    }
    return true;
}

/* Appends a brief name without "<...>" and "(...)". */
static bool put_bare(struct buf *to, const char *name, size_t n)
{
    static const char *const empty[] = {"<...>", "(...)"};
    bool ok = true;
    for (size_t i = 0; ok && i < n;) {
        size_t k = strlen(*empty);
        if (n - i >= k &&
            (!memcmp(name + i, empty[0], k) || !memcmp(name + i, empty[1], k)))
            i += k;
        else
            ok = buf_putc(to, name[i++]);
    }
    return ok;
}

/* Returns the length of the outermost scope, 5 in "std::swap", or 0. */
static size_t scope_length(const char *name, size_t n)
{
    size_t depth = 0;
    for (size_t i = 0; i + 2 < n; i++) {
        depth += ascii_is_one_of(name[i], "<({[");
        depth -= depth && ascii_is_one_of(name[i], ">)}]");
        if (!depth && name[i] == ':' && name[i + 1] == ':')
            return i + 2;
    }
    return 0;
}

/*
 * Returns the length of the package or type of a method, 7 in "gobank.add" and
 * 8 in "(*Bank).Deposit", or 0.
 */
static size_t part_length(const char *name, size_t n)
{
    size_t depth = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        const char next = name[i + 1];
        depth += ascii_is_one_of(name[i], "<({[");
        depth -= depth && ascii_is_one_of(name[i], ">)}]");
        if (depth || !i || name[i] != '.' ||
            !(ascii_is_letter(next) || next == '_' || next == '(' ||
              (unsigned char)next >= 0x80))
            continue;
        /* A dot before "so" belongs to a library's file name. */
        const bool is_library = n - i > 2 && !memcmp(name + i, ".so", 3) &&
                                (n - i == 3 || name[i + 3] == '.');
        return is_library ? 0 : i + 1;
    }
    return 0;
}

/* Replaces *s by *other if it has more than `letters` characters. */
static void shorten(struct prof_slice *s, const struct buf *other,
                    size_t letters)
{
    if (utf8_count(s->s, s->n) > letters)
        *s = buf_slice(other);
}

bool name_put_fitting(struct buf *to, struct prof_slice name, size_t letters)
{
    struct buf brief = {0}, bare = {0}, rest = {0};
    struct prof_slice text = name;
    bool ok = true;
    if (utf8_count(name.s, name.n) > letters) {
        ok = name_put_brief(&brief, name.s, name.n) &&
             put_bare(&bare, (const char *)brief.v, brief.n) &&
             name_put_short(&rest, (const char *)bare.v, bare.n);
        shorten(&text, &brief, letters);
        shorten(&text, &bare, letters);
        shorten(&text, &rest, letters);
    }
    for (size_t n = utf8_count(text.s, text.n), scope;
         ok && n > letters && (scope = scope_length(text.s, text.n));) {
        n -= utf8_count(text.s, scope);
        text = slice_from(text, scope);
    }
    for (size_t n = utf8_count(text.s, text.n), part;
         ok && n > letters && (part = part_length(text.s, text.n));) {
        n -= utf8_count(text.s, part);
        text = slice_from(text, part);
    }
    ok = ok && buf_put(to, text.s, text.n);
    buf_free(&brief);
    buf_free(&bare);
    buf_free(&rest);
    return ok;
}
