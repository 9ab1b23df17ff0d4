#include "symbol/elfsec.h"

#include <string.h>

Elf_Scn *sym_section(Elf *elf, const char *name, GElf_Shdr *sh)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        if (!gelf_getshdr(scn, sh))
            continue;
        const char *s = elf_strptr(elf, names, sh->sh_name);
        if (s && strcmp(s, name) == 0)
            return scn;
    }
    return NULL;
}

Elf_Scn *sym_section_of_type(Elf *elf, unsigned type, GElf_Shdr *sh)
{
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));)
        if (gelf_getshdr(scn, sh) && sh->sh_type == type)
            return scn;
    return NULL;
}

bool sym_table_open(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh,
                    struct sym_table *t)
{
    memset(t, 0, sizeof *t);
    GElf_Shdr strings;
    Elf_Scn *with = elf_getscn(elf, sh->sh_link);
    if (!with || !gelf_getshdr(with, &strings) || strings.sh_type != SHT_STRTAB)
        return false;
    t->symbols = elf_getdata(scn, NULL);
    t->strings = elf_getdata(with, NULL);
    size_t each = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
    if (!t->symbols || !t->symbols->d_buf || !t->strings ||
        !t->strings->d_buf || !t->strings->d_size || !each)
        return false;
    t->n = t->symbols->d_size / each;
    if (t->n > INT32_MAX)
        t->n = INT32_MAX;
    const char *s = t->strings->d_buf;
    return s[t->strings->d_size - 1] == 0;
}

bool sym_table_get(const struct sym_table *t, size_t i, GElf_Sym *sym,
                   const char **name)
{
    if (i >= t->n || !gelf_getsym(t->symbols, (int)i, sym))
        return false;
    *name = sym->st_name < t->strings->d_size
                ? (const char *)t->strings->d_buf + sym->st_name
                : "";
    return true;
}

int sym_name_cmp(const char *a, const char *b)
{
    enum { COMPARED = 4096 };
    int c = strncmp(a, b, COMPARED);
    if (c || strnlen(a, COMPARED) < COMPARED)
        return c;
    return (a > b) - (a < b);
}

static bool is_debug_strings(const char *name)
{
    const char *s = strstr(name, "debug_");
    return s && (strncmp(s, "debug_str", 9) == 0 ||
                 strncmp(s, "debug_line_str", 14) == 0);
}

bool sym_debug_strings_end(Elf *elf)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return false;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr sh;
        if (!gelf_getshdr(scn, &sh))
            continue;
        const char *name = elf_strptr(elf, names, sh.sh_name);
        if (!name || !is_debug_strings(name) || strstr(name, "_offsets"))
            continue;
        const Elf_Data *d = elf_getdata(scn, NULL);
        if (d && d->d_buf && d->d_size &&
            ((const char *)d->d_buf)[d->d_size - 1])
            return false;
    }
    return true;
}
