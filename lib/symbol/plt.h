/*
 * plt.h - the procedure linkage table: names for its entries
 *
 * The n-th entry jumps through the n-th relocation of .rela.plt (.rel.plt),
 * which names the function.  Known for x86 (also .plt.sec) and AArch64,
 * whose entries are 16 bytes after a header of at most 32; a table of any
 * other shape is left unnamed.
 */
#ifndef PROFUTILS_SYMBOL_PLT_H
#define PROFUTILS_SYMBOL_PLT_H

#include "symbol/symtab.h"

/* Appends the entries to the table.  False when memory is out. */
bool sym_plt_read(struct sym_symtab *t, const struct sym_image *im,
                  struct err *err);

#endif
