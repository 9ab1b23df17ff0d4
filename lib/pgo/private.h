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

struct pgo_instance {
    uint32_t parent; /* PROF_NONE: not inlined */
    uint32_t offset; /* the place of the call in the parent */
    uint32_t name;   /* index of pgo_lines.names */
    uint64_t total;  /* of its places and all that is inlined there */
    uint32_t first_place, n_places;
    uint32_t first_child, n_children; /* in pgo_lines.children */
};

/* Samples at a line. */
struct pgo_place {
    uint32_t instance;
    uint32_t offset; /* of 16 bits, as compilers have it */
    uint64_t count;
};

/* Zero-initialise; pgo_lines_free() frees it. */
struct pgo_lines {
    VEC(struct prof_slice) names; /* of linkage, not owned; none is empty */
    VEC(struct pgo_instance) instances; /* a parent precedes its children */
    VEC(struct pgo_place) places;       /* sorted by instance and offset */
    /* Instances: those of the program, the heaviest first and then by name, and
     * then those of each instance, by offset and name. */
    uint32_t *children;
    uint32_t n_roots;
    struct map name_rows, instance_rows, place_rows;
};

/*
 * PROF_ERR_INPUT if no sample was taken in a function with name, line and start
 * line, if a value is below 0, or all exceed 64 bits, or if more than 1000
 * calls are inlined in each other.
 */
bool pgo_lines_read(const struct profile *p, const struct prof_notes *notes,
                    struct pgo_lines *lines, struct prof_err *err);
void pgo_lines_free(struct pgo_lines *lines);

/*
 * Goes to all instances, to each right before what is inlined there:
 *
 *      struct pgo_walk walk = {0};
 *      got = pgo_walk_begin(&walk, lines);
 *      while (got && (got = pgo_walk_next(&walk, &in)) && in)
 *          ... in->name, walk.depth ...
 *      pgo_walk_end(&walk);
 *
 * False when memory is out; *in is null at the end.
 */
struct pgo_walk {
    const struct pgo_lines *lines;
    VEC(struct pgo_waiting) stack; /* the next one is last */
    unsigned depth;                /* of *in; 1: not inlined */
};

struct pgo_waiting {
    uint32_t instance;
    unsigned depth;
};

bool pgo_walk_begin(struct pgo_walk *walk, const struct pgo_lines *lines);
bool pgo_walk_next(struct pgo_walk *walk, const struct pgo_instance **in);
void pgo_walk_end(struct pgo_walk *walk);

/* How often a function was called.  Samples do not tell; like LLVM where that
 * is missing, this takes the count of the first line. */
uint64_t pgo_head_count(const struct pgo_lines *lines,
                        const struct pgo_instance *in);

/* PROF_ERR_INPUT for a value below 0. */
bool pgo_check_value(size_t sample, int64_t value, struct prof_err *err);

/* memcmp() of names, and the shorter one first. */
int pgo_compare_names(struct prof_slice a, struct prof_slice b);

#endif
