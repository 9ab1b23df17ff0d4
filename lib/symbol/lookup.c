#include "symbol/dwarf.h"

bool sym_lookup_symbol(struct sym_lookup *l, uint64_t vaddr,
                       const struct sym_symbol **s, struct err *err)
{
    struct sym_binary *b = l->binary;
    if (!b->symtab.loaded &&
        !sym_symtab_load(&b->symtab, &b->files, l->notes, err))
        return false;
    *s = sym_symtab_find(&b->symtab, vaddr);
    return true;
}

bool sym_lookup_add(struct sym_lookup *l, struct sym_query *q,
                    const struct prof_line *line, struct err *err)
{
    struct profile *p = l->names->p;
    if (!q->n_lines)
        q->line_off = (uint32_t)p->n_lines;
    if (!prof_push_line(p, line, err))
        return false;
    q->n_lines++;
    return true;
}
