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

/* The type of the number of samples, or else that which reports show by
 * default: compilers compare counts with each other only. */
#define PGO_SAMPLE_SUFFIX                                                      \
    "_sample" /* perf2pb's, after the name of an event                         \
               */
bool pgo_pick_samples(const struct profile *p, size_t *type,
                      struct prof_err *err);

/* PROF_ERR_INPUT for a value below 0; the second also for a sum of all beyond
 * 64 bits. */
bool pgo_check_value(size_t sample, int64_t value, struct prof_err *err);
bool pgo_add_value(int64_t *all, size_t sample, int64_t value,
                   struct prof_err *err);

/* The path of a file without its directories. */
struct prof_slice pgo_base_name(struct prof_slice path);

/* The name of a function without what pgo_edges_no_inline() has appended. */
struct prof_slice pgo_real_name(struct prof_slice name);

/* memcmp() of names, and the shorter one first. */
int pgo_compare_names(struct prof_slice a, struct prof_slice b);

#endif
