/*
 * radix.h - sorting by 64-bit keys
 *
 * Many items that share few keys are dealt out to them in one go, the place
 * of a key being found by hash.  All else is sorted by a byte of the key at a
 * time from the least, passing over bytes in which all keys agree.  Either
 * way the sort is stable, and time is proportional to n whatever the keys,
 * which a comparing sort of hostile input need not be.
 */
#ifndef PROFUTILS_BASE_RADIX_H
#define PROFUTILS_BASE_RADIX_H

#include <stddef.h>
#include <stdint.h>

struct radix_item {
    uint64_t key;
    uint32_t id;   /* the caller's */
    uint32_t deal; /* the sort's */
};

/*
 * Sorts v[0 .. n), n below 2^32, by key; spare has room for n items too, and
 * nothing of use afterwards.
 */
void radix_sort(struct radix_item *v, struct radix_item *spare, size_t n);

#endif
