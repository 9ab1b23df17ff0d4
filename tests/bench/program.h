/*
 * program.h - a made-up program, for profiles of any size
 *
 * The program is a call graph in levels: level 0 is main, each level is wider
 * than the one before by a third, until there are too few locations for that,
 * and a stack is a walk down the levels, so that stacks share prefixes as
 * those of real programs do.  Some walks keep to themselves, more of them come
 * together in what is used everywhere.
 *
 * Everything follows from numbers alone: the same arguments give the same
 * profiles everywhere.
 */
#ifndef PROFUTILS_BENCH_PROGRAM_H
#define PROFUTILS_BENCH_PROGRAM_H

#include "profile/model/build.h"

enum { PROGRAM_MAX_DEPTH = 256 };

struct program {
    uint32_t n_locations, n_functions;
    uint32_t depth;                        /* levels */
    uint32_t first[PROGRAM_MAX_DEPTH + 1]; /* location of each level */
};

/* At least as many locations as levels. */
struct program program_of(uint32_t n_locations, uint32_t n_functions,
                          uint32_t depth);

/* The next of a sequence of pseudo-random numbers. */
uint64_t program_random(uint64_t *state);

/*
 * A stack of n frames, from the root, at most as many as levels.  The first k
 * are there already and stay.
 */
void program_stack(const struct program *g, uint32_t *stack, uint32_t k,
                   uint32_t n, uint64_t *state);

/* A profile as yet without samples: value types and the only mapping. */
bool program_begin(struct profile *p, struct prof_err *err);

/*
 * Makes the location in the profile; its function too, unless functions[]
 * (by number in the program, PROF_NONE for not yet) has it.
 */
bool program_location(const struct program *g, struct profile *p,
                      uint32_t location, uint32_t *functions, uint32_t *index,
                      struct prof_err *err);

#endif
