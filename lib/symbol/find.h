/*
 * find.h - the files that belong to a mapping
 *
 * Where they are looked for is written in symbol.h.
 */
#ifndef PROFUTILS_SYMBOL_FIND_H
#define PROFUTILS_SYMBOL_FIND_H

#include "symbol/image.h"

struct sym_files {
    struct sym_image image;  /* may itself be a separate debug file */
    struct sym_image debug;  /* its separate debug file; path null: none */
    struct sym_image shared; /* what that shares with others, or null path */
    struct sym_image mini; /* of the image, see minidebug.h: opened when symbols
                              are asked for and neither file has a table */
};

enum sym_found {
    SYM_FOUND,
    SYM_NOT_FOUND,   /* *err says why, to go after the name of the file */
    SYM_FIND_FAILED, /* of the system: whether there is one is not known */
};

/*
 * The binary called `file` with this build id ("": any), and its debug file
 * when it has no DWARF itself.  `path` is a colon-separated list of
 * directories, or null; the binary is looked for there only if `anywhere`,
 * its debug file always.  Files that were looked at and refused are notes.
 */
enum sym_found sym_find(struct sym_files *files, const char *file,
                        const char *build_id, bool anywhere, const char *path,
                        const struct notes *notes, struct err *err);

/* The one that has the debug information, or null. */
const struct sym_image *sym_files_dwarf(const struct sym_files *files);

void sym_files_close(struct sym_files *files);

#endif
