/*
 * hash.h - hashes of numbers, and an index of rows by hash
 *
 * | name     | what it does                                         |
 * | hash_    | hashes a few numbers, with a seed                    |
 * | hashidx_ | finds the rows of a table that have a 32-bit hash    |
 *
 * The seed differs from process to process.  Otherwise the author of an input
 * could choose ids, names and addresses that all have the same hash, which
 * would make each lookup slow.  So no output may depend on a hash.
 *
 * An index holds only numbers of rows.  The caller has the rows and compares
 * them.  This finds a row, or adds it:
 *
 *      if (!hashidx_room(&index))
 *          return err_nomem(err);
 *      size_t at = hashidx_start(&index, hash);
 *      uint32_t row;
 *      while ((row = hashidx_next(&index, hash, &at)) != HASHIDX_NONE)
 *          if (equal(row, ...))
 *              return row;
 *      hashidx_put(&index, at, hash, new_row);
 *
 * Row numbers are below 2^32 - 1.  Zero-initialise a struct hashidx, and free
 * it with hashidx_free().
 */
#ifndef PROFUTILS_BASE_HASH_H
#define PROFUTILS_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/system.h"
#include "base/wide.h"

/* Returns random bits of the process, the same in every call. */
static inline uint64_t hash_seed(void)
{
    return system_seed();
}

/*
 * Returns the hash of two numbers: the exclusive or of the two halves of their
 * 128-bit product, so that every bit of the result depends on every bit of both
 * (a step of wyhash and of XXH3).
 */
static inline uint64_t hash_pair(uint64_t seed, uint64_t a, uint64_t b)
{
    /* Each factor depends on the whole seed, so no input can make it 0. */
    uint64_t turned = seed << 32 | seed >> 32;
    uint64_t hi, lo = wide_mul(a ^ seed ^ 0x9e3779b97f4a7c15,
                               b ^ turned ^ 0xd6e8feb86659fd93, &hi);
    return lo ^ hi;
}

/* Reduces a hash of 64 bits to the 32 bits that an index takes. */
static inline uint32_t hash_fold(uint64_t hash)
{
    return (uint32_t)(hash ^ hash >> 32);
}

#define HASHIDX_NONE UINT32_MAX

struct hashidx {
    uint64_t *slot;    /* hash << 32 | row + 1; 0 is free */
    size_t n, n_slots; /* n_slots is 0 or a power of two, twice n at least */
};

void hashidx_free(struct hashidx *h);

/* Doubles the slots; false when memory is out. */
bool hashidx_grow(struct hashidx *h);

/* Makes room for n rows in all; false when memory is out. */
bool hashidx_reserve(struct hashidx *h, size_t n);

/* Makes room for one more row; false when memory is out. */
static inline bool hashidx_room(struct hashidx *h)
{
    return h->n < h->n_slots / 2 || hashidx_grow(h);
}

/* Returns the slot at which a search for this hash starts.  The index must have
 * slots (hashidx_room()). */
static inline size_t hashidx_start(const struct hashidx *h, uint32_t hash)
{
    return hash & (h->n_slots - 1);
}

/*
 * Returns the next row with this hash and advances *at.  HASHIDX_NONE: there
 * are no more, and *at is the slot for a new row (hashidx_put()).
 */
static inline uint32_t hashidx_next(const struct hashidx *h, uint32_t hash,
                                    size_t *at)
{
    for (;;) {
        uint64_t s = h->slot[*at];
        if (!s)
            return HASHIDX_NONE;
        *at = (*at + 1) & (h->n_slots - 1);
        if ((uint32_t)(s >> 32) == hash)
            return (uint32_t)s - 1;
    }
}

/* Loads into the processor's cache the slot that a later lookup will need. */
static inline void hashidx_prefetch(const struct hashidx *h, uint32_t hash)
{
    if (h->n_slots)
        __builtin_prefetch(&h->slot[hashidx_start(h, hash)]);
}

/* Returns the first row with this hash, or HASHIDX_NONE. */
static inline uint32_t hashidx_peek(const struct hashidx *h, uint32_t hash)
{
    if (!h->n_slots)
        return HASHIDX_NONE;
    size_t at = hashidx_start(h, hash);
    return hashidx_next(h, hash, &at);
}

/* Adds a row at the slot that hashidx_next() set *at to. */
static inline void hashidx_put(struct hashidx *h, size_t at, uint32_t hash,
                               uint32_t row)
{
    h->slot[at] = (uint64_t)hash << 32 | ((uint64_t)row + 1);
    h->n++;
}

#endif
