/*
 * private.h - samples by source line, with the calls inlined around them
 *
 * Compilers that find instructions by line read how many samples were taken at
 * each line of a function, counted from the line where the function is
 * declared, and of each function that was inlined there, likewise.  All that is
 * one tree: an instance is a function of the program, or one that was inlined
 * at a place of another instance.  Only the leaf of a stack counts, where the
 * sample was taken.
 */
#ifndef PROFUTILS_PGO_PRIVATE_H
#define PROFUTILS_PGO_PRIVATE_H

#include "base/map.h"
#include "pgo/pgo.h"

/* A linkage name, and the file of its function without directories: empty if it
 * is unknown, or if functions of several files have the name. */
struct pgo_name {
    struct prof_slice name, file; /* of the profile, not owned */
};

/* A part of a line, as compilers have it. */
struct pgo_position {
    uint32_t offset; /* from the function's first line, of 16 bits */
    uint32_t discriminator;
};

struct pgo_instance {
    uint32_t parent;        /* PROF_NONE: not inlined */
    struct pgo_position at; /* of the call in the parent */
    uint32_t name;          /* index of pgo_lines.names */
    uint32_t depth;         /* 1: not inlined */
    uint32_t first_place, n_places;
    uint32_t n_children; /* inlined right here */
    uint32_t n_within;   /* itself, and all that is inlined in it */
    uint64_t total;      /* of its places and all that is inlined there */
    /* How often it was called.  Samples do not tell; like LLVM where that is
     * missing, this is the count of the first line. */
    uint64_t head;
};

struct pgo_place {
    uint32_t instance;
    struct pgo_position at;
    uint64_t count; /* of samples */
};

/* Zero-initialise; pgo_lines_free() frees it. */
struct pgo_lines {
    VEC(struct pgo_name) names;         /* none is empty */
    VEC(struct pgo_instance) instances; /* a parent precedes its children */
    VEC(struct pgo_place) places;       /* sorted by instance and position */
    /* All instances, each right before those that are inlined in it.  Those of
     * the program are sorted by weight, the heaviest first, and then by name;
     * those in an instance by position and name. */
    uint32_t *order;
    uint32_t n_roots;
    struct map name_rows, instance_rows, place_rows;
};

/*
 * `decode` gives what the compiler makes of a discriminator.
 * PROF_ERR_INPUT if no sample was taken in a function with name, line and start
 * line, if a value is below 0, or all exceed 64 bits, or if more than 1000
 * calls are inlined in each other.
 */
bool pgo_lines_read(const struct pgo_source *from,
                    uint32_t (*decode)(const struct sym_discriminator *d),
                    struct pgo_lines *lines, struct prof_err *err);
void pgo_lines_free(struct pgo_lines *lines);

/* perf2pb puts this after the name of an event. */
#define PGO_SAMPLE_SUFFIX "_sample"

/* The type of the number of samples, or else that which reports show by
 * default: compilers compare counts with each other only. */
bool pgo_pick_samples(const struct profile *p, size_t *type,
                      struct prof_err *err);

/* PROF_ERR_INPUT for a value below 0; the second also for a sum of all beyond
 * 64 bits. */
bool pgo_check_value(size_t sample, int64_t value, struct prof_err *err);
bool pgo_add_value(int64_t *all, size_t sample, int64_t value,
                   struct prof_err *err);

/* The name that the compiler gave the symbol, without what it appended to parts
 * and copies of a function. */
struct prof_slice pgo_linkage_name(const struct profile *p,
                                   const struct prof_function *f);

/* --- figures (figures.c) */

/* A call, or samples at a line. */
struct pgo_unit {
    int64_t weight;
    uint32_t names[2]; /* of its functions, in the profile's list of names */
    uint32_t row;      /* the same for the same unit of another profile */
};

struct pgo_figures {
    const struct profile *p;
    enum pgo_compiler compiler;
    size_t type;            /* of the weights */
    struct pgo_edges edges; /* for Go */
    struct pgo_lines lines; /* for others */
    int64_t total, named, lined, started;
    bool is_fit;
    struct prof_err why;        /* it is not */
    VEC(struct pgo_unit) units; /* the heaviest first */
};

/* Sets f->units; rows are those of a map that other figures may share. */
bool pgo_figures_units(struct pgo_figures *f, struct map *rows,
                       struct prof_err *err);

/* How many units are hot, the first ones. */
size_t pgo_figures_hot(const struct pgo_figures *f);

/* A build of the program. */
struct pgo_build {
    struct prof_slice id;
    int64_t weight;
};

/* Zero-initialise; the list is to be freed. */
struct pgo_builds {
    VEC(struct pgo_build) v; /* those with a build ID, most first */
    /* The weight of samples, and of those in functions that start at several
     * lines. */
    int64_t total, moved;
};

bool pgo_builds_read(struct pgo_builds *builds, const struct pgo_figures *f,
                     struct prof_err *err);

/* --- what a build has (tree.c, target.c) */

/* What precedes the name of a class among functions. */
#define PGO_TYPE ':'

/* The functions that the source files of a directory define. */
struct pgo_tree {
    bool is_go;
    struct map files;    /* C, C++: paths below the directory */
    struct map packages; /* Go: import paths */
    VEC(char *) modules; /* Go: of these; owned */
    /* Go: PACKAGE.NAME or PACKAGE.TYPE.NAME.  C, C++: NAME, and NAME, a NUL and
     * the file without its directories. */
    struct map functions;
    VEC(int64_t) lines; /* of each, the most; INT64_MAX: its body is not Go's */
};

/* Reads a directory and all below it but links, and directories that go(1)
 * skips.  Import paths are those of go.mod, there or above. */
bool pgo_tree_read(struct pgo_tree *tree, const char *directory,
                   struct prof_err *err);
void pgo_tree_free(struct pgo_tree *tree);

/* Whether a package is in a module of the tree, gone or not. */
bool pgo_tree_has_package(const struct pgo_tree *tree,
                          struct prof_slice package);

enum pgo_found {
    PGO_FRESH,
    PGO_ELSEWHERE, /* not of this program, or nothing is known of it */
    PGO_GONE,      /* no such function */
    PGO_LINE_GONE, /* it has no such line */
};

/* Whether the target has a function, and code at that line of it, counted from
 * its start (null: anywhere). */
bool pgo_target_find(struct pgo_target *target, const struct profile *p,
                     const struct prof_function *f, const int64_t *offset,
                     enum pgo_found *found, struct prof_err *err);
bool pgo_target_is_binary(const struct pgo_target *target);
/* The same of a name in pgo_edges. */
bool pgo_target_find_go(struct pgo_target *target, struct prof_slice name,
                        const int64_t *offset, enum pgo_found *found,
                        struct prof_err *err);

/* The path of a file without its directories. */
struct prof_slice pgo_base_name(struct prof_slice path);

/* The name of a function without what pgo_edges_no_inline() has appended. */
struct prof_slice pgo_real_name(struct prof_slice name);

#endif
