/*
 * random_profile.h - profiles of a small world, to be merged and compared
 *
 * All profiles share functions, mappings and locations, so that stacks meet.
 * What a profile says comes from one seed, how it says it (ids, order and
 * repetition of entities, split samples, things that nothing uses) from
 * another: two profiles of one content seed mean the same.
 */
#ifndef PROFUTILS_TESTS_RANDOM_PROFILE_H
#define PROFUTILS_TESTS_RANDOM_PROFILE_H

#include "base/buf.h"
#include "profile/model/build.h"

/* splitmix64: every seed is good. */
struct rng {
    uint64_t state;
};

uint64_t rng_next(struct rng *r);
/* Below n, which is not 0. */
uint32_t rng_below(struct rng *r, uint32_t n);
/* True once in n times. */
bool rng_one_in(struct rng *r, uint32_t n);
/* A number whose size is random too: all lengths of varints occur. */
uint64_t rng_any(struct rng *r);

/*
 * How many of n random cases to try: a quarter with sanitizers, with which each
 * takes five times as long and whose fuzzing (make fuzz) goes on from there.
 */
uint64_t rng_rounds(uint64_t n);

enum random_types {
    RANDOM_TYPES_ONE_SET, /* samples, cpu and alloc, in any order */
    RANDOM_TYPES_SUBSETS, /* one to three of them; samples always */
};

struct random_opts {
    enum random_types types;
    bool negative;        /* values may be; seeds n and n ^ 1 are opposites */
    bool fixed;           /* mappings start where they do in all profiles */
    bool odd_regexps;     /* drop_frames that are no sound regexps */
    bool odd_defaults;    /* default_sample_type may be any type's name */
    unsigned max_samples; /* 0: 24 */
};

/* Makes *p, which is initialised here; asserts that it works. */
void random_profile(struct profile *p, uint64_t content, uint64_t arrangement,
                    const struct random_opts *opts);

/* pb_encode() of *p; asserts that it works. */
struct buf profile_bytes(const struct profile *p);

/*
 * What the samples say, as sorted lines of text, one for each different
 * stack with labels, with the sums of the values by name of type.  Nothing
 * is shared with how the library compares samples.
 */
struct buf profile_meaning(const struct profile *const *profiles, size_t n);

#endif
