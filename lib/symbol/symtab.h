/*
 * symtab.h - names of addresses from the symbol tables of an image
 *
 * .symtab where there is one (in the image or its debug file), else
 * .dynsym with what minidebug.h has; and the entries of the procedure linkage
 * table.  A symbol answers for its own size only, so that code of a stripped
 * library is not charged to the nearest function it exports.  Symbols without a
 * size (assembly) reach to the next symbol or the end of their section.
 */
#ifndef PROFUTILS_SYMBOL_SYMTAB_H
#define PROFUTILS_SYMBOL_SYMTAB_H

#include "symbol/find.h"

struct sym_symbol {
    uint64_t lo, hi; /* addresses as linked; hi is exclusive */
    size_t outer; /* row + 1 of the last before it that ends behind it, or 0 */
    const char *name; /* belongs to the image; may go on with "@@VERSION" */
    int rank;         /* of several at one address the greatest is taken */
    bool plt;         /* the entry that jumps to `name` */
};

struct sym_symtab {
    struct sym_symbol *v; /* by lo, no two alike */
    size_t n, cap;
    bool loaded;
    bool damaged; /* a table was left out */
};

/*
 * Reads the tables of the image, or the .symtab of its debug file when the
 * image has none, and opens files->mini when this has none either.  Damaged
 * tables give what can be read.  False when memory is out.
 */
bool sym_symtab_load(struct sym_symtab *t, struct sym_files *files,
                     const struct notes *notes, struct err *err);
void sym_symtab_free(struct sym_symtab *t);

/* The symbol that the address is in, or null. */
const struct sym_symbol *sym_symtab_find(const struct sym_symtab *t,
                                         uint64_t vaddr);

#endif
