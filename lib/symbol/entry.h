/*
 * entry.h - what the function of a DWARF entry is called
 */
#ifndef PROFUTILS_SYMBOL_ENTRY_H
#define PROFUTILS_SYMBOL_ENTRY_H

#include "base/hash.h"
#include "base/vec.h"
#include "symbol/dwarf.h"

/* The names of a function, found by its entry. */
struct sym_entry {
    const void *entry;
    struct sym_name name;
};

/* Functions met; zero-initialise. */
struct sym_entries {
    VEC(struct sym_entry) known;
    struct hashidx index;
};

void sym_entries_free(struct sym_entries *e);

/*
 * The names and start line of a DW_TAG_subprogram or an inlined one, each
 * origin read only once; "" if it has none.  *name is good until the next
 * call.
 */
bool sym_entry_name(struct sym_entries *e, struct sym_lookup *l, Dwarf_Die *die,
                    const struct sym_name **name, struct err *err);

/* The string of an attribute that the entry or its origin has, or null. */
const char *sym_entry_string(Dwarf_Die *die, unsigned attribute);

#endif
