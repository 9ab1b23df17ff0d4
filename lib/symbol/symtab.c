#include "symbol/symtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "symbol/elfsec.h"
#include "symbol/minidebug.h"
#include "symbol/plt.h"

/* Symbols that lie inside others are rare, and nested so deep they never are.
 */
enum { NESTED_MAX = 64 };

/* Ends of the sections that hold code; 0 for others, by section index. */
struct code {
    uint64_t *end;
    size_t n;
};

static bool find_code(Elf *elf, struct code *code, struct err *err)
{
    memset(code, 0, sizeof *code);
    size_t n = 0;
    if (elf_getshdrnum(elf, &n) != 0)
        return true;
    code->end = mem_zarray(n, sizeof *code->end);
    if (!code->end)
        return err_nomem(err);
    code->n = n;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr sh;
        size_t i = elf_ndxscn(scn);
        if (i < n && gelf_getshdr(scn, &sh) && (sh.sh_flags & SHF_EXECINSTR) &&
            sh.sh_size <= UINT64_MAX - sh.sh_addr)
            code->end[i] = sh.sh_addr + sh.sh_size;
    }
    return true;
}

/* "$x", "$d.12": where ARM and RISC-V code and data begin; no names. */
static bool is_mark(const char *name)
{
    return name[0] == '$' && name[1] && (!name[2] || name[2] == '.');
}

/* A symbol with a size, of a function, that others may see comes first. */
static int rank_of(const GElf_Sym *sym)
{
    int type = GELF_ST_TYPE(sym->st_info), bind = GELF_ST_BIND(sym->st_info);
    return (sym->st_size ? 8 : 0) + (type != STT_NOTYPE ? 4 : 0) +
           (bind == STB_GLOBAL ? 2
            : bind == STB_WEAK ? 1
                               : 0);
}

/* Whether it names code, and as which symbol. */
static bool take(const GElf_Sym *sym, const char *name, int machine,
                 const struct code *code, struct sym_symbol *s)
{
    int type = GELF_ST_TYPE(sym->st_info);
    if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
        return false;
    uint64_t end = sym->st_shndx < code->n ? code->end[sym->st_shndx] : 0;
    uint64_t lo = sym->st_value;
    if (machine == EM_ARM && type == STT_FUNC)
        lo &= ~(uint64_t)1; /* bit 0 says Thumb */
    if (!*name || lo >= end || (type == STT_NOTYPE && is_mark(name)))
        return false;
    if (sym->st_size && sym->st_size < end - lo)
        end = lo + sym->st_size;
    *s = (struct sym_symbol){lo, end, 0, name, rank_of(sym), false};
    return true;
}

static bool read_table(struct sym_symtab *t, const struct sym_image *im,
                       unsigned type, struct err *err)
{
    GElf_Shdr sh;
    struct sym_table table;
    struct code code;
    Elf_Scn *scn = sym_section_of_type(im->elf, type, &sh);
    if (!scn)
        return true;
    if (!sym_table_open(im->elf, scn, &sh, &table)) {
        t->damaged = true;
        return true;
    }
    if (!find_code(im->elf, &code, err))
        return false;
    bool ok = vec_reserve(t, table.n);
    for (size_t i = 0; ok && i < table.n; i++) {
        GElf_Sym sym;
        const char *name;
        struct sym_symbol s;
        if (sym_table_get(&table, i, &sym, &name) &&
            take(&sym, name, im->machine, &code, &s))
            t->v[t->n++] = s;
    }
    free(code.end);
    return ok || err_nomem(err);
}

/* No name has many. */
static size_t underscores(const char *s)
{
    enum { COUNTED = 64 };
    size_t n = 0;
    while (n < COUNTED && s[n] == '_')
        n++;
    return n;
}

/* By address; the one to take comes first: malloc before __libc_malloc. */
static int by_address(const void *a, const void *b)
{
    const struct sym_symbol *x = a, *y = b;
    if (x->lo != y->lo)
        return x->lo < y->lo ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank > y->rank ? -1 : 1;
    size_t ux = underscores(x->name), uy = underscores(y->name);
    if (ux != uy)
        return ux < uy ? -1 : 1;
    return sym_name_cmp(x->name, y->name);
}

/*
 * Leaves one symbol for each address, without labels inside functions, and
 * ends those that have no size where the next begins.
 */
static void tidy(struct sym_symtab *t)
{
    size_t n = 0;
    uint64_t reach = 0;
    for (size_t i = 0; i < t->n; i++) {
        struct sym_symbol s = t->v[i];
        bool sized = s.rank & 8;
        if ((n && t->v[n - 1].lo == s.lo) || (!sized && s.lo < reach))
            continue;
        if (n && !(t->v[n - 1].rank & 8) && t->v[n - 1].hi > s.lo)
            t->v[n - 1].hi = s.lo;
        if (sized && s.hi > reach)
            reach = s.hi;
        t->v[n++] = s;
    }
    t->n = n;
}

/* Links each symbol to the one around it, past those that lie beside it. */
static void link_outer(struct sym_symtab *t)
{
    for (size_t i = 0; i < t->n; i++) {
        size_t outer = i;
        while (outer && t->v[outer - 1].hi <= t->v[i].hi)
            outer = t->v[outer - 1].outer;
        t->v[i].outer = outer;
    }
}

/* Both tables of a stripped binary: neither has what the other one has. */
static bool read_stripped(struct sym_symtab *t, struct sym_files *files,
                          const struct notes *notes, struct err *err)
{
    return read_table(t, &files->image, SHT_DYNSYM, err) &&
           sym_minidebug_open(&files->mini, &files->image, notes, err) &&
           (!files->mini.path || read_table(t, &files->mini, SHT_SYMTAB, err));
}

bool sym_symtab_load(struct sym_symtab *t, struct sym_files *files,
                     const struct notes *notes, struct err *err)
{
    t->loaded = true;
    const struct sym_image *im =
        files->image.has_symtab ? &files->image : &files->debug;
    if (!(im->has_symtab ? read_table(t, im, SHT_SYMTAB, err)
                         : read_stripped(t, files, notes, err)) ||
        !sym_plt_read(t, &files->image, err))
        return false;
    if (t->n)
        qsort(t->v, t->n, sizeof *t->v, by_address);
    tidy(t);
    link_outer(t);
    return true;
}

void sym_symtab_free(struct sym_symtab *t)
{
    vec_free(t);
    t->loaded = false;
}

const struct sym_symbol *sym_symtab_find(const struct sym_symtab *t,
                                         uint64_t vaddr)
{
    size_t lo = 0, hi = t->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (t->v[mid].lo <= vaddr)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (int k = 0; lo && k < NESTED_MAX; k++) {
        const struct sym_symbol *s = &t->v[lo - 1];
        if (vaddr < s->hi)
            return s;
        lo = s->outer;
    }
    return NULL;
}
