/*
 * sort.h - sorting by keys of 64 bits or of any length, a search in what is
 * sorted, and a priority queue
 *
 * | name         | sorts by                         | time                  |
 * | radix_sort   | one 64-bit key, stable           | in proportion to n    |
 * | longkey_sort | a row of 64-bit parts, stable    | in proportion to the  |
 * |              |                                  | parts that differ     |
 * | sorted_upto  | (a search)                       | log n                 |
 * | sort_doubles | numbers                          | n log n               |
 * | heap_        | a double, one item at a time     | n log n               |
 *
 * No input makes any of them quadratic, and none recurses.
 */
#ifndef PROFUTILS_BASE_SORT_H
#define PROFUTILS_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct radix_item {
    uint64_t key;
    uint32_t id;     /* the caller's */
    uint32_t bucket; /* the sort's */
};

/*
 * Sorts v[0 .. n), n below 2^32, by key.  spare[] has room for n items; its
 * content is undefined afterwards.
 *
 * If there are few different keys, each gets a bucket.  Otherwise items are
 * sorted by one byte of the key at a time, least significant first; bytes that
 * are the same in all keys are skipped.
 */
void radix_sort(struct radix_item *v, struct radix_item *spare, size_t n);

/*
 * Sorts by keys of any length, which consist of parts.  Items are sorted by
 * their first parts, then each range of items with equal parts by the next
 * parts, and so on.  radix_item.key is the current part.  The callback gets the
 * complete range, so that it can skip parts that all its items share.
 */
struct longkey {
    /*
     * Sets the key of each item of v[0 .. n), n > 1, to the first part, from
     * *depth on, that is not the same in all items.  All earlier parts are
     * equal.  Sets *depth to the position after that part.  The first depth is
     * 0; the callback chooses the unit.  False if all remaining parts are
     * equal.  Several threads call it at once.
     */
    bool (*part)(const void *ctx, struct radix_item *v, size_t n,
                 size_t *depth);
    /* Optional, for few items: compares two items from `depth` on. */
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
 * The number of rows whose key is at most `key`.  Each of the n rows of `size`
 * bytes begins with its key, a uint64_t, and they are sorted by it.
 */
static inline size_t sorted_upto(const void *rows, size_t n, size_t size,
                                 uint64_t key)
{
    const char *v = rows;
    size_t lo = 0, hi = n;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        uint64_t at;
        memcpy(&at, v + mid * size, sizeof at);
        if (at <= key)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/*
 * A priority queue.  The first item is that with the greatest key; of several,
 * that with the least id.  Zero-initialise; vec_free() frees it.
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

/* Sorts v[0 .. n), the least first; none may be NaN. */
void sort_doubles(double *v, size_t n);

#endif
