/*
 * symbol.h - addresses to functions, files, lines and inlined frames
 *
 * Works offline on local ELF files through elfutils.  For each mapping of a
 * profile the binary is looked for, in this order: the names and build ids
 * under the directories of opts.path, the mapping's file name itself, and
 * separate debug files by build id (/usr/lib/debug/.build-id/xx/yyyy.debug)
 * and by .gnu_debuglink.  A file whose build id is not the mapping's is
 * refused, with a note.  One note for each binary that is missing.
 *
 * A location that already has lines is left as it is unless opts.force.
 */
#ifndef PROFUTILS_SYMBOL_SYMBOL_H
#define PROFUTILS_SYMBOL_SYMBOL_H

#include "profile/profile.h"

enum sym_demangle {
    SYM_DEMANGLE_TEMPLATES, /* default: no parameters, template args kept */
    SYM_DEMANGLE_FULL,      /* everything */
    SYM_DEMANGLE_SIMPLE,    /* neither parameters nor template arguments */
    SYM_DEMANGLE_NONE,      /* linkage names */
};

struct sym_opts {
    const char *path;   /* colon-separated directories; null: none */
    const char *binary; /* for the main mapping, whatever its name; null */
    enum sym_demangle demangle;
    bool force;       /* also locations that have lines */
    bool symtab_only; /* no DWARF: names from the symbol tables */
};

/* Symbolizes *p in place.  Missing binaries are notes, not failures. */
bool sym_profile(struct profile *p, const struct sym_opts *opts,
                 const struct notes *notes, struct err *err);

/*
 * The human form of a linkage name, malloc'ed, or null when the name is no
 * mangled one (or memory is out).  C++ (Itanium) and Rust (legacy and v0).
 */
char *sym_demangle(const char *name, enum sym_demangle how);

#endif
