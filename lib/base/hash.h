/*
 * hash.h - hashes of numbers, and an index of rows by hash
 *
 * | name    | what it does                                        |
 * | mix_    | hashes small fixed sets of numbers, seeded          |
 * | hashidx | finds the rows of a column that have a 32-bit hash  |
 *
 * Hashes are seeded per process, because whoever makes an input chooses its
 * ids, names and addresses and could otherwise make all of them collide.
 * They serve tables in memory; nothing that is written may depend on them.
 *
 * An index holds row numbers only.  The rows, and what makes two of them
 * equal, are the caller's:
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
 * Rows are below 2^32 - 1.  Zero-initialise; hashidx_free() frees it.
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
 * The hash of two numbers.  They are multiplied to 128 bits, whose halves are
 * folded together, so that every bit of the result depends on every bit of
 * both (the step of wyhash and of XXH3).
 */
static inline uint64_t hash_pair(uint64_t seed, uint64_t a, uint64_t b)
{
    /* Both halves of the seed in both factors: none of them can be made 0. */
    uint64_t turned = seed << 32 | seed >> 32;
    uint64_t hi, lo = wide_mul(a ^ seed ^ 0x9e3779b97f4a7c15,
                               b ^ turned ^ 0xd6e8feb86659fd93, &hi);
    return lo ^ hi;
}

/* A hash of 64 bits as one of 32, for an index. */
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

/* Removes all rows and keeps the memory. */
void hashidx_clear(struct hashidx *h);

/* Doubles the slots; false when memory is out. */
bool hashidx_grow(struct hashidx *h);

/* Makes room for n rows in all; false when memory is out. */
bool hashidx_reserve(struct hashidx *h, size_t n);

/* Makes room for one more row; false when memory is out. */
static inline bool hashidx_room(struct hashidx *h)
{
    return h->n < h->n_slots / 2 || hashidx_grow(h);
}

/* Where a search for this hash starts; the index must have slots. */
static inline size_t hashidx_start(const struct hashidx *h, uint32_t hash)
{
    return hash & (h->n_slots - 1);
}

/*
 * The next row with this hash, or HASHIDX_NONE with *at the slot where it
 * belongs.
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

/* Loads the slot of a later lookup into the cache. */
static inline void hashidx_prefetch(const struct hashidx *h, uint32_t hash)
{
    if (h->n_slots)
        __builtin_prefetch(&h->slot[hashidx_start(h, hash)]);
}

/* The first row with this hash, or HASHIDX_NONE. */
static inline uint32_t hashidx_peek(const struct hashidx *h, uint32_t hash)
{
    if (!h->n_slots)
        return HASHIDX_NONE;
    size_t at = hashidx_start(h, hash);
    return hashidx_next(h, hash, &at);
}

/* Adds a row at the slot that hashidx_next() found. */
static inline void hashidx_put(struct hashidx *h, size_t at, uint32_t hash,
                               uint32_t row)
{
    h->slot[at] = (uint64_t)hash << 32 | ((uint64_t)row + 1);
    h->n++;
}

#endif
