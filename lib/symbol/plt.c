#include "symbol/plt.h"

#include <string.h>

#include "base/vec.h"
#include "symbol/elfsec.h"

enum { ENTRY = 16, HEADER_MAX = 32, SIZED = 8 };

struct relocs {
    Elf_Data *data;
    struct sym_table table;
    size_t n;
    bool rela;
};

static bool open_relocs(Elf *elf, struct relocs *r)
{
    GElf_Shdr sh, symbols;
    Elf_Scn *scn = sym_section(elf, ".rela.plt", &sh);
    if (!scn)
        scn = sym_section(elf, ".rel.plt", &sh);
    if (!scn || (sh.sh_type != SHT_RELA && sh.sh_type != SHT_REL))
        return false;
    r->rela = sh.sh_type == SHT_RELA;
    r->data = elf_getdata(scn, NULL);
    size_t each =
        gelf_fsize(elf, r->rela ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
    Elf_Scn *table = elf_getscn(elf, sh.sh_link);
    if (!r->data || !r->data->d_buf || !each || !table ||
        !gelf_getshdr(table, &symbols) ||
        !sym_table_open(elf, table, &symbols, &r->table))
        return false;
    r->n = r->data->d_size / each;
    return r->n <= INT32_MAX;
}

/* The name that relocation i asks for, or "". */
static const char *name_of(const struct relocs *r, size_t i)
{
    uint64_t info;
    GElf_Rela rela;
    GElf_Rel rel;
    if (r->rela && gelf_getrela(r->data, (int)i, &rela))
        info = rela.r_info;
    else if (!r->rela && gelf_getrel(r->data, (int)i, &rel))
        info = rel.r_info;
    else
        return "";
    GElf_Sym sym;
    const char *name;
    if (!GELF_R_SYM(info) ||
        !sym_table_get(&r->table, GELF_R_SYM(info), &sym, &name))
        return "";
    return name;
}

static bool read_section(struct sym_symtab *t, Elf *elf, const char *section,
                         const struct relocs *r, struct err *err)
{
    GElf_Shdr sh;
    if (!sym_section(elf, section, &sh) || sh.sh_size / ENTRY < r->n ||
        sh.sh_size - r->n * ENTRY > HEADER_MAX ||
        sh.sh_size > UINT64_MAX - sh.sh_addr)
        return true;
    uint64_t at = sh.sh_addr + (sh.sh_size - r->n * ENTRY);
    if (!vec_reserve(t, r->n))
        return err_nomem(err);
    for (size_t i = 0; i < r->n; i++, at += ENTRY) {
        const char *name = name_of(r, i);
        if (*name)
            t->v[t->n++] =
                (struct sym_symbol){at, at + ENTRY, 0, name, SIZED, true};
    }
    return true;
}

bool sym_plt_read(struct sym_symtab *t, const struct sym_image *im,
                  struct err *err)
{
    struct relocs r;
    if ((im->machine != EM_X86_64 && im->machine != EM_386 &&
         im->machine != EM_AARCH64) ||
        !open_relocs(im->elf, &r) || !r.n)
        return true;
    return read_section(t, im->elf, ".plt", &r, err) &&
           read_section(t, im->elf, ".plt.sec", &r, err);
}
