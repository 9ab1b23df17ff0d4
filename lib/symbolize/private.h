/*
 * private.h - declarations that the files of lib/symbolize share
 *
 * The files, in the order in which symbolization uses them:
 *
 *   symbol.c    sym_profile() groups the locations of a profile by binary
 *   find.c      finds the binary of a mapping, and its debug files
 *   elf.c       opens these files; sym_bias() converts addresses of the process
 *               to those of the linker
 *   binary.c    opens the debug information and reads which unit covers which
 *               addresses; keeps open binaries in a cache
 *   dwarf.c     sym_look_up() finds functions, lines and inlined calls in the
 *               units, else the symbol
 *   symtab.c    reads symbol tables
 *   listing.c   reads symbols of code that has no ELF file from text files
 *   cfi.c       finds call frame information, for unwind.c
 *   cfi_read.c  reads it
 *   unwind.c    finds the callers of a recorded stack (perf2pb); does not use
 *               symbols
 *   unnamed.c   reports the names that are missing
 *   symnames.c  demangles names, and adds functions to the profile
 *   qualify.c   makes names of C++ functions that have no linkage name
 *
 * `vaddr` is an address that the linker assigned.
 *
 * Functions return false, with *err set, if memory is out or a system call
 * fails.  libelf and libdw do not always report that: see err_check_errno().
 */
#ifndef PROFUTILS_SYMBOLIZE_PRIVATE_H
#define PROFUTILS_SYMBOLIZE_PRIVATE_H

#include "base/map.h"
#include "base/vec.h"
#include "symbolize/binary.h"
#include "symbolize/demangle.h"
#include "symbolize/elfutils.h"

/* --- ELF files (elf.c) */

/*
 * As sym_image_open(), for a file in memory that is part of the file at `path`.
 * On success the image owns the bytes of *content.
 */
bool sym_image_open_memory(struct sym_image *im, const char *path,
                           struct buf *content, struct prof_err *err);

/* Opens the vdso of this process; PROF_ERR_INPUT: it has none. */
bool sym_image_open_vdso(struct sym_image *im, struct prof_err *err);

/*
 * Sets *dir to the directory of the file, with symbolic links resolved and
 * without a slash at the end; to "" if that fails.  The caller frees it.  The
 * caller sets errno to 0 before, as for sym_table_open().
 */
bool sym_image_dir(const struct sym_image *im, char **dir,
                   struct prof_err *err);

/* Returns the first address of code (vaddr); UINT64_MAX: there is none. */
uint64_t sym_first_code(const struct sym_image *im);

/* Sets id to the n bytes of a build ID, in hexadecimal. */
void sym_build_id_set(sym_build_id id, const unsigned char *bytes, size_t n);

/* Returns the first section with this name, or null; sets *sh to its header. */
Elf_Scn *sym_section(Elf *elf, const char *name, GElf_Shdr *sh);

/*
 * Adds the decompressed size of a section to *total.  False if the total is
 * implausible for a file of this size.
 */
bool sym_count_section(const struct sym_image *im, Elf_Scn *scn,
                       const char *name, uint64_t *total);

/* Returns the first section of this type (SHT_), or null. */
Elf_Scn *sym_section_of_type(Elf *elf, unsigned type);

/* A table of symbols and the strings that belong to it. */
struct sym_table {
    Elf_Data *symbols, *strings;
    size_t n;     /* number of symbols that are completely in the section */
    bool damaged; /* the table cannot be read; n is 0 */
};

/*
 * Opens the table in a section; if `scn` is null, an empty table.  False if
 * libelf failed because of memory or I/O (err_check_errno()): the caller sets
 * errno to 0 before its first call for the file.
 */
bool sym_table_open(struct sym_table *t, const struct sym_image *im,
                    Elf_Scn *scn, struct prof_err *err);

/*
 * Sets *sym to symbol i, and *name to its name, or to "" if that is not inside
 * the strings.  False if the symbol cannot be read.
 */
bool sym_table_get(const struct sym_table *t, size_t i, GElf_Sym *sym,
                   const char **name);

/* --- the files of a mapping (find.c) */

/* As sym_cache_find(), but the caller owns *files. */
enum sym_found sym_find(struct sym_files *files,
                        const struct sym_wanted *wanted, struct prof_err *err);

/* Returns the file that has the debug information, or null. */
const struct sym_image *sym_files_dwarf(const struct sym_files *files);

void sym_files_close(struct sym_files *files);

/* The section that names the file of debug information that files share. */
#define SYM_SHARED_SECTION ".gnu_debugaltlink"

/*
 * Sets *dir to the next directory of a list separated by colons, *n characters,
 * and *list to the rest of the list, or to null.  False after the last one.
 */
bool sym_next_dir(const char **list, const char **dir, int *n);

/* Whether `id` is hexadecimal, so that it may become part of a path. */
bool sym_is_build_id(const char *id);

/* --- symbols (symtab.c) */

/*
 * A range of code with a name.  Symbols are those of the procedure linkage
 * table, and of the first of these tables that exists:
 *   - .symtab of the image, else that of its debug file
 *   - .dynsym of the image together with .symtab of files->mini
 *
 * A symbol covers its own size only, so that code of a stripped library is not
 * attributed to the nearest exported function.  A symbol without a size
 * (assembly) extends to the next symbol or the end of its section.
 */
struct sym_symbol {
    uint64_t lo, hi;  /* vaddr; hi is exclusive */
    size_t outer;     /* row + 1 of the last earlier symbol with a greater hi */
    const char *name; /* owned by the image; "@@VERSION" may follow */
    int rank;         /* of symbols at one address, the highest is kept */
    bool plt;         /* a stub of the linkage table, which jumps to `name` */
    bool listed;      /* from a listing (listing.c): '@' is part of the name */
};

struct sym_symtab {
    VEC(struct sym_symbol); /* sorted by `lo`, which is unique */
    bool loaded;            /* the tables were read */
    bool damaged;           /* a table could not be read */
    bool complete; /* it has local functions too, not only exported ones */
};

/* Sets `outer` of each symbol. */
void sym_symtab_link(struct sym_symtab *t);

/* --- binaries and their compilation units (binary.c) */

/* A compilation unit.  `lines` and `scopes` differ if the unit is split: its
 * functions are in a .dwo file. */
struct sym_unit {
    Dwarf_Die lines;       /* has the line table */
    Dwarf_Die scopes;      /* has the functions */
    size_t size;           /* bytes of `scopes` */
    bool split;            /* `scopes` is in a .dwo file, not opened yet */
    bool lost;             /* ... or that cannot be opened */
    const char *lost_file; /* the name of that file, or null */
};

/* A range of addresses that a unit covers. */
struct sym_span {
    uint64_t lo, hi; /* vaddr; hi is exclusive */
    uint32_t unit;   /* index in sym_units.units */
};

struct sym_units {
    VEC(struct sym_unit) units;
    VEC(struct sym_span) spans; /* sorted by `lo` */
    size_t max_spans; /* limit by the size of the file: many units of a hostile
                         file may refer to one list */
    bool damaged;     /* some spans or units are missing */
};

/* A binary and what was read from it.  Zero-initialise all but `files`. */
struct sym_binary {
    struct sym_files files;
    struct sym_symtab symtab;
    Dwarf *dwarf;            /* null: none, or not opened yet */
    Dwarf *shared;           /* debug information of files.shared, or null */
    struct sym_units units;  /* the units of `dwarf` */
    VEC(void *) sections;    /* decompressed, for as long as files are open */
    bool dwarf_tried;        /* an attempt was made to open `dwarf` */
    const char *dwarf_path;  /* the file that cannot be opened */
    const char *dwarf_error; /* why, for a warning; null: none */

    /* If the symbols are from a listing (listing.c), without ELF files: */
    struct buf text;    /* the bytes of the symbols' names */
    uint64_t reference; /* address of the kernel's _text; 0: unknown */
    bool is_named;      /* it is the file of --kallsyms */
};

/*
 * Opens b->dwarf and reads its units; later calls do nothing.  If the debug
 * information cannot be opened, sets dwarf_path and dwarf_error.  Several
 * threads may call it at once, for different binaries.
 */
bool sym_binary_read(struct sym_binary *b, struct prof_err *err);

/*
 * Sets *s to the symbol that covers the address, or to null.  Reads the symbol
 * tables when it is called first.
 *
 * The address may be a return address minus 1.  A signal handler returns to the
 * beginning of a function (__restore_rt of libc), so that this is before the
 * function: if no symbol covers the address, the symbol that begins right after
 * it is used.  Not if only exported symbols are known: code without a symbol
 * may end there with a call.
 */
bool sym_binary_symbol(struct sym_binary *b, uint64_t vaddr,
                       const struct sym_symbol **s,
                       const struct prof_notes *notes, struct prof_err *err);

/*
 * Sets *has to whether clang gave discriminators by the flow of control (option
 * -enable-fs-discriminator), which encodes them in another way: the program
 * then has a variable with a special name.
 */
bool sym_has_flow_variable(const struct sym_files *files, bool *has,
                           struct prof_err *err);

void sym_binary_close(struct sym_binary *b);

/* As sym_cache_find(), but for any source, and the caller owns *b. */
enum sym_found sym_binary_find(struct sym_binary *b,
                               const struct sym_wanted *wanted,
                               struct prof_err *err);

/* As sym_cache_find(), but for any source, and sets *b, with all that was read
 * from the binary so far. */
enum sym_found sym_cache_get(struct sym_cache *cache,
                             const struct sym_wanted *wanted,
                             struct sym_binary **b, struct prof_err *err);

/*
 * Opens the program that the user named.  Sets *found; if true, the caller
 * closes *b.  (owners_read.c)
 */
bool sym_open_program(struct sym_binary *b, const char *file, const char *path,
                      bool *found, struct prof_err *err);

/*
 * Opens the .dwo file of a split unit; `dir`: the directory of the binary.
 * There may be thousands of such files, of which few are needed.
 */
bool sym_unit_complete(struct sym_units *u, struct sym_unit *unit,
                       const char *dir, struct prof_err *err);

/* Returns the string of an attribute of the entry, or of the entry that it is
 * an instance of; null if neither has it. */
static inline const char *sym_entry_string(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute a;
    return dw.dwarf_attr_integrate(die, attribute, &a) ? dw.dwarf_formstring(&a)
                                                       : NULL;
}

/* --- listings (listing.c) */

/* Returns the source of symbols for a mapping with this file name and start. */
enum sym_source sym_source_of(const char *file, uint64_t start);

/*
 * Reads the symbols of a mapping that has no ELF file (wanted->source is not
 * SYM_FILE) into *b, which the caller closes.  Notes say which files were tried
 * and refused.
 */
enum sym_found sym_listing_find(struct sym_binary *b,
                                const struct sym_wanted *wanted,
                                struct prof_err *err);

/*
 * Reads the symbols in *text, which must end in two NULs, into *b, which then
 * owns the bytes.  `reference` is the name of the symbol whose address becomes
 * b->reference; null: the text is a perf map, not kallsyms.
 */
bool sym_listing_parse(struct sym_binary *b, struct buf *text,
                       const char *reference, struct prof_err *err);

/*
 * Returns the name of the symbol whose address is the offset of a kernel's
 * mapping: it follows "[kernel.kallsyms]" in the file name, or is "_text".
 */
const char *sym_kernel_symbol(const char *file);

/*
 * Whether a kernel with `symbol` at `address` may be the recorded one, which
 * had it at `recorded` (0: unknown): KASLR moves a kernel only by whole pages.
 * If not, sets *err to a text that can follow the file's name.
 */
bool sym_is_kernel(const char *symbol, uint64_t address, uint64_t recorded,
                   struct prof_err *err);

/*
 * Sets *start to the address of the first code of a kernel that was loaded with
 * `symbol` at `address` (0: where the linker put it).  PROF_ERR_INPUT, whose
 * text can follow the file's name, if the files lack the symbol or are of
 * another kernel.  (symtab.c)
 */
bool sym_kernel_start(const struct sym_files *files, const char *symbol,
                      uint64_t address, uint64_t *start, struct prof_err *err);

/*
 * Whether a file was modified after the end of the profile, `made`, in seconds
 * since 1970 (0: the end is computed from the header).  (build_ids.c)
 */
bool sym_is_newer(const char *file, const struct profile *p, int64_t made);

/* --- missing names (unnamed.c) */

/* A file with addresses that have no names. */
struct sym_unnamed_file {
    const char *name; /* "": the addresses are in no file */
    const char *why;  /* reason, for the message */
    const char *hint; /* what the user can do; static; "": nothing */
    bool was_read;    /* only some of its addresses have no names */
    bool is_quiet;    /* never warn: no names exist, or they do not matter */

    uint32_t number; /* row in `files` plus 1; 0: not added yet */
    size_t n_addresses;
    double share;  /* share of the samples, 0 to 1 */
    size_t frames; /* in the sample that is being counted */
};

struct sym_unnamed {
    VEC(struct sym_unnamed_file) files;
    uint32_t *file_of; /* by location: number of its file, or 0 */
    size_t n_locations;
};

/* Counts a location without a name, which is in *file; the first time, adds a
 * copy of *file and sets its number. */
bool sym_unnamed_add(struct sym_unnamed *u, const struct profile *p,
                     struct sym_unnamed_file *file, size_t location,
                     struct prof_err *err);

/* Reports the files; nothing can be added afterwards. */
void sym_unnamed_report(struct sym_unnamed *u, const struct profile *p,
                        const struct prof_notes *notes);

void sym_unnamed_free(struct sym_unnamed *u);

/* --- names (symnames.c) */

/* The names of a function, string ids, and the line where it starts. */
struct sym_name {
    uint32_t name, system_name;
    int64_t start_line;
};

/*
 * Adds functions to a profile: one per name, file and start line.  A linkage
 * name is demangled only once, however many units and binaries have it.
 */
struct sym_names {
    struct profile *p;
    enum sym_demangle how;
    uint64_t room;             /* bytes that new names may still take */
    VEC(struct sym_name) seen; /* results for linkage names; start_line is 0 */
    VEC(uint32_t) seen_row;    /* by string id: row in `seen` plus 1, or 0 */
    struct prof_functionmap functions;
};

void sym_names_init(struct sym_names *names, struct profile *p,
                    enum sym_demangle how);
void sym_names_free(struct sym_names *names);

/*
 * Adds a text of a binary to the strings of the profile, unless it is there,
 * and sets *id.  PROF_ERR_INPUT if all new texts together exceed 64 MiB plus 4
 * KiB per location of the profile: names in a binary can be parts of each
 * other, and short ones can stand for very long ones.
 */
bool sym_names_string(struct sym_names *names, const char *s, size_t n,
                      uint32_t *id, struct prof_err *err);

/*
 * Sets name->name and name->system_name from a linkage name of n bytes, mangled
 * or not.
 */
bool sym_names_set(struct sym_names *names, const char *raw, size_t n,
                   struct sym_name *name, struct prof_err *err);

/*
 * Returns the name to show for a linkage name (malloc'ed); null: the name
 * itself is shown, or memory is out.
 */
char *sym_show_raw(const char *raw, enum sym_demangle how);

/*
 * Sets *name from a symbol; ignores its version.  A clone ("f.isra.0") has the
 * name of its function, and its own as system_name.
 */
bool sym_names_symbol(struct sym_names *names, const struct sym_symbol *s,
                      struct sym_name *name, struct prof_err *err);

/* Sets *function to the one with this name and file (a string id), added to the
 * profile if new. */
bool sym_names_function(struct sym_names *names, const struct sym_name *name,
                        uint32_t file, uint32_t *function,
                        struct prof_err *err);

/* --- names from the entries around a function (qualify.c) */

/* Caches which namespace, type or function contains each function of the units
 * that were asked about.  Zero-initialise. */
struct sym_owners {
    VEC(struct sym_owner);
    struct map known; /* addresses of their entries */
};

/*
 * For a C++ function without a linkage name: if it is in a namespace, a type or
 * another function, sets *name to its qualified name.  Sets *is_qualified to
 * whether it did.
 */
bool sym_qualify(struct sym_owners *o, struct sym_names *names, Dwarf_Die *die,
                 struct sym_name *name, bool *is_qualified,
                 struct prof_err *err);

/*
 * If the function is in a type without a name, sets *line to the line of that
 * type, else to 0.  For a lambda, GCC records the line there, and not for the
 * function.
 */
bool sym_lambda_line(struct sym_owners *o, Dwarf_Die *die, int *line,
                     struct prof_err *err);
void sym_owners_free(struct sym_owners *o);

/* --- lookup (dwarf.c) */

/* An address to look up. */
struct sym_query {
    uint64_t vaddr;
    uint32_t location;
    bool found; /* the location has lines now */
};

struct sym_lookup {
    struct sym_binary *binary;
    struct sym_names *names;
    struct sym_query *v; /* sorted by vaddr */
    size_t n;
    bool no_inlines, symtab_only; /* as in struct sym_opts */
    bool keep_lines;  /* keep a location's lines if there is only a symbol */
    bool has_inlines; /* set if functions came from DWARF */
    struct sym_discriminators *discriminators; /* as in struct sym_opts */
    const struct prof_notes *notes;
};

/*
 * Looks up all addresses in the debug information (DWARF 2 to 5,
 * https://dwarfstd.org/), then in the symbol tables, and sets the lines of
 * their locations.  Reads only units that cover one of the addresses, each
 * once.  Warns of damaged parts.
 */
bool sym_look_up(struct sym_lookup *l, struct prof_err *err);

/* --- call frame information (cfi.c) */

/* Registers have the numbers of DWARF: i386 has 9, x86-64 17, AArch64 33. */
enum { CFI_REGS = 33 };

/* Where to find the value that a register had in the caller.  The CFA is the
 * canonical frame address of DWARF. */
enum cfi_how {
    CFI_DEFAULT, /* there is no rule; rows have neither this nor CFI_SAME */
    CFI_SAME,    /* in the same register */
    CFI_UNDEFINED,
    CFI_AT_CFA,      /* in memory, at the CFA plus `value` */
    CFI_CFA,         /* the CFA plus `value` */
    CFI_REGISTER,    /* register `from` plus `value` */
    CFI_AT_EXPR,     /* in memory, at what an expression gives */
    CFI_EXPR,        /* what an expression gives */
    CFI_UNSUPPORTED, /* unknown: the rule cannot be read */
};

struct cfi_rule {
    uint8_t reg, how, from;
    uint16_t n_ops;
    uint64_t value; /* for an expression: index in ops of its first */
};

/* The rules for one address.  Registers without a rule keep their values. */
struct cfi_row {
    uint64_t vaddr;
    struct cfi_rule cfa; /* canonical frame address: CFI_REGISTER, CFI_EXPR */
    uint32_t first, n;   /* cfi.rules[first .. first + n) */
    uint8_t return_reg;  /* the register with the return address */
    bool found;          /* false: there is no information for this address */
    bool signal;         /* the code that a signal handler returns to */
};

/* An operation of an expression (DW_OP_). */
struct cfi_op {
    uint8_t atom;
    uint64_t number, number2;
};

/* A function that a section describes: the entry at offset `at`. */
struct cfi_range {
    uint64_t lo, hi; /* vaddr; hi is exclusive */
    uint32_t at;
};

/* .eh_frame or .debug_frame. */
struct cfi_section {
    const uint8_t *v; /* n bytes; owned by the image */
    size_t n;
    uint64_t vaddr;
    unsigned word; /* bytes of an address */
    bool is_eh, big;
    bool in_segment; /* v[] goes to the end of a segment; an empty entry ends
                        the section before that */
    VEC(struct cfi_range) ranges; /* sorted by lo */
};

struct cfi {
    struct cfi_section eh, debug;
    VEC(struct cfi_row) rows;
    VEC(struct cfi_rule) rules;
    VEC(struct cfi_op) ops;
    struct map known; /* addresses (vaddr) of `rows` */
    uint64_t asked;   /* how many rows were made */
    uint64_t work;    /* bytes of instructions that were executed for them */
    bool gave_up;     /* they took too much work: no more rows are made */
    bool damaged;     /* some entries were not valid */
    int frame_reg;    /* x86: the frame pointer; if a row says that it is
                         undefined, the stack ends.  Others: -1 */
    Elf *elf;         /* the binary */
    int machine;
};

/* --- entries of call frame information (cfi_read.c) */

/* Sets s->ranges from the section's bytes; takes time in proportion to them. */
bool cfi_section_read(struct cfi_section *s, struct prof_err *err);

/*
 * Sets *vaddr to the address of .eh_frame, which the section .eh_frame_hdr, *s,
 * contains (Linux Standard Base, chapter 10.6.2).  False if *s is not valid.
 */
bool cfi_header_read(const struct cfi_section *s, uint64_t *vaddr);

/*
 * Fills *row for the address row->vaddr if the section has an entry for it.  If
 * the entry is not valid, sets c->damaged instead.  Adds to c->work.
 */
bool cfi_section_row(struct cfi *c, const struct cfi_section *s,
                     struct cfi_row *row, struct prof_err *err);

/* --- (cfi.c) */

/* Zero-initialise *c; the files must stay open. */
bool cfi_open(struct cfi *c, const struct sym_files *files,
              struct prof_err *err);
void cfi_close(struct cfi *c);

/*
 * Sets *row to the row of an address: from .eh_frame, else from .debug_frame,
 * else, for a procedure linkage table that neither describes, a known one.  It
 * is valid until the next call.
 */
bool cfi_find(struct cfi *c, uint64_t vaddr, const struct cfi_row **row,
              struct prof_err *err);

#endif
