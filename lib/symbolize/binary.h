/*
 * binary.h - ELF files of programs, for reports of code
 *
 *   sym_cache_find()   finds and opens the files of a mapping (symbol.h lists
 *                      where they are searched)
 *   sym_bias()         converts addresses of a process to those of the linker
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
 * Sets id to the build ID of the vdso that the kernel with the build ID
 * `kernel` maps into processes like this one; "" unless this kernel runs.
 */
bool sym_vdso_id(const char *kernel, sym_build_id id, struct prof_err *err);

/* What a recording without the build ID of its kernel says of it. */
struct sym_kernel {
    const char *host, *release; /* as of uname(2) */
    const char *symbol;         /* "_text" or "_stext" */
    uint64_t address;           /* of the symbol */
};

/*
 * Sets id to the build ID of the running kernel if all of this is true of it,
 * else to "".
 */
bool sym_kernel_id(const struct sym_kernel *k, sym_build_id id,
                   struct prof_err *err);

struct sym_image {
    char *path;         /* as it was opened */
    int fd;             /* -1: there is no such file, only content */
    struct buf content; /* all bytes, if they are in memory */
    uint64_t size;      /* bytes of the file */
    struct Elf *elf;    /* of libelf */
    int type, machine;  /* ET_, EM_ */
    struct sym_segment *segments;
    size_t n_segments;     /* at most 1024; files with more are refused */
    sym_build_id build_id; /* "" for none */
    bool has_dwarf;        /* .debug_info, compressed or not */
    bool has_symtab;       /* .symtab */
    bool debug_only;       /* has no code: a separate debug file */
    bool damaged;          /* some sections cannot be read */
    bool has_others;       /* its debug information names other files */
};

struct sym_files {
    struct sym_image image;  /* may itself be a separate debug file */
    struct sym_image debug;  /* its separate debug file; path null: none */
    struct sym_image shared; /* what that shares with others, or null path */
    struct sym_image mini;   /* the image's .gnu_debugdata, opened when symbols
                                are needed and neither file has a table */
};

/*
 * Opens the program or library at `path`; `any`: any ELF file.  On failure *im
 * is empty (sym_image_close() is allowed), and *err has words to follow the
 * name of the file:
 *
 *      PROF_ERR_INPUT   there is no such file (*absent), or it cannot be used
 *      PROF_ERR_SYSTEM  the system failed, so that this is unknown
 */
bool sym_image_open(struct sym_image *im, const char *path, bool any,
                    bool *absent, struct prof_err *err);
void sym_image_close(struct sym_image *im);

/* What the headers of a program or library say. */
struct sym_program {
    bool is_64, big_endian;
    uint64_t low;   /* the first address that is loaded */
    uint64_t high;  /* the end (exclusive) of code, in whole pages of 4 KiB */
    uint64_t entry; /* where it starts */
    uint64_t etext; /* the end of its code, by its symbol; 0: unknown */
    sym_build_id build_id;
};

/* Reads the file at `fd`; PROF_ERR_INPUT if it is not an ELF file with code. */
bool sym_program_read(struct sym_program *p, int fd, struct prof_err *err);

/*
 * Sets *bias to the distance to subtract from an address of the process, to get
 * the linker's.  `address`: one that was seen in the mapping.  False if the
 * offset of the mapping belongs to no segment.
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
    uint64_t reach;   /* upper limit of its end */
    const char *name; /* belongs to the files */
};

struct sym_labels {
    struct sym_label *v; /* by address, then by the bytes of the name */
    size_t n, cap;
};

/*
 * Reads the labels of a binary whose files must stay open.  Damaged tables give
 * what can be read.  The caller frees *l with vec_free(), after a failure too.
 */
bool sym_labels_read(struct sym_labels *l, const struct sym_files *files,
                     struct prof_err *err);

enum sym_found {
    SYM_FOUND,
    SYM_NOT_FOUND,   /* *err says why, in words to follow the file's name */
    SYM_FIND_FAILED, /* the system failed: a file may exist */
};

/* Where symbols are; all but the first have no ELF file. */
enum sym_source {
    SYM_FILE,
    SYM_KERNEL,   /* kallsyms */
    SYM_MODULE,   /* of the kernel; in its kallsyms */
    SYM_BPF,      /* the mapping's file name is that of the function */
    SYM_PERF_MAP, /* /tmp/perf-PID.map */
};

/* A binary to find. */
struct sym_wanted {
    enum sym_source source;
    const char *file;
    const char *build_id; /* "": any */
    const char *path;     /* directories with colons between, or null */
    const char *kallsyms; /* SYM_KERNEL: use if nothing is found, or null */
    bool named_only;      /* `file` itself; searches `path` for debug files */
    const struct prof_notes *notes;
};

/*
 * Finds and opens a binary, and its debug file if it has no DWARF itself.  The
 * cache owns *files, which is valid until the next call; a binary in the cache
 * is not searched again.  Files that were tried and refused are notes.
 */
enum sym_found sym_cache_find(struct sym_cache *cache,
                              const struct sym_wanted *wanted,
                              const struct sym_files **files,
                              struct prof_err *err);

#endif
