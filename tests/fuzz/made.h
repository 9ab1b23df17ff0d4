/*
 * made.h - profiles made of a fuzzer's bytes
 *
 * Any bytes are an input: each choice takes one, and 0 when none is left.  The
 * first of them make a world of names, mappings, functions and locations;
 * all profiles of the input take their samples from it, so that stacks meet.
 * A change of few bytes is a small change of what is made.
 */
#ifndef PROFUTILS_TESTS_MADE_H
#define PROFUTILS_TESTS_MADE_H

#include "profile/model/build.h"

struct made_bytes {
    const uint8_t *at;
    size_t n; /* left */
};

struct made_bytes made_bytes_of(const uint8_t *data, size_t n);

/* A number below n, which is from 1 to 256. */
uint32_t made_below(struct made_bytes *b, uint32_t n);

/*
 * A name: of functions, files, units and such as are met in profiles, odd
 * ones, and one in eight of up to 15 bytes that are the input's.
 */
enum { MADE_NAME = 16 };
const char *made_name(struct made_bytes *b, char own[MADE_NAME]);

enum {
    MADE_TYPES = 3,
    MADE_MAPPINGS = 4,
    MADE_FUNCTIONS = 8,
    MADE_LOCATIONS = 12,
    MADE_LINES = 3,
};

/* The types, names and entities, without samples; *world is initialised. */
void made_world(struct profile *world, struct made_bytes *b);

struct made_opts {
    bool positive; /* no value is below 0 */
    bool small;    /* nor are there any whose sums could overflow */
    bool moved;    /* mappings start elsewhere in each profile */
    bool turned;   /* sample types come in another order in some */
};

/*
 * A profile of the world in *p, which is initialised here, with up to 24
 * samples.
 */
void made_profile(struct profile *p, const struct profile *world,
                  const struct made_opts *opts, struct made_bytes *b);

#endif
