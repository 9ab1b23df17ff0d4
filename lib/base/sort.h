/*
 * sort.h - sorting by keys of 64 bits or of any length, and a priority queue
 *
 * | name         | sorts by                         | time                  |
 * | radix_sort   | one 64-bit key, stable           | in proportion to n    |
 * | longkey_sort | a row of 64-bit parts, stable    | in proportion to the  |
 * |              |                                  | parts that differ     |
 * | heap_        | a double, one item at a time     | n log n               |
 *
 * No input makes any of them quadratic, and none recurses.
 */
#ifndef PROFUTILS_BASE_SORT_H
#define PROFUTILS_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct radix_item {
    uint64_t key;
    uint32_t id;     /* the caller's */
    uint32_t bucket; /* the sort's */
};

/*
 * Sorts v[0 .. n), n below 2^32, by key.  spare has room for n items too;
 * what it holds afterwards is undefined.
 *
 * Items with few different keys are put into a bucket for each; others are
 * sorted by a byte of the key at a time, from the least, without those bytes
 * in which all keys agree.
 */
void radix_sort(struct radix_item *v, struct radix_item *spare, size_t n);

/*
 * Sorting by keys of any length: items are sorted by their first parts, each
 * run of items that agree in them by the next, and so on.  Items carry the
 * part at hand, and the callback sees the whole range that it is asked for,
 * so that it can skip the parts that all of the range share.
 */
struct longkey {
    /*
     * Sets the key of v[0 .. n), n > 1, to the part of their keys at *depth
     * or, where all agree in it, to the first later one in which they do not.
     * They agree in all parts before *depth; *depth becomes where the part
     * after this one is.  The callback counts depths as it likes; the first
     * is 0.  False when the keys are equal to their ends.  Several threads
     * call it at once.
     */
    bool (*part)(const void *ctx, struct radix_item *v, size_t n,
                 size_t *depth);
    /* Optional, for few items: the order of two that agree before depth. */
    int (*cmp)(const void *ctx, uint32_t a, uint32_t b, size_t depth);
    const void *ctx;
    unsigned threads; /* at most; changes nothing but the time */
};

/*
 * Sorts v[0 .. n); spare has room for n items too.  *equal says whether two
 * items have the same key.  False when memory is out.
 */
bool longkey_sort(const struct longkey *k, struct radix_item *v,
                  struct radix_item *spare, size_t n, bool *equal);

/*
 * A priority queue: the item with the greatest key first, of equal ones the
 * one with the least id.  Zero-initialise; vec_free() frees it.
 */
struct heap_item {
    double key;
    uint32_t id; /* the caller's */
};

struct heap {
    struct heap_item *v;
    size_t n, cap;
};

/* False when memory is out. */
bool heap_push(struct heap *h, double key, uint32_t id);

/* Removes the first item; there must be one. */
struct heap_item heap_pop(struct heap *h);

#endif
