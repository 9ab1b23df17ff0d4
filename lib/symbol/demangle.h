/*
 * demangle.h - names of C++ and Rust as people read them
 */
#ifndef PROFUTILS_SYMBOL_DEMANGLE_H
#define PROFUTILS_SYMBOL_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/profile.h"

/* How names are shown; the words are those of pprof's demangle= option. */
enum sym_demangle {
    SYM_DEMANGLE_DEFAULT,   /* neither parameters nor template arguments */
    SYM_DEMANGLE_TEMPLATES, /* no parameters, template arguments kept */
    SYM_DEMANGLE_FULL,      /* everything, return types included */
    SYM_DEMANGLE_NONE,      /* linkage names */
};

/*
 * The human form of a linkage name, malloc'ed, or null when the name is no
 * mangled one (or memory is out).  C++ (Itanium) and Rust (legacy and v0).
 * Clone suffixes (".isra.0") are dropped.  Names too long or too deep to be
 * taken apart safely count as not mangled.
 */
char *sym_demangle(const char *name, enum sym_demangle how);

/*
 * Empties "<...>" after identifiers in a readable name, or removes it,
 * brackets and all, in place.  The type in Rust's "<T as Trait>::f" stays.
 */
void sym_cut_arguments(char *s, bool brackets);

/*
 * Shows the functions that *p has in another form, made from their linkage
 * names.  Names of C++ and Rust that have none stay as they are, with a
 * warning.
 */
bool sym_redemangle(struct profile *p, enum sym_demangle how,
                    const struct notes *notes, struct err *err);

#endif
