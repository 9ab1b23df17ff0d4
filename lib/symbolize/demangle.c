/*
 * demangle.c - demangles and simplifies names of C++ and Rust
 *
 * libiberty parses a mangled name into a tree (struct demangle_component) and
 * prints that.  Names are simplified in the tree, not in the text, where
 * operator< looks like an opening bracket.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/slice.h"
#include "base/utf8.h"
#include "symbolize/demangle.h"

/* --- trees of names ------------------------------------------------------- */

typedef struct demangle_component component;

enum { TODO_MAX = 512 };

/* The nodes still to visit. */
struct todo {
    component *v[TODO_MAX];
    size_t n, budget;
};

static bool add_todo(struct todo *todo, component *c)
{
    if (!c)
        return true;
    if (todo->n == TODO_MAX || !todo->budget)
        return false;
    todo->budget--;
    todo->v[todo->n++] = c;
    return true;
}

/* Returns the part of a node that may contain a name, or null. */
static component *only_part(component *c)
{
    switch ((int)c->type) {
    case DEMANGLE_COMPONENT_CTOR:
        return c->u.s_ctor.name;
    case DEMANGLE_COMPONENT_DTOR:
        return c->u.s_dtor.name;
    case DEMANGLE_COMPONENT_LAMBDA:
    case DEMANGLE_COMPONENT_DEFAULT_ARG:
        return c->u.s_unary_num.sub;
    case DEMANGLE_COMPONENT_POINTER:
    case DEMANGLE_COMPONENT_REFERENCE:
    case DEMANGLE_COMPONENT_RVALUE_REFERENCE:
    case DEMANGLE_COMPONENT_CONST:
    case DEMANGLE_COMPONENT_VOLATILE:
    case DEMANGLE_COMPONENT_RESTRICT:
    case DEMANGLE_COMPONENT_CONST_THIS:
    case DEMANGLE_COMPONENT_VOLATILE_THIS:
    case DEMANGLE_COMPONENT_RESTRICT_THIS:
    case DEMANGLE_COMPONENT_REFERENCE_THIS:
    case DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS:
    case DEMANGLE_COMPONENT_TAGGED_NAME:
    case DEMANGLE_COMPONENT_CONVERSION:
    case DEMANGLE_COMPONENT_CAST:
    case DEMANGLE_COMPONENT_PACK_EXPANSION:
    case DEMANGLE_COMPONENT_VTABLE:
    case DEMANGLE_COMPONENT_VTT:
    case DEMANGLE_COMPONENT_TYPEINFO:
    case DEMANGLE_COMPONENT_TYPEINFO_NAME:
    case DEMANGLE_COMPONENT_THUNK:
    case DEMANGLE_COMPONENT_VIRTUAL_THUNK:
    case DEMANGLE_COMPONENT_COVARIANT_THUNK:
    case DEMANGLE_COMPONENT_GUARD:
    case DEMANGLE_COMPONENT_TLS_INIT:
    case DEMANGLE_COMPONENT_TLS_WRAPPER:
        return c->u.s_binary.left;
    default:
        return NULL;
    }
}

/* Whether both parts of a node may contain names. */
static bool has_two_parts(const component *c)
{
    switch ((int)c->type) {
    case DEMANGLE_COMPONENT_QUAL_NAME:
    case DEMANGLE_COMPONENT_LOCAL_NAME:
    case DEMANGLE_COMPONENT_TYPED_NAME:
    case DEMANGLE_COMPONENT_TEMPLATE:
    case DEMANGLE_COMPONENT_TEMPLATE_ARGLIST:
    case DEMANGLE_COMPONENT_ARGLIST:
    case DEMANGLE_COMPONENT_FUNCTION_TYPE:
    case DEMANGLE_COMPONENT_ARRAY_TYPE:
    case DEMANGLE_COMPONENT_PTRMEM_TYPE:
        return true;
    default:
        return false;
    }
}

/* Whether a node is a part of an expression, of which both parts are nodes. */
static bool is_expression(const component *c)
{
    switch ((int)c->type) {
    case DEMANGLE_COMPONENT_DECLTYPE:
    case DEMANGLE_COMPONENT_PACK_EXPANSION:
    case DEMANGLE_COMPONENT_UNARY:
    case DEMANGLE_COMPONENT_BINARY:
    case DEMANGLE_COMPONENT_BINARY_ARGS:
    case DEMANGLE_COMPONENT_TRINARY:
    case DEMANGLE_COMPONENT_TRINARY_ARG1:
    case DEMANGLE_COMPONENT_TRINARY_ARG2:
    case DEMANGLE_COMPONENT_INITIALIZER_LIST:
        return true;
    default:
        return false;
    }
}

/*
 * Returns whether a tree is small, each node counted as often as it is reached.
 * In the tree of "x++" the operand is there twice, and libiberty looks for
 * packs of parameters in both, which takes twice as long for each "++" in "x".
 */
static bool is_small(component *tree)
{
    struct todo todo = {.budget = 1 << 18};
    bool ok = add_todo(&todo, tree);
    while (ok && todo.n) {
        component *c = todo.v[--todo.n];
        const bool both = has_two_parts(c) || is_expression(c);
        ok = add_todo(&todo, both ? c->u.s_binary.right : only_part(c)) &&
             (!both || add_todo(&todo, c->u.s_binary.left));
    }
    return ok;
}

static bool simplify(component *tree, size_t length, bool templates)
{
    struct todo todo = {.budget = 16 * length};
    if (!add_todo(&todo, tree))
        return false;
    while (todo.n) {
        component *c = todo.v[--todo.n];
        while (!templates && c->type == DEMANGLE_COMPONENT_TEMPLATE &&
               c->u.s_binary.left)
            *c = *c->u.s_binary.left;
        /* Abbreviations of the standard library may spell out arguments. */
        const bool is_std = c->type == DEMANGLE_COMPONENT_SUB_STD;
        const char *s = is_std ? c->u.s_string.string : NULL;
        const char *lt =
            is_std ? memchr(s, '<', (size_t)c->u.s_string.len) : NULL;
        if (!templates && lt)
            c->u.s_string.len = (int)(lt - s);
        /* Drop the parameters of the function that a name is local to. */
        component *local = c->type == DEMANGLE_COMPONENT_LOCAL_NAME
                               ? c->u.s_binary.left
                               : NULL;
        if (local && local->type == DEMANGLE_COMPONENT_TYPED_NAME) {
            component *type = local->u.s_binary.right;
            if (type && type->type == DEMANGLE_COMPONENT_FUNCTION_TYPE)
                type->u.s_binary.left = type->u.s_binary.right = NULL;
        }
        /* The left part, added last, is visited first: `todo` stays small. */
        if (!add_todo(&todo,
                      has_two_parts(c) ? c->u.s_binary.right : only_part(c)))
            return false;
        if (has_two_parts(c) && !add_todo(&todo, c->u.s_binary.left))
            return false;
    }
    return true;
}

/* --- names ---------------------------------------------------------------- */

/*
 * The demanglers recurse for each level of a name, at most once per character,
 * so the limit of the length protects the stack.  Even a short name can stand
 * for an exponentially long text, because a substitution may contain the one
 * before twice: hence the limit of the text.
 */
enum { NAME_MAX_LENGTH = 8192, TEXT_MAX_LENGTH = 64 * 1024 };

struct text {
    struct buf buf;
    jmp_buf stop; /* out of memory, or the text is too long */
};

/* Appends text.  Uses longjmp() to stop a printer, which accepts no error. */
static void keep_text(const char *s, size_t n, void *ctx)
{
    struct text *t = ctx;
    if (n > TEXT_MAX_LENGTH - t->buf.n || !buf_put(&t->buf, s, n))
        longjmp(t->stop, 1);
}

static char *finish_text(struct text *t, bool ok)
{
    if (ok && t->buf.n && buf_putc(&t->buf, 0))
        return (char *)t->buf.v;
    buf_free(&t->buf);
    return NULL;
}

/* Prints a C++ tree or, if that is null, a Rust name; false if stopped. */
static bool print_name(struct text *t, component *tree, int options,
                       const char *rust)
{
    if (setjmp(t->stop))
        return false;
    return (tree ? cplus_demangle_print_callback(options, tree, keep_text, t)
                 : rust_demangle_callback(rust, 0, keep_text, t)) != 0;
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
              simplify(tree, strlen(name), how == SYM_DEMANGLE_TEMPLATES);
    ok = ok && is_small(tree) && print_name(&t, tree, options, NULL);
    free(memory);
    return finish_text(&t, ok);
}

void sym_cut_arguments(char *s, bool brackets)
{
    char *to = s;
    size_t depth = 0;
    for (const char *from = s; *from; from++) {
        const char last = to > s ? to[-1] : 0; /* may end an identifier */
        bool follows = last == ':' || ascii_is_alnum(last) || last == '_' ||
                       (unsigned char)last >= 0x80;
        bool opens = *from == '<' && (depth || follows);
        if (opens && depth++)
            continue;
        /* The '>' of "->" is not a closing bracket. */
        bool closes = *from == '>' && depth && from[-1] != '-';
        if (closes && --depth)
            continue;
        if ((opens || closes) ? brackets : !depth)
            *to++ = *from;
    }
    *to = 0;
}

char *sym_demangle(const char *name, enum sym_demangle how)
{
    bool v0 = name[0] == '_' && name[1] == 'R';
    if (how == SYM_DEMANGLE_NONE || name[0] != '_' || (name[1] != 'Z' && !v0) ||
        strlen(name) > NAME_MAX_LENGTH)
        return NULL;
    /* A legacy name of Rust ends with its last part, a hash. */
    const char *end = NULL;
    for (const char *part = name; !v0 && (part = strstr(part, "17h")); part++)
        if (strspn(part + 3, "0123456789abcdef") >= 16 && part[19] == 'E' &&
            (!part[20] || part[20] == '.'))
            end = part + 20;
    char *s = NULL;
    char *stem = strndup(name, end ? (size_t)(end - name) : strcspn(name, "."));
    if (!stem)
        return NULL;
    if (v0 || end) {
        struct text t = {0};
        s = finish_text(&t, print_name(&t, NULL, 0, stem));
        if (s && v0 && how == SYM_DEMANGLE_DEFAULT)
            sym_cut_arguments(s, true);
    }
    if (!s && !v0)
        s = demangle_cxx(stem, how);
    /* Keep template arguments if a name refers to one of them. */
    if (!s && !v0 && how == SYM_DEMANGLE_DEFAULT)
        s = demangle_cxx(stem, SYM_DEMANGLE_TEMPLATES);
    free(stem);
    return s;
}

char *sym_shown_symbol(const char *symbol, enum sym_demangle how, bool clones)
{
    struct prof_slice stem = {symbol, strlen(symbol)};
    const char *plt = slice_ends_with(stem, "@plt") ? "@plt" : "";
    stem.n -= strlen(plt);
    size_t base = prof_base_length(stem);
    char *raw = strndup(symbol, stem.n), *shown = NULL;
    char *name = raw ? sym_demangle(raw, how) : NULL;
    if (name && clones && base < stem.n)
        shown = str_printf("%s [clone %s]%s", name, raw + base, plt);
    else if (name)
        shown = str_printf("%s%s", name, plt);
    else if (raw)
        shown = str_printf("%.*s%s", (int)(clones ? stem.n : base), raw, plt);
    free(name);
    free(raw);
    return shown;
}
