/* source.c - finds functions in text of Go, C and C++; see source.h */
#include <string.h>

#include "pgo/source.h"

enum kind { END, NAME, PUNCTUATION };

struct token {
    enum kind kind;
    char c; /* PUNCTUATION */
    struct prof_slice text;
    int64_t line;
    bool is_first; /* the first token of its line */
};

enum { MAX_NESTED = 64 }; /* levels of #if that are tracked */

struct scanner {
    const char *at, *end;
    int64_t line;
    bool is_go, is_first;
    size_t depth; /* of open braces */
    size_t nested, depths[MAX_NESTED];
    struct token token;
};

static bool is_name_char(char c)
{
    return slice_is_word_char(c) || (c & 0x80);
}

/* Moves past the next `stop`, or to the end. */
static void skip_to(struct scanner *s, const char *stop)
{
    const size_t n = strlen(stop);
    for (; s->at < s->end; s->at++) {
        if ((size_t)(s->end - s->at) >= n && !memcmp(s->at, stop, n)) {
            s->at += n;
            return;
        }
        s->line += *s->at == '\n';
    }
}

/* Moves past a literal.  An unterminated one ends with its line. */
static void skip_literal(struct scanner *s, char quote)
{
    for (s->at++; s->at < s->end && *s->at != quote && *s->at != '\n'; s->at++)
        if (*s->at == '\\' && s->end - s->at > 1) {
            s->at++;
            s->line += *s->at == '\n';
        }
    if (s->at < s->end && *s->at == quote)
        s->at++;
}

/* Moves past a raw string of C++, R"x( ... )x".  Its R has been read. */
static void skip_raw(struct scanner *s)
{
    enum { MOST = 16 };
    char stop[MOST + 3] = {')'};
    size_t n = 1;
    for (s->at++; s->at < s->end && *s->at != '(' && n <= MOST; s->at++)
        stop[n++] = *s->at;
    stop[n] = '"';
    skip_to(s, stop);
}

/* Moves past a preprocessor directive and its continuation lines.  Each
 * alternative of an #if may open a brace that is closed only once, so each
 * begins at the depth that the #if had. */
static void skip_directive(struct scanner *s)
{
    struct prof_slice rest = {s->at + 1, (size_t)(s->end - s->at - 1)};
    rest = slice_trim_left(rest);
    if (slice_begins_with(rest, "if")) {
        if (s->nested < MAX_NESTED)
            s->depths[s->nested] = s->depth;
        s->nested++;
    } else if (slice_begins_with(rest, "el") && s->nested) {
        if (s->nested <= MAX_NESTED)
            s->depth = s->depths[s->nested - 1];
    } else if (slice_begins_with(rest, "endif") && s->nested) {
        s->nested--;
    }
    for (; s->at < s->end && *s->at != '\n'; s->at++)
        if (*s->at == '\\' && s->end - s->at > 1) {
            s->at++;
            s->line += *s->at == '\n';
        }
}

/* Skips a blank, comment, literal or directive.  Returns false if there is
 * none. */
static bool skip_blank(struct scanner *s)
{
    const char c = *s->at, next = s->end - s->at > 1 ? s->at[1] : 0;
    if (c == '\n') {
        s->line++;
        s->is_first = true;
        s->at++;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        s->at++;
    } else if (c == '/' && next == '/') {
        while (s->at < s->end && *s->at != '\n')
            s->at++;
    } else if (c == '/' && next == '*') {
        s->at += 2;
        skip_to(s, "*/");
    } else if (c == '#' && s->is_first && !s->is_go) {
        skip_directive(s);
    } else if (c == '"' || c == '\'') {
        skip_literal(s, c);
        s->is_first = false;
    } else if (c == '`' && s->is_go) {
        s->at++;
        skip_to(s, "`");
        s->is_first = false;
    } else {
        return false;
    }
    return true;
}

/* Returns the next token (END after the last one).  Literals are skipped. */
static const struct token *next(struct scanner *s)
{
    while (s->at < s->end && skip_blank(s))
        continue;
    struct token *t = &s->token;
    *t = (struct token){.line = s->line, .is_first = s->is_first};
    if (s->at == s->end)
        return t;
    s->is_first = false;
    const char *from = s->at;
    if (!is_name_char(*s->at)) {
        t->kind = PUNCTUATION;
        t->c = *s->at++;
        s->depth += t->c == '{';
        s->depth -= t->c == '}' && s->depth;
        return t;
    }
    /* Numbers may have quotes between digits (1'000). */
    const bool is_number = *from >= '0' && *from <= '9';
    while (s->at < s->end &&
           (is_name_char(*s->at) || (is_number && *s->at == '\'')))
        s->at++;
    t->kind = NAME;
    t->text = (struct prof_slice){from, (size_t)(s->at - from)};
    if (!s->is_go && s->at < s->end && *s->at == '"' &&
        slice_ends_with(t->text, "R"))
        skip_raw(s);
    return t;
}

static bool is_punctuation(const struct token *t, char c)
{
    return t->kind == PUNCTUATION && t->c == c;
}

/* Moves past the closing bracket.  The opening one has been read. */
static void skip_group(struct scanner *s, char open, char close)
{
    size_t depth = 1;
    while (depth) {
        const struct token *t = next(s);
        if (t->kind == END)
            return;
        depth += is_punctuation(t, open);
        depth -= is_punctuation(t, close);
    }
}

/* Moves past the brace that closes a body, and returns its line.  The opening
 * brace has been read.  Compares depths rather than counting braces, because
 * directives may reset the depth. */
static int64_t skip_body(struct scanner *s)
{
    const size_t outer = s->depth - 1;
    const struct token *t;
    do
        t = next(s);
    while (t->kind != END && s->depth > outer);
    return t->line;
}

/* --- Go --- */

/* Returns the name of a receiver's type, without type arguments.  The "(" has
 * been read. */
static struct prof_slice read_receiver(struct scanner *s)
{
    struct prof_slice type = {"", 0};
    const struct token *t;
    while ((t = next(s))->kind != END && !is_punctuation(t, ')')) {
        if (t->kind == NAME)
            type = t->text;
        if (is_punctuation(t, '['))
            skip_group(s, '[', ']');
    }
    return type;
}

/* Reads the rest of a function after its name.  Returns the last line of its
 * body, or 0 if it has none, as functions in assembly: s->token is then the
 * first token of the next declaration. */
static int64_t read_rest(struct scanner *s)
{
    bool is_type = false; /* the next braces are part of the result's type */
    for (;;) {
        const struct token *t = next(s);
        if (t->kind == END || t->is_first)
            return 0;
        if (is_punctuation(t, '(')) {
            skip_group(s, '(', ')');
        } else if (is_punctuation(t, '[')) {
            skip_group(s, '[', ']');
        } else if (is_punctuation(t, '{')) {
            const int64_t last = skip_body(s);
            if (!is_type)
                return last;
        }
        is_type = t->kind == NAME && (slice_is(t->text, "struct") ||
                                      slice_is(t->text, "interface"));
    }
}

static bool read_go(struct scanner *s, struct source *source,
                    struct prof_err *err)
{
    const struct token *t = next(s);
    while (t->kind != END) {
        const int64_t line = t->line;
        const bool is_top = t->kind == NAME && t->is_first && !s->depth;
        if (is_top && slice_is(t->text, "package") && !source->package.n)
            source->package = next(s)->text;
        if (!is_top || !slice_is(t->text, "func")) {
            t = next(s);
            continue;
        }
        struct source_function f = {.receiver = {"", 0}};
        t = next(s);
        if (is_punctuation(t, '(')) {
            f.receiver = read_receiver(s);
            t = next(s);
        }
        if (t->kind != NAME)
            continue;
        f.name = t->text;
        const int64_t last = read_rest(s);
        f.lines = last ? last - line + 1 : 0;
        if (!source->found(source->ctx, source, &f, err))
            return false;
        t = last ? next(s) : &s->token;
    }
    return true;
}

/* --- C and C++ --- */

enum { MAX_CANDIDATES = 8 };

/* What has been read of a declaration before its braces. */
struct declaration {
    struct {
        struct prof_slice name;
        int64_t line;
    } candidates[MAX_CANDIDATES]; /* names with parentheses after them */
    size_t n;
    bool has_value;      /* has an "=" */
    bool has_list;       /* a ":" before a constructor's members, or bases */
    bool is_type;        /* has "class" or "struct" */
    struct token type;   /* the last name after is_type was set */
    struct token op;     /* "operator", if its "(" was not read yet */
    struct token before; /* the token before */
};

static bool is_no_function(struct prof_slice name)
{
    static const char *const words[] = {
        "__attribute__", "__declspec", "alignas", "asm",      "__asm__",
        "decltype",      "noexcept",   "throw",   "requires", "explicit",
        "typeof",        "__typeof__", "sizeof",  "_Alignas",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (slice_is(name, words[i]))
            return true;
    return false;
}

static void add_candidate(struct declaration *d)
{
    const struct token *t = d->op.kind == NAME ? &d->op : &d->before;
    if (t->kind == NAME && !is_no_function(t->text) && d->n < MAX_CANDIDATES) {
        d->candidates[d->n].name = t->text;
        d->candidates[d->n++].line = t->line;
    }
    d->op.kind = END;
}

static bool tell(const struct declaration *d, const struct source *source,
                 int64_t last, struct prof_err *err)
{
    for (size_t i = 0; i < d->n; i++) {
        const struct source_function f = {
            .name = d->candidates[i].name,
            .receiver = {"", 0},
            .lines = last - d->candidates[i].line + 1,
        };
        if (!source->found(source->ctx, source, &f, err))
            return false;
    }
    return true;
}

/* Handles a "{", which begins the body of a function, a value, or a scope with
 * declarations. */
static bool open_brace(struct scanner *s, struct declaration *d,
                       const struct source *source, struct prof_err *err)
{
    if (d->has_list && d->n &&
        (d->before.kind == NAME || is_punctuation(&d->before, '>'))) {
        skip_group(s, '{', '}'); /* a member, as in ": x{1}" */
        return true;
    }
    if (d->has_value) {
        skip_group(s, '{', '}');
        return true;
    }
    if (d->n && !tell(d, source, skip_body(s), err))
        return false;
    if (!d->n && d->type.kind == NAME) {
        const struct source_function f = {
            .name = d->type.text,
            .receiver = {"", 0},
            .lines = 1,
            .is_type = true,
        };
        if (!source->found(source->ctx, source, &f, err))
            return false;
    }
    *d = (struct declaration){.n = 0};
    return true;
}

static bool read_c(struct scanner *s, struct source *source,
                   struct prof_err *err)
{
    struct declaration d = {.n = 0}, last = {.n = 0};
    struct token t;
    while ((t = *next(s)).kind != END) {
        if (t.kind == NAME && slice_is(t.text, "operator")) {
            d.op = t;
        } else if (t.kind == NAME &&
                   (slice_is(t.text, "class") || slice_is(t.text, "struct"))) {
            d.is_type = true;
        } else if (t.kind == NAME && d.is_type && !d.has_list &&
                   !slice_is(t.text, "final")) {
            d.type = t;
        } else if (is_punctuation(&t, '<') && d.before.kind == NAME &&
                   slice_is(d.before.text, "template")) {
            skip_group(s, '<', '>');
            t.c = '>';
        } else if (is_punctuation(&t, '(')) {
            /* In "operator()(", the first parentheses are part of the name. */
            const bool is_call =
                d.before.kind == NAME && slice_is(d.before.text, "operator");
            if (!is_call)
                add_candidate(&d);
            skip_group(s, '(', ')');
            t.c = ')';
        } else if (is_punctuation(&t, ':')) {
            if (s->at < s->end && *s->at == ':')
                s->at++;
            else
                d.has_list |= d.n > 0 || d.is_type;
        } else if (is_punctuation(&t, '=')) {
            d.has_value |= d.op.kind != NAME;
        } else if (is_punctuation(&t, '{')) {
            /* Old C declares parameters between ")" and "{". */
            if (is_punctuation(&d.before, ';'))
                d = last;
            if (!open_brace(s, &d, source, err))
                return false;
            t.c = '}';
        } else if (is_punctuation(&t, ';') || is_punctuation(&t, '}')) {
            if (d.n)
                last = d;
            d = (struct declaration){.n = 0};
        }
        d.before = t;
    }
    return true;
}

bool source_read(struct source *source, struct prof_err *err)
{
    struct scanner s = {.at = source->text.s,
                        .end = source->text.s + source->text.n,
                        .line = 1,
                        .is_go = source->is_go,
                        .is_first = true};
    source->package = (struct prof_slice){"", 0};
    return source->is_go ? read_go(&s, source, err) : read_c(&s, source, err);
}
