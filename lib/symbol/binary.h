/*
 * binary.h - a binary and what was read of it, for one profile or more
 */
#ifndef PROFUTILS_SYMBOL_BINARY_H
#define PROFUTILS_SYMBOL_BINARY_H

#include <elfutils/libdw.h>

#include "symbol/find.h"
#include "symbol/symbol.h"
#include "symbol/symtab.h"
#include "symbol/units.h"

/* Zero but for the files until more is needed. */
struct sym_binary {
    struct sym_files files;
    struct sym_symtab symtab;
    Dwarf *dwarf;           /* null: none, or not opened yet */
    Dwarf *shared;          /* what it shares with other files, or null */
    struct sym_units units; /* of dwarf */
    bool dwarf_tried;
    const char *dwarf_path, *dwarf_error; /* what is to be told; null: no */
};

/*
 * Opens b->dwarf and reads its units, the first time it is called.  Debug
 * information that cannot be opened is a warning, of the first call of
 * sym_binary_dwarf(): sym_binary_read() says nothing and touches nothing but
 * *b, so that a thread may do it.  False when memory is out.
 */
bool sym_binary_read(struct sym_binary *b, struct err *err);
bool sym_binary_dwarf(struct sym_binary *b, const struct notes *notes,
                      struct err *err);
/* Whether sym_binary_read() has much to do. */
bool sym_binary_is_large(const struct sym_binary *b);

void sym_binary_close(struct sym_binary *b);

/*
 * As sym_find(), but what is in the cache is not looked for again; *b then
 * belongs to the cache, and is good until the next call.
 */
enum sym_found sym_cache_find(struct sym_cache *cache, struct sym_binary **b,
                              const char *file, const char *build_id,
                              bool anywhere, const char *path,
                              const struct notes *notes, struct err *err);

#endif
