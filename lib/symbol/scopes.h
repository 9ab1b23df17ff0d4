/*
 * scopes.h - the functions of one unit that contain given addresses
 *
 * A function is the DW_TAG_subprogram whose code an address is in, and
 * within it the chain of DW_TAG_inlined_subroutine that lead there.
 */
#ifndef PROFUTILS_SYMBOL_SCOPES_H
#define PROFUTILS_SYMBOL_SCOPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

#define SYM_NO_SCOPE UINT32_MAX

struct sym_scope {
    Dwarf_Die die;
    uint32_t parent; /* the scope it is inlined in; none for the root */
    uint32_t root;   /* the subprogram; of a root itself */
};

struct sym_scopes {
    VEC(struct sym_scope) scopes;
    VEC(uint32_t) found; /* the innermost scope of each address, or none */
    VEC(uint32_t) next;  /* scratch: leads past addresses that have one */
    bool damaged;        /* something could not be read */
};

/*
 * Fills s->found for n < 2^32 addresses in ascending order; of functions that
 * overlap the first has them.  `size` bounds the work: a unit of so many bytes
 * has no more entries.  False when memory is
 * out.
 */
bool sym_scopes_find(struct sym_scopes *s, const Dwarf_Die *unit, size_t size,
                     const uint64_t *addr, size_t n, struct err *err);
void sym_scopes_free(struct sym_scopes *s);

#endif
