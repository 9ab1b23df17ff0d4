/*
 * gprof_symbols.h - the function that owns each address, by gprof's rules
 *
 * In gprof, a symbol owns all addresses up to the next symbol, whatever its
 * size.  So padding, the procedure linkage table and functions without a symbol
 * belong to the symbol before them.  To attribute the same time and calls to
 * each function as gprof, this selects the same symbols of .symtab:
 *
 *   global   symbols of code
 *   weak     all symbols except data objects
 *   local    symbols of code, unless the name has a '$', or a '.' that is not
 *            followed by a number.  ".clone.N" and ".constprop.N" count as
 *            numbers.  So parts that the compiler split off a function
 *            (f.part.0, f.isra.0, f.cold) belong to the symbol before them.
 *            Like gprof, this checks a name that ends in a number together with
 *            the string that follows it in the string table.
 *   never    indirect functions (STT_GNU_IFUNC), unique symbols
 *            (STB_GNU_UNIQUE)
 *
 * Of several symbols at one address it keeps the first by these criteria:
 *
 *   1. a global symbol
 *   2. a function (STT_FUNC)
 *   3. fewer underscores at the beginning of the name (more than two count as
 *      two)
 *   4. the first in the file
 *
 * Sources: gprof's manual (https://sourceware.org/binutils/docs/gprof/) and
 * what GNU gprof 2.40 does.
 */
#ifndef PROFUTILS_SYMBOL_GPROF_SYMBOLS_H
#define PROFUTILS_SYMBOL_GPROF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define GPROF_NO_SYMBOL UINT32_MAX

/* Owns the addresses [lo, hi). */
struct gprof_symbol {
    uint64_t lo, hi;
    size_t name;     /* linkage name: offset in gprof_symbols.names */
    bool is_func;    /* STT_FUNC */
    uint32_t callee; /* row of the last is_func up to this one (inclusive), or
                        GPROF_NO_SYMBOL */
};

/*
 * Sorted by lo, unique.  Each symbol ends where the next one begins; the last
 * one ends with its section.  Zero-initialise.
 */
struct gprof_symbols {
    struct gprof_symbol *v;
    size_t n, cap;
    struct buf names; /* NUL-terminated strings */
};

/*
 * Reads the symbols of the ELF file `file`, or of its separate debug file,
 * which is looked for as sym_profile() does (`path` may be null).  None if
 * there is no .symtab or no such file.  False when memory is out, and
 * (ERR_INPUT) when names, which can be parts of each other, would take more
 * than 16 times what the symbol table and its strings do.
 */
bool gprof_symbols_read(struct gprof_symbols *o, const char *file,
                        const char *path, struct err *err);
void gprof_symbols_free(struct gprof_symbols *o);

/* Adds one by hand, after those that are there. */
bool gprof_symbols_add(struct gprof_symbols *o, uint64_t lo, uint64_t hi,
                       const char *name, bool is_func, struct err *err);

static inline const char *gprof_symbol_name(const struct gprof_symbols *o,
                                            uint32_t i)
{
    return (const char *)o->names.v + o->v[i].name;
}

/* The first that begins after the address; o->n if none does. */
size_t gprof_symbols_after(const struct gprof_symbols *o, uint64_t address);

/* Whose the address is, or GPROF_NO_SYMBOL. */
uint32_t gprof_symbols_find(const struct gprof_symbols *o, uint64_t address);

/*
 * Whom a call to the address calls: as before, but code without the type of
 * a function (assembly) counts for the function before it.
 */
static inline uint32_t gprof_symbols_callee(const struct gprof_symbols *o,
                                            uint64_t address)
{
    uint32_t i = gprof_symbols_find(o, address);
    return i == GPROF_NO_SYMBOL ? i : o->v[i].callee;
}

#endif
