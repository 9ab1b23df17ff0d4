/*
 * sort.h - sorts, searches sorted rows, and has a priority queue
 *
 * | name         | does                                | time             |
 * | radix_sort   | sorts by one 64-bit key, stable     | n                |
 * | longkey_sort | sorts by keys of any number of      | n, plus parts    |
 * |              | 64-bit parts, stable                | that are read    |
 * | sort_doubles | sorts numbers                       | n log n          |
 * | sort_rows    | sorts rows by the 64-bit key that   | n                |
 * |              | they begin with, stable             |                  |
 * | sorted_upto, | search rows that are sorted by the  | log n            |
 * | sorted_below,| key that they begin with            |                  |
 * | sorted_find  |                                     |                  |
 * | heap_        | gives the item with the greatest    | log n for each   |
 * |              | number next                         | push and pop     |
 *
 * No input makes the time quadratic, and nothing recurses.
 */
#ifndef PROFUTILS_BASE_SORT_H
#define PROFUTILS_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Compares two numbers, for a function of qsort(); evaluates each twice. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

struct radix_item {
    uint64_t key;
    uint32_t id;     /* set by the caller: what the key belongs to */
    uint32_t bucket; /* private */
};

/*
 * Sorts v[0 .. n) by key, n below 2^32.  The caller provides spare[] with room
 * for n items; its content is undefined afterwards.
 *
 * If there are few different keys, each gets a bucket.  Otherwise items are
 * sorted by one byte of the key at a time, least significant first; bytes that
 * are the same in all keys are skipped.
 */
void radix_sort(struct radix_item *v, struct radix_item *spare, size_t n);

/*
 * How to sort items whose keys consist of any number of 64-bit parts.  Items
 * are sorted by their first parts, then each range of items with equal first
 * parts by the next parts, and so on.  The callback part() copies the part to
 * compare next to radix_item.key.  It gets the whole range, so that it can skip
 * parts in which all its items are equal.
 */
struct longkey {
    /*
     * Finds the first part, from position *depth on, in which not all items of
     * v[0 .. n), n > 1, are equal.  Sets the key of each item to this part, and
     * *depth to the position after it.  False: all remaining parts are equal.
     *
     * *depth is 0 in the first call; the callback chooses its unit.  All parts
     * before *depth are equal.  Several threads call this at once.
     */
    bool (*part)(const void *ctx, struct radix_item *v, size_t n,
                 size_t *depth);
    /* Compares the parts of two ids from `depth` on, as memcmp(): for ranges of
     * few items, which that sorts faster.  Or null. */
    int (*cmp)(const void *ctx, uint32_t a, uint32_t b, size_t depth);
    const void *ctx;
    unsigned threads; /* most threads to use; the result is the same */
};

/*
 * Sorts v[0 .. n).  The caller provides spare[] with room for n items.  Sets
 * *equal to whether two items have the same key.  False when memory is out.
 */
bool longkey_sort(const struct longkey *k, struct radix_item *v,
                  struct radix_item *spare, size_t n, bool *equal);

/*
 * Sorts n rows of `size` bytes, n below 2^32, by their keys: each row begins
 * with its key, a uint64_t.  Rows with equal keys keep their order.  False when
 * memory is out; rows that are sorted already need none.
 */
bool sort_rows(void *rows, size_t n, size_t size);
#define vec_sort_rows(vec) sort_rows((vec)->v, (vec)->n, sizeof *(vec)->v)

/* Returns how many of n rows, sorted by key, have a key of at most `key`. */
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

/* The same for keys below `key`. */
static inline size_t sorted_below(const void *rows, size_t n, size_t size,
                                  uint64_t key)
{
    return key ? sorted_upto(rows, n, size, key - 1) : 0;
}

/* Returns the index of the first row with this key; n if there is none. */
static inline size_t sorted_find(const void *rows, size_t n, size_t size,
                                 uint64_t key)
{
    const size_t i = sorted_below(rows, n, size, key);
    return i < n && !memcmp((const char *)rows + i * size, &key, sizeof key)
               ? i
               : n;
}

/*
 * A priority queue.  The first item is the one with the greatest key; of equal
 * keys, the one with the least id.  Zero-initialise a struct heap, and free it
 * with vec_free().
 */
struct heap_item {
    double key;
    uint32_t id; /* set by the caller: what the key belongs to */
};

struct heap {
    struct heap_item *v;
    size_t n, cap;
};

/* Adds an item; false when memory is out. */
bool heap_push(struct heap *h, double key, uint32_t id);

/* Removes and returns the first item; there must be one. */
struct heap_item heap_pop(struct heap *h);

/* Sorts v[0 .. n) in ascending order; no number may be NaN. */
void sort_doubles(double *v, size_t n);

#endif
