/*
 * binary.h - finds and reads the ELF files of a mapping
 *
 *   sym_cache_find()   finds and opens the files of a mapping (symbol.h lists
 *                      where they are searched)
 *   sym_bias()         computes the distance between addresses of a process and
 *                      those that the linker assigned
 *   sym_labels_read()  lists the named addresses
 *
 * ELF and its program headers: https://gabi.xinuos.com/.  Only regular files
 * are opened.  Their content is not trusted: libelf checks headers and sections
 * against the size of the file.  It is read, not mapped, so that a file that
 * shrinks meanwhile (the program is built again) causes an error, not a crash.
 * Files of up to 128 KiB are read into memory, unless their debug information
 * names other files.
 */
#ifndef PROFUTILS_SYMBOLIZE_BINARY_H
#define PROFUTILS_SYMBOLIZE_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "profile.h"
#include "symbolize/symbol.h"

/* A PT_LOAD program header, as in the file. */
struct sym_segment {
    uint64_t offset, vaddr, filesz, memsz;
    bool exec; /* PF_X */
};

enum { SYM_BUILD_ID_MAX = 64 }; /* bytes; longer ones are cut */

typedef char sym_build_id[2 * SYM_BUILD_ID_MAX + 1]; /* hexadecimal */

/*
 * If the running kernel has the build ID `kernel`, sets id to the build ID of
 * the vdso of this process, which all processes of this kind share; else to "".
 */
bool sym_vdso_id(const char *kernel, sym_build_id id, struct prof_err *err);

/* What a recording says about its kernel, if not the build ID. */
struct sym_kernel {
    const char *host, *release; /* as of uname(2) */
    const char *symbol;         /* "_text" or "_stext" */
    uint64_t address;           /* of the symbol */
};

/*
 * Sets id to the build ID of the running kernel if all members of *k match it,
 * else to "".
 */
bool sym_kernel_id(const struct sym_kernel *k, sym_build_id id,
                   struct prof_err *err);

/* An open ELF file. */
struct sym_image {
    char *path;         /* the name by which it was opened */
    int fd;             /* -1: not a file, only bytes in memory */
    struct buf content; /* all bytes, if they are in memory */
    uint64_t size;      /* bytes of the file */
    struct Elf *elf;    /* the file in libelf */
    int type, machine;  /* ET_, EM_ */
    struct sym_segment *segments;
    size_t n_segments;     /* at most 1024; files with more are refused */
    sym_build_id build_id; /* "" for none */
    bool has_dwarf;        /* .debug_info, compressed or not */
    bool has_symtab;       /* .symtab */
    bool debug_only;       /* it is a separate debug file, without code */
    bool damaged;          /* some sections cannot be read */
    bool has_others;       /* its debug information refers to other files */
};

/* The files of a binary.  A null path means that there is no such file. */
struct sym_files {
    struct sym_image image;  /* the binary; or only its debug file */
    struct sym_image debug;  /* its separate debug file */
    struct sym_image shared; /* debug information that several files share
                                (.gnu_debugaltlink) */
    struct sym_image mini; /* the symbols in the image's .gnu_debugdata; opened
                              if neither file has a symbol table */
};

/*
 * Opens the program or library at `path`, or, with `any`, any ELF file.  After
 * a failure *im is empty (sym_image_close() is allowed), and the text of *err
 * can follow the name of the file in a message:
 *
 *      PROF_ERR_INPUT   it does not exist (sets *absent), or is not usable
 *      PROF_ERR_SYSTEM  the system failed: the file may exist
 */
bool sym_image_open(struct sym_image *im, const char *path, bool any,
                    bool *absent, struct prof_err *err);
void sym_image_close(struct sym_image *im);

/* What the headers of a program or library say. */
struct sym_program {
    bool is_64, big_endian;
    uint64_t low;   /* the first address that is loaded */
    uint64_t high;  /* the end (exclusive) of code, in whole pages of 4 KiB */
    uint64_t entry; /* the address at which it starts */
    uint64_t etext; /* the end of its code, by its symbol; 0: unknown */
    sym_build_id build_id;
};

/* Reads the file at `fd`; PROF_ERR_INPUT if it is not an ELF file with code. */
bool sym_program_read(struct sym_program *p, int fd, struct prof_err *err);

/*
 * Sets *bias to the number to subtract from an address in the process to get
 * the address that the linker assigned.  `address` is any address of a sample
 * in the mapping.  False if no segment has the file offset of the mapping.
 *
 *   bias   for
 *   0      a program that is not position independent (ET_EXEC): it runs where
 *          it was linked, whatever its mapping says
 *   0      a mapping at address 0 and offset 0 (made up by a tool for a profile
 *          without mappings)
 *   else   a kernel (its start, an address of the kernel, is also its offset):
 *          by the first code that is loaded
 *   0      a mapping within the addresses that the image was linked at
 *          (gmon.out: low_pc and high_pc)
 *   else   by the start of the mapping, and the segment (PT_LOAD) that has its
 *          file offset
 */
bool sym_bias(const struct sym_image *im, const struct prof_mapping *m,
              uint64_t address, uint64_t *bias);

/*
 * Labels: the named addresses of a binary, as nm -n lists them.
 *
 * pprof cuts a binary into functions at labels: the code between one and the
 * next at another address belongs to it.  So symbols of all kinds are in the
 * list, not only functions.
 *
 * They come from .symtab, of the binary or else of its debug file.  If neither
 * has one they come from .dynsym: a label then extends only over the size of
 * its symbol, because most symbols are missing.
 */

struct sym_label {
    uint64_t address;
    uint64_t reach;   /* its code ends here, or at the next label before */
    const char *name; /* owned by the files */
};

/* Sorted by address, then by the bytes of the name. */
struct sym_labels {
    VEC(struct sym_label);
};

/*
 * Reads the labels of a binary, whose files must stay open as long as *l is
 * used.  Of damaged tables, reads what it can.  The caller frees *l with
 * vec_free(), after a failure too.
 */
bool sym_labels_read(struct sym_labels *l, const struct sym_files *files,
                     struct prof_err *err);

enum sym_found {
    SYM_FOUND,
    SYM_NOT_FOUND,   /* *err says why; it can follow the file's name */
    SYM_FIND_FAILED, /* the system failed: the file may exist */
};

/* Where the symbols of a mapping are; only SYM_FILE has an ELF file. */
enum sym_source {
    SYM_FILE,
    SYM_KERNEL,   /* the kernel: in kallsyms */
    SYM_MODULE,   /* a module of the kernel: in the kernel's kallsyms */
    SYM_BPF,      /* a BPF program: the mapping's file name is its name */
    SYM_PERF_MAP, /* code of a JIT compiler: in /tmp/perf-PID.map */
};

/* What to find. */
struct sym_wanted {
    enum sym_source source;
    const char *file;     /* the mapping's file name */
    const char *build_id; /* "": any */
    const char *path;     /* directories separated by colons, or null */
    const char *kallsyms; /* SYM_KERNEL: used if none is found; or null */
    bool named_only;      /* open `file` itself; search only debug files */
    const struct prof_notes *notes;
};

/*
 * Finds and opens a binary, and its debug file if it has no DWARF itself.  The
 * cache owns *files; those of the last two calls are valid.  A binary in the
 * cache is not searched again.  Notes say which files were tried and refused.
 */
enum sym_found sym_cache_find(struct sym_cache *cache,
                              const struct sym_wanted *wanted,
                              const struct sym_files **files,
                              struct prof_err *err);

#endif
