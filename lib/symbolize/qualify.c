/*
 * qualify.c - names of C++ functions that have no linkage name
 *
 * GCC gives no linkage name to functions that other files cannot see: lambdas,
 * functions in local classes and anonymous namespaces, and templates with such
 * types.  If all calls of such a function are inlined, no symbol has its name
 * either.  The name is made from the entries that contain the function, much as
 * the demangler prints it:
 * "work(int)::{lambda#1}::operator()".  The parameters of lambdas are omitted,
 * and they are counted in the order of a function.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "symbolize/private.h"

enum {
    DEPTH_MAX = 64, /* levels of entries; deeper functions have shorter names */
    NAME_MAX_BYTES = 64 * 1024,
};

#define NO_OWNER UINT32_MAX

/* A unit, or an entry that qualifies the names of functions in it. */
struct sym_owner {
    Dwarf_Die die;
    uint32_t around;    /* row of the entry that contains it; a unit has none */
    uint32_t number;    /* of a type without a name: its number in `around` */
    uint32_t n_unnamed; /* how many types without a name it contains */
};

struct level {
    Dwarf_Die die;
    uint32_t around;
};

static bool is_cxx(Dwarf_Die *unit)
{
    switch (dw.dwarf_srclang(unit)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case 0x2b: /* C++ 17 and 20 of DWARF 6 */
    case 0x2c:
        return true;
    default:
        return false;
    }
}

static uint32_t find_owner(const struct sym_owners *o, const void *address)
{
    uint32_t row;
    return map_find(&o->known, &address, sizeof address, &row) ? row : NO_OWNER;
}

/* Adds an entry inside *around, and sets *around to the entry. */
static bool add_owner(struct sym_owners *o, Dwarf_Die *die, uint32_t *around,
                      struct prof_err *err)
{
    struct sym_owner new = {.die = *die, .around = *around};
    const int tag = dw.dwarf_tag(die);
    if (*around != NO_OWNER && tag != DW_TAG_namespace &&
        tag != DW_TAG_subprogram && !dw.dwarf_diename(die))
        new.number = ++o->v[*around].n_unnamed;
    return map_push(&o->known, o, &die->addr, sizeof die->addr, around, new) ||
           err_nomem(err);
}

/* Adds the entry if it qualifies names.  Sets *below if its children may. */
static bool visit(struct sym_owners *o, struct level *l, bool *below,
                  struct prof_err *err)
{
    *below = true;
    switch (dw.dwarf_tag(&l->die)) {
    case DW_TAG_namespace:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_subprogram:
        return add_owner(o, &l->die, &l->around, err);
    case DW_TAG_lexical_block:
        return true;
    default:
        *below = false;
        return true;
    }
}

/*
 * Adds a unit and its entries once.  Stops at an entry that is not after the
 * one before in memory: it is damaged, and no entry may be visited twice.
 */
static bool add_unit(struct sym_owners *o, Dwarf_Die *unit,
                     struct prof_err *err)
{
    struct level levels[DEPTH_MAX];
    size_t depth = 0;
    uint32_t row = NO_OWNER;
    const char *last = unit->addr;
    if (find_owner(o, unit->addr) != NO_OWNER)
        return true;
    if (!add_owner(o, unit, &row, err))
        return false;
    levels[0].around = row;
    depth = dw.dwarf_child(unit, &levels[0].die) == 0;
    while (depth && (const char *)levels[depth - 1].die.addr > last) {
        struct level now = levels[depth - 1], next;
        bool below;
        last = now.die.addr;
        if (!visit(o, &now, &below, err))
            return false;
        next.around = now.around;
        below = below && depth < DEPTH_MAX &&
                dw.dwarf_child(&now.die, &next.die) == 0;
        if (dw.dwarf_siblingof(&now.die, &levels[depth - 1].die) != 0)
            depth--;
        if (below)
            levels[depth++] = next;
    }
    return true;
}

/* Sets *row to the declaration of an entry, or to NO_OWNER. */
static bool find_declared(struct sym_owners *o, Dwarf_Die die, uint32_t *row,
                          struct prof_err *err)
{
    Dwarf_Attribute a;
    Dwarf_Die unit;
    for (int i = 0; i < 8; i++)
        if ((!dw.dwarf_attr(&die, DW_AT_specification, &a) &&
             !dw.dwarf_attr(&die, DW_AT_abstract_origin, &a)) ||
            !dw.dwarf_formref_die(&a, &die))
            break;
    *row = NO_OWNER;
    if (!dw.dwarf_diecu(&die, &unit, NULL, NULL) || !is_cxx(&unit))
        return true;
    if (!add_unit(o, &unit, err))
        return false;
    *row = find_owner(o, die.addr);
    return true;
}

static bool put_and_free(struct buf *b, char *shown, const char *name)
{
    bool ok = buf_puts(b, shown ? shown : name);
    free(shown);
    return ok;
}

/* Appends the name of an entry; `inner` is the name of the entry inside it. */
static bool put_owner(struct buf *b, struct sym_owner *owner, const char *inner,
                      enum sym_demangle how)
{
    const char *name = dw.dwarf_diename(&owner->die);
    const int tag = dw.dwarf_tag(&owner->die);
    if (!name && tag == DW_TAG_namespace)
        return buf_puts(b, "(anonymous namespace)");
    if (!name) {
        bool is_lambda = inner && (strncmp(inner, "operator()", 10) == 0 ||
                                   strcmp(inner, "_FUN") == 0);
        return buf_printf(b, "{%s#%u}", is_lambda ? "lambda" : "unnamed type",
                          owner->number);
    }
    if (tag != DW_TAG_subprogram || !inner)
        return put_and_free(b, sym_show_raw(name, how), name);
    const char *raw = sym_entry_string(&owner->die, DW_AT_linkage_name);
    char *whole = raw ? sym_demangle(raw, how) : NULL;
    bool has_list = (whole && how == SYM_DEMANGLE_FULL) ||
                    (!raw && strcmp(name, "main") == 0);
    return put_and_free(b, whole ? whole : sym_show_raw(name, how), name) &&
           (has_list || buf_puts(b, "()"));
}

/* Sets *id to the qualified name of chain[0] in chain[1] ... chain[n - 1]. */
static bool intern_chain(struct sym_owners *o, struct sym_names *names,
                         const uint32_t *chain, size_t n, enum sym_demangle how,
                         uint32_t *id, struct prof_err *err)
{
    struct buf b = {0};
    bool ok = true;
    for (size_t i = n; ok && i-- > 0 && b.n < NAME_MAX_BYTES;) {
        const char *inner =
            i ? dw.dwarf_diename(&o->v[chain[i - 1]].die) : NULL;
        ok = put_owner(&b, &o->v[chain[i]], i ? inner ? inner : "" : NULL,
                       how) &&
             (!i || buf_puts(&b, "::"));
    }
    ok = ok || err_nomem(err);
    ok = ok && sym_names_string(names, (const char *)b.v, b.n, id, err);
    buf_free(&b);
    return ok;
}

bool sym_qualify(struct sym_owners *o, struct sym_names *names, Dwarf_Die *die,
                 struct sym_name *name, bool *is_qualified,
                 struct prof_err *err)
{
    uint32_t chain[DEPTH_MAX], row;
    size_t n = 0;
    *is_qualified = false;
    if (!find_declared(o, *die, &row, err))
        return false;
    while (row != NO_OWNER && o->v[row].around != NO_OWNER && n < DEPTH_MAX) {
        Dwarf_Die around = o->v[o->v[row].around].die;
        chain[n++] = row;
        if (n > 1 && sym_entry_string(&o->v[row].die, DW_AT_linkage_name))
            break; /* this name contains those of all outer entries */
        if (!find_declared(o, around, &row, err))
            return false;
    }
    *is_qualified = n > 1;
    return n <= 1 ||
           (intern_chain(o, names, chain, n, SYM_DEMANGLE_FULL,
                         &name->system_name, err) &&
            intern_chain(o, names, chain, n,
                         names->how == SYM_DEMANGLE_NONE ? SYM_DEMANGLE_FULL
                                                         : names->how,
                         &name->name, err));
}

bool sym_lambda_line(struct sym_owners *o, Dwarf_Die *die, int *line,
                     struct prof_err *err)
{
    uint32_t row;
    *line = 0;
    if (!find_declared(o, *die, &row, err))
        return false;
    if (row != NO_OWNER)
        row = o->v[row].around;
    if (row != NO_OWNER && o->v[row].number &&
        dw.dwarf_decl_line(&o->v[row].die, line) != 0)
        *line = 0;
    return true;
}

void sym_owners_free(struct sym_owners *o)
{
    vec_free(o);
    map_free(&o->known);
}
