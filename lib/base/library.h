/*
 * library.h - shared libraries that are loaded when they are first needed
 *
 * Loading a library takes longer than reading a small profile.  A library that
 * only some inputs or options need is therefore not linked: it is opened when
 * it is needed, and called through a struct with a member for each function:
 *
 *      #define FOO_FUNCTIONS(X) X(foo_open) X(foo_read)
 *      struct foo {
 *          FOO_FUNCTIONS(LIBRARY_MEMBER)
 *      };
 *      struct foo foo = LIBRARY_TABLE(FOO_FUNCTIONS);
 *      static struct library lib =
 *          LIBRARY("libfoo", "libfoo.so.1", "libfoo1", FOO_FUNCTIONS, foo);
 *      ok = library_load(&lib, err) && foo.foo_open(path);
 *
 * `foo` and `lib` are at file scope.  library_load() fills `foo` once; it does
 * not change again.
 * With -DSTATIC_LIBRARIES (make LOAD=no, make static), programs are linked with
 * the libraries: the struct has the functions from the start, and
 * library_load() does nothing.
 */
#ifndef PROFUTILS_BASE_LIBRARY_H
#define PROFUTILS_BASE_LIBRARY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct library {
    const char *name;             /* for messages */
    const char *soname;           /* the file that dlopen() opens */
    const char *package;          /* Debian's package with it, for messages */
    const char *const *functions; /* n names, in the order of the members */
    size_t n;
    void *table;        /* the struct to fill: n pointers to functions */
    atomic_bool loaded; /* the table is filled */
};

/*
 * Fills the table; later calls do nothing.  Several threads may call it.
 * PROF_ERR_SYSTEM if there is no such library or if it lacks a function: the
 * message names the library and the package.
 */
bool library_load(struct library *lib, struct prof_err *err);

enum { LIBRARY_VERSION_MAX = 64 };

/* A library, as --version lists it. */
struct library_about {
    const char *name;
    bool on_demand; /* version() has to load it; false: it is linked */
    /* Sets text to the version of the library in use. */
    bool (*version)(char text[LIBRARY_VERSION_MAX], struct prof_err *err);
    const char *lacking; /* this build is without the library: what the tool
                            cannot do therefore; else null */
};

/*
 * LIBRARY_ON_DEMAND  whether this build loads libraries when they are needed
 * LIBRARY_TABLE      initialises the struct of functions
 * LIBRARY            initialises a struct library
 *
 * LIBRARY_MEMBER, _NAME, _QUOTE and _VALUE are applied to each function of a
 * list.  Several steps, so that a name that is itself a macro is expanded.
 */
#define LIBRARY_MEMBER(f) __typeof__(f) *f;
#define LIBRARY_NAME(f) LIBRARY_QUOTE(f),
#define LIBRARY_QUOTE(f) #f
#define LIBRARY_VALUE(f) .f = (f),

/* clang-format off */
#ifdef STATIC_LIBRARIES
#define LIBRARY_TABLE(list) {list(LIBRARY_VALUE)}
#define LIBRARY_ON_DEMAND false
#else
#define LIBRARY_TABLE(list) {0}
#define LIBRARY_ON_DEMAND true
#endif

#define LIBRARY(lib, file, debian, list, struct_)                              \
    {                                                                          \
        .name = (lib), .soname = (file), .package = (debian),                  \
        .functions = (const char *const[]){list(LIBRARY_NAME)},                \
        .n = sizeof(struct_) / sizeof(void (*)(void)), .table = &(struct_),    \
        .loaded = !LIBRARY_ON_DEMAND                                           \
    }
/* clang-format on */

#endif
