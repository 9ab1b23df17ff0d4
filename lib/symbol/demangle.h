/*
 * demangle.h - C++ names without their parameters and template arguments
 *
 * libiberty parses a mangled name into a tree (struct demangle_component)
 * that it prints from.  Simplifying that tree, not the text, is what tells
 * operator< from an opening bracket.
 */
#ifndef PROFUTILS_SYMBOL_DEMANGLE_H
#define PROFUTILS_SYMBOL_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

struct demangle_component;

/*
 * Takes the parameters of enclosing functions out of the tree of a name of
 * `length` characters that was parsed without DMGL_PARAMS, and template
 * arguments too unless `templates`.  False when the tree is far larger than
 * its name should make it (it is a graph: parts may be shared).
 */
bool sym_simplify(struct demangle_component *tree, size_t length,
                  bool templates);

/*
 * Empties "<...>" after identifiers in a readable name, or removes it,
 * brackets and all, in place.  The type in Rust's "<T as Trait>::f" stays.
 */
void sym_cut_arguments(char *s, bool brackets);

#endif
