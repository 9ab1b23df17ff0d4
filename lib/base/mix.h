/*
 * mix.h - hashes of a few numbers, and what nobody can foresee of them
 *
 * For keys made of small fixed sets of numbers, where a hash of bytes spends
 * its time on finding out how many there are.  A pair is multiplied to 128
 * bits, whose halves are folded together: every bit of the result depends on
 * every bit of both (the step of wyhash and of XXH3).
 *
 * Whoever makes a file chooses its ids, names and addresses, and could choose
 * a million that a known hash puts into one place of a table, where each is
 * compared with all before it.  So hashes begin with a number that differs
 * from process to process.  They are good for tables in memory, and nothing
 * that is written may depend on them.
 */
#ifndef PROFUTILS_BASE_MIX_H
#define PROFUTILS_BASE_MIX_H

#include "base/wide.h"

/*
 * The number to begin with, the same all through the process: random bytes
 * that the system gave it at its start.  A table asks once and keeps it.
 */
uint64_t mix_seed(void);

static inline uint64_t mix_pair(uint64_t seed, uint64_t a, uint64_t b)
{
    /* Both halves of the seed in both factors: none of them can be made 0. */
    uint64_t turned = seed << 32 | seed >> 32;
    uint64_t hi, lo = wide_mul(a ^ seed ^ 0x9e3779b97f4a7c15,
                               b ^ turned ^ 0xd6e8feb86659fd93, &hi);
    return lo ^ hi;
}

/* What an index of 32-bit hashes takes. */
static inline uint32_t mix_fold(uint64_t hash)
{
    return (uint32_t)(hash ^ hash >> 32);
}

#endif
