#include "base/vec.h"
#include "symbol/dwarf.h"

bool sym_lookup_symbol(struct sym_lookup *l, uint64_t vaddr,
                       const struct sym_symbol **s, struct err *err)
{
    struct sym_binary *b = l->binary;
    if (!b->symtab.loaded &&
        !sym_symtab_load(&b->symtab, &b->files.image, &b->files.debug, err))
        return false;
    *s = sym_symtab_find(&b->symtab, vaddr);
    return true;
}

bool sym_lookup_add(struct sym_lookup *l, struct sym_query *q,
                    const struct prof_line *line, struct err *err)
{
    struct profile *p = l->names->p;
    if (p->n_lines >= PROF_NONE)
        return err_set(err, ERR_INPUT, "more than 4294967294 lines");
    if (!vec_grow((void **)&p->lines, &p->cap_lines, p->n_lines + 1,
                  sizeof *p->lines))
        return err_nomem(err);
    if (!q->n_lines)
        q->line_off = (uint32_t)p->n_lines;
    p->lines[p->n_lines++] = *line;
    q->n_lines++;
    return true;
}
