/*
 * heap.h - a priority queue
 *
 * Gives the item with the greatest key first, of equal ones the one with the
 * least id: the order depends on nothing but the items.  Zero-initialise;
 * vec_free() gives it back.
 */
#ifndef PROFUTILS_BASE_HEAP_H
#define PROFUTILS_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Takes the first out; there must be one. */
struct heap_item heap_pop(struct heap *h);

#endif
