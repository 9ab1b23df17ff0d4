#include <libiberty/demangle.h>
#include <string.h>

#include "symbol/demangle.h"

typedef struct demangle_component component;

enum { TODO_MAX = 512 };

/* What is left to look at. */
struct todo {
    component *v[TODO_MAX];
    size_t n, budget;
};

static bool add(struct todo *todo, component *c)
{
    if (!c)
        return true;
    if (todo->n == TODO_MAX || !todo->budget)
        return false;
    todo->budget--;
    todo->v[todo->n++] = c;
    return true;
}

/* The abbreviations of the standard library may spell out arguments. */
static void cut_arguments(component *c)
{
    const char *s = c->u.s_string.string;
    const char *lt = memchr(s, '<', (size_t)c->u.s_string.len);
    if (lt)
        c->u.s_string.len = (int)(lt - s);
}

/* Empties the parameter list of a function that a name is local to. */
static void cut_parameters(component *c)
{
    if (!c || c->type != DEMANGLE_COMPONENT_TYPED_NAME)
        return;
    component *type = c->u.s_binary.right;
    if (type && type->type == DEMANGLE_COMPONENT_FUNCTION_TYPE)
        type->u.s_binary.left = type->u.s_binary.right = NULL;
}

/* The part of a node that a name may be in, or null. */
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

/* True when both parts of a node may hold names. */
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

bool sym_simplify(component *tree, size_t length, bool templates)
{
    struct todo todo = {.budget = 16 * length};
    if (!add(&todo, tree))
        return false;
    while (todo.n) {
        component *c = todo.v[--todo.n];
        while (!templates && c->type == DEMANGLE_COMPONENT_TEMPLATE &&
               c->u.s_binary.left)
            *c = *c->u.s_binary.left;
        if (!templates && c->type == DEMANGLE_COMPONENT_SUB_STD)
            cut_arguments(c);
        if (c->type == DEMANGLE_COMPONENT_LOCAL_NAME)
            cut_parameters(c->u.s_binary.left);
        /* Right first, so that lists are not piled up. */
        if (!add(&todo, has_two_parts(c) ? c->u.s_binary.right : only_part(c)))
            return false;
        if (has_two_parts(c) && !add(&todo, c->u.s_binary.left))
            return false;
    }
    return true;
}
