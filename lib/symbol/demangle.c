#include "symbol/symbol.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "symbol/demangle.h"

/*
 * The demanglers recurse once per level of a name, at most once per
 * character, so the length limit is what keeps the stack safe.  A short name
 * can also stand for exponentially long text (each substitution may name
 * twice the one before), which the limit on text ends.
 */
enum { NAME_MAX_LENGTH = 8192, TEXT_MAX_LENGTH = 64 * 1024 };

struct text {
    struct buf buf;
    jmp_buf stop; /* memory is out, or the text has become too long */
};

/* The printers have no other way to be stopped than not returning. */
static void put(const char *s, size_t n, void *ctx)
{
    struct text *t = ctx;
    if (n > TEXT_MAX_LENGTH - t->buf.n || !buf_put(&t->buf, s, n))
        longjmp(t->stop, 1);
}

static char *finish(struct text *t, bool ok)
{
    if (ok && t->buf.n && buf_putc(&t->buf, 0))
        return (char *)t->buf.v;
    buf_free(&t->buf);
    return NULL;
}

static bool print_cxx(struct text *t, struct demangle_component *tree,
                      int options)
{
    if (setjmp(t->stop))
        return false;
    return cplus_demangle_print_callback(options, tree, put, t) != 0;
}

static bool print_rust(struct text *t, const char *name)
{
    if (setjmp(t->stop))
        return false;
    return rust_demangle_callback(name, 0, put, t) != 0;
}

static char *demangle_cxx(const char *name, enum sym_demangle how)
{
    void *memory = NULL;
    int options = DMGL_ANSI | (how == SYM_DEMANGLE_FULL ? DMGL_PARAMS : 0);
    struct demangle_component *tree =
        cplus_demangle_v3_components(name, options, &memory);
    if (!tree)
        return NULL;
    struct text t = {0};
    bool ok = how == SYM_DEMANGLE_FULL ||
              sym_simplify(tree, strlen(name), how == SYM_DEMANGLE_TEMPLATES);
    ok = ok && print_cxx(&t, tree, options);
    free(memory);
    return finish(&t, ok);
}

static bool is_identifier(char c)
{
    return ascii_is_alnum(c) || c == '_' || (unsigned char)c >= 0x80;
}

void sym_cut_arguments(char *s, bool brackets)
{
    char *to = s;
    size_t depth = 0;
    for (const char *from = s; *from; from++) {
        bool opens =
            *from == '<' &&
            (depth || (to > s && (to[-1] == ':' || is_identifier(to[-1]))));
        if (opens && depth++)
            continue;
        /* The '>' of an arrow closes nothing. */
        bool closes = *from == '>' && depth && from[-1] != '-';
        if (closes && --depth)
            continue;
        if ((opens || closes) ? brackets : !depth)
            *to++ = *from;
    }
    *to = 0;
}

static bool is_hex(const char *s, size_t n)
{
    return strspn(s, "0123456789abcdef") >= n;
}

/* Where a legacy Rust name ends (its hash is its last part), or 0. */
static size_t rust_legacy_length(const char *name)
{
    const char *end = NULL;
    for (const char *s = name; (s = strstr(s, "17h")); s++)
        if (is_hex(s + 3, 16) && s[19] == 'E' && (!s[20] || s[20] == '.'))
            end = s + 20;
    return end ? (size_t)(end - name) : 0;
}

static char *demangle_rust(const char *name, bool generics)
{
    struct text t = {0};
    char *s = finish(&t, print_rust(&t, name));
    if (s && !generics)
        sym_cut_arguments(s, true);
    return s;
}

char *sym_demangle(const char *name, enum sym_demangle how)
{
    bool v0 = name[0] == '_' && name[1] == 'R';
    if (how == SYM_DEMANGLE_NONE || name[0] != '_' || (name[1] != 'Z' && !v0) ||
        strlen(name) > NAME_MAX_LENGTH)
        return NULL;
    size_t legacy = v0 ? 0 : rust_legacy_length(name);
    char *s = NULL;
    char *stem = strndup(name, legacy ? legacy : strcspn(name, "."));
    if (!stem)
        return NULL;
    if (v0 || legacy)
        s = demangle_rust(stem, !v0 || how != SYM_DEMANGLE_DEFAULT);
    if (!s && !v0)
        s = demangle_cxx(stem, how);
    /* What refers to an argument that was cut is shown with it. */
    if (!s && !v0 && how == SYM_DEMANGLE_DEFAULT)
        s = demangle_cxx(stem, SYM_DEMANGLE_TEMPLATES);
    free(stem);
    return s;
}
