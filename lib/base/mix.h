/*
 * mix.h - hashes of a few numbers
 *
 * For keys made of small fixed sets of numbers, where a hash of bytes spends
 * its time on finding out how many there are.  A pair is multiplied to 128
 * bits, whose halves are folded together: every bit of the result depends on
 * every bit of both (the step of wyhash and of XXH3).  Good for tables in
 * memory; the values may change from one version to the next.
 */
#ifndef PROFUTILS_BASE_MIX_H
#define PROFUTILS_BASE_MIX_H

#include <stdint.h>

__extension__ typedef unsigned __int128 mix_wide;

static inline uint64_t mix_pair(uint64_t a, uint64_t b)
{
    mix_wide product =
        (mix_wide)(a ^ 0x9e3779b97f4a7c15) * (b ^ 0xd6e8feb86659fd93);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* What an index of 32-bit hashes takes. */
static inline uint32_t mix_fold(uint64_t hash)
{
    return (uint32_t)(hash ^ hash >> 32);
}

#endif
