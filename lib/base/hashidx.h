/*
 * hashidx.h - finding rows of a column by hash
 *
 * An index keeps row numbers by 32-bit hash; the rows themselves, and what
 * makes two of them equal, are the caller's:
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
 * Rows are below 2^32 - 1.  Zero-initialise; hashidx_free() gives it back.
 */
#ifndef PROFUTILS_BASE_HASHIDX_H
#define PROFUTILS_BASE_HASHIDX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASHIDX_NONE UINT32_MAX

struct hashidx {
    uint64_t *slot;    /* hash << 32 | row + 1; 0 is free */
    size_t n, n_slots; /* n_slots is 0 or a power of two, twice n at least */
};

void hashidx_free(struct hashidx *h);

/* Empty again, with the memory that it has. */
void hashidx_clear(struct hashidx *h);

/* Makes it larger; false when memory is out. */
bool hashidx_grow(struct hashidx *h);

/* Makes room for n rows in all; false when memory is out. */
bool hashidx_reserve(struct hashidx *h, size_t n);

/* Makes room for one more row; false when memory is out. */
static inline bool hashidx_room(struct hashidx *h)
{
    return h->n < h->n_slots / 2 || hashidx_grow(h);
}

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

/* Asks for the place of a lookup that comes later. */
static inline void hashidx_prefetch(const struct hashidx *h, uint32_t hash)
{
    if (h->n_slots)
        __builtin_prefetch(&h->slot[hashidx_start(h, hash)]);
}

/* A row that the lookup is likely to find, or HASHIDX_NONE. */
static inline uint32_t hashidx_peek(const struct hashidx *h, uint32_t hash)
{
    if (!h->n_slots)
        return HASHIDX_NONE;
    size_t at = hashidx_start(h, hash);
    return hashidx_next(h, hash, &at);
}

static inline void hashidx_put(struct hashidx *h, size_t at, uint32_t hash,
                               uint32_t row)
{
    h->slot[at] = (uint64_t)hash << 32 | ((uint64_t)row + 1);
    h->n++;
}

#endif
