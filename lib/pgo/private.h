/*
 * private.h - samples by source line, with the calls inlined around them
 *
 * LLVM and GCC read how many samples were taken at each line of a function,
 * counted from the line where it is declared, and, in the same way, at the
 * lines of each function that was inlined there.  This is a tree: an instance
 * is a function of the program, or a function that was inlined at a place in
 * another instance.  Only the leaf of a stack is counted.
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

/* A part of a line, as compilers identify it. */
struct pgo_position {
    uint32_t offset; /* line minus the function's first line, modulo 2^16 */
    uint32_t discriminator;
};

struct pgo_instance {
    uint32_t parent;                /* PROF_NONE: not inlined */
    struct pgo_position at;         /* position of the call in the parent */
    uint32_t name;                  /* index of pgo_lines.names */
    uint32_t depth;                 /* 1: not inlined */
    uint32_t first_place, n_places; /* in pgo_lines.places */
    uint32_t n_children; /* instances that are inlined directly in it */
    uint32_t n_within;   /* instances in its subtree, itself included */
    uint64_t total;      /* samples in its subtree */
    /* How often it was called.  Samples do not tell that, so, like LLVM, this
     * is the count of the first line. */
    uint64_t head;
};

struct pgo_place {
    uint32_t instance;
    struct pgo_position at;
    uint64_t count; /* number of samples */
};

/* Zero-initialise; pgo_lines_free() frees it. */
struct pgo_lines {
    VEC(struct pgo_name) names;         /* none is empty */
    VEC(struct pgo_instance) instances; /* a parent precedes its children */
    VEC(struct pgo_place) places;       /* sorted by instance and position */
    /* All instances in preorder.  Those that are not inlined are sorted by
     * weight, the heaviest first, and then by name; those that are inlined in
     * one instance by position and name. */
    uint32_t *order;
    uint32_t n_roots;
    struct map name_rows, instance_rows, place_rows;
};

/*
 * Makes *lines.  `decode` returns the discriminator as the compiler uses it.
 * PROF_ERR_INPUT if no sample was taken in a function with name, line and start
 * line, if a value is negative, if the sum exceeds 64 bits, or if inlined calls
 * are nested more than 1000 deep.
 */
bool pgo_lines_read(const struct pgo_source *from,
                    uint32_t (*decode)(const struct sym_discriminator *d),
                    struct pgo_lines *lines, struct prof_err *err);
void pgo_lines_free(struct pgo_lines *lines);

/* perf2pb appends this to the name of an event. */
#define PGO_SAMPLE_SUFFIX "_sample"

/* Sets *type to the type that counts samples, or else to the default type:
 * compilers only compare values with each other, so that any type will do. */
bool pgo_pick_samples(const struct profile *p, size_t *type,
                      struct prof_err *err);

/* Adds a value to *all.  PROF_ERR_INPUT if it is negative, or if the sum
 * exceeds 64 bits. */
bool pgo_add_value(int64_t *all, size_t sample, int64_t value,
                   struct prof_err *err);

/* Returns the linkage name of a function, without what the compiler appends for
 * parts and copies (prof_base_length()). */
struct prof_slice pgo_linkage_name(const struct profile *p,
                                   const struct prof_function *f);

/* --- edges */

/* How many locations of a stack Go reads, from the leaf on. */
enum { PGO_LAST_LOCATIONS = 2 };

/*
 * Sets *type to the sample type that Go's compiler uses: the first that is
 * samples/count or cpu/nanoseconds.  PROF_ERR_INPUT, which lists the types, if
 * there is none.
 */
bool pgo_pick_type(const struct profile *p, size_t *type, struct prof_err *err);

/* Renames the callees that match `regex`, so that the compiler does not inline
 * them because of these edges.  *p is the profile of the edges.  Warns if none
 * matches. */
bool pgo_edges_no_inline(struct profile *p, struct pgo_edges *edges,
                         const char *regex, const struct prof_notes *notes,
                         struct prof_err *err);

/* --- binaries (addresses.c) */

/*
 * Sets *mapping, for sym_opts.main, to the first mapping of from->opts->binary,
 * found by its build ID or by its name.  Gives the other mappings of the binary
 * in *p, which is from->p, the same file name.  PROF_ERR_INPUT if the binary is
 * not found, or all mappings have other build IDs.
 */
bool pgo_name_binary(struct profile *p, const struct pgo_binary *from,
                     uint32_t *mapping, struct prof_err *err);

/* --- figures (figures.c) */

/* What is counted: an edge (Go), or a line of an instance (others). */
struct pgo_unit {
    int64_t weight;
    uint32_t names[2]; /* its functions, as edges.names or lines.names */
    uint32_t row;      /* equal for equal units of two profiles */
};

struct pgo_figures {
    const struct profile *p;
    enum pgo_compiler compiler;
    size_t type;            /* the sample type of the weights */
    struct pgo_edges edges; /* for Go */
    struct pgo_lines lines; /* for others */
    int64_t total, named, lined, started;
    bool is_fit;
    struct prof_err why;        /* the reason, if it is not */
    VEC(struct pgo_unit) units; /* the heaviest first */
};

/* Sets f->units.  Rows are those of *rows, which figures to compare share. */
bool pgo_figures_units(struct pgo_figures *f, struct map *rows,
                       struct prof_err *err);

/* Returns how many of f->units, from the first on, are hot. */
size_t pgo_figures_hot(const struct pgo_figures *f);

/* A build of the program, in which samples were taken. */
struct pgo_build {
    struct prof_slice id; /* build ID; not owned */
    int64_t weight;
};

/* Zero-initialise, and free the list with vec_free(). */
struct pgo_builds {
    VEC(struct pgo_build) v; /* those with a build ID, the heaviest first */
    /* The weight of all samples, and of those in functions that have several
     * start lines: the profile mixes builds in which they moved. */
    int64_t total, moved;
};

bool pgo_builds_read(struct pgo_builds *builds, const struct pgo_figures *f,
                     struct prof_err *err);

/* --- what a build has (tree.c, target.c) */

/* The prefix of names of classes in pgo_tree.functions. */
#define PGO_TYPE ':'

/* The functions that the source files of a directory define. */
struct pgo_tree {
    bool is_go;
    struct map files;    /* C, C++: paths below the directory */
    struct map packages; /* Go: import paths */
    VEC(char *) modules; /* Go: the modules of these packages; owned */
    /* Keys, Go: PACKAGE.NAME or PACKAGE.TYPE.NAME.  C, C++: two for each
     * function: NAME; and NAME, a NUL and the base name of the file. */
    struct map functions;
    VEC(int64_t)
    lines; /* by row of `functions`: the greatest number of lines of a function
              with this key; INT64_MAX if a body is not written in Go */
};

/* Reads the source files of a directory and all directories below it, without
 * symbolic links and without directories that go(1) skips.  Import paths follow
 * from go.mod, in the directory or above it. */
bool pgo_tree_read(struct pgo_tree *tree, const char *directory,
                   struct prof_err *err);
void pgo_tree_free(struct pgo_tree *tree);

/* Whether a package, which need not exist, belongs to a module of the tree. */
bool pgo_tree_has_package(const struct pgo_tree *tree,
                          struct prof_slice package);

enum pgo_found {
    PGO_FRESH,     /* function and line exist */
    PGO_ELSEWHERE, /* the function is not of this program, or unknown */
    PGO_GONE,      /* the program no longer has the function */
    PGO_LINE_GONE, /* the function no longer has the line */
};

/* A later build: a binary, or a directory of sources (pgo_fresh_read()). */
struct pgo_target;
struct pgo_target *pgo_target_new(const struct pgo_figures *f, const char *path,
                                  const struct sym_opts *opts,
                                  struct prof_err *err);
void pgo_target_free(struct pgo_target *t); /* null is allowed */

/* Sets *found to whether the target has a function, and code at the line
 * *offset of it, counted from its start; a null `offset` means any line. */
bool pgo_target_find(struct pgo_target *target, const struct profile *p,
                     const struct prof_function *f, const int64_t *offset,
                     enum pgo_found *found, struct prof_err *err);
bool pgo_target_is_binary(const struct pgo_target *target);
/* The same for a name of pgo_edges. */
bool pgo_target_find_go(struct pgo_target *target, struct prof_slice name,
                        const int64_t *offset, enum pgo_found *found,
                        struct prof_err *err);

/* Returns a function's name without what pgo_edges_no_inline() appended. */
struct prof_slice pgo_real_name(struct prof_slice name);

#endif
