/*
 * dwarf.h - functions, lines and inlined frames from DWARF, versions 2 to 5
 *
 * https://dwarfstd.org/.  Only the units that contain an address are walked,
 * and each of them once for all its addresses.
 */
#ifndef PROFUTILS_SYMBOL_DWARF_H
#define PROFUTILS_SYMBOL_DWARF_H

#include "symbol/binary.h"
#include "symbol/names.h"

/* An address to look up and where its lines are in p->lines. */
struct sym_query {
    uint64_t vaddr;
    uint32_t location;
    uint32_t line_off, n_lines; /* n_lines 0: not found (yet) */
};

struct sym_lookup {
    struct sym_binary *binary;
    struct sym_names *names;
    struct sym_query *v; /* in order of vaddr */
    size_t n;
    bool no_inlines;
    bool has_inlines; /* set when functions came from DWARF */
    const struct notes *notes;
};

/*
 * Looks all addresses up, appending lines to the profile.  Damaged debug
 * information is a note, and the addresses it leaves are not found.
 */
bool sym_dwarf_lookup(struct sym_lookup *l, struct err *err);

/* The symbol that the address is in, or null; loads the tables. */
bool sym_lookup_symbol(struct sym_lookup *l, uint64_t vaddr,
                       const struct sym_symbol **s, struct err *err);

/* Appends a line to p->lines and to the query. */
bool sym_lookup_add(struct sym_lookup *l, struct sym_query *q,
                    const struct prof_line *line, struct err *err);

#endif
