#include "symbol/labels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "symbol/elfsec.h"

/* What nm shows with an address unless it is asked for more. */
static bool is_listed(const GElf_Sym *sym, const char *name)
{
    int type = GELF_ST_TYPE(sym->st_info);
    return *name && sym->st_shndx != SHN_UNDEF && type != STT_SECTION &&
           type != STT_FILE;
}

/* The last address of a symbol, plus one. */
static uint64_t reach_of(const GElf_Sym *sym)
{
    uint64_t end;
    if (__builtin_add_overflow(sym->st_value, sym->st_size, &end))
        return UINT64_MAX;
    return end;
}

static bool read_table(struct sym_labels *l, const struct sym_image *im,
                       unsigned type, struct err *err)
{
    GElf_Shdr sh;
    struct sym_table table;
    Elf_Scn *scn = sym_section_of_type(im->elf, type, &sh);
    if (!scn || !sym_table_open(im->elf, scn, &sh, &table))
        return true;
    if (!vec_reserve(l, table.n))
        return err_nomem(err);
    for (size_t i = 0; i < table.n; i++) {
        GElf_Sym sym;
        const char *name;
        if (sym_table_get(&table, i, &sym, &name) && is_listed(&sym, name))
            l->v[l->n++] = (struct sym_label){
                sym.st_value, type == SHT_SYMTAB ? UINT64_MAX : reach_of(&sym),
                name};
    }
    return true;
}

static int by_address(const void *a, const void *b)
{
    const struct sym_label *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return sym_name_cmp(x->name, y->name);
}

bool sym_labels_read(struct sym_labels *l, const struct sym_files *files,
                     struct err *err)
{
    memset(l, 0, sizeof *l);
    const struct sym_image *im = &files->image;
    if (!im->has_symtab && files->debug.has_symtab)
        im = &files->debug;
    errno = 0;
    if (!read_table(l, im, im->has_symtab ? SHT_SYMTAB : SHT_DYNSYM, err) ||
        !err_check_errno(err))
        return false;
    if (l->n)
        qsort(l->v, l->n, sizeof *l->v, by_address);
    return true;
}

void sym_labels_free(struct sym_labels *l)
{
    vec_free(l);
}

size_t sym_labels_group(const struct sym_labels *l, size_t first, uint64_t *end)
{
    size_t n = 1;
    uint64_t reach = l->v[first].reach;
    while (first + n < l->n && l->v[first + n].address == l->v[first].address)
        if (l->v[first + n++].reach > reach)
            reach = l->v[first + n - 1].reach;
    /* As in pprof, the byte before the next label is left out. */
    *end = first + n < l->n ? l->v[first + n].address - 1 : UINT64_MAX;
    if (*end > reach)
        *end = reach;
    return n;
}
