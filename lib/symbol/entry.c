#include "symbol/entry.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static bool is_mangled(const char *name)
{
    return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

const char *sym_entry_string(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute a;
    return dwarf_attr_integrate(die, attribute, &a) ? dwarf_formstring(&a)
                                                    : NULL;
}

/* True in units of languages that do not mangle names. */
static bool is_plain(Dwarf_Die *die)
{
    Dwarf_Die unit;
    if (!dwarf_diecu(die, &unit, NULL, NULL))
        return false;
    switch (dwarf_srclang(&unit)) {
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case DW_LANG_Go:
        return true;
    default:
        return false;
    }
}

/*
 * The raw name of a function.  Compilers leave the linkage name out for
 * functions that other files do not see; then the symbol table has it, if
 * the function was not inlined.
 */
static bool raw_name(struct sym_lookup *l, Dwarf_Die *die, const char **raw,
                     struct err *err)
{
    *raw = sym_entry_string(die, DW_AT_linkage_name);
    if (!*raw)
        *raw = sym_entry_string(die, DW_AT_MIPS_linkage_name);
    if (*raw)
        return true;
    *raw = dwarf_diename(die);
    if (dwarf_tag(die) != DW_TAG_subprogram)
        return true;
    if (*raw && is_plain(die))
        return true;
    /* Where the function begins: its cold part has a symbol of its own. */
    const struct sym_symbol *s;
    Dwarf_Addr base, lo, hi;
    if (dwarf_ranges(die, 0, &base, &lo, &hi) <= 0)
        return true;
    if (!sym_lookup_symbol(l, lo, &s, err))
        return false;
    if (s && !s->plt && (!*raw || is_mangled(s->name)))
        *raw = s->name;
    return true;
}

static bool read_name(struct sym_lookup *l, Dwarf_Die *die,
                      struct sym_name *name, struct err *err)
{
    const char *raw;
    int line;
    if (!raw_name(l, die, &raw, err) ||
        (raw && !sym_names_set(l->names, raw, strlen(raw), name, err)))
        return false;
    if (dwarf_decl_line(die, &line) == 0 && line > 0)
        name->start_line = line;
    return true;
}

bool sym_entry_name(struct sym_entries *e, struct sym_lookup *l, Dwarf_Die *die,
                    const struct sym_name **name, struct err *err)
{
    Dwarf_Attribute a;
    Dwarf_Die origin = *die;
    if (dwarf_tag(die) == DW_TAG_inlined_subroutine &&
        dwarf_attr(die, DW_AT_abstract_origin, &a))
        (void)dwarf_formref_die(&a, &origin);
    if (!hashidx_room(&e->index))
        return err_nomem(err);
    uint64_t seed = prof_seed(l->names->p);
    uint32_t row, hash = mix_fold(mix_pair(seed, (uintptr_t)origin.addr, seed));
    size_t at = hashidx_start(&e->index, hash);
    while ((row = hashidx_next(&e->index, hash, &at)) != HASHIDX_NONE) {
        *name = &e->known.v[row].name;
        if (e->known.v[row].entry == origin.addr)
            return true;
    }
    struct sym_entry new = {origin.addr, {0, 0, 0}};
    if (!read_name(l, die, &new.name, err))
        return false;
    if (!vec_push(&e->known, new))
        return err_nomem(err);
    hashidx_put(&e->index, at, hash, (uint32_t)e->known.n - 1);
    *name = &e->known.v[e->known.n - 1].name;
    return true;
}

void sym_entries_free(struct sym_entries *e)
{
    vec_free(&e->known);
    hashidx_free(&e->index);
}
