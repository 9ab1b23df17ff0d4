/*
 * image.h - one ELF file: what it is, where it is loaded, who it is
 *
 * ELF and its program headers: https://gabi.xinuos.com/.  Only regular files
 * are opened, and nothing in them is trusted: libelf checks the headers and
 * sections against the size of the file.  What is used of it is read, not
 * mapped: a file that shrinks meanwhile, as when the program is built again,
 * is an error and not the end.
 */
#ifndef PROFUTILS_SYMBOL_IMAGE_H
#define PROFUTILS_SYMBOL_IMAGE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

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

/*
 * Opens `path`.  On failure *im is empty (sym_image_close() may be called)
 * and *err says why in words that go after a file name: ERR_INPUT if it is no
 * file for us, with *absent set when there is none at all; ERR_SYSTEM if that
 * could not be found out.
 */
bool sym_image_open(struct sym_image *im, const char *path, bool *absent,
                    struct err *err);
/* The same for a file that need be neither program nor library. */
bool sym_image_open_any(struct sym_image *im, const char *path, bool *absent,
                        struct err *err);
/*
 * The same for a file in memory, which is part of the one at `path`: takes what
 * *content has, unless it fails.
 */
bool sym_image_open_memory(struct sym_image *im, const char *path,
                           struct buf *content, struct err *err);
void sym_image_close(struct sym_image *im);

/*
 * The directory that the file is really in, links aside, without a slash at
 * its end; "" where there is no telling.  The caller frees it.  False when the
 * system fails.
 */
bool sym_image_dir(const struct sym_image *im, char **dir, struct err *err);

void sym_build_id_set(sym_build_id id, const unsigned char *bytes, size_t n);

/* The build ids are equal, digit case aside, or one of them is "". */
bool sym_same_build_id(const char *a, const char *b);

#endif
