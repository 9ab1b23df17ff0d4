/*
 * private.h - what the files of lib/symbol share
 *
 * Functions return false when memory is out or the system fails.
 */
#ifndef PROFUTILS_SYMBOL_PRIVATE_H
#define PROFUTILS_SYMBOL_PRIVATE_H

#include <elfutils/libdw.h>
#include <gelf.h>

#include "base/hash.h"
#include "base/vec.h"
#include "symbol/binary.h"
#include "symbol/demangle.h"

/* ELF files (elf.c). */

/*
 * sym_image_open() for a file in memory, which is part of the one at `path`.
 * Takes over the bytes of *content, unless it fails.
 */
bool sym_image_open_memory(struct sym_image *im, const char *path,
                           struct buf *content, struct err *err);

/*
 * The directory that the file is really in, links aside, without a slash at
 * its end; "" where there is no telling.  The caller frees it.  Checks errno as
 * sym_table_open().
 */
bool sym_image_dir(const struct sym_image *im, char **dir, struct err *err);

void sym_build_id_set(sym_build_id id, const unsigned char *bytes, size_t n);

/* The first section of this name and its header, or null. */
Elf_Scn *sym_section(Elf *elf, const char *name, GElf_Shdr *sh);

/* The first section of this type (SHT_), or null. */
Elf_Scn *sym_section_of_type(Elf *elf, unsigned type);

/* A table of symbols and the strings that belong to it. */
struct sym_table {
    Elf_Data *symbols, *strings;
    size_t n;     /* symbols that are really there */
    bool damaged; /* the section has no sound contents; n is 0 */
};

/*
 * Opens the table in a section, which may be null: n is then 0.  Checks errno,
 * which the caller sets to 0 before it begins to use the file.
 */
bool sym_table_open(struct sym_table *t, const struct sym_image *im,
                    Elf_Scn *scn, struct err *err);

/* The symbol and its name ("" where the name is not inside the strings). */
bool sym_table_get(const struct sym_table *t, size_t i, GElf_Sym *sym,
                   const char **name);

/* Files that belong to a mapping (find.c). */

/* As sym_cache_find(), but *files belongs to the caller. */
enum sym_found sym_find(struct sym_files *files,
                        const struct sym_wanted *wanted, struct err *err);

/* The one that has the debug information, or null. */
const struct sym_image *sym_files_dwarf(const struct sym_files *files);

void sym_files_close(struct sym_files *files);

/* The section of a file that names the file it shares with others (find.c). */
#define SYM_SHARED_SECTION ".gnu_debugaltlink"

/*
 * Symbols (symtab.c): names of addresses from the tables of an image.
 *
 * .symtab where there is one (in the image or its debug file), else
 * .dynsym with files->mini; and the entries of the procedure linkage table.  A
 * symbol answers for its own size only, so that code of a stripped library is
 * not charged to the nearest function it exports.  Symbols without a size
 * (assembly) reach to the next symbol or the end of their section.
 */
struct sym_symbol {
    uint64_t lo, hi; /* addresses as linked; hi is exclusive */
    size_t outer; /* row + 1 of the last row before that ends later; 0: none */
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

/* DWARF (binary.c): which compilation unit covers which address. */
struct sym_unit {
    Dwarf_Die lines;  /* the unit that the line table hangs on */
    Dwarf_Die scopes; /* the one with the functions; of a .dwo file if split */
    size_t size;      /* bytes of that one */
    bool split;       /* it is in a .dwo file that has not been opened */
    bool lost;        /* ... and cannot be */
    const char *lost_file; /* its name then, or null */
};

struct sym_span {
    uint64_t lo, hi; /* addresses; hi is exclusive */
    uint32_t unit;
};

struct sym_units {
    VEC(struct sym_unit) units;
    VEC(struct sym_span) spans; /* in order of lo */
    size_t max_spans; /* units may share lists of ranges: by file size */
    bool damaged;     /* some were left out */
};

/*
 * Opens the .dwo file of a unit that is split, of a file in `dir`; there may
 * be thousands of them, of which few are needed.
 */
bool sym_unit_complete(struct sym_units *u, struct sym_unit *unit,
                       const char *dir, struct err *err);

/* The string of an attribute that the entry or its origin has, or null. */
static inline const char *sym_entry_string(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute a;
    return dwarf_attr_integrate(die, attribute, &a) ? dwarf_formstring(&a)
                                                    : NULL;
}

/* The unit that covers the address, or UINT32_MAX. */
uint32_t sym_units_find(const struct sym_units *u, uint64_t vaddr);

/* A binary and what was read of it; zero but for the files. */
struct sym_binary {
    struct sym_files files;
    struct sym_symtab symtab;
    Dwarf *dwarf;           /* null: none, or not opened yet */
    Dwarf *shared;          /* what it shares with other files, or null */
    struct sym_units units; /* of dwarf */
    bool dwarf_tried;
    const char *dwarf_path,
        *dwarf_error; /* of a warning that is due; or null */
};

/*
 * Opens b->dwarf and reads its units, the first time it is called.  If the
 * debug information cannot be opened, sets dwarf_path and dwarf_error.  Touches
 * nothing but *b, so that a thread may call it.
 */
bool sym_binary_read(struct sym_binary *b, struct err *err);

/*
 * The symbol that the address is in, or null.  Reads the symbol tables, the
 * first time it is called.
 */
bool sym_binary_symbol(struct sym_binary *b, uint64_t vaddr,
                       const struct sym_symbol **s, const struct notes *notes,
                       struct err *err);

void sym_binary_close(struct sym_binary *b);

/* As sym_cache_find(), but all that was read of the binary. */
enum sym_found sym_cache_get(struct sym_cache *cache,
                             const struct sym_wanted *wanted,
                             struct sym_binary **b, struct err *err);

/*
 * Names (symnames.c): functions of a profile, one for each name, file and
 * start line.  Each linkage name is demangled once, however many functions,
 * units and binaries it is met in.
 */
/* What a function is called; string ids. */
struct sym_name {
    uint32_t name, system_name;
    int64_t start_line;
};

struct sym_names {
    struct profile *p;
    enum sym_demangle how;
    uint64_t room;             /* bytes that new names may have */
    VEC(struct sym_name) seen; /* names of raw names; start_line is 0 */
    VEC(uint32_t) seen_row;    /* by string id of the raw name: row + 1, or 0 */
    struct hashidx functions;  /* rows of p->functions that were added here */
};

void sym_names_init(struct sym_names *names, struct profile *p,
                    enum sym_demangle how);
void sym_names_free(struct sym_names *names);

/*
 * Interns a text that binaries have given.  ERR_INPUT when all that were new
 * come to more than 64 MiB, and 4 KiB for each location of the profile: names
 * can be parts of each other, and stand for far longer ones.
 */
bool sym_names_string(struct sym_names *names, const char *s, size_t n,
                      uint32_t *id, struct err *err);

/* Sets both names from n bytes of a linkage name, or of a plain one. */
bool sym_names_set(struct sym_names *names, const char *raw, size_t n,
                   struct sym_name *name, struct err *err);

/* The same from a symbol, without its version; start_line becomes 0. */
bool sym_names_symbol(struct sym_names *names, const struct sym_symbol *s,
                      struct sym_name *name, struct err *err);

/* The function of this name and file (a string id), added if it is new. */
bool sym_names_function(struct sym_names *names, const struct sym_name *name,
                        uint32_t file, uint32_t *function, struct err *err);

/*
 * Functions, lines and inlined frames from DWARF, versions 2 to 5 (dwarf.c).
 * https://dwarfstd.org/.  Only the units that contain an address are walked,
 * and each of them once for all its addresses.
 */
/* An address to look up and where its lines are in p->lines. */
struct sym_query {
    uint64_t vaddr;
    uint32_t location;
    uint32_t line_off, n_lines; /* n_lines 0: not found (yet) */
};

struct sym_lookup {
    struct sym_binary *binary;
    struct sym_names *names;
    struct sym_query *v; /* in order of vaddr */
    size_t n;
    bool no_inlines, symtab_only; /* as in struct sym_opts */
    bool has_inlines;             /* set when functions came from DWARF */
    const struct notes *notes;
};

/*
 * Looks all addresses up, in the debug information and then in the symbol
 * tables, and appends their lines to the profile.  What is damaged is a note,
 * and the addresses it leaves are not found.
 */
bool sym_look_up(struct sym_lookup *l, struct err *err);

#endif
