/*
 * source.h - finds the functions that a source file defines
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
    /* C, C++: the name without namespaces and classes; "operator" for all
     * operators.  Go: the name without the package. */
    struct prof_slice name;
    struct prof_slice receiver; /* Go: the type that it is a method of, or "" */
    int64_t lines; /* from its name to its last brace; 0: it has no body */
    bool is_type;  /* C++: it is a class: functions that the compiler generates
                      for it are at the line of its name */
};

/* A source file to read, and the callback. */
struct source {
    struct prof_slice text;
    bool is_go;
    /* Go: the package, set before the first call of found(). */
    struct prof_slice package;
    /* Called for each function. */
    bool (*found)(void *ctx, const struct source *source,
                  const struct source_function *f, struct prof_err *err);
    void *ctx;
};

/* Calls source->found() for each function.  False if that failed. */
bool source_read(struct source *source, struct prof_err *err);

#endif
