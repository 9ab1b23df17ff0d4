/*
 * longkey.h - sorting by keys of any length
 *
 * A key is a row of 64-bit parts, the first of which counts most.  Items are
 * sorted by their first parts; each run that agrees in them is sorted by
 * what comes next, and so on.  Items carry the part at hand, so that sorting
 * a range looks at nothing else; and whoever supplies the parts sees the
 * whole range, and may pass over what all of it shares.
 *
 * Every step is a radix sort and takes each item further, so that no input
 * makes it quadratic, and what is left to do is kept on lists, never on the
 * call stack.
 */
#ifndef PROFUTILS_BASE_LONGKEY_H
#define PROFUTILS_BASE_LONGKEY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/radix.h"

struct longkey {
    /*
     * Sets the key of v[0 .. n), n > 1, to that part of their keys which is
     * at *depth or, where they agree in parts from there, after those.  They
     * agree in all before; *depth becomes where the part after this one is.
     * Depths are the callee's own to count; the first is 0.  False when the
     * keys are the same to their ends.  Several threads call it at once.
     */
    bool (*part)(const void *ctx, struct radix_item *v, size_t n,
                 size_t *depth);
    /* Optional, for few items: the order of two that agree before depth. */
    int (*cmp)(const void *ctx, uint32_t a, uint32_t b, size_t depth);
    const void *ctx;
};

/*
 * Sorts v[0 .. n) by up to this many threads, which changes nothing but the
 * time; spare has room for n too.  The sort is stable.  *equal tells whether
 * two items have one key.  False when memory is out.
 */
bool longkey_sort(const struct longkey *k, struct radix_item *v,
                  struct radix_item *spare, size_t n, unsigned threads,
                  bool *equal);

#endif
