/*
 * source.h - the functions that a source file defines
 *
 * Text is read token by token, without a grammar: comments, literals and lines
 * of the preprocessor are skipped, and braces are counted.  Of alternatives
 * (#if, #else) all are read.  What only macros define is not found.
 */
#ifndef PROFUTILS_PGO_SOURCE_H
#define PROFUTILS_PGO_SOURCE_H

#include "base/err.h"
#include "base/slice.h"

struct source_function {
    /* C, C++: the name without what it is in; "operator" for all operators.
     * Go: without the package. */
    struct prof_slice name;
    struct prof_slice receiver; /* Go: the type that it is a method of, or "" */
    int64_t lines; /* from its name to its last brace; 0: it has no body */
    bool is_type;  /* C++: a class, which may have functions that nobody wrote,
                      at the line of its name */
};

struct source {
    struct prof_slice text;
    bool is_go;
    /* Set before the first function is reported. */
    struct prof_slice package; /* Go */
    /* To be called for each function. */
    bool (*found)(void *ctx, const struct source *source,
                  const struct source_function *f, struct prof_err *err);
    void *ctx;
};

/* False if found() failed. */
bool source_read(struct source *source, struct prof_err *err);

#endif
