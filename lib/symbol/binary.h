/*
 * binary.h - ELF files of programs: found, opened, placed in memory, labelled
 *
 * ELF and its program headers: https://gabi.xinuos.com/.  Only regular files
 * are opened, and nothing in them is trusted: libelf checks the headers and
 * sections against the size of the file.  What is used of it is read, not
 * mapped: a file that shrinks meanwhile, as when the program is built again,
 * is an error and not the end.
 *
 * Where the files of a mapping are looked for is written in symbol.h.
 */
#ifndef PROFUTILS_SYMBOL_BINARY_H
#define PROFUTILS_SYMBOL_BINARY_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "profile/profile.h"
#include "symbol/symbol.h"

/* A PT_LOAD program header, as in the file. */
struct sym_segment {
    uint64_t offset, vaddr, filesz, memsz;
    bool exec; /* PF_X */
};

enum { SYM_BUILD_ID_MAX = 64 }; /* bytes; longer ones are cut */

typedef char sym_build_id[2 * SYM_BUILD_ID_MAX + 1]; /* hexadecimal */

struct sym_image {
    char *path;         /* as it was opened */
    int fd;             /* -1: it is in memory */
    struct buf content; /* and this is it */
    uint64_t size;      /* bytes of the file */
    Elf *elf;
    int type, machine; /* ET_, EM_ */
    struct sym_segment *segments;
    size_t n_segments;     /* at most 1024; files with more are refused */
    sym_build_id build_id; /* "" for none */
    bool has_dwarf;        /* .debug_info, compressed or not */
    bool has_symtab;       /* .symtab */
    bool debug_only;       /* code is left out: a separate debug file */
    bool damaged;          /* not all sections can be read */
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
 *      ERR_INPUT   there is no such file (*absent), or it cannot be used
 *      ERR_SYSTEM  the system failed, so that this is unknown
 */
bool sym_image_open(struct sym_image *im, const char *path, bool any,
                    bool *absent, struct err *err);
void sym_image_close(struct sym_image *im);

/*
 * From an address of a running process to one of the linker's.
 *
 * An executable that is not position independent (ET_EXEC) runs where it was
 * linked, whatever its mapping says.  Otherwise (ET_DYN) the whole image is
 * moved by one distance, its bias, which follows from where the mapping
 * begins and the segment (PT_LOAD) that its file offset belongs to.
 *
 * Two kinds of mapping are of linker's addresses already, so that the bias
 * is 0: those that begin at address 0 and offset 0 (made up by tools when a
 * profile has no maps), and those that lie within the addresses of the image
 * itself (gmon.out: low_pc and high_pc), where nothing can be mapped when
 * the image is moved at all.
 */

/*
 * The distance to subtract from addresses of the mapping; false when the
 * mapping's offset belongs to no segment.  `address` is one that was seen.
 */
bool sym_bias(const struct sym_image *im, const struct prof_mapping *m,
              uint64_t address, uint64_t *bias);

/*
 * Labels: the named addresses of a binary, as nm -n lists them.
 *
 * pprof cuts a binary into functions at these: what is between a label and the
 * next one that is not at the same address belongs to it, so that all kinds of
 * symbols have to be in the list, not only functions.
 *
 * They come from .symtab, of the binary or else of its separate debug file.
 * Where both are without, there is .dynsym: then a label has only as many
 * bytes as its symbol, because most others are missing.
 */

struct sym_label {
    uint64_t address;
    uint64_t reach;   /* where it ends at the latest */
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
                     struct err *err);

enum sym_found {
    SYM_FOUND,
    SYM_NOT_FOUND,   /* *err says why, to go after the name of the file */
    SYM_FIND_FAILED, /* of the system: whether there is one is not known */
};

/* A binary to find. */
struct sym_wanted {
    const char *file;
    const char *build_id; /* "": any */
    const char *path;     /* directories with colons between, or null */
    bool named_only;      /* not in `path`, where only debug files are then */
    const struct notes *notes;
};

/*
 * The binary and its debug file, when it has no DWARF itself.  What is in the
 * cache is not looked for again; *files belongs to the cache, and is good until
 * the next call.  Files that were looked at and refused are notes.
 */
enum sym_found sym_cache_find(struct sym_cache *cache,
                              const struct sym_wanted *wanted,
                              const struct sym_files **files, struct err *err);

#endif
