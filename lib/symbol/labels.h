/*
 * labels.h - the named addresses of a binary, as nm -n lists them
 *
 * pprof cuts a binary into functions at these: what is between a label and the
 * next one that is not at the same address belongs to it, so that all kinds of
 * symbols have to be in the list, not only functions.
 *
 * They come from .symtab, of the binary or else of its separate debug file.
 * Where both are without, there is .dynsym: then a label has only as many
 * bytes as its symbol, because most others are missing.
 */
#ifndef PROFUTILS_SYMBOL_LABELS_H
#define PROFUTILS_SYMBOL_LABELS_H

#include "symbol/find.h"

struct sym_label {
    uint64_t address;
    uint64_t reach;   /* where it ends at the latest */
    const char *name; /* belongs to the files */
};

struct sym_labels {
    struct sym_label *v; /* by address, then by the bytes of the name */
    size_t n, cap;
};

/*
 * The labels of a binary whose files must stay open.  Damaged tables give
 * what can be read.  False when memory is out; *l is to be freed in any case.
 */
bool sym_labels_read(struct sym_labels *l, const struct sym_files *files,
                     struct err *err);
void sym_labels_free(struct sym_labels *l);

/*
 * How many labels are at the address of l->v[first], which is the first of
 * them, and in *end where the code that is theirs ends.
 */
size_t sym_labels_group(const struct sym_labels *l, size_t first,
                        uint64_t *end);

#endif
