/*
 * owners.h - the function that owns each address of a program
 *
 * code_owners_read()
 *   The functions are those of .symtab and the stubs of the procedure linkage
 *   table ("f@plt"), as sym_profile() uses them.  Each owns the bytes of its
 *   symbol, and the padding (less than 64 bytes) before it.
 *
 * code_owners_read_gprof()
 *   In gprof, a symbol owns all addresses up to the next symbol, whatever its
 *   size.  So padding, the procedure linkage table and functions without a
 *   symbol belong to the symbol before them.  To attribute the same time and
 *   calls to each function as gprof, this selects the same symbols of .symtab:
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
#ifndef PROFUTILS_SYMBOLIZE_OWNERS_H
#define PROFUTILS_SYMBOLIZE_OWNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

#define CODE_NO_OWNER UINT32_MAX

/* Owns the addresses [lo, hi). */
struct code_owner {
    uint64_t lo, code, hi; /* [lo, code) is padding, [code, hi) is code */
    size_t name;           /* linkage name: offset in code_owners.names */
    bool is_func;          /* STT_FUNC */
    uint32_t func;   /* row of the function.  Not this row if this is the end of
                        a function that has another function inside of it */
    uint32_t callee; /* the last row up to this one that is_func, or
                        CODE_NO_OWNER */
};

/* All owners, sorted by `lo`; they do not overlap.  Zero-initialise, and free
 * with code_owners_free(). */
struct code_owners {
    VEC(struct code_owner);
    struct buf names; /* NUL-terminated strings */
    bool has_sizes;   /* owners end by the sizes of symbols, not at the next */
};

/*
 * Read the symbols of the ELF file `file`, or of its separate debug file, which
 * is searched as sym_profile() does (`path` may be null).  *o is empty if there
 * is no .symtab or no such file.
 *
 * False when memory is out.  PROF_ERR_INPUT when all names together exceed 16
 * times the size of the file (for gprof: of the symbol table and its strings),
 * which is possible because names can be parts of each other.
 */
bool code_owners_read(struct code_owners *o, const char *file, const char *path,
                      const struct prof_notes *notes, struct prof_err *err);
bool code_owners_read_gprof(struct code_owners *o, const char *file,
                            const char *path, struct prof_err *err);
void code_owners_free(struct code_owners *o);

/* Appends an owner; `lo` must not be below the end of the last one. */
bool code_owners_add(struct code_owners *o, uint64_t lo, uint64_t hi,
                     const char *name, bool is_func, struct prof_err *err);

static inline const char *code_owner_name(const struct code_owners *o,
                                          uint32_t i)
{
    return (const char *)o->names.v + o->v[i].name;
}

/* Returns the first row that begins after the address; o->n if none does. */
size_t code_owners_after(const struct code_owners *o, uint64_t address);

/* Returns the row in `func` that owns the address, or CODE_NO_OWNER. */
uint32_t code_owners_find(const struct code_owners *o, uint64_t address);

/*
 * Returns the row of the function that a call to the address calls.  As
 * code_owners_find(), but code whose symbol is not of type function (assembly)
 * belongs to the function before it.
 */
static inline uint32_t code_owners_callee(const struct code_owners *o,
                                          uint64_t address)
{
    uint32_t i = code_owners_find(o, address);
    return i == CODE_NO_OWNER ? i : o->v[i].callee;
}

#endif
