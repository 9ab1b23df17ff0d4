/*
 * elfsec.h - sections of an ELF file, with their contents checked
 */
#ifndef PROFUTILS_SYMBOL_ELFSEC_H
#define PROFUTILS_SYMBOL_ELFSEC_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>

/* The first section of this name and its header, or null. */
Elf_Scn *sym_section(Elf *elf, const char *name, GElf_Shdr *sh);

/* The first section of this type (SHT_), or null. */
Elf_Scn *sym_section_of_type(Elf *elf, unsigned type, GElf_Shdr *sh);

/*
 * A table of symbols and the strings that belong to it.  n is the number of
 * symbols that are really there.
 */
struct sym_table {
    Elf_Data *symbols, *strings;
    size_t n;
};

/* False when the section has no sound contents. */
bool sym_table_open(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh,
                    struct sym_table *t);

/* The symbol and its name ("" where the name is not inside the strings). */
bool sym_table_get(const struct sym_table *t, size_t i, GElf_Sym *sym,
                   const char **name);

/*
 * As strcmp() of two names in a table; but where they agree in 4096 bytes the
 * one that comes first is less, as names that are parts of each other would
 * take far too long.
 */
int sym_name_cmp(const char *a, const char *b);

/*
 * Whether the strings of debug information all end inside their sections, of a
 * file that libdw has opened (and so decompressed): libdw before 0.190 hands
 * out those that do not.
 */
bool sym_debug_strings_end(Elf *elf);

#endif
