/*
 * radix.h - sorting by 64-bit keys
 *
 * A stable radix sort, a byte of the key at a time from the least, that
 * passes over bytes in which all keys agree.  Time is proportional to n
 * whatever the keys, which a comparing sort of hostile input need not be.
 * Several keys are sorted by from the last to the first.
 */
#ifndef PROFUTILS_BASE_RADIX_H
#define PROFUTILS_BASE_RADIX_H

#include <stddef.h>
#include <stdint.h>

struct radix_item {
    uint64_t key;
    uint32_t id; /* the caller's */
};

/* Sorts v[0 .. n) by key; spare has room for n items too. */
void radix_sort(struct radix_item *v, struct radix_item *spare, size_t n);

#endif
