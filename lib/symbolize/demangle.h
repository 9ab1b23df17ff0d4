/* demangle.h - names of C++ and Rust as people read them */
#ifndef PROFUTILS_SYMBOLIZE_DEMANGLE_H
#define PROFUTILS_SYMBOLIZE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#include "profile.h"

/* How to show names, as pprof's option demangle=. */
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
 * Returns the name to show for a symbol (malloc'ed); null if memory is out.  A
 * final "@plt" stays.  The suffix of a clone (".isra.0") is dropped, or kept if
 * `clones` is set.
 */
char *sym_shown_symbol(const char *symbol, enum sym_demangle how, bool clones);

/*
 * Removes template arguments from a demangled name, in place: "f<int>" becomes
 * "f<>" with `brackets`, else "f".  The type in Rust's "<T as Trait>::f" stays.
 */
void sym_cut_arguments(char *s, bool brackets);

/*
 * Makes the names of all functions of *p again from their linkage names, in the
 * form `how`.  Warns of names of C++ and Rust without a linkage name, which do
 * not change.
 */
bool sym_redemangle(struct profile *p, enum sym_demangle how,
                    const struct prof_notes *notes, struct prof_err *err);

#endif
