/*
 * demangle.h - names of C++ and Rust as people read them
 */
#ifndef PROFUTILS_SYMBOLIZE_DEMANGLE_H
#define PROFUTILS_SYMBOLIZE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#include "profile.h"

/* How names are shown; the words are those of pprof's demangle= option. */
enum sym_demangle {
    SYM_DEMANGLE_DEFAULT,   /* neither parameters nor template arguments */
    SYM_DEMANGLE_TEMPLATES, /* no parameters, template arguments kept */
    SYM_DEMANGLE_FULL,      /* everything, return types included */
    SYM_DEMANGLE_NONE,      /* linkage names */
};

/*
 * Returns the demangled form (malloc'ed) of a linkage name of C++ (Itanium) or
 * Rust (legacy and v0).  Null if the name is not mangled, if it is too long or
 * too deeply nested to be parsed safely, or if memory is out.  Drops clone
 * suffixes (".isra.0").
 */
char *sym_demangle(const char *name, enum sym_demangle how);

/*
 * The name to show for a symbol (malloc'ed); null if memory is out.  "@plt" at
 * its end stays.  The suffix of a clone is dropped or, with `clones`, kept.
 */
char *sym_shown_symbol(const char *symbol, enum sym_demangle how, bool clones);

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
                    const struct prof_notes *notes, struct prof_err *err);

#endif
